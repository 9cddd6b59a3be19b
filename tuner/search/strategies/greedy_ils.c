/* greedy_ils: iterated local search (Lourenco, Martin and Stuetzle, Handbook of
 * Metaheuristics, 2003). Random steps in one parameter, moving at the first
 * that is better; at a local minimum it jumps: every second time from the best
 * known point, KICK parameters changed at random, else to a random point of
 * any space. */
#include "moves.h"

#include <math.h>

#define KICK 3

struct ils {
	struct search_point current;
	bool has_current; /* false: the next valid result is it */
	bool kick_next;
};

static bool kick(struct search_state *state, struct search_point *out)
{
	if (!state->has_best)
		return false;
	const struct search_space *space = state->spec.spaces[state->best.space];
	const uint16_t *best = search_space_get(space, state->best.point);
	size_t n_parameters = search_space_parameters(space);
	double row[SEARCH_MAX_PARAMETERS];
	for (size_t p = 0; p < n_parameters; p++)
		row[p] = best[p];
	for (size_t i = 0; i < KICK && n_parameters > 0; i++) {
		size_t p = search_random_below(&state->random, n_parameters);
		row[p] = (double)search_random_below(&state->random, search_space_values(space, p));
	}
	return search_nearest(state, state->best.space, row, out);
}

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	struct ils *ils = self;
	if (ils->has_current && search_random_neighbour(state, ils->current, out))
		return true;
	if (ils->has_current)
		ils->kick_next = !ils->kick_next;
	ils->has_current = false;
	return (ils->kick_next && kick(state, out)) || search_state_random_point(state, out);
}

static void tell(struct search_state *state, void *self, struct search_point point, double time_ns)
{
	struct ils *ils = self;
	if (isinf(time_ns) || (ils->has_current && time_ns >= search_state_time(state, ils->current)))
		return;
	ils->current = point;
	ils->has_current = true;
}

const struct search_strategy search_strategy_greedy_ils = {
	.name = "greedy_ils",
	.summary = "local search by the first better neighbour, iterated",
	.private_bytes = sizeof(struct ils),
	.ask = ask,
	.tell = tell,
};
