/* surrogate.c: see surrogate.h. The constants were chosen with bench-search
 * on the recorded spaces; all are flat around these values. */
#include "surrogate.h"
#include "forest.h"

#include <math.h>
#include <stdlib.h>

#define MAX_SAMPLES  512 /* the latest ones: bounds the time to learn to some milliseconds */
#define MAX_FEATURES (2 * SEARCH_MAX_PARAMETERS)
#define PATIENCE     48  /* learns anew once the results have grown by one in this many */
#define POOL         512 /* random points that are judged */
#define CAP          0.7 /* log 2: what is slower than twice the best is equally bad */
#define OPTIMISM     1.0 /* standard deviations below the mean */

struct feature {
	uint16_t parameter;
	bool twos; /* of the value, and not its index */
};

struct model {
	struct search_forest *forest; /* NULL until first needed */
	struct feature features[MAX_FEATURES];
	size_t n_features;
	size_t n_told; /* in all spaces, when it learnt */
};

struct search_surrogate {
	struct model *models; /* of each space */
	size_t n_spaces;
	uint16_t *features; /* of the samples, one row after the other */
	const uint16_t *rows[MAX_SAMPLES];
	double targets[MAX_SAMPLES];
	size_t *neighbours;
	size_t max_neighbours;
};

/* Whether the order of the values is not that of their powers of two. */
static bool twos_matter(const struct search_space *space, size_t parameter)
{
	for (size_t v = 1; v < search_space_values(space, parameter); v++)
		if (search_space_twos(space, parameter, v) < search_space_twos(space, parameter, v - 1))
			return true;
	return false;
}

static void list_features(struct model *model, const struct search_space *space)
{
	for (size_t p = 0; p < search_space_parameters(space); p++) {
		if (search_space_values(space, p) < 2)
			continue;
		model->features[model->n_features++] = (struct feature){(uint16_t)p, false};
		if (twos_matter(space, p))
			model->features[model->n_features++] = (struct feature){(uint16_t)p, true};
	}
}

struct search_surrogate *search_surrogate_create(const struct search_state *state, struct mmt_error *error)
{
	struct search_surrogate *surrogate = calloc(1, sizeof(*surrogate));
	size_t most_features = 1;
	if (surrogate == NULL)
		goto no_memory;
	surrogate->n_spaces = state->spec.n_spaces;
	surrogate->max_neighbours = search_state_max_neighbours(state);
	surrogate->models = calloc(state->spec.n_spaces + 1, sizeof(surrogate->models[0]));
	surrogate->neighbours = calloc(surrogate->max_neighbours + 1, sizeof(surrogate->neighbours[0]));
	if (surrogate->models == NULL || surrogate->neighbours == NULL)
		goto no_memory;
	for (size_t s = 0; s < surrogate->n_spaces; s++) {
		list_features(&surrogate->models[s], state->spec.spaces[s]);
		if (surrogate->models[s].n_features > most_features)
			most_features = surrogate->models[s].n_features;
	}
	surrogate->features = calloc(MAX_SAMPLES * most_features, sizeof(surrogate->features[0]));
	if (surrogate->features != NULL)
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
	for (size_t s = 0; surrogate->models != NULL && s < surrogate->n_spaces; s++)
		search_forest_destroy(surrogate->models[s].forest);
	free(surrogate->models);
	free(surrogate->features);
	free(surrogate->neighbours);
	free(surrogate);
}

static void read_features(const struct model *model, const struct search_space *space, size_t point, uint16_t *out)
{
	const uint16_t *row = search_space_get(space, point);
	for (size_t f = 0; f < model->n_features; f++) {
		struct feature feature = model->features[f];
		uint16_t value = row[feature.parameter];
		out[f] = feature.twos ? (uint16_t)search_space_twos(space, feature.parameter, value) : value;
	}
}

/* The latest results of a space, as rows and targets; returns how many. */
static size_t collect(struct search_surrogate *surrogate, const struct search_state *state, struct search_point best)
{
	const struct model *model = &surrogate->models[best.space];
	double highest = log(search_state_time(state, best)) + CAP;
	size_t n = 0;
	for (size_t i = state->n_told; i-- > 0 && n < MAX_SAMPLES;) {
		struct search_point point = state->history[i];
		uint16_t *row = surrogate->features + n * model->n_features;
		if (point.space != best.space)
			continue;
		read_features(model, state->spec.spaces[best.space], point.point, row);
		surrogate->rows[n] = row;
		surrogate->targets[n++] = fmin(highest, log(search_state_time(state, point)));
	}
	return n;
}

static const struct model *learn(struct search_surrogate *surrogate, struct search_state *state,
				 struct search_point best)
{
	struct model *model = &surrogate->models[best.space];
	if (model->n_told > 0 && state->n_told < model->n_told + 1 + model->n_told / PATIENCE)
		return model;
	size_t n = collect(surrogate, state, best);
	model->n_told = 0;
	if (model->forest == NULL)
		model->forest = search_forest_create(model->n_features, NULL);
	if (model->forest == NULL || n == 0 ||
	    search_forest_fit(model->forest, surrogate->rows, surrogate->targets, n, &state->random) != 0)
		return NULL;
	model->n_told = state->n_told;
	return model;
}

/* The time that a point promises, in the model's logarithms. */
static double judge(const struct model *model, const struct search_space *space, size_t point, double optimism)
{
	uint16_t row[MAX_FEATURES];
	double mean, deviation;
	read_features(model, space, point, row);
	search_forest_predict(model->forest, row, &mean, &deviation);
	return mean - optimism * deviation;
}

bool search_surrogate_ask(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			  struct search_point *out)
{
	const struct search_space *space = state->spec.spaces[best.space];
	const struct model *model = learn(surrogate, state, best);
	struct search_point candidate;
	double lowest = INFINITY;
	if (model == NULL)
		return false;
	size_t count = search_space_neighbours(space, best.point, surrogate->neighbours, surrogate->max_neighbours);
	for (size_t i = 0; i < count + POOL; i++) {
		if (i < count)
			candidate = (struct search_point){best.space, (uint32_t)surrogate->neighbours[i]};
		else if (!search_state_random_in(state, best.space, &candidate))
			break;
		if (search_state_asked(state, candidate))
			continue;
		double promise = judge(model, space, candidate.point, OPTIMISM);
		if (promise < lowest) {
			lowest = promise;
			*out = candidate;
		}
	}
	return !isinf(lowest);
}

size_t search_surrogate_choose(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			       const size_t *points, size_t n)
{
	const struct model *model = learn(surrogate, state, best);
	size_t chosen = search_random_below(&state->random, n);
	if (model == NULL)
		return points[chosen];
	/* from a random one on: the first of equals is no particular one */
	size_t first = chosen;
	double lowest = INFINITY;
	for (size_t i = 0; i < n; i++) {
		size_t at = (first + i) % n;
		double promise = judge(model, state->spec.spaces[best.space], points[at], 0);
		if (promise < lowest) {
			lowest = promise;
			chosen = at;
		}
	}
	return points[chosen];
}
