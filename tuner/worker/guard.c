/* guard.c: see guard.h. */
#include "guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GUARD_BYTES 16384 /* four rows of 1000 floats, a page or more on every device */

static void fill_canary(unsigned char *out, size_t bytes)
{
	/* Unlike its neighbours and unlike itself when shifted; as a float it is nothing that kernels store */
	for (size_t i = 0; i < bytes; i++)
		out[i] = (unsigned char)(i * 167 + (i >> 8) * 13 + 89);
}

static cl_mem create(struct worker_session *session, uint64_t bytes, cl_int *status)
{
	cl_mem buffer;

	worker_meter_enter(&session->meter);
	buffer = clCreateBuffer(session->context, CL_MEM_READ_WRITE, bytes, NULL, status);
	worker_meter_leave(&session->meter);
	return buffer;
}

int worker_guarded_init(struct worker_guarded *guarded, struct worker_session *session, const char *name,
			uint64_t bytes, struct mmt_error *error)
{
	cl_buffer_region region;
	char what[128];
	cl_int status;

	memset(guarded, 0, sizeof *guarded);
	guarded->bytes = bytes > 0 ? bytes : 1;
	if (GUARD_BYTES % session->alignment_bytes == 0 &&
	    guarded->bytes + 2 * GUARD_BYTES <= session->device.max_allocation_bytes)
		guarded->whole = create(session, guarded->bytes + 2 * GUARD_BYTES, &status);
	if (guarded->whole == NULL) {
		guarded->buffer = create(session, guarded->bytes, &status);
	} else {
		region = (cl_buffer_region){.origin = GUARD_BYTES, .size = guarded->bytes};
		guarded->buffer = clCreateSubBuffer(guarded->whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
						    &region, &status);
	}
	if (guarded->buffer == NULL) {
		worker_guarded_finish(guarded);
		snprintf(what, sizeof what, "a buffer of %" PRIu64 " bytes for '%.32s'", bytes, name);
		return worker_cl_error(error, status, what);
	}
	return 0;
}

void worker_guarded_finish(struct worker_guarded *guarded)
{
	if (guarded->buffer != NULL)
		clReleaseMemObject(guarded->buffer);
	if (guarded->whole != NULL)
		clReleaseMemObject(guarded->whole);
	memset(guarded, 0, sizeof *guarded);
}

int worker_guarded_arm(const struct worker_guarded *guarded, struct worker_session *session, struct mmt_error *error)
{
	unsigned char canary[GUARD_BYTES];

	if (guarded->whole == NULL)
		return 0;
	fill_canary(canary, sizeof canary);
	if (worker_session_write(session, guarded->whole, 0, sizeof canary, canary, error) != 0)
		return -1;
	return worker_session_write(session, guarded->whole, GUARD_BYTES + guarded->bytes, sizeof canary, canary,
				    error);
}

/* One of the two zones. */
static int check_zone(const struct worker_guarded *guarded, struct worker_session *session, size_t offset_bytes,
		      size_t *first_changed, struct mmt_error *error)
{
	unsigned char canary[GUARD_BYTES];
	unsigned char found[GUARD_BYTES];

	fill_canary(canary, sizeof canary);
	if (worker_session_read(session, guarded->whole, offset_bytes, sizeof found, found, error) != 0)
		return -1;
	for (*first_changed = 0; *first_changed < sizeof found; ++*first_changed) {
		if (found[*first_changed] != canary[*first_changed])
			break;
	}
	return 0;
}

int worker_guarded_check(const struct worker_guarded *guarded, struct worker_session *session, const char *name,
			 struct mmt_error *error)
{
	size_t before = GUARD_BYTES;
	size_t after = GUARD_BYTES;

	if (guarded->whole == NULL)
		return 0;
	if (check_zone(guarded, session, 0, &before, error) != 0 ||
	    check_zone(guarded, session, GUARD_BYTES + guarded->bytes, &after, error) != 0)
		return -1;
	if (before == GUARD_BYTES && after == GUARD_BYTES)
		return 0;
	session->damaged = true;
	if (before < GUARD_BYTES)
		return mmt_error_set(error, MMT_WRONG_RESULT, 0, "the kernel wrote %zu bytes before the start of '%s'",
				     GUARD_BYTES - before, name);
	return mmt_error_set(error, MMT_WRONG_RESULT, 0, "the kernel wrote %zu bytes after the end of '%s'", after,
			     name);
}
