/* guarded.h: a device buffer between two guards. What lies around it is NaN,
 * so that a read beyond its ends spoils the result, and is looked at
 * afterwards, so that a write beyond them is seen.
 *
 * Thread: one. */
#ifndef MMT_TESTS_OPENCL_GUARDED_H
#define MMT_TESTS_OPENCL_GUARDED_H

#include "launcher.h"

struct guarded {
	cl_mem whole, buffer; /* buffer: what a kernel gets */
	size_t bytes;
	unsigned char *host; /* guard, content, guard, as they were or as read back */
};

int guarded_init(struct guarded *guarded, struct launcher *launcher, const void *content, size_t bytes,
		 struct mmt_error *error);
void guarded_finish(struct guarded *guarded);

/* Reads the buffer back; MMT_WRONG_RESULT: a guard was written to. The content is borrowed until finish. */
const void *guarded_read(struct guarded *guarded, struct launcher *launcher, struct mmt_error *error);

#endif
