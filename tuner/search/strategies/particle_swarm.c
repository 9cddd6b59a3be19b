/* particle_swarm: Kennedy and Eberhart, 1995, with the constriction of Clerc
 * and Kennedy, IEEE Transactions on Evolutionary Computation 6, 2002, on value
 * indices. A particle flies on from where it is, drawn to the best of its own
 * line and to the best particle of its space; what is evaluated is the unasked
 * point nearest to it. */
#include "population.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INERTIA    0.7298
#define ATTRACTION 1.4962

struct particle {
	double position[SEARCH_MAX_PARAMETERS], velocity[SEARCH_MAX_PARAMETERS];
};

struct particle_swarm {
	struct search_population population;
	struct particle particles[SEARCH_POPULATION];
};

/* Puts a particle at rest at its member's point. */
static void settle(const struct search_state *state, struct particle_swarm *swarm, size_t member)
{
	struct search_member *origin = &swarm->population.members[member];
	const uint16_t *row = search_population_row(state, &swarm->population, member);
	struct particle *particle = &swarm->particles[member];
	memset(particle, 0, sizeof(*particle));
	for (size_t p = 0; p < search_space_parameters(state->spec.spaces[origin->point.space]); p++)
		particle->position[p] = row[p];
	origin->fresh = false;
}

static void make_trial(struct search_state *state, void *self, size_t member, double *row)
{
	struct particle_swarm *swarm = self;
	struct particle *particle = &swarm->particles[member];
	if (swarm->population.members[member].fresh)
		settle(state, swarm, member);
	const struct search_space *space = state->spec.spaces[swarm->population.members[member].point.space];
	const uint16_t *own = search_population_row(state, &swarm->population, member);
	const uint16_t *best =
		search_population_row(state, &swarm->population, search_population_best(&swarm->population, member));
	for (size_t p = 0; p < search_space_parameters(space); p++) {
		double highest = (double)search_space_values(space, p) - 1;
		double to_own = search_random_unit(&state->random) * (own[p] - particle->position[p]);
		double to_best = search_random_unit(&state->random) * (best[p] - particle->position[p]);
		particle->velocity[p] = INERTIA * particle->velocity[p] + ATTRACTION * (to_own + to_best);
		particle->position[p] = fmin(fmax(particle->position[p] + particle->velocity[p], 0), highest);
		row[p] = particle->position[p];
	}
}

static int start(struct search_state *state, void *self, struct mmt_error *error)
{
	(void)state;
	(void)error;
	search_population_init(&((struct particle_swarm *)self)->population);
	return 0;
}

static bool ask(struct search_state *state, void *self, struct search_point *out)
{
	return search_population_ask(state, &((struct particle_swarm *)self)->population, make_trial, self, out);
}

static void tell(struct search_state *state, void *self, struct search_point point, double time_ns)
{
	(void)state;
	search_population_tell(&((struct particle_swarm *)self)->population, point, time_ns);
}

const struct search_strategy search_strategy_particle_swarm = {
	.name = "particle_swarm",
	.summary = "particle swarm optimisation on value indices",
	.private_bytes = sizeof(struct particle_swarm),
	.start = start,
	.ask = ask,
	.tell = tell,
};
