/* search.h: the search, as ask and tell.
 *
 * A search runs over one or more spaces (one a kernel variant). It is pure: no
 * clock, no I/O, no globals, random numbers from its own seed. Whoever drives
 * it asks for a point, evaluates it wherever it likes, and tells the outcome:
 *
 *	while (search_ask(search, &point) == SEARCH_POINT)
 *		search_tell(search, point, SEARCH_OK, time_ns);
 *
 * Tells may come for points that were never asked (results of an earlier run,
 * replayed to resume it) and in any order; asking several times before telling
 * is allowed (candidates built ahead). A point is never asked twice.
 *
 * A strategy is one file strategies/NAME.c that ends in
 *	const struct search_strategy search_strategy_NAME = {...};
 * and is found by the build; there is no table to edit.
 *
 * Thread: one search belongs to one thread at a time. */
#ifndef MMT_SEARCH_H
#define MMT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mmtune/error.h"
#include "space.h"

struct search_point {
	uint32_t space; /* index into the search's spaces */
	uint32_t point; /* index into that space */
};

enum search_outcome { SEARCH_OK, SEARCH_INVALID }; /* invalid: build failed, wrong, crashed, skipped ... */
enum search_asked { SEARCH_POINT, SEARCH_EXHAUSTED };

/* Knowledge from elsewhere: points worth trying early, best first. Their times
 * are hints, never results. */
struct search_prior {
	struct search_point point;
	double time_ns; /* 0: unknown */
};

struct search_spec {
	const char *strategy;
	const struct search_space *const *spaces; /* borrowed for the life of the search */
	size_t n_spaces;
	/* What is expected of the best of each space, as rates in any unit, above 0; NULL: they are alike. Borrowed
	 * for the life of the search. */
	const double *promises;
	uint64_t seed;
	const struct search_prior *priors; /* borrowed for the call */
	size_t n_priors;
};

struct search;

/* NULL with MMT_INVALID_ARGUMENT for an unknown strategy (the message lists them). */
struct search *search_create(const struct search_spec *spec, struct mmt_error *error);
void search_destroy(struct search *search); /* NULL is allowed */

enum search_asked search_ask(struct search *search, struct search_point *out);
/* time_ns is used with SEARCH_OK only; a time that is not finite and positive
 * makes the point invalid. Telling a point twice keeps the last. A point that
 * is not of the spaces is ignored. */
void search_tell(struct search *search, struct search_point point, enum search_outcome outcome, double time_ns);

bool search_evaluated(const struct search *search, struct search_point point); /* asked or told */
size_t search_told(const struct search *search);
/* The best told point; false when none was SEARCH_OK. */
bool search_best(const struct search *search, struct search_point *out, double *time_ns);
/* Whether nothing is left to gain, as far as the strategy can tell. `auto`: the model was asked 40 times without a
 * point from which it expects 1 % over the best, and all neighbours of the best (those that differ in one
 * parameter) are asked. Counted from the last best that was 1 % better, halved whenever more is expected, and anew
 * after a replay. Other strategies: all points are asked. It may be asked on: an optimum can hide. */
bool search_settled(const struct search *search);

/* Names of the strategies, sorted; NULL-terminated static table. */
const char *const *search_strategy_names(void);
const char *search_strategy_summary(const char *name); /* NULL: no such strategy */

#endif
