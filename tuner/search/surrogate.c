/* surrogate.c: see surrogate.h. The constants were chosen with bench-search
 * on the recorded spaces; all are flat around these values. */
#include "surrogate.h"
#include "forest.h"

#include <math.h>
#include <stdlib.h>

#define MAX_SAMPLES 512 /* the latest ones: bounds the time to learn to some milliseconds */
#define POOL        512 /* random points that are judged */
#define CAP         0.7 /* log 2: what is slower than twice the best is equally bad */
#define OPTIMISM    1.0 /* standard deviations below the mean */

struct search_surrogate {
	struct search_forest **forests; /* of each space, made when first needed */
	size_t n_spaces;
	const uint16_t *rows[MAX_SAMPLES];
	double targets[MAX_SAMPLES];
	size_t *neighbours;
	size_t max_neighbours;
};

struct search_surrogate *search_surrogate_create(const struct search_state *state, struct mmt_error *error)
{
	struct search_surrogate *surrogate = calloc(1, sizeof(*surrogate));
	if (surrogate == NULL)
		goto no_memory;
	surrogate->n_spaces = state->spec.n_spaces;
	surrogate->max_neighbours = search_state_max_neighbours(state);
	surrogate->forests = calloc(state->spec.n_spaces + 1, sizeof(surrogate->forests[0]));
	surrogate->neighbours = calloc(surrogate->max_neighbours + 1, sizeof(surrogate->neighbours[0]));
	if (surrogate->forests != NULL && surrogate->neighbours != NULL)
		return surrogate;
no_memory:
	search_surrogate_destroy(surrogate);
	mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a search");
	return NULL;
}

void search_surrogate_destroy(struct search_surrogate *surrogate)
{
	if (surrogate == NULL)
		return;
	for (size_t s = 0; surrogate->forests != NULL && s < surrogate->n_spaces; s++)
		search_forest_destroy(surrogate->forests[s]);
	free(surrogate->forests);
	free(surrogate->neighbours);
	free(surrogate);
}

static struct search_forest *learn(struct search_surrogate *surrogate, struct search_state *state,
				   struct search_point best)
{
	const struct search_space *space = state->spec.spaces[best.space];
	struct search_forest **forest = &surrogate->forests[best.space];
	double highest = log(search_state_time(state, best)) + CAP;
	size_t n = 0;
	for (size_t i = state->n_told; i-- > 0 && n < MAX_SAMPLES;) {
		if (state->history[i].space != best.space)
			continue;
		surrogate->rows[n] = search_space_get(space, state->history[i].point);
		surrogate->targets[n++] = fmin(highest, log(search_state_time(state, state->history[i])));
	}
	if (*forest == NULL)
		*forest = search_forest_create(search_space_parameters(space), NULL);
	if (*forest == NULL || n == 0 ||
	    search_forest_fit(*forest, surrogate->rows, surrogate->targets, n, &state->random) != 0)
		return NULL;
	return *forest;
}

/* Keeps the candidate in *out where it promises a lower time than *lowest. */
static void consider(const struct search_forest *forest, const struct search_state *state,
		     struct search_point candidate, double *lowest, struct search_point *out)
{
	double mean, deviation;
	search_forest_predict(forest, search_space_get(state->spec.spaces[candidate.space], candidate.point), &mean,
			      &deviation);
	if (mean - OPTIMISM * deviation >= *lowest)
		return;
	*lowest = mean - OPTIMISM * deviation;
	*out = candidate;
}

bool search_surrogate_ask(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			  struct search_point *out)
{
	const struct search_forest *forest = learn(surrogate, state, best);
	struct search_point candidate;
	double lowest = INFINITY;
	if (forest == NULL)
		return false;
	for (size_t i = 0; i < POOL && search_state_random_in(state, best.space, &candidate); i++)
		consider(forest, state, candidate, &lowest, out);
	size_t count = search_space_neighbours(state->spec.spaces[best.space], best.point, surrogate->neighbours,
					       surrogate->max_neighbours);
	for (size_t i = 0; i < count; i++) {
		candidate = (struct search_point){best.space, (uint32_t)surrogate->neighbours[i]};
		if (!search_state_asked(state, candidate))
			consider(forest, state, candidate, &lowest, out);
	}
	return !isinf(lowest);
}
