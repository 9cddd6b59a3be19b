/* guarded.c: see guarded.h. */
#include "guarded.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_BYTES 4096 /* at least CL_DEVICE_MEM_BASE_ADDR_ALIGN of every device, and over any vector */
#define GUARD_BYTE  0xff /* NaN in every type */

int guarded_init(struct guarded *guarded, struct launcher *launcher, const void *content, size_t bytes,
		 struct mmt_error *error)
{
	const cl_buffer_region region = {GUARD_BYTES, bytes};
	cl_int status;

	memset(guarded, 0, sizeof *guarded);
	guarded->bytes = bytes;
	guarded->host = malloc(bytes + 2 * GUARD_BYTES);
	if (!guarded->host)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu bytes", bytes);
	memset(guarded->host, GUARD_BYTE, bytes + 2 * GUARD_BYTES);
	memcpy(guarded->host + GUARD_BYTES, content, bytes);
	guarded->whole = clCreateBuffer(launcher->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
					bytes + 2 * GUARD_BYTES, guarded->host, &status);
	if (!guarded->whole)
		return mmt_error_set(error, MMT_OPENCL, status, "clCreateBuffer: %d", status);
	guarded->buffer =
		clCreateSubBuffer(guarded->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
	if (!guarded->buffer)
		return mmt_error_set(error, MMT_OPENCL, status, "clCreateSubBuffer: %d", status);
	return 0;
}

void guarded_finish(struct guarded *guarded)
{
	if (guarded->buffer)
		clReleaseMemObject(guarded->buffer);
	if (guarded->whole)
		clReleaseMemObject(guarded->whole);
	free(guarded->host);
}

const void *guarded_read(struct guarded *guarded, struct launcher *launcher, struct mmt_error *error)
{
	const unsigned char *after = guarded->host + GUARD_BYTES + guarded->bytes;
	const cl_int status = clEnqueueReadBuffer(launcher->queue, guarded->whole, CL_TRUE, 0,
						  guarded->bytes + 2 * GUARD_BYTES, guarded->host, 0, NULL, NULL);

	if (status != CL_SUCCESS) {
		mmt_error_set(error, MMT_OPENCL, status, "clEnqueueReadBuffer: %d", status);
		return NULL;
	}
	for (size_t i = 0; i < GUARD_BYTES; i++) {
		if (guarded->host[i] != GUARD_BYTE || after[i] != GUARD_BYTE) {
			mmt_error_set(error, MMT_WRONG_RESULT, 0, "something was written %zu bytes %s the buffer",
				      after[i] != GUARD_BYTE ? i : GUARD_BYTES - i,
				      after[i] != GUARD_BYTE ? "past" : "before");
			return NULL;
		}
	}
	return guarded->host + GUARD_BYTES;
}
