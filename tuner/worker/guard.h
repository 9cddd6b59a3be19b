/* guard.h: a buffer on the device with canaries before and after it.
 *
 * OpenCL has no buffer that starts at an offset, so the buffer is a sub-buffer
 * in the middle of a larger one. Where the larger one would pass the device's
 * longest allocation, the buffer stands alone and unguarded.
 *
 * Thread: belongs to its session's. */
#ifndef MMT_WORKER_GUARD_H
#define MMT_WORKER_GUARD_H

#include "session.h"

struct worker_guarded {
	cl_mem whole;  /* NULL: unguarded */
	cl_mem buffer; /* what kernels get */
	uint64_t bytes;
};

/* Allocates; the canaries are not there yet. name is for messages only. */
int worker_guarded_init(struct worker_guarded *guarded, struct worker_session *session, const char *name,
			uint64_t bytes, struct mmt_error *error);
void worker_guarded_finish(struct worker_guarded *guarded);

/* Writes the canaries. */
int worker_guarded_arm(const struct worker_guarded *guarded, struct worker_session *session, struct mmt_error *error);

/* MMT_WRONG_RESULT, and the session marked damaged, when a canary has changed. */
int worker_guarded_check(const struct worker_guarded *guarded, struct worker_session *session, const char *name,
			 struct mmt_error *error);

#endif
