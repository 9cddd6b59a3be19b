/* population.c: see population.h. */
#include "population.h"
#include "moves.h"

#include <math.h>

#define MAX_FAILURES 8

void search_population_init(struct search_population *population)
{
	for (size_t m = 0; m < SEARCH_POPULATION; m++)
		population->members[m] = (struct search_member){.time_ns = INFINITY};
	population->next = 0;
}

static bool is_same(struct search_point a, struct search_point b)
{
	return a.space == b.space && a.point == b.point;
}

static bool is_best(const struct search_state *state, const struct search_member *member)
{
	return state->has_best && is_same(member->point, state->best);
}

bool search_population_ask(struct search_state *state, struct search_population *population,
			   search_make_trial *make_trial, void *self, struct search_point *out)
{
	size_t index = population->next++ % SEARCH_POPULATION;
	struct search_member *member = &population->members[index];
	double row[SEARCH_MAX_PARAMETERS];
	bool found = false;
	if (member->n_failures >= MAX_FAILURES && !is_best(state, member))
		*member = (struct search_member){.time_ns = INFINITY};
	if (!isinf(member->time_ns)) {
		make_trial(state, self, index, row);
		found = search_nearest(state, member->point.space, row, out);
	}
	if (!found && !search_state_random_point(state, out))
		return false;
	member->trial = *out;
	member->waiting = true;
	return true;
}

static struct search_member *find_waiting(struct search_population *population, struct search_point point)
{
	for (size_t m = 0; m < SEARCH_POPULATION; m++)
		if (population->members[m].waiting && is_same(population->members[m].trial, point))
			return &population->members[m];
	return NULL;
}

static struct search_member *find_worst(struct search_population *population)
{
	struct search_member *worst = &population->members[0];
	for (size_t m = 1; m < SEARCH_POPULATION; m++)
		if (population->members[m].time_ns > worst->time_ns)
			worst = &population->members[m];
	return worst;
}

void search_population_tell(struct search_population *population, struct search_point point, double time_ns)
{
	struct search_member *member = find_waiting(population, point);
	bool expected = member != NULL;
	if (!expected)
		member = find_worst(population);
	else
		member->waiting = false;
	if (time_ns < member->time_ns) {
		member->fresh = !expected || isinf(member->time_ns);
		member->point = point;
		member->time_ns = time_ns;
		member->n_failures = 0;
	} else if (expected) {
		member->n_failures++;
	}
}

static bool is_mate(const struct search_population *population, size_t member, size_t other)
{
	const struct search_member *a = &population->members[member], *b = &population->members[other];
	return member != other && !isinf(b->time_ns) && a->point.space == b->point.space;
}

size_t search_population_mate(struct search_state *state, const struct search_population *population, size_t member)
{
	size_t chosen = member, count = 0;
	for (size_t m = 0; m < SEARCH_POPULATION; m++)
		if (is_mate(population, member, m) && search_random_below(&state->random, ++count) == 0)
			chosen = m;
	return chosen;
}

size_t search_population_good_mate(struct search_state *state, const struct search_population *population,
				   size_t member)
{
	size_t one = search_population_mate(state, population, member);
	size_t other = search_population_mate(state, population, member);
	return population->members[one].time_ns < population->members[other].time_ns ? one : other;
}

size_t search_population_best(const struct search_population *population, size_t member)
{
	size_t best = member;
	for (size_t m = 0; m < SEARCH_POPULATION; m++)
		if (is_mate(population, member, m) &&
		    population->members[m].time_ns < population->members[best].time_ns)
			best = m;
	return best;
}

const uint16_t *search_population_row(const struct search_state *state, const struct search_population *population,
				      size_t member)
{
	struct search_point point = population->members[member].point;
	return search_space_get(state->spec.spaces[point.space], point.point);
}
