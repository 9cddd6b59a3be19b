/* candidate.h: one plan through build, verification and measurement, into a kern_result.
 *
 * A candidate that fails is data: the functions return nothing but fill the
 * result's outcome and message. Every outcome leaves the bench fit for the next
 * candidate, or the session lost.
 *
 * Thread: belongs to its session's. */
#ifndef MMT_WORKER_CANDIDATE_H
#define MMT_WORKER_CANDIDATE_H

#include "anchor.h"
#include "measure.h"
#include "operands.h"
#include "protocol.h"
#include "run.h"

struct worker_bench {
	struct worker_session session;
	struct worker_programs programs;
	struct worker_operands operands;
	struct worker_anchor anchor;
	int64_t request_id; /* whose phases are told */
};

struct worker_candidate {
	struct worker_run run;
	bool quick;        /* a sample of a large output is verified, not all of it */
	double warm_up_ns; /* the last verification's launch by the device's clock; 0: not told */
	struct worker_measurement measurement;
	struct kern_result result;
};

/* Builds and verifies, in both modes where general is set. The problem's operands must have been selected. After
 * it, the outcome is KERN_OUTCOME_OK or final. */
void worker_candidate_init(struct worker_candidate *candidate, struct worker_bench *bench, const struct kern_plan *plan,
			   bool general);

/* Measures a candidate whose outcome is OK so far: adaptively and beside the request's anchor, or one sample more. */
void worker_candidate_measure(struct worker_candidate *candidate, struct worker_bench *bench,
			      const struct worker_request *request);
void worker_candidate_sample(struct worker_candidate *candidate, struct worker_bench *bench);

/* Completes the result after the last measurement, and releases the rest. */
void worker_candidate_finish(struct worker_candidate *candidate, struct worker_bench *bench);

/* The outcome that a failure means; otherwise: what a code that says nothing special means here. */
void worker_result_fail(struct kern_result *result, const struct mmt_error *error, enum kern_outcome otherwise);

#endif
