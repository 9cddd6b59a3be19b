/* enumerate.h: every device of every platform, and why there are not more.
 *
 * A platform that fails hides no other: it becomes a hint.
 *
 * Thread: a list belongs to one thread. */
#ifndef MMT_WORKER_ENUMERATE_H
#define MMT_WORKER_ENUMERATE_H

#include <CL/cl.h>

#include "device.h"
#include "hints.h"

struct worker_device {
	cl_platform_id platform;
	cl_device_id id;
};

struct worker_devices {
	struct kern_device *devices; /* ordinal and fingerprint filled */
	struct worker_device *handles;
	size_t n_devices;
	struct worker_hints hints;
};

/* -1 only when memory ran out. Finish in either case. */
int worker_devices_init(struct worker_devices *list, struct mmt_error *error);
void worker_devices_finish(struct worker_devices *list);

/* Index of a fingerprint, or -1 with MMT_NO_SUCH_DEVICE. */
int worker_devices_find(const struct worker_devices *list, const char *fingerprint, size_t *index,
			struct mmt_error *error);

#endif
