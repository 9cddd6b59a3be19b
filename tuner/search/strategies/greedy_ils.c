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

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	struct ils *ils = self;
	if (ils->has_current && search_random_neighbour(state, ils->current, out))
		return true;
	if (ils->has_current)
		ils->kick_next = !ils->kick_next;
	ils->has_current = false;
	return (ils->kick_next && state->has_best && search_kick(state, state->best, KICK, out)) ||
	       search_state_random_point(state, out);
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
