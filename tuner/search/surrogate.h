/* surrogate.h: a model of each space, which says what is worth evaluating.
 *
 * A Gaussian process learns the log times of what was told in the space. A time
 * beyond 2.5 times the best, and a failure, count as that: how bad they are is
 * of no interest, and it would drown the differences that are. Its features are
 * the value indices, and how often 2 divides a value where that says more than
 * the index. Of many results it knows the latest and the best, and it is learnt
 * anew only after some more of them, the more the more there are: asking stays cheap.
 * Points that are asked and not told count as told, with what is expected of them.
 *
 * Thread: belongs to one search. */
#ifndef MMT_SEARCH_SURROGATE_H
#define MMT_SEARCH_SURROGATE_H

#include "strategy.h"

struct search_surrogate;

struct search_surrogate *search_surrogate_create(const struct search_state *state, struct mmt_error *error);
void search_surrogate_destroy(struct search_surrogate *surrogate); /* NULL is allowed */

/* The point with the greatest expected improvement over the best told point of a space, among that
 * one's neighbours and random points, none of them asked; and that improvement, as a logarithm (0.01:
 * 1 %). False: nothing unasked was found, or there was no memory. */
bool search_surrogate_ask(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			  struct search_point *out, double *gain);

/* The most promising of n points of best's space, by the mean; at random when
 * there was no memory to learn. At least one. */
size_t search_surrogate_choose(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			       const size_t *points, size_t n);

#endif
