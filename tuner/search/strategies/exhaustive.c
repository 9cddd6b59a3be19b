/* exhaustive: every point of every space, in order. */
#include "strategy.h"

struct exhaustive {
	struct search_point next;
};

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	struct search_point *next = &((struct exhaustive *)self)->next;
	while (next->space < state->spec.n_spaces) {
		if (next->point == search_space_points(state->spec.spaces[next->space])) {
			next->space++;
			next->point = 0;
			continue;
		}
		*out = *next;
		next->point++;
		if (!search_state_asked(state, *out))
			return true;
	}
	return false;
}

const struct search_strategy search_strategy_exhaustive = {
	.name = "exhaustive",
	.summary = "every configuration, in order",
	.private_bytes = sizeof(struct exhaustive),
	.ask = ask,
};
