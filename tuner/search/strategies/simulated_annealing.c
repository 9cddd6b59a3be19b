/* simulated_annealing: Kirkpatrick, Gelatt and Vecchi, Science 220, 1983. A
 * random step in one parameter is taken when it is better, or else with
 * probability (time / time of the step)^(1 / temperature). The temperature
 * falls from HOT to COLD in COOLING results, and then it begins anew at a
 * random point, of any space. */
#include "moves.h"

#include <math.h>

#define HOT     0.3 /* takes a step that is 35 % slower every third time */
#define COLD    0.01
#define COOLING 150

struct annealing {
	struct search_point current;
	bool has_current;
	unsigned step;
};

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	struct annealing *annealing = self;
	if (annealing->has_current && annealing->step < COOLING &&
	    search_random_neighbour(state, annealing->current, out))
		return true;
	annealing->has_current = false;
	annealing->step = 0;
	return search_state_random_point(state, out);
}

static void tell(struct search_state *state, void *self, struct search_point point, double time_ns)
{
	struct annealing *annealing = self;
	annealing->step++;
	if (isinf(time_ns))
		return;
	double temperature = HOT * pow(COLD / HOT, (double)annealing->step / COOLING);
	double current_ns = annealing->has_current ? search_state_time(state, annealing->current) : INFINITY;
	if (time_ns > current_ns && search_random_unit(&state->random) >= pow(current_ns / time_ns, 1 / temperature))
		return;
	annealing->current = point;
	annealing->has_current = true;
}

const struct search_strategy search_strategy_simulated_annealing = {
	.name = "simulated_annealing",
	.summary = "steps in one parameter, worse ones too while it is hot",
	.private_bytes = sizeof(struct annealing),
	.ask = ask,
	.tell = tell,
};
