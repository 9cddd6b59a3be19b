/* surrogate.c: see surrogate.h. The constants were chosen with bench-search
 * on the recorded spaces; all are flat around these values. */
#include "surrogate.h"
#include "gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAMPLES  SEARCH_GAUSSIAN_MAX
#define LATEST       (MAX_SAMPLES / 2) /* of the samples; the others are the best of the earlier results */
#define BEST         (MAX_SAMPLES - LATEST)
#define MAX_FEATURES (2 * SEARCH_MAX_PARAMETERS)
#define PATIENCE     48  /* learns anew once the results have grown by one in this many */
#define POOL         384 /* random points that are judged */
#define SHORTLIST    96  /* of them, by the mean alone: the deviation takes longer */
#define CAP          0.9 /* log 2.5: what is slower than 2.5 times the best is equally bad */

_Static_assert(MAX_FEATURES <= SEARCH_GAUSSIAN_FEATURES, "a space has more features than a model can have");

struct feature {
	uint16_t parameter, last; /* last: its greatest value index */
	bool twos;                /* of the value, and not its index */
};

struct model {
	struct search_gaussian *gaussian; /* NULL until first needed */
	struct feature features[MAX_FEATURES];
	size_t n_features;
	size_t n_told;                               /* in all spaces, when it learnt */
	uint32_t believed[SEARCH_GAUSSIAN_BELIEVED]; /* points */
	size_t n_believed;
	double least;  /* the log time that is to be improved on: 0, the best told, or what is believed */
	size_t n_seen; /* of the results of all spaces, of which n_told_here are of this one */
	size_t n_told_here;
	uint32_t latest[LATEST]; /* a ring of points, the oldest at n_told_here % LATEST */
	uint32_t best[BEST];     /* the best of the earlier ones, sorted by time */
	size_t n_best;
};

struct candidate {
	size_t point;
	double mean, most; /* of what is expected, and of its deviation: see search_gaussian_mean() */
};

struct search_surrogate {
	struct model *models; /* of each space */
	size_t n_spaces;
	uint32_t samples[MAX_SAMPLES]; /* points */
	uint16_t *rows;                /* of the samples, one after the other */
	double targets[MAX_SAMPLES];
	size_t *candidates; /* room for max_neighbours and POOL */
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
		uint16_t last = (uint16_t)(search_space_values(space, p) - 1);
		model->features[model->n_features++] = (struct feature){(uint16_t)p, last, false};
		if (twos_matter(space, p))
			model->features[model->n_features++] = (struct feature){(uint16_t)p, last, true};
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
	surrogate->candidates = calloc(surrogate->max_neighbours + POOL, sizeof(surrogate->candidates[0]));
	if (surrogate->models == NULL || surrogate->candidates == NULL)
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
	free(surrogate->candidates);
	free(surrogate);
}

/* Of very many values, those that lie close together count as one. */
static uint16_t read_feature(const struct search_space *space, struct feature feature, uint16_t value)
{
	if (feature.twos)
		return (uint16_t)search_space_twos(space, feature.parameter, value);
	if (feature.last < SEARCH_GAUSSIAN_VALUES)
		return value;
	return (uint16_t)((uint32_t)value * (SEARCH_GAUSSIAN_VALUES - 1) / feature.last);
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

/* Puts a point among the best of the earlier ones, sorted by time. */
static void keep_best(struct model *model, const struct search_state *state, struct search_point point)
{
	double time_ns = search_state_time(state, point);
	size_t at = model->n_best;
	for (; at > 0; at--) {
		if (search_state_time(state, (struct search_point){point.space, model->best[at - 1]}) <= time_ns)
			break;
		if (at < BEST)
			model->best[at] = model->best[at - 1];
	}
	if (at < BEST)
		model->best[at] = point.point;
	model->n_best += model->n_best < BEST;
}

/* Looks at what was told since the last time. */
static void update_samples(struct model *model, const struct search_state *state, uint32_t space)
{
	for (; model->n_seen < state->n_told; model->n_seen++) {
		struct search_point point = state->history[model->n_seen];
		if (point.space != space)
			continue;
		uint32_t *slot = &model->latest[model->n_told_here++ % LATEST];
		if (model->n_told_here > LATEST)
			keep_best(model, state, (struct search_point){space, *slot});
		*slot = point.point;
	}
}

/* The latest results of a space and the best of the earlier ones; returns how many. */
static size_t list_samples(const struct model *model, uint32_t *out)
{
	size_t n_latest = model->n_told_here < LATEST ? model->n_told_here : LATEST;
	memcpy(out, model->latest, n_latest * sizeof(out[0]));
	memcpy(out + n_latest, model->best, model->n_best * sizeof(out[0]));
	return n_latest + model->n_best;
}

static bool is_believed(const struct model *model, uint32_t point)
{
	for (size_t i = 0; i < model->n_believed; i++)
		if (model->believed[i] == point)
			return true;
	return false;
}

/* Takes what is asked and not told for told, as it is expected: else the next would be asked beside it. */
static void believe(struct model *model, const struct search_state *state, uint32_t space)
{
	uint16_t row[MAX_FEATURES];
	double most;
	for (size_t i = state->n_pending; i-- > 0 && model->n_believed < SEARCH_GAUSSIAN_BELIEVED;) {
		struct search_point point = state->pending[i];
		if (point.space != space || is_believed(model, point.point))
			continue;
		read_features(model, state->spec.spaces[space], point.point, row);
		model->least = fmin(model->least, search_gaussian_mean(model->gaussian, row, &most));
		search_gaussian_believe(model->gaussian, row);
		model->believed[model->n_believed++] = point.point;
	}
}

/* From what is told. False: there was nothing, or no memory. */
static bool fit(struct search_surrogate *surrogate, struct search_state *state, struct search_point best)
{
	struct model *model = &surrogate->models[best.space];
	const struct search_space *space = state->spec.spaces[best.space];
	if (model->gaussian == NULL)
		model->gaussian = create_gaussian(model, space);
	update_samples(model, state, best.space);
	size_t n = list_samples(model, surrogate->samples);
	if (model->gaussian == NULL || n == 0)
		return false;
	double best_ns = search_state_time(state, best);
	for (size_t i = 0; i < n; i++) {
		struct search_point point = {best.space, surrogate->samples[i]};
		read_features(model, space, point.point, surrogate->rows + i * model->n_features);
		surrogate->targets[i] = fmin(CAP, log(search_state_time(state, point) / best_ns));
	}
	search_gaussian_fit(model->gaussian, surrogate->rows, surrogate->targets, n, &state->random);
	model->n_told = state->n_told;
	model->n_believed = 0;
	model->least = 0;
	return true;
}

/* The model of best's space; NULL: there is none. */
static const struct model *learn(struct search_surrogate *surrogate, struct search_state *state,
				 struct search_point best)
{
	struct model *model = &surrogate->models[best.space];
	bool is_fresh = model->n_told > 0 && state->n_told < model->n_told + 1 + model->n_told / PATIENCE;
	if (!is_fresh && !fit(surrogate, state, best))
		return NULL;
	believe(model, state, best.space);
	return model;
}

static struct candidate judge(const struct model *model, const struct search_space *space, size_t point)
{
	struct candidate candidate = {.point = point};
	uint16_t row[MAX_FEATURES];
	read_features(model, space, point, row);
	candidate.mean = search_gaussian_mean(model->gaussian, row, &candidate.most);
	return candidate;
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

static double expect_gain(const struct model *model, const struct search_space *space, struct candidate candidate)
{
	uint16_t row[MAX_FEATURES];
	read_features(model, space, candidate.point, row);
	return improvement(candidate.mean - model->least, search_gaussian_deviation(model->gaussian, row));
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

/* Neighbours of a point and random points, none of them asked, into surrogate->candidates; how many. */
static size_t list_candidates(struct search_surrogate *surrogate, struct search_state *state, struct search_point best)
{
	const struct search_space *space = state->spec.spaces[best.space];
	size_t *candidates = surrogate->candidates, n = 0;
	struct search_point point = best;
	size_t count = search_space_neighbours(space, best.point, candidates, surrogate->max_neighbours);
	for (size_t i = 0; i < count + POOL; i++) {
		if (i < count)
			point.point = (uint32_t)candidates[i];
		else if (!search_state_random_in(state, best.space, &point))
			break;
		if (search_state_asked(state, point))
			continue;
		candidates[n++] = point.point;
		__builtin_prefetch(search_space_get(space, point.point)); /* of a large space they are in no cache */
	}
	return n;
}

bool search_surrogate_ask(struct search_surrogate *surrogate, struct search_state *state, struct search_point best,
			  struct search_point *out, double *gain)
{
	const struct search_space *space = state->spec.spaces[best.space];
	const struct model *model = learn(surrogate, state, best);
	struct candidate list[SHORTLIST];
	size_t n = 0;
	if (model == NULL)
		return false;
	size_t count = list_candidates(surrogate, state, best);
	for (size_t i = 0; i < count; i++)
		n = shortlist(list, n, judge(model, space, surrogate->candidates[i]));
	*gain = -1;
	for (size_t i = 0; i < n; i++) {
		if (improvement(list[i].mean - model->least, list[i].most) <= *gain)
			continue; /* the deviation takes longer */
		double expected = expect_gain(model, space, list[i]);
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
		double mean = judge(model, state->spec.spaces[best.space], points[at]).mean;
		if (mean < lowest) {
			lowest = mean;
			chosen = at;
		}
	}
	return points[chosen];
}
