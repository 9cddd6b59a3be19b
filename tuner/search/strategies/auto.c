/* auto: what is known first, then a model and local moves, where it pays.
 *
 *	1. the default of every space, in the caller's order; then the priors
 *	2. again and again: choose a space, then in it
 *	     a random point, while it has fewer than MIN_SAMPLES;
 *	     else in turns: the point that a model of the space prefers (once it
 *	     has MIN_MODEL valid times), and a step of an iterated local search:
 *	     an unasked point that differs from the current one in one parameter,
 *	     at random, moving at the first that is better; where none is left, a
 *	     random point is the new start
 *
 * The model finds the good regions with few evaluations, and is stubborn; the
 * local search with its restarts leaves them again. Alternating beats either
 * (bench-search).
 *
 * Spaces are variants of one kernel, and may be 50 times apart. A space is
 * chosen with a probability that falls with the ratio of its optimistic time
 * to the best one, (best / optimistic)^SHARPNESS; optimistic is the best seen
 * there, lowered by the spread of its log times over the root of their number:
 * a space of few and scattered times may hide something. None ever falls below
 * FLOOR of the best one's weight. */
#include "strategy.h"
#include "surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_SAMPLES 3
#define MIN_MODEL   6
#define SHARPNESS   6.0
#define FLOOR       0.01
#define OPTIMISM    1.0

struct arm {
	size_t n_told, n_valid;
	double best_log, mean_log, squares; /* Welford's sums over the log times */
	bool has_current;                   /* of the local search */
	bool starting;                      /* the next valid tell here becomes current */
	uint32_t current, best;
	bool model_next; /* whose turn it is */
};

struct automatic {
	size_t next_default, next_prior;
	struct arm *arms;   /* of each space */
	size_t *neighbours; /* scratch: as many as a point can have */
	size_t max_neighbours;
	struct search_surrogate *surrogate;
};

static void stop(struct search_state *state, void *self)
{
	struct automatic *automatic = self;
	(void)state;
	search_surrogate_destroy(automatic->surrogate);
	free(automatic->arms);
	free(automatic->neighbours);
}

static int start(struct search_state *state, void *self, struct mmt_error *error)
{
	struct automatic *automatic = self;
	automatic->max_neighbours = search_state_max_neighbours(state);
	automatic->arms = calloc(state->spec.n_spaces + 1, sizeof(automatic->arms[0]));
	automatic->neighbours = calloc(automatic->max_neighbours + 1, sizeof(automatic->neighbours[0]));
	automatic->surrogate = search_surrogate_create(state, error);
	if (automatic->arms != NULL && automatic->neighbours != NULL && automatic->surrogate != NULL)
		return 0;
	stop(state, self);
	return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a search");
}

static void tell(struct search_state *state, void *self, struct search_point point, double time_ns)
{
	struct arm *arm = &((struct automatic *)self)->arms[point.space];
	arm->n_told++;
	if (isinf(time_ns))
		return;
	double log_time = log(time_ns), before = log_time - arm->mean_log;
	arm->n_valid++;
	arm->mean_log += before / (double)arm->n_valid;
	arm->squares += before * (log_time - arm->mean_log);
	if (arm->n_valid == 1 || log_time < arm->best_log) {
		arm->best_log = log_time;
		arm->best = point.point;
	}
	/* a new start, or a step: first improvement, wherever it came from */
	struct search_point current = {point.space, arm->current};
	if (arm->starting || !arm->has_current || time_ns < search_state_time(state, current)) {
		arm->current = point.point;
		arm->has_current = true;
		arm->starting = false;
	}
}

/* The log time that a space may still reach. */
static double optimistic(const struct arm *arm)
{
	double spread = arm->n_valid < 2 ? 1.0 : sqrt(arm->squares / (double)(arm->n_valid - 1));
	return arm->best_log - OPTIMISM * spread / sqrt((double)arm->n_valid);
}

/* Relative to a space that may reach lowest; 0 where all points are asked. */
static double weight(const struct search_state *state, const struct automatic *automatic, size_t space, double lowest)
{
	const struct arm *arm = &automatic->arms[space];
	if (state->n_asked_in[space] == search_space_points(state->spec.spaces[space]))
		return 0;
	if (arm->n_valid == 0) /* the more that failed, the less is hoped */
		return fmax(FLOOR, 1.0 / (double)(1 + arm->n_told));
	return fmax(FLOOR, exp(SHARPNESS * (lowest - optimistic(arm))));
}

static bool choose_space(struct search_state *state, const struct automatic *automatic, uint32_t *out)
{
	double lowest = INFINITY, total = 0;
	for (size_t s = 0; s < state->spec.n_spaces; s++)
		if (automatic->arms[s].n_valid > 0)
			lowest = fmin(lowest, optimistic(&automatic->arms[s]));
	for (size_t s = 0; s < state->spec.n_spaces; s++)
		total += weight(state, automatic, s, lowest);
	double at = total * search_random_unit(&state->random);
	bool found = false;
	for (uint32_t s = 0; s < state->spec.n_spaces; s++) {
		double share = weight(state, automatic, s, lowest);
		if (share == 0)
			continue;
		*out = s; /* the last one also where rounding leaves something of `at` */
		found = true;
		at -= share;
		if (at < 0)
			break;
	}
	return found;
}

/* A random unasked neighbour of the current point; moves first where a known
 * neighbour is better already. False: a local minimum. */
static bool local_step(struct search_state *state, struct automatic *automatic, uint32_t space,
		       struct search_point *out)
{
	struct arm *arm = &automatic->arms[space];
	for (;;) {
		struct search_point current = {space, arm->current};
		double best = search_state_time(state, current);
		size_t count = search_space_neighbours(state->spec.spaces[space], arm->current, automatic->neighbours,
						       automatic->max_neighbours);
		size_t n_unasked = 0;
		bool moved = false;
		for (size_t i = 0; i < count; i++) {
			struct search_point neighbour = {space, (uint32_t)automatic->neighbours[i]};
			if (!search_state_asked(state, neighbour)) {
				automatic->neighbours[n_unasked++] = neighbour.point;
			} else if (search_state_time(state, neighbour) < best) { /* false while untold */
				best = search_state_time(state, neighbour);
				arm->current = neighbour.point;
				moved = true;
			}
		}
		if (moved)
			continue;
		if (n_unasked == 0)
			return false;
		size_t chosen = search_random_below(&state->random, n_unasked);
		*out = (struct search_point){space, (uint32_t)automatic->neighbours[chosen]};
		return true;
	}
}

static bool ask_in(struct search_state *state, struct automatic *automatic, uint32_t space, struct search_point *out)
{
	struct arm *arm = &automatic->arms[space];
	struct search_point best = {space, arm->best};
	if (state->n_asked_in[space] < MIN_SAMPLES || !arm->has_current)
		return search_state_random_in(state, space, out);
	arm->model_next = !arm->model_next;
	/* the best may have been told again since, as a failure */
	bool learnable = arm->n_valid >= MIN_MODEL && !isinf(search_state_time(state, best));
	if (!arm->model_next && learnable && search_surrogate_ask(automatic->surrogate, state, best, out))
		return true;
	if (local_step(state, automatic, space, out))
		return true;
	arm->starting = true;
	return search_state_random_in(state, space, out);
}

static bool ask_known(struct search_state *state, struct automatic *automatic, struct search_point *out)
{
	while (automatic->next_default < state->spec.n_spaces) {
		size_t space = automatic->next_default++;
		size_t point = search_space_default(state->spec.spaces[space]);
		*out = (struct search_point){(uint32_t)space, (uint32_t)point};
		if (point != SEARCH_NO_POINT && !search_state_asked(state, *out))
			return true;
	}
	while (automatic->next_prior < state->spec.n_priors) {
		*out = state->spec.priors[automatic->next_prior++].point;
		if (!search_state_asked(state, *out))
			return true;
	}
	return false;
}

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	struct automatic *automatic = self;
	uint32_t space;
	if (ask_known(state, automatic, out))
		return true;
	return choose_space(state, automatic, &space) && ask_in(state, automatic, space, out);
}

const struct search_strategy search_strategy_auto = {
	.name = "auto",
	.summary = "defaults and priors, then a model and local search in the most promising spaces",
	.private_bytes = sizeof(struct automatic),
	.start = start,
	.ask = ask,
	.tell = tell,
	.stop = stop,
};
