/* neighbours.c: see neighbours.h. */
#include "neighbours.h"

#include <math.h>
#include <string.h>

/* For an answer: another transposition or accuracy only when nothing else is there. */
#define ANSWER_OTHER_TRANS    1000.0
#define ANSWER_OTHER_ACCURACY 2000.0

/* For a search: a transposition moves the staging of one operand, a type halves what fits in registers and local
 * memory, another device may differ in all of its limits. So a winner here at 8 times the order (9 doublings) says
 * about as much as one of the same order on a card of another vendor. */
#define SEARCH_OTHER_TRANS    1.0
#define SEARCH_OTHER_ACCURACY 2.0
#define SEARCH_OTHER_TYPE     3.0
#define SEARCH_OTHER_DEVICE   5.0
#define SEARCH_OTHER_VENDOR   4.0 /* on top of another device */
/* It is launched in another way, or its list of arguments is another; the kernel is the same. */
#define SEARCH_OTHER_SPEC 10.0
/* The kernel is another: behind whatever was found with this one. */
#define SEARCH_OTHER_SOURCE 100.0

double neighbour_doublings(const struct mmt_problem *a, const struct mmt_problem *b)
{
	return fabs(log2((double)a->m / (double)b->m)) + fabs(log2((double)a->n / (double)b->n)) +
	       fabs(log2((double)a->k / (double)b->k));
}

/* INFINITY: no neighbour at all. */
typedef double distance_fn(const struct svc_best *best, const struct neighbour_target *target);

static double distance_for_answer(const struct svc_best *best, const struct neighbour_target *target)
{
	const struct mmt_problem *problem = target->problem;
	if (best->trial.device_id != target->device->id || best->problem.type != problem->type)
		return INFINITY;
	return neighbour_doublings(&best->problem, problem) +
	       (best->problem.trans != problem->trans ? ANSWER_OTHER_TRANS : 0) +
	       (best->problem.accuracy != problem->accuracy ? ANSWER_OTHER_ACCURACY : 0);
}

static double device_distance(const struct svc_best *best, const struct neighbour_target *target)
{
	if (best->trial.device_id == target->device->id)
		return 0;
	const struct svc_device *other = svc_devices_by_id(target->service->devices, best->trial.device_id);
	const struct kern_device *here = &target->device->properties;
	if (!other || other->properties.type != here->type)
		return INFINITY;
	return SEARCH_OTHER_DEVICE + (strcmp(other->properties.vendor, here->vendor) != 0 ? SEARCH_OTHER_VENDOR : 0);
}

static double kernel_distance(const struct svc_best *best, const struct neighbour_target *target)
{
	const struct kern_variant *variant =
		kern_registry_find(&target->service->kernels, best->problem.family, best->trial.variant);
	if (!variant)
		return INFINITY;
	if (!best->trial.source_sha256 || strcmp(variant->source_sha256, best->trial.source_sha256) != 0)
		return SEARCH_OTHER_SOURCE;
	return answer_variant_unchanged(variant, &best->trial) ? 0 : SEARCH_OTHER_SPEC;
}

static double distance_for_search(const struct svc_best *best, const struct neighbour_target *target)
{
	const struct mmt_problem *problem = target->problem;
	return neighbour_doublings(&best->problem, problem) +
	       (best->problem.trans != problem->trans ? SEARCH_OTHER_TRANS : 0) +
	       (best->problem.accuracy != problem->accuracy ? SEARCH_OTHER_ACCURACY : 0) +
	       (best->problem.type != problem->type ? SEARCH_OTHER_TYPE : 0) + device_distance(best, target) +
	       kernel_distance(best, target);
}

/* Of two at the same distance the newer. */
static bool is_nearer(const struct neighbour *a, const struct neighbour *b)
{
	return a->distance != b->distance ? a->distance < b->distance : a->best->trial.id > b->best->trial.id;
}

static size_t nearest(const struct svc_best *bests, size_t n_bests, const struct neighbour_target *target,
		      distance_fn *distance, struct neighbour *out, size_t max)
{
	size_t count = 0;
	for (size_t i = 0; i < n_bests && max > 0; i++) {
		if (strcmp(bests[i].problem.family, target->problem->family) != 0)
			continue;
		struct neighbour neighbour = {distance(&bests[i], target), &bests[i]};
		if (isinf(neighbour.distance) || (count == max && !is_nearer(&neighbour, &out[count - 1])))
			continue;
		size_t at = count < max ? count++ : max - 1;
		for (; at > 0 && is_nearer(&neighbour, &out[at - 1]); at--)
			out[at] = out[at - 1];
		out[at] = neighbour;
	}
	return count;
}

size_t neighbours_for_answer(const struct svc_best *bests, size_t count, const struct neighbour_target *target,
			     struct neighbour *out, size_t max)
{
	return nearest(bests, count, target, distance_for_answer, out, max);
}

size_t neighbours_for_search(const struct svc_best *bests, size_t count, const struct neighbour_target *target,
			     struct neighbour *out, size_t max)
{
	return nearest(bests, count, target, distance_for_search, out, max);
}
