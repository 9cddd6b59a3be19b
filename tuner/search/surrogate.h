/* surrogate.h: a model of each space, which says what is worth evaluating.
 *
 * A forest learns the log times of what was told in the space. A time beyond
 * twice the best, and a failure, count as twice the best: how bad they are is
 * of no interest, and it would drown the differences that are. Its features are
 * the value indices, and how often 2 divides a value where that says more than
 * the index. It is learnt anew only after some more results, the more the
 * more it knows: asking stays cheap.
 *
 * Thread: belongs to one search. */
#ifndef MMT_SEARCH_SURROGATE_H
#define MMT_SEARCH_SURROGATE_H

#include "strategy.h"

struct search_surrogate;

struct search_surrogate *search_surrogate_create(const struct search_state *state, struct mmt_error *error);
void search_surrogate_destroy(struct search_surrogate *surrogate); /* NULL is allowed */

/* The point whose time could be lowest (mean less one standard deviation of
 * the trees) among random unasked points and the neighbours of the best told
 * point of a space. False: nothing unasked was found, or there was no memory. */
bool search_surrogate_ask(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			  struct search_point *out);

/* The most promising of n points of best's space, by the mean; at random when
 * there was no memory to learn. At least one. */
size_t search_surrogate_choose(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			       const size_t *points, size_t n);

#endif
