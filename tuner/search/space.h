/* space.h: a tuning space: parameters, their values, and the conditions.
 *
 * A space is expanded once, depth first: each condition is tested as soon as
 * the last parameter that it reads is bound, so that whole subtrees fall at
 * once and the full product is never walked. A configuration is a row of value
 * indices; a point is its number in the expansion, which is the same for the
 * same space always (parameters in their order, values in theirs). The walk
 * itself binds the parameters in another order, those of the most selective
 * conditions first, and the rows are sorted at its end.
 *
 * Thread: immutable once created; read from any thread. */
#ifndef MMT_SEARCH_SPACE_H
#define MMT_SEARCH_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "expr.h"
#include "mmtune/error.h"

#define SEARCH_MAX_POINTS     ((size_t)1 << 24)
#define SEARCH_MAX_PARAMETERS EXPR_LIMIT_NAMES
/* Partial configurations tried while expanding: some ten seconds */
#define SEARCH_MAX_WALK ((uint64_t)1 << 28)

struct search_parameter {
	const char *name;
	const struct expr_value *values; /* NULL: unknown, allowed where no condition is walked */
	size_t n_values;                 /* at least 1, at most 65535 */
	size_t default_index;            /* into values */
};

/* Everything is borrowed for the length of the call. A condition's slots are
 * the parameters, in the same order. A NULL sizes means that conditions do not read ProblemSize. */
struct search_space_spec {
	const struct search_parameter *parameters;
	size_t n_parameters;
	const struct expr *const *conditions;
	size_t n_conditions;
	const int64_t *sizes;
};

struct search_space;

/* Expands. An empty space (no valid configuration) is not an error; without
 * parameters there is one configuration. More than SEARCH_MAX_POINTS valid
 * configurations, or a walk beyond SEARCH_MAX_WALK, is MMT_TOO_LARGE. A
 * condition that fails to evaluate makes its configurations invalid. */
struct search_space *search_space_create(const struct search_space_spec *spec, struct mmt_error *error);
/* The same from a list of configurations, as recorded elsewhere: n_rows times
 * n_parameters value indices in any order, none twice. Conditions are not looked at. */
struct search_space *search_space_create_from_rows(const struct search_space_spec *spec, const uint16_t *rows,
						   size_t n_rows, struct mmt_error *error);
void search_space_destroy(struct search_space *space); /* NULL is allowed */

size_t search_space_points(const struct search_space *space);
size_t search_space_parameters(const struct search_space *space);
size_t search_space_values(const struct search_space *space, size_t parameter);
/* How often 2 divides a value of a parameter: what work-groups, banks and caches
 * care for besides its size. 0: odd, zero, not an integer, or unknown. */
unsigned search_space_twos(const struct search_space *space, size_t parameter, size_t value);
/* Value index of every parameter of a point; borrowed from the space. */
const uint16_t *search_space_get(const struct search_space *space, size_t point);
#define SEARCH_NO_POINT SIZE_MAX
/* The point with these value indices, or SEARCH_NO_POINT. */
size_t search_space_find(const struct search_space *space, const uint16_t *indices);
/* The default configuration where it is valid, else the valid point nearest to
 * it: fewest parameters that differ, then fewest steps. SEARCH_NO_POINT: empty. */
size_t search_space_default(const struct search_space *space);
/* Points that differ in one parameter only (any value), all valid; writes up
 * to max and returns how many there are. Order: parameter, then value. */
size_t search_space_neighbours(const struct search_space *space, size_t point, size_t *out, size_t max);

#endif
