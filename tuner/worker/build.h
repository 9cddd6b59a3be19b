/* build.h: programs from source, the last few kept.
 *
 * The finalists of a job are built once for their trial and used again when
 * they are compared; steps of a plan often share a program.
 *
 * Thread: belongs to its session's. */
#ifndef MMT_WORKER_BUILD_H
#define MMT_WORKER_BUILD_H

#include "session.h"

#define WORKER_PROGRAMS 16

struct worker_program {
	char *source, *options;
	cl_program program; /* NULL: a free place */
	uint64_t used;      /* larger: later */
};

struct worker_programs {
	struct worker_program places[WORKER_PROGRAMS];
	uint64_t uses;
};

/* Borrowed until the next call (a kernel made from it keeps it alive). On -1
 * MMT_FAILED with the build log from its first error on, MMT_NO_MEMORY, MMT_OPENCL. */
int worker_programs_get(struct worker_programs *programs, struct worker_session *session, const char *source,
			const char *options, cl_program *out, struct mmt_error *error);

void worker_programs_finish(struct worker_programs *programs); /* it may be used again */

#endif
