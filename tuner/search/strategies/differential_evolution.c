/* differential_evolution: Storn and Price, Journal of Global Optimization 11,
 * 1997, on value indices, "current to best": a trial is the member, moved
 * towards the best one and by the difference of two others, in each parameter
 * with probability CROSSOVER. */
#include "population.h"

#define SCALE     0.7
#define CROSSOVER 0.7

struct differential_evolution {
	struct search_population population;
};

static void make_trial(struct search_state *state, void *self, size_t member, double *row)
{
	const struct search_population *population = &((struct differential_evolution *)self)->population;
	const struct search_space *space = state->spec.spaces[population->members[member].point.space];
	const uint16_t *own = search_population_row(state, population, member);
	const uint16_t *best = search_population_row(state, population, search_population_best(population, member));
	const uint16_t *one =
		search_population_row(state, population, search_population_mate(state, population, member));
	const uint16_t *other =
		search_population_row(state, population, search_population_mate(state, population, member));
	for (size_t p = 0; p < search_space_parameters(space); p++) {
		row[p] = own[p];
		if (search_random_unit(&state->random) < CROSSOVER)
			row[p] += SCALE * (best[p] - own[p]) + SCALE * (one[p] - other[p]);
	}
}

static int start(struct search_state *state, void *self, struct mmt_error *error)
{
	(void)state;
	(void)error;
	search_population_init(&((struct differential_evolution *)self)->population);
	return 0;
}

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	return search_population_ask(state, &((struct differential_evolution *)self)->population, make_trial, self,
				     out);
}

static void tell(struct search_state *state, void *self, struct search_point point, double time_ns)
{
	(void)state;
	search_population_tell(&((struct differential_evolution *)self)->population, point, time_ns);
}

const struct search_strategy search_strategy_differential_evolution = {
	.name = "differential_evolution",
	.summary = "differential evolution on value indices",
	.private_bytes = sizeof(struct differential_evolution),
	.start = start,
	.ask = ask,
	.tell = tell,
};
