/* run.h: one plan, ready to launch: kernels, arguments, temporaries.
 *
 * Runs exactly what an application would run that got the plan.
 *
 * Thread: belongs to its session's. */
#ifndef MMT_WORKER_RUN_H
#define MMT_WORKER_RUN_H

#include "build.h"
#include "operands.h"
#include "plan.h"

struct worker_run {
	const struct kern_plan *plan; /* borrowed */
	cl_kernel kernels[KERN_MAX_STEPS];
	struct worker_guarded temporaries[KERN_MAX_ARGUMENTS]; /* an image stands alone and unguarded */
};

/* Builds. MMT_FAILED: a build log. Finish it in either case. */
int worker_run_build(struct worker_run *run, struct worker_session *session, struct worker_programs *programs,
		     const struct kern_plan *plan, struct mmt_error *error);

/* Temporaries and arguments, after the kernels were asked for their limits: MMT_SKIPPED names the limit. */
int worker_run_bind(struct worker_run *run, struct worker_session *session, const struct worker_operands *operands,
		    struct mmt_error *error);

/* The scalars: the plan's own for KERN_CHECK_PLAIN, the family's for the other mode. */
int worker_run_set_scalars(struct worker_run *run, struct worker_session *session,
			   const struct worker_operands *operands, enum kern_check_mode mode, struct mmt_error *error);

/* Fills temporaries with bytes 0xff (NaN in every type), canaries around buffers; and looks at the canaries. */
int worker_run_poison(struct worker_run *run, struct worker_session *session, struct mmt_error *error);
int worker_run_check(const struct worker_run *run, struct worker_session *session, struct mmt_error *error);

/* Launches the plan `repeats` times and waits. */
int worker_run_time(struct worker_run *run, struct worker_session *session, unsigned repeats,
		    struct worker_timing *timing, struct mmt_error *error);

void worker_run_finish(struct worker_run *run);

#endif
