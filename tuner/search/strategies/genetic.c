/* genetic: a genetic algorithm. A trial takes each value from one of two
 * parents, the member and a good mate, and mutates one parameter on average. */
#include "population.h"

struct genetic {
	struct search_population population;
};

static void make_trial(struct search_state *state, void *self, size_t member, double *row)
{
	const struct search_population *population = &((struct genetic *)self)->population;
	const struct search_space *space = state->spec.spaces[population->members[member].point.space];
	const uint16_t *mother = search_population_row(state, population, member);
	const uint16_t *father =
		search_population_row(state, population, search_population_good_mate(state, population, member));
	size_t n_parameters = search_space_parameters(space);
	for (size_t p = 0; p < n_parameters; p++) {
		row[p] = search_random_below(&state->random, 2) == 0 ? mother[p] : father[p];
		if (search_random_below(&state->random, n_parameters) == 0)
			row[p] = (double)search_random_below(&state->random, search_space_values(space, p));
	}
}

static int start(struct search_state *state, void *self, struct mmt_error *error)
{
	(void)state;
	(void)error;
	search_population_init(&((struct genetic *)self)->population);
	return 0;
}

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	return search_population_ask(state, &((struct genetic *)self)->population, make_trial, self, out);
}

static void tell(struct search_state *state, void *self, struct search_point point, double time_ns)
{
	(void)state;
	search_population_tell(&((struct genetic *)self)->population, point, time_ns);
}

const struct search_strategy search_strategy_genetic = {
	.name = "genetic",
	.summary = "a genetic algorithm: crossover of good configurations, and mutation",
	.private_bytes = sizeof(struct genetic),
	.start = start,
	.ask = ask,
	.tell = tell,
};
