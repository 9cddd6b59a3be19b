/* session.h: one device, opened: context, in-order queue with profiling, clock.
 *
 * A failure that comes back from a wait, a read or a write after a launch is
 * the launch's: the context may be broken from then on, so the session is
 * lost, says so with its result, and the service starts another worker.
 * A launch that wrote into the guard zones of a buffer marks it damaged.
 *
 * Thread: a session belongs to one thread. */
#ifndef MMT_WORKER_SESSION_H
#define MMT_WORKER_SESSION_H

#include "clock.h"
#include "device.h"
#include "driver.h"
#include "family.h"

struct worker_session {
	struct kern_device device;
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	size_t alignment_bytes; /* of a sub-buffer's origin */
	struct worker_meter meter;
	struct worker_clock clock;
	bool lost;
	bool damaged; /* memory outside a buffer was written since the flag was last cleared */
};

int worker_session_init(struct worker_session *session, const char *fingerprint, struct mmt_error *error);
/* Releases nothing of a lost session: its driver may hang or abort. */
void worker_session_finish(struct worker_session *session);

/* A call that waits for launches failed: marks the session lost unless memory ran out. Returns -1. */
int worker_session_failed(struct worker_session *session, cl_int status, const char *what, struct mmt_error *error);

/* Waits for everything enqueued. last (may be NULL) is the last launch's event, whose status counts too. */
int worker_session_wait(struct worker_session *session, cl_event last, struct mmt_error *error);

/* Blocking transfers between host and buffer. */
int worker_session_write(struct worker_session *session, cl_mem buffer, size_t offset_bytes, size_t bytes,
			 const void *data, struct mmt_error *error);
int worker_session_read(struct worker_session *session, cl_mem buffer, size_t offset_bytes, size_t bytes, void *data,
			struct mmt_error *error);

/* Some of the rows of a matrix, one after the other into data. Waits. */
int worker_session_read_rows(struct worker_session *session, cl_mem buffer, const struct kern_sample *sample,
			     void *data, struct mmt_error *error);

/* Enqueues a fill with the poison: all bits one, NaN in every type. */
int worker_session_poison(struct worker_session *session, cl_mem buffer, uint64_t bytes, struct mmt_error *error);

#endif
