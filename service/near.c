/* near.c: see near.h. */
#include "near.h"

#include <math.h>
#include <string.h>

/* Log2 of the efficiency that is lost for each doubling of distance from all that is known: 4 %. */
#define LOSS 0.06
/* Two sizes nearer than this are one: the weights stay finite. */
#define NEAREST_DOUBLINGS 1e-3

/* Something whose logarithm is known at a distance. */
struct sample {
	double doublings, log2_value;
};

static double interpolate(const struct sample *samples, size_t count)
{
	double sum = 0, weights = 0;
	for (size_t i = 0; i < count; i++) {
		double doublings = fmax(samples[i].doublings, NEAREST_DOUBLINGS);
		double weight = 1 / (doublings * doublings);
		sum += weight * samples[i].log2_value;
		weights += weight;
	}
	return sum / weights;
}

static double nearest_doublings(const struct sample *samples, size_t count)
{
	double least = INFINITY;
	for (size_t i = 0; i < count; i++)
		least = fmin(least, samples[i].doublings);
	return least;
}

static bool same_kind(const struct mmt_problem *a, const struct mmt_problem *b)
{
	return a->trans == b->trans && a->accuracy == b->accuracy;
}

/* Another transposition is nearer than another accuracy, as neighbours.h has it. */
static int strangeness(const struct mmt_problem *a, const struct mmt_problem *b)
{
	return (a->trans != b->trans) + 2 * (a->accuracy != b->accuracy);
}

static bool is_of(const struct svc_winner_time *time, const struct db_trial *winner)
{
	return time->device_id == winner->device_id && time->variant_id == winner->variant_id &&
	       strcmp(time->configuration, winner->configuration) == 0;
}

/* The neighbour that won at this very problem; NULL: none of them. */
static const struct svc_best *best_at(const struct neighbour *neighbours, size_t count,
				      const struct mmt_problem *problem)
{
	for (size_t i = 0; i < count; i++)
		if (mmt_problem_equal(&neighbours[i].best->problem, problem))
			return neighbours[i].best;
	return NULL;
}

/* Log2 of what is expected of the winner at the target; neighbours are all that were found for it. */
static double log2_efficiency(const struct near_known *known, const struct svc_best *winner,
			      const struct neighbour *neighbours, size_t count, const struct mmt_problem *problem)
{
	struct sample samples[NEAR_MOST] = {{neighbour_doublings(&winner->problem, problem), 0}};
	size_t n_samples = 1;
	for (size_t i = 0; i < known->n_times && n_samples < NEAR_MOST; i++) {
		const struct svc_winner_time *time = &known->times[i];
		if (!is_of(time, &winner->trial) || !same_kind(&time->problem, &winner->problem))
			continue;
		const struct svc_best *there = best_at(neighbours, count, &time->problem);
		if (there && there != winner && there->trial.minimum_ns > 0)
			samples[n_samples++] = (struct sample){
				neighbour_doublings(&time->problem, problem),
				fmin(0, log2(there->trial.minimum_ns / time->minimum_ns)),
			};
	}
	return interpolate(samples, n_samples) - LOSS * nearest_doublings(samples, n_samples);
}

/* Log2 of the rate that tuning would find, in GFLOP/s; -INFINITY: unknown. */
static double log2_rate(const struct neighbour *neighbours, size_t count, const struct mmt_problem *problem)
{
	struct sample samples[NEAR_MOST];
	size_t n_samples = 0;
	for (size_t i = 0; i < count; i++) {
		const struct svc_best *best = neighbours[i].best;
		if (best->trial.gflops > 0 && same_kind(&best->problem, &neighbours[0].best->problem))
			samples[n_samples++] =
				(struct sample){neighbour_doublings(&best->problem, problem), log2(best->trial.gflops)};
	}
	return n_samples > 0 ? interpolate(samples, n_samples) : -INFINITY;
}

static bool goes_before(const struct near_choice *a, const struct near_choice *b, const struct mmt_problem *problem)
{
	int kind_a = strangeness(&a->best->problem, problem), kind_b = strangeness(&b->best->problem, problem);
	return kind_a != kind_b ? kind_a < kind_b : a->efficiency > b->efficiency;
}

size_t near_rank(const struct near_known *known, const struct neighbour_target *target,
		 struct near_choice out[NEAR_MOST])
{
	struct neighbour neighbours[NEAR_MOST];
	size_t count = neighbours_for_answer(known->bests, known->n_bests, target, neighbours, NEAR_MOST);
	double rate = log2_rate(neighbours, count, target->problem);
	for (size_t i = 0; i < count; i++) {
		double efficiency = log2_efficiency(known, neighbours[i].best, neighbours, count, target->problem);
		struct near_choice choice = {
			.best = neighbours[i].best,
			.doublings = neighbour_doublings(&neighbours[i].best->problem, target->problem),
			.efficiency = exp2(efficiency),
			.expected_gflops = isinf(rate) ? 0 : exp2(rate + efficiency),
		};
		size_t at = i; /* of two alike the nearer, which came before, stays first */
		for (; at > 0 && goes_before(&choice, &out[at - 1], target->problem); at--)
			out[at] = out[at - 1];
		out[at] = choice;
	}
	return count;
}
