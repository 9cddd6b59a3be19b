/* random: uniform over all points of all spaces, without repetition. */
#include "strategy.h"

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	(void)self;
	return search_state_random_point(state, out);
}

const struct search_strategy search_strategy_random = {
	.name = "random",
	.summary = "configurations at random, none twice",
	.ask = ask,
};
