/* model.h: how fast a fake device runs a plan, and which fault befalls it.
 *
 * Deterministic: a candidate has the same true time and the same fate in every
 * worker of one script. With c the cost of a launch,
 *	time = operations / rate * (1 + sum of (log2((1 + v) / (1 + b)) / 4)^2)
 * over the numbers -DNAME=v of the build options, b being the best value of
 * NAME: the script's, or a power of two up to 64 drawn from NAME and the seed.
 * A last term of up to 1 %, drawn from the options, leaves no ties.
 *
 * Thread: a clock belongs to one thread. */
#ifndef MMT_FAKE_MODEL_H
#define MMT_FAKE_MODEL_H

#include "measure.h"
#include "plan.h"
#include "script.h"

double fake_model_time_ns(const struct fake_script *script, const struct mmt_problem *problem,
			  const struct kern_plan *plan);

/* The first fault of the script that the plan meets; NULL: none. */
const struct fake_fault *fake_model_fault(const struct fake_script *script, const struct kern_plan *plan);

/* What a driver would know a build by. */
uint64_t fake_model_hash(const struct fake_script *script, const struct kern_plan *plan);

/* The device's clock, which runs as fast as it is told. */
struct fake_clock {
	const struct fake_script *script;
	double now_ns;     /* since the worker's start, on the device */
	uint64_t noise;    /* state of the generator */
	uint64_t measured; /* candidates so far, this one included: the clock drops after some */
};

void fake_clock_init(struct fake_clock *clock, const struct fake_script *script);

/* The next candidate's turn. The noise from here on depends on it: each problem has its own. */
void fake_clock_next(struct fake_clock *clock, const struct kern_plan *plan);

/* One timing of a plan that truly takes time_ns. */
void fake_clock_time(struct fake_clock *clock, double time_ns, unsigned repeats, struct worker_timing *out);

#endif
