/* surrogate.c: see surrogate.h. The constants were chosen with bench-search
 * on the recorded spaces; all are flat around these values. */
#include "surrogate.h"
#include "gaussian.h"

#include <math.h>
#include <stdlib.h>

#define MAX_SAMPLES  SEARCH_GAUSSIAN_MAX
#define LATEST       (MAX_SAMPLES / 2) /* of the samples; the others are the best of the earlier results */
#define MAX_FEATURES (2 * SEARCH_MAX_PARAMETERS)
#define PATIENCE     48  /* learns anew once the results have grown by one in this many */
#define POOL         384 /* random points that are judged */
#define SHORTLIST    96  /* of them, by the mean alone: the deviation takes longer */
#define CAP          0.9 /* log 2.5: what is slower than 2.5 times the best is equally bad */

struct feature {
	uint16_t parameter;
	bool twos; /* of the value, and not its index */
};

struct model {
	struct search_gaussian *gaussian; /* NULL until first needed */
	struct feature features[MAX_FEATURES];
	size_t n_features;
	size_t n_told; /* in all spaces, when it learnt */
};

struct candidate {
	size_t point;
	double mean;
};

struct search_surrogate {
	struct model *models; /* of each space */
	size_t n_spaces;
	uint32_t samples[MAX_SAMPLES]; /* points */
	uint16_t *rows;                /* of the samples, one after the other */
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
	surrogate->rows = calloc(MAX_SAMPLES * most_features, sizeof(surrogate->rows[0]));
	if (surrogate->rows != NULL)
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
		search_gaussian_destroy(surrogate->models[s].gaussian);
	free(surrogate->models);
	free(surrogate->rows);
	free(surrogate->neighbours);
	free(surrogate);
}

static uint16_t read_feature(const struct search_space *space, struct feature feature, uint16_t value)
{
	return feature.twos ? (uint16_t)search_space_twos(space, feature.parameter, value) : value;
}

static void read_features(const struct model *model, const struct search_space *space, size_t point, uint16_t *out)
{
	const uint16_t *row = search_space_get(space, point);
	for (size_t f = 0; f < model->n_features; f++)
		out[f] = read_feature(space, model->features[f], row[model->features[f].parameter]);
}

static struct search_gaussian *create_gaussian(const struct model *model, const struct search_space *space)
{
	uint16_t greatest[MAX_FEATURES] = {0};
	for (size_t f = 0; f < model->n_features; f++) {
		for (size_t v = 0; v < search_space_values(space, model->features[f].parameter); v++) {
			uint16_t value = read_feature(space, model->features[f], (uint16_t)v);
			greatest[f] = value > greatest[f] ? value : greatest[f];
		}
	}
	return search_gaussian_create(greatest, model->n_features, NULL);
}

/* Puts a point among the best of a list, which is sorted by time and has room for MAX_SAMPLES - LATEST. */
static size_t insert(const struct search_state *state, struct search_point point, uint32_t *list, size_t n)
{
	double time_ns = search_state_time(state, point);
	size_t at = n;
	for (; at > 0; at--) {
		if (search_state_time(state, (struct search_point){point.space, list[at - 1]}) <= time_ns)
			break;
		if (at < MAX_SAMPLES - LATEST)
			list[at] = list[at - 1];
	}
	if (at < MAX_SAMPLES - LATEST)
		list[at] = point.point;
	return n < MAX_SAMPLES - LATEST ? n + 1 : n;
}

/* The latest results of a space and the best of the earlier ones; returns how many. */
static size_t choose_samples(struct search_surrogate *surrogate, const struct search_state *state, uint32_t space)
{
	size_t n_latest = 0, n_best = 0;
	for (size_t i = state->n_told; i-- > 0;) {
		if (state->history[i].space != space)
			continue;
		if (n_latest < LATEST)
			surrogate->samples[n_latest++] = state->history[i].point;
		else
			n_best = insert(state, state->history[i], surrogate->samples + LATEST, n_best);
	}
	return n_latest + n_best;
}

static const struct model *learn(struct search_surrogate *surrogate, struct search_state *state,
				 struct search_point best)
{
	struct model *model = &surrogate->models[best.space];
	const struct search_space *space = state->spec.spaces[best.space];
	if (model->n_told > 0 && state->n_told < model->n_told + 1 + model->n_told / PATIENCE)
		return model;
	if (model->gaussian == NULL)
		model->gaussian = create_gaussian(model, space);
	size_t n = choose_samples(surrogate, state, best.space);
	if (model->gaussian == NULL || n == 0)
		return NULL;
	double best_ns = search_state_time(state, best);
	for (size_t i = 0; i < n; i++) {
		struct search_point point = {best.space, surrogate->samples[i]};
		read_features(model, space, point.point, surrogate->rows + i * model->n_features);
		surrogate->targets[i] = fmin(CAP, log(search_state_time(state, point) / best_ns));
	}
	search_gaussian_fit(model->gaussian, surrogate->rows, surrogate->targets, n, &state->random);
	model->n_told = state->n_told;
	return model;
}

static double expect(const struct model *model, const struct search_space *space, size_t point)
{
	uint16_t row[MAX_FEATURES];
	read_features(model, space, point, row);
	return search_gaussian_mean(model->gaussian, row);
}

/* By how much a time is expected to be better than the best, in logarithms, nothing counting where
 * it is worse (Jones, Schonlau and Welch, Journal of Global Optimization 13, 1998). */
static double improvement(double mean, double deviation)
{
	if (deviation <= 0)
		return fmax(0, -mean);
	double z = -mean / deviation, density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
	return deviation * (z * 0.5 * erfc(-z * M_SQRT1_2) + density);
}

static double expect_gain(const struct model *model, const struct search_space *space, size_t point)
{
	uint16_t row[MAX_FEATURES];
	double mean, deviation;
	read_features(model, space, point, row);
	search_gaussian_predict(model->gaussian, row, &mean, &deviation);
	return improvement(mean, deviation);
}

/* Keeps the SHORTLIST least means, sorted. */
static size_t shortlist(struct candidate *list, size_t n, struct candidate candidate)
{
	size_t at = n;
	if (n == SHORTLIST && candidate.mean >= list[n - 1].mean)
		return n;
	if (n < SHORTLIST)
		n++;
	else
		at--;
	for (; at > 0 && list[at - 1].mean > candidate.mean; at--)
		list[at] = list[at - 1];
	list[at] = candidate;
	return n;
}

bool search_surrogate_ask(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			  struct search_point *out, double *gain)
{
	const struct search_space *space = state->spec.spaces[best.space];
	const struct model *model = learn(surrogate, state, best);
	struct candidate list[SHORTLIST];
	struct search_point point;
	size_t n = 0;
	if (model == NULL)
		return false;
	size_t count = search_space_neighbours(space, best.point, surrogate->neighbours, surrogate->max_neighbours);
	for (size_t i = 0; i < count + POOL; i++) {
		if (i < count)
			point = (struct search_point){best.space, (uint32_t)surrogate->neighbours[i]};
		else if (!search_state_random_in(state, best.space, &point))
			break;
		if (!search_state_asked(state, point))
			n = shortlist(list, n, (struct candidate){point.point, expect(model, space, point.point)});
	}
	/* in the order of the means: none behind can gain more than it would with the greatest deviation */
	double greatest = search_gaussian_deviation(model->gaussian);
	*gain = -1;
	for (size_t i = 0; i < n && improvement(list[i].mean, greatest) > *gain; i++) {
		double expected = expect_gain(model, space, list[i].point);
		if (expected <= *gain)
			continue;
		*gain = expected;
		*out = (struct search_point){best.space, (uint32_t)list[i].point};
	}
	return n > 0;
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
		double mean = expect(model, state->spec.spaces[best.space], points[at]);
		if (mean < lowest) {
			lowest = mean;
			chosen = at;
		}
	}
	return points[chosen];
}
