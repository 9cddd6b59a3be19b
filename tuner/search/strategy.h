/* strategy.h: what a search strategy is, and what search.c does for it.
 *
 * search.c keeps the record of what was asked and told, the times, the random
 * numbers and the best; a strategy only decides what to ask next.
 *
 * Thread: as search.h. */
#ifndef MMT_SEARCH_STRATEGY_H
#define MMT_SEARCH_STRATEGY_H

#include "random.h"
#include "search.h"

struct search_state {
	struct search_spec spec; /* strategy's view: spaces, n_spaces; priors copied and valid */
	struct search_random random;
	/* For space s and point p: bit set in asked[s]; times[s][p]: 0 while
	 * untold, INFINITY when invalid, else nanoseconds. */
	uint8_t **asked;
	float **times;
	size_t *n_asked_in;                        /* of each space */
	size_t n_asked, n_told, n_valid, n_points; /* over all spaces */
	bool has_best;
	struct search_point best;
	double best_time_ns;
	struct search_point *pending; /* asked and not told, n_pending of them, in the order of asking */
	size_t n_pending;
	struct search_point *history; /* told points in the order of their first tell, n_told of them */
};

struct search_strategy {
	const char *name, *summary;
	size_t private_bytes; /* zeroed memory handed to the functions below as self */
	int (*start)(struct search_state *state, void *self, struct mmt_error *error); /* may be NULL */
	/* The next point to evaluate, one that is not asked yet; false: none left. */
	bool (*ask)(struct search_state *state, void *self, struct search_point *out);
	void (*tell)(struct search_state *state, void *self, struct search_point point,
		     double time_ns); /* may be NULL; INFINITY: invalid */
	/* See search_settled(); may be NULL: as long as a point is left, it may be better. */
	bool (*settled)(const struct search_state *state, void *self);
	void (*stop)(struct search_state *state, void *self); /* may be NULL */
};

bool search_state_asked(const struct search_state *state, struct search_point point);
double search_state_time(const struct search_state *state, struct search_point point); /* NAN, INFINITY or ns */
/* A uniformly random point that is not asked yet; false when all are. */
bool search_state_random_point(struct search_state *state, struct search_point *out);
/* The same within one space. */
bool search_state_random_in(struct search_state *state, uint32_t space, struct search_point *out);
/* The most that search_space_neighbours() can find in any of the spaces. */
size_t search_state_max_neighbours(const struct search_state *state);

#endif
