/* surrogate.h: asks a model of one space for the point most worth evaluating.
 *
 * A forest learns the log times of what was told in the space. A time beyond
 * twice the best, and a failure, count as twice the best: how bad they are is
 * of no interest, and it would drown the differences that are. The answer is
 * the point whose time could be lowest (mean less one standard deviation of the
 * trees) among random unasked points and the neighbours of the best.
 *
 * Thread: belongs to one search. */
#ifndef MMT_SEARCH_SURROGATE_H
#define MMT_SEARCH_SURROGATE_H

#include "strategy.h"

struct search_surrogate;

struct search_surrogate *search_surrogate_create(const struct search_state *state, struct mmt_error *error);
void search_surrogate_destroy(struct search_surrogate *surrogate); /* NULL is allowed */

/* best: the best told point of the space. False: nothing unasked was found, or
 * there was no memory to learn. */
bool search_surrogate_ask(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			  struct search_point *out);

#endif
