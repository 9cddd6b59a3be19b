/* operands.h: a problem's buffers on the device, and the judge of its result.
 *
 * Made once for a problem and kept over its trials: the inputs are uploaded
 * again only after a candidate failed, since it may have written anywhere.
 *
 * Thread: belongs to its session's. */
#ifndef MMT_WORKER_OPERANDS_H
#define MMT_WORKER_OPERANDS_H

#include "family.h"
#include "guard.h"

struct worker_operands {
	struct mmt_problem problem;
	const struct kern_family *family; /* NULL: no problem is held */
	struct kern_checker *checker;
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	struct worker_guarded memory[KERN_MAX_BUFFERS];
	const void *held[KERN_MAX_BUFFERS]; /* the host bytes that the input on the device equals; NULL: unknown */
	size_t n_buffers;
	void *result; /* room for the largest output */
	bool trusted; /* canaries and inputs are as they were written */
};

/* Makes the operands of a problem; nothing is done where they are held already. */
int worker_operands_select(struct worker_operands *operands, struct worker_session *session,
			   const struct mmt_problem *problem, struct mmt_error *error);
void worker_operands_finish(struct worker_operands *operands); /* it may be used again */

/* The next fill writes everything anew. */
void worker_operands_distrust(struct worker_operands *operands);

/* Brings the buffers to their state before a launch: outputs poisoned, inputs as they must be. */
int worker_operands_fill(struct worker_operands *operands, struct worker_session *session, enum kern_check_mode mode,
			 struct mmt_error *error);

/* After a launch: canaries, then the outputs' values: all of them, or with `quick` a sample where an output is large
 * (family.h). MMT_WRONG_RESULT. */
int worker_operands_check(struct worker_operands *operands, struct worker_session *session, enum kern_check_mode mode,
			  bool quick, double *relative_error, struct mmt_error *error);

cl_mem worker_operands_find(const struct worker_operands *operands, const char *name); /* NULL: none; borrowed */

#endif
