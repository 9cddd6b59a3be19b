/* compare.h: plans held against each other, until it is clear which is the fastest.
 *
 * They take turns, each round begun by another one, so that a clock that
 * drops on the way drops for all. What counts is the ratio of two plans' times within the
 * rounds. After some rounds those that are certainly slower than the leader are
 * out; the comparison ends when one is left, when the rest differ by less
 * than is worth telling, or when the time or the rounds are used up.
 *
 * Pure: no clock, no OpenCL. Thread: no state. */
#ifndef MMT_WORKER_COMPARE_H
#define MMT_WORKER_COMPARE_H

#include "measure.h"

#define WORKER_MOST_ROUNDS WORKER_MAX_SAMPLES

struct worker_comparison {
	size_t n;              /* plans */
	unsigned least_rounds; /* before anyone is out; at most WORKER_MOST_ROUNDS */
	double limit_ns;       /* of the timings; the least rounds are held in any case */
	/* Takes one sample more of a plan and returns its measurement; NULL: it failed, and is out. */
	const struct worker_measurement *(*sample)(void *context, size_t index);
	/* At the end, of each plan that did not fail: its time over the fastest plan's within the rounds that both took
	 * part in, 1 for that one; error: half the interval in which the true ratio lies (worker_estimate). */
	void (*rank)(void *context, size_t index, double ratio, double error);
	void *context;
};

/* -1: no memory. */
int worker_compare(const struct worker_comparison *comparison, struct mmt_error *error);

#endif
