/* moves.h: steps that strategies share.
 *
 * Thread: as strategy.h. */
#ifndef MMT_SEARCH_MOVES_H
#define MMT_SEARCH_MOVES_H

#include "strategy.h"

/* A random unasked point that differs from another one in one parameter; false:
 * all of those are asked. */
bool search_random_neighbour(struct search_state *state, struct search_point from, struct search_point *out);

/* The unasked point of a space nearest to a row of value indices, which need
 * not be a valid one: the row itself, else one step away, else the nearest of
 * some random points. A row's length is the space's number of parameters; an
 * index may be anything. False: all points of the space are asked. */
bool search_nearest(struct search_state *state, uint32_t space, const double *row, struct search_point *out);

/* The unasked point nearest to another one of which some parameters (not
 * necessarily different ones) are changed at random. False: as search_nearest(). */
bool search_kick(struct search_state *state, struct search_point from, size_t n_changes, struct search_point *out);

#endif
