/* pace.h: a candidate measured on a device that may be slower now than it was.
 *
 * Clocks drop: heat, a limit of power, a neighbour. After each candidate the
 * anchor, the best so far, is timed again: twice where that gives what it
 * gave before, more often where it does not. Where it differs by more than
 * noise explains, the candidate is measured once more, since its samples may
 * come from before and after, and the result says how long the anchor takes now.
 *
 * Pure: no OpenCL. Thread: no state. */
#ifndef MMT_WORKER_PACE_H
#define MMT_WORKER_PACE_H

#include "measure.h"

/* The best so far: its timer, what it took last; and, set here, what it takes now. */
struct worker_anchor_timing {
	const struct worker_timer *timer; /* NULL: there is none, and the pace is not watched */
	double expected_ns;
	double time_ns; /* median of the samples now */
	unsigned runs;  /* how many they are; 0: it was not timed */
	bool drifted;   /* they differ from what was expected */
};

/* As worker_measure; give_up_ns is meant at the pace that is expected. */
int worker_measure_at_pace(struct worker_measurement *measurement, const struct worker_timer *timer, double give_up_ns,
			   struct worker_anchor_timing *anchor, struct mmt_error *error);

/* The anchor's part of a result. */
void worker_pace_result(const struct worker_anchor_timing *anchor, struct kern_result *result);

#endif
