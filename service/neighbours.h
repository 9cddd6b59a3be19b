/* neighbours.h: which tuned problems are nearest to one that is asked for.
 *
 * Distances are in doublings: how often a dimension would have to be doubled or
 * halved to get from one to the other, summed over m, n and k. What is another
 * kind of difference costs as many doublings as the tables in neighbours.c say.
 *
 * Thread: the loop's; nothing is kept. */
#ifndef MMT_SERVICE_NEIGHBOURS_H
#define MMT_SERVICE_NEIGHBOURS_H

#include "answer.h"
#include "service.h"

struct neighbour {
	double distance; /* doublings */
	const struct svc_best *best;
};

struct neighbour_target {
	const struct service *service;
	const struct svc_device *device;
	const struct mmt_problem *problem;
};

double neighbour_doublings(const struct mmt_problem *a, const struct mmt_problem *b);

/* Both: nearest first, at most max; return how many. The bests are borrowed as those handed in.
 *
 * What may answer for the target: of the same device and type. Another transposition or accuracy comes after all
 * others. */
size_t neighbours_for_answer(const struct svc_best *bests, size_t count, const struct neighbour_target *target,
			     struct neighbour *out, size_t max);
/* What a search for the target may start from: also of other types and of other devices of the same kind, as long as
 * the variant is still there. */
size_t neighbours_for_search(const struct svc_best *bests, size_t count, const struct neighbour_target *target,
			     struct neighbour *out, size_t max);

#endif
