/* measure.h: how long one plan takes: adaptive repeats over any timer.
 *
 * The timer is a function: the worker's launches on a device, the fake
 * worker's follows a model. Warm-up is the caller's: the verification ran the plan.
 *
 * Pure: no OpenCL. Thread: a measurement belongs to one thread. */
#ifndef MMT_WORKER_MEASURE_H
#define MMT_WORKER_MEASURE_H

#include "clock.h"
#include "mmtune/error.h"
#include "stats.h"
#include "trial.h"

struct worker_timer {
	/* Runs the plan `repeats` times in a row and waits for the last. */
	int (*time)(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error);
	/* Told again and again, before a timing: a deadline is meant for one timing and restarts. */
	void (*alive)(void *context);
	void *context;
	struct worker_clock *clock;
};

struct worker_measurement {
	double samples_ns[WORKER_MAX_SAMPLES]; /* of one run of the plan */
	size_t n_samples;
	unsigned repeats;   /* runs in one timing: 0 before the first */
	double shortest_ns; /* what a timing had to be at least */
	double untold_ns;   /* timings since `alive` was told, by the host's clock */
	double spent_ns;    /* all timings, the discarded ones too */
	unsigned disturbed; /* timings taken again because the device's threads waited for a core */
	bool host_clock;    /* what the samples were taken with */
	bool gave_up;
};

void worker_measurement_init(struct worker_measurement *measurement);

/* Without samples again; how often a run must be repeated for one is still known. */
void worker_measurement_restart(struct worker_measurement *measurement);

/* Adds one sample (the oldest goes where there is no room): as many timings as it takes to have one that
 * can be believed and is long enough. */
int worker_measure_once(struct worker_measurement *measurement, const struct worker_timer *timer,
			struct mmt_error *error);

/* Samples until they suffice. A plan slower than give_up_ns (0: no limit) is given up after one sample where that is
 * twice as long, else after two: one may be disturbed. */
int worker_measure(struct worker_measurement *measurement, const struct worker_timer *timer, double give_up_ns,
		   struct mmt_error *error);

/* Gives up on the strength of one run that was no timing of its own: the verification's. */
void worker_measurement_give_up(struct worker_measurement *measurement, double run_ns);

/* Median, minimum, spread, runs and flags into a result. n_samples >= 1. */
void worker_measurement_result(const struct worker_measurement *measurement, struct kern_result *result);

#endif
