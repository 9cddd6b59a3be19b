/* auto: what is known first, then a model and two local searches, in turns,
 * where it pays.
 *
 *	1. the first EAGER priors; before them the default of the space that promises
 *	   most, where none of them is of it: a search may end after three results
 *	2. the default of every space that promises at least PROMISING of the best
 *	   one's rate, in the caller's order
 *	3. again and again: choose a space, then in it one of
 *	     SAMPLE  a random point
 *	     WALK    a step of an iterated local search: an unasked point that
 *	             differs from the current one in one parameter, moving at the
 *	             first that is better. It begins at the default, and at a local
 *	             minimum it starts anew, in turns at the best point with some
 *	             parameters changed and at a random one
 *	     REFINE  a step from the best point of the space
 *	     MODEL   what a model of the space prefers
 *
 * The other priors come between the moves of 3, the one first that the model of
 * its space prefers by then, and half as often after each TRUST of them that were
 * no better than what was known: a source that misleads loses its say after a few
 * results.
 *
 * No one of them does it alone: MODEL finds a good valley with few evaluations
 * and then is stubborn; WALK keeps a line of its own, and so finds an optimum
 * that lies in another valley. So WALK and REFINE have their turns when the best
 * has not become better for STALE results, and before that where there are
 * priors: those say more than a young model, and WALK, which begins at the
 * default all the same, is not misled by them. Steps go to the neighbour that the
 * model prefers, and sometimes to a random one. (bench-search compares.)
 *
 * Spaces are variants of one kernel, and may be 50 times apart. A space is
 * chosen with a probability that falls with the ratio of its optimistic time
 * to the best one, (best / optimistic)^SHARPNESS; optimistic is the best seen
 * there, or what lies one standard deviation below its mean log time: a space
 * whose times are scattered about a good one may hide something. What a space
 * promises weighs as much as one result, and is all there is to go by before the
 * first, which is its default. None ever falls below FLOOR of the best one's weight.
 *
 * The search has settled when no neighbour of the best is left to ask and
 * MODEL has been asked QUIET times, in whatever space, without one unasked point
 * from which it expects a gain of ENOUGH. A promise of more halves the count: it
 * is tried at once, and a best that became better by as much begins the count
 * anew, as does a space of which too little is known for a model. */
#include "moves.h"
#include "surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_MODEL    6   /* valid times of a space, before its model is asked */
#define GUIDED       0.8 /* share of the steps that the model chooses */
#define KICK         3   /* parameters changed at a new start */
#define STALE        6   /* results of a space in a row that are no better: its best does not improve */
#define EAGER        4   /* priors that are evaluated at once */
#define TRUST        3   /* priors in a row that may be no better than what is known */
#define PRIOR_TURN   3   /* one in this many is a prior, */
#define MAX_HALVINGS 16  /* and half as many after each TRUST that disappoint */
#define SHARPNESS    6.0
#define FLOOR        0.01
#define OPTIMISM     1.0 /* standard deviations, */
#define UNKNOWN      1.0 /* this one where there is one time only */
#define PROMISING    0.5
#define QUIET        40   /* see above */
#define ENOUGH       0.01 /* of the best time */

enum move { SAMPLE, WALK, REFINE, MODEL };

struct arm {
	size_t n_told, n_valid, n_stale;    /* n_stale: told since the best was */
	double best_log, mean_log, squares; /* Welford's sums over the log times */
	uint32_t best, current;             /* the best of the space; where the walk is */
	bool has_current;
	bool starting; /* `start` is asked, and becomes current when it is told and valid */
	uint32_t start;
	bool kick_next;
	size_t turn;
};

struct automatic {
	size_t next_default, next_prior, n_priors_asked;
	size_t n_disappointing;         /* priors since the last one that was the best of all */
	struct search_point last_prior; /* asked */
	size_t turn, prior_turn;        /* the next one that is a prior's */
	size_t n_quiet;                 /* turns of MODEL that promised nothing; see above */
	double quiet_log;               /* the best of all when the count began */
	struct arm *arms;               /* of each space */
	size_t *neighbours;             /* scratch: as many as a point can have */
	size_t max_neighbours;
	size_t *candidates; /* scratch: as many as there are priors */
	struct search_surrogate *surrogate;
};

static void stop(struct search_state *state, void *self)
{
	struct automatic *automatic = self;
	(void)state;
	search_surrogate_destroy(automatic->surrogate);
	free(automatic->arms);
	free(automatic->neighbours);
	free(automatic->candidates);
}

static int start(struct search_state *state, void *self, struct mmt_error *error)
{
	struct automatic *automatic = self;
	automatic->quiet_log = INFINITY;
	automatic->max_neighbours = search_state_max_neighbours(state);
	automatic->arms = calloc(state->spec.n_spaces + 1, sizeof(automatic->arms[0]));
	automatic->neighbours = calloc(automatic->max_neighbours + 1, sizeof(automatic->neighbours[0]));
	automatic->candidates = calloc(state->spec.n_priors + 1, sizeof(automatic->candidates[0]));
	automatic->surrogate = search_surrogate_create(state, error);
	if (automatic->arms != NULL && automatic->neighbours != NULL && automatic->candidates != NULL &&
	    automatic->surrogate != NULL)
		return 0;
	stop(state, self);
	return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a search");
}

static bool is_same(struct search_point a, struct search_point b)
{
	return a.space == b.space && a.point == b.point;
}

static void tell(struct search_state *state, void *self, struct search_point point, double time_ns)
{
	struct automatic *automatic = self;
	struct arm *arm = &automatic->arms[point.space];
	arm->n_told++;
	arm->n_stale++;
	if (isinf(time_ns))
		return;
	if (is_same(point, state->best) && log(time_ns) < automatic->quiet_log - ENOUGH) {
		automatic->n_quiet = 0;
		automatic->quiet_log = log(time_ns);
	}
	if (is_same(point, automatic->last_prior) && is_same(point, state->best))
		automatic->n_disappointing = 0;
	double log_time = log(time_ns), before = log_time - arm->mean_log;
	arm->n_valid++;
	arm->mean_log += before / (double)arm->n_valid;
	arm->squares += before * (log_time - arm->mean_log);
	if (arm->n_valid == 1 || log_time < arm->best_log) {
		arm->best_log = log_time;
		arm->best = point.point;
		arm->n_stale = 0;
	}
	if (!arm->has_current || (arm->starting && arm->start == point.point) ||
	    point.point == search_space_default(state->spec.spaces[point.space])) {
		arm->current = point.point;
		arm->has_current = true;
		arm->starting = false;
	}
}

/* Whether the space has enough results for a model; the best may have been
 * told again since, as a failure. */
static bool is_learnable(const struct search_state *state, const struct arm *arm, uint32_t space, size_t least)
{
	return arm->n_valid >= least && !isinf(search_state_time(state, (struct search_point){space, arm->best}));
}

/* The log time that a space may still reach. */
static double optimistic(const struct arm *arm)
{
	double spread = arm->n_valid < 2 ? UNKNOWN : sqrt(arm->squares / (double)(arm->n_valid - 1));
	return fmin(arm->best_log, arm->mean_log - OPTIMISM * spread);
}

/* The rate expected of a space, as part of the highest that is expected. */
static double promise(const struct search_state *state, size_t space)
{
	const double *promises = state->spec.promises;
	double highest = 0;
	if (promises == NULL)
		return 1;
	for (size_t s = 0; s < state->spec.n_spaces; s++)
		highest = fmax(highest, promises[s]);
	return promises[space] / highest;
}

/* Relative to a space that may reach lowest; 0 where all points are asked. */
static double weight(const struct search_state *state, const struct automatic *automatic, size_t space, double lowest)
{
	const struct arm *arm = &automatic->arms[space];
	if (state->n_asked_in[space] == search_space_points(state->spec.spaces[space]))
		return 0;
	double promised = promise(state, space);
	if (arm->n_valid == 0) /* the more that failed, the less is hoped */
		return fmax(FLOOR, promised / (double)(1 + arm->n_told));
	return fmax(FLOOR,
		    exp(SHARPNESS * (lowest - optimistic(arm))) * pow(promised, 1.0 / (double)(1 + arm->n_valid)));
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

/* The unasked neighbours of a point, into automatic->neighbours; moves first
 * where a known neighbour is better already. */
static size_t descend(const struct search_state *state, struct automatic *automatic, uint32_t space, uint32_t *at)
{
	for (;;) {
		double best = search_state_time(state, (struct search_point){space, *at});
		size_t count = search_space_neighbours(state->spec.spaces[space], *at, automatic->neighbours,
						       automatic->max_neighbours);
		size_t n_unasked = 0;
		bool moved = false;
		for (size_t i = 0; i < count; i++) {
			struct search_point neighbour = {space, (uint32_t)automatic->neighbours[i]};
			if (!search_state_asked(state, neighbour)) {
				automatic->neighbours[n_unasked++] = neighbour.point;
			} else if (search_state_time(state, neighbour) < best) { /* false while untold */
				best = search_state_time(state, neighbour);
				*at = neighbour.point;
				moved = true;
			}
		}
		if (!moved)
			return n_unasked;
	}
}

/* An unasked neighbour of a point, or of a better one beside it: by the model
 * or at random. False: a local minimum, of which all neighbours are asked. */
static bool step(struct search_state *state, struct automatic *automatic, uint32_t space, uint32_t *from,
		 struct search_point *out)
{
	struct arm *arm = &automatic->arms[space];
	size_t count = descend(state, automatic, space, from);
	if (count == 0)
		return false;
	size_t chosen;
	if (is_learnable(state, arm, space, MIN_MODEL) && search_random_unit(&state->random) < GUIDED)
		chosen = search_surrogate_choose(automatic->surrogate, state, (struct search_point){space, arm->best},
						 automatic->neighbours, count);
	else
		chosen = automatic->neighbours[search_random_below(&state->random, count)];
	*out = (struct search_point){space, (uint32_t)chosen};
	return true;
}

/* A new start of the walk: in turns the best point with some parameters
 * changed at random, and a random point. */
static bool restart(struct search_state *state, struct automatic *automatic, uint32_t space, struct search_point *out)
{
	struct arm *arm = &automatic->arms[space];
	arm->kick_next = !arm->kick_next;
	if (!(arm->kick_next && search_kick(state, (struct search_point){space, arm->best}, KICK, out)) &&
	    !search_state_random_in(state, space, out))
		return false;
	arm->starting = true;
	arm->start = out->point;
	return true;
}

/* The moves in turns: a few points at random and the best of them refined; then, as long as the
 * best gets better, the model, or steps where priors have named good valleys; else some of each. */
static enum move choose_move(struct arm *arm, bool learnable, bool has_priors)
{
	static const enum move early[] = {SAMPLE, SAMPLE, REFINE, REFINE, REFINE, REFINE};
	static const enum move informed[] = {REFINE, WALK};
	static const enum move stale[] = {MODEL, MODEL, REFINE, WALK};
	size_t turn = arm->turn++;
	if (!learnable)
		return early[turn % (sizeof(early) / sizeof(early[0]))];
	if (arm->n_stale < STALE)
		return has_priors ? informed[turn % (sizeof(informed) / sizeof(informed[0]))] : MODEL;
	return stale[turn % (sizeof(stale) / sizeof(stale[0]))];
}

/* What the model prefers; and whether it promises anything over the best of all spaces. */
static bool ask_model(struct search_state *state, struct automatic *automatic, uint32_t space, struct search_point *out)
{
	const struct arm *arm = &automatic->arms[space];
	double gain;
	if (!search_surrogate_ask(automatic->surrogate, state, (struct search_point){space, arm->best}, out, &gain))
		return false;
	bool promises = gain - (arm->best_log - log(state->best_time_ns)) >= ENOUGH;
	automatic->n_quiet = promises ? automatic->n_quiet / 2 : automatic->n_quiet + 1;
	return true;
}

/* False where it is asked, or there is none. */
static bool default_of(const struct search_state *state, uint32_t space, struct search_point *out)
{
	size_t point = search_space_default(state->spec.spaces[space]);
	*out = (struct search_point){space, (uint32_t)point};
	return point != SEARCH_NO_POINT && !search_state_asked(state, *out);
}

static bool ask_in(struct search_state *state, struct automatic *automatic, uint32_t space, struct search_point *out)
{
	struct arm *arm = &automatic->arms[space];
	struct search_point best = {space, arm->best};
	bool has_priors = state->spec.n_priors > 0;
	if (arm->n_told < MIN_MODEL)
		automatic->n_quiet = 0;
	if (!arm->has_current)
		return default_of(state, space, out) || search_state_random_in(state, space, out);
	enum move move = choose_move(arm, is_learnable(state, arm, space, MIN_MODEL), has_priors);
	/* priors are sample enough */
	if (move == SAMPLE && !has_priors)
		return search_state_random_in(state, space, out);
	if (move == MODEL && ask_model(state, automatic, space, out))
		return true;
	if (move == REFINE && step(state, automatic, space, &best.point, out))
		return true;
	return step(state, automatic, space, &arm->current, out) || restart(state, automatic, space, out);
}

static bool ask_default(const struct search_state *state, struct automatic *automatic, struct search_point *out)
{
	while (automatic->next_default < state->spec.n_spaces) {
		uint32_t space = (uint32_t)automatic->next_default++;
		if (promise(state, space) >= PROMISING && default_of(state, space, out))
			return true;
	}
	return false;
}

/* Before any prior: the default of the first space that promises most, where none of the first priors is of it. */
static bool ask_favourite(const struct search_state *state, struct search_point *out)
{
	uint32_t space = 0;
	if (state->spec.promises == NULL)
		return false;
	while (promise(state, space) < 1)
		space++;
	for (size_t i = 0; i < state->spec.n_priors && i < EAGER; i++)
		if (state->spec.priors[i].point.space == space)
			return false;
	return default_of(state, space, out);
}

/* The next prior that is not asked, or the one of its space that the model prefers. */
static bool ask_prior(struct search_state *state, struct automatic *automatic, struct search_point *out)
{
	const struct search_prior *priors = state->spec.priors;
	while (automatic->next_prior < state->spec.n_priors &&
	       search_state_asked(state, priors[automatic->next_prior].point))
		automatic->next_prior++;
	if (automatic->next_prior == state->spec.n_priors)
		return false;
	*out = priors[automatic->next_prior].point;
	const struct arm *arm = &automatic->arms[out->space];
	if (!is_learnable(state, arm, out->space, EAGER))
		return true;
	size_t count = 0;
	for (size_t i = automatic->next_prior; i < state->spec.n_priors; i++)
		if (priors[i].point.space == out->space && !search_state_asked(state, priors[i].point))
			automatic->candidates[count++] = priors[i].point.point;
	out->point = (uint32_t)search_surrogate_choose(automatic->surrogate, state,
						       (struct search_point){out->space, arm->best},
						       automatic->candidates, count);
	return true;
}

/* Asks a prior and counts it. */
static bool take_prior(struct search_state *state, struct automatic *automatic, struct search_point *out)
{
	if (!ask_prior(state, automatic, out))
		return false;
	automatic->n_priors_asked++;
	automatic->n_disappointing++;
	automatic->last_prior = *out;
	return true;
}

/* Seldomer by half after each TRUST of them that were no better. */
static bool is_priors_turn(struct automatic *automatic)
{
	size_t halvings = automatic->n_disappointing / TRUST;
	if (++automatic->turn < automatic->prior_turn)
		return false;
	automatic->prior_turn =
		automatic->turn + ((size_t)PRIOR_TURN << (halvings < MAX_HALVINGS ? halvings : MAX_HALVINGS));
	return true;
}

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	struct automatic *automatic = self;
	uint32_t space;
	if (automatic->n_priors_asked == 0 && automatic->next_default == 0 && ask_favourite(state, out))
		return true;
	if (automatic->n_priors_asked < EAGER && take_prior(state, automatic, out))
		return true;
	if (ask_default(state, automatic, out) || (is_priors_turn(automatic) && take_prior(state, automatic, out)))
		return true;
	return choose_space(state, automatic, &space) && ask_in(state, automatic, space, out);
}

static bool settled(const struct search_state *state, void *self)
{
	struct automatic *automatic = self;
	if (automatic->n_quiet < QUIET || !state->has_best)
		return false;
	const struct search_space *space = state->spec.spaces[state->best.space];
	size_t count =
		search_space_neighbours(space, state->best.point, automatic->neighbours, automatic->max_neighbours);
	for (size_t i = 0; i < count; i++)
		if (!search_state_asked(state,
					(struct search_point){state->best.space, (uint32_t)automatic->neighbours[i]}))
			return false;
	return true;
}

const struct search_strategy search_strategy_auto = {
	.name = "auto",
	.summary = "priors and defaults, then a model and local search in the most promising spaces",
	.private_bytes = sizeof(struct automatic),
	.start = start,
	.ask = ask,
	.tell = tell,
	.settled = settled,
	.stop = stop,
};
