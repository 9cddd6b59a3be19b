/* surrogate: a model alone: some random points, then what a model of the space
 * with the best time prefers; every tenth one at random, in any space. */
#include "surrogate.h"

#define MIN_VALID 6
#define RANDOM    10 /* one in this many */

struct pure_surrogate {
	struct search_surrogate *surrogate;
};

static int start(struct search_state *state, void *self, struct mmt_error *error)
{
	struct search_surrogate **surrogate = &((struct pure_surrogate *)self)->surrogate;
	*surrogate = search_surrogate_create(state, error);
	return *surrogate == NULL ? -1 : 0;
}

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	struct search_surrogate *surrogate = ((struct pure_surrogate *)self)->surrogate;
	double gain;
	bool explores = search_random_below(&state->random, RANDOM) == 0;
	if (state->n_valid >= MIN_VALID && !explores && search_surrogate_ask(surrogate, state, state->best, out, &gain))
		return true;
	return search_state_random_point(state, out);
}

static void stop(struct search_state *state, void *self)
{
	(void)state;
	search_surrogate_destroy(((struct pure_surrogate *)self)->surrogate);
}

const struct search_strategy search_strategy_surrogate = {
	.name = "surrogate",
	.summary = "a model alone: a Gaussian process, by expected improvement",
	.private_bytes = sizeof(struct pure_surrogate),
	.start = start,
	.ask = ask,
	.stop = stop,
};
