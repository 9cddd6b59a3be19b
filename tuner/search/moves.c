/* moves.c: see moves.h. */
#include "moves.h"

#include <math.h>
#include <string.h>

#define SAMPLES 64 /* random points that the nearest is chosen from */

/* Counts through all rows that differ in one parameter, and keeps each unasked
 * one with probability 1 / (how many there were): uniform, without a list. */
bool search_random_neighbour(struct search_state *state, struct search_point from, struct search_point *out)
{
	const struct search_space *space = state->spec.spaces[from.space];
	uint16_t row[SEARCH_MAX_PARAMETERS];
	size_t n_parameters = search_space_parameters(space), count = 0;
	memcpy(row, search_space_get(space, from.point), n_parameters * sizeof(row[0]));
	for (size_t p = 0; p < n_parameters; p++) {
		uint16_t own = row[p];
		for (size_t v = 0; v < search_space_values(space, p); v++) {
			row[p] = (uint16_t)v;
			size_t found = v == own ? SEARCH_NO_POINT : search_space_find(space, row);
			struct search_point neighbour = {from.space, (uint32_t)found};
			if (found == SEARCH_NO_POINT || search_state_asked(state, neighbour))
				continue;
			if (search_random_below(&state->random, ++count) == 0)
				*out = neighbour;
		}
		row[p] = own;
	}
	return count > 0;
}

/* In whole ranges of parameters; a different value counts at least a quarter. */
static double distance(const struct search_space *space, size_t point, const double *row)
{
	const uint16_t *other = search_space_get(space, point);
	double sum = 0;
	for (size_t p = 0; p < search_space_parameters(space); p++) {
		double steps = fabs(row[p] - other[p]), n_values = (double)search_space_values(space, p);
		sum += steps < 0.5 ? 0 : 0.25 + 0.75 * steps / n_values;
	}
	return sum;
}

/* The point that the row itself rounds to; SEARCH_NO_POINT: not valid. */
static size_t round_row(const struct search_space *space, const double *row)
{
	uint16_t rounded[SEARCH_MAX_PARAMETERS];
	for (size_t p = 0; p < search_space_parameters(space); p++) {
		double highest = (double)search_space_values(space, p) - 1;
		rounded[p] = (uint16_t)(fmin(fmax(row[p], 0), highest) + 0.5);
	}
	return search_space_find(space, rounded);
}

bool search_nearest(struct search_state *state, uint32_t space, const double *row, struct search_point *out)
{
	const struct search_space *points = state->spec.spaces[space];
	size_t exact = round_row(points, row);
	struct search_point candidate = {space, (uint32_t)exact};
	double nearest = INFINITY;
	if (exact != SEARCH_NO_POINT) {
		*out = candidate;
		if (!search_state_asked(state, candidate) || search_random_neighbour(state, candidate, out))
			return true;
	}
	for (size_t i = 0; i < SAMPLES && search_state_random_in(state, space, &candidate); i++) {
		double away = distance(points, candidate.point, row);
		if (away < nearest) {
			nearest = away;
			*out = candidate;
		}
	}
	return !isinf(nearest);
}

bool search_kick(struct search_state *state, struct search_point from, size_t n_changes, struct search_point *out)
{
	const struct search_space *space = state->spec.spaces[from.space];
	const uint16_t *origin = search_space_get(space, from.point);
	size_t n_parameters = search_space_parameters(space);
	double row[SEARCH_MAX_PARAMETERS];
	for (size_t p = 0; p < n_parameters; p++)
		row[p] = origin[p];
	for (size_t i = 0; i < n_changes && n_parameters > 0; i++) {
		size_t p = search_random_below(&state->random, n_parameters);
		row[p] = (double)search_random_below(&state->random, search_space_values(space, p));
	}
	return search_nearest(state, from.space, row, out);
}
