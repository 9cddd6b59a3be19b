/* session.c: see session.h. */

/* clCreateCommandQueue, deprecated since 2.0, is the one that every platform has */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "session.h"

#include <string.h>

#include "enumerate.h"

#define BITS_A_BYTE 8
#define POISON      0xffffffff

static int open_device(struct worker_session *session, const struct worker_device *handle, struct mmt_error *error)
{
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)handle->platform, 0};
	cl_uint alignment_bits = 0;
	cl_int status;

	session->id = handle->id;
	session->context = clCreateContext(properties, 1, &handle->id, NULL, NULL, &status);
	if (session->context == NULL)
		return worker_cl_error(error, status, "clCreateContext");
	session->queue = clCreateCommandQueue(session->context, handle->id, CL_QUEUE_PROFILING_ENABLE, &status);
	if (session->queue == NULL)
		return worker_cl_error(error, status, "clCreateCommandQueue");
	status = clGetDeviceInfo(handle->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits, &alignment_bits,
				 NULL);
	if (status != CL_SUCCESS)
		return worker_cl_error(error, status, "clGetDeviceInfo of the base address's alignment");
	session->alignment_bytes = alignment_bits >= BITS_A_BYTE ? alignment_bits / BITS_A_BYTE : 1;
	worker_clock_init(&session->clock, session->device.timer_resolution_ns);
	return 0;
}

int worker_session_init(struct worker_session *session, const char *fingerprint, struct mmt_error *error)
{
	struct worker_devices list;
	size_t index;
	int status = -1;

	memset(session, 0, sizeof *session);
	if (worker_devices_init(&list, error) == 0 && worker_devices_find(&list, fingerprint, &index, error) == 0) {
		session->device = list.devices[index];
		status = open_device(session, &list.handles[index], error);
	}
	worker_devices_finish(&list);
	return status;
}

void worker_session_finish(struct worker_session *session)
{
	if (session->lost)
		return;
	if (session->queue != NULL)
		clReleaseCommandQueue(session->queue);
	if (session->context != NULL)
		clReleaseContext(session->context);
	memset(session, 0, sizeof *session);
}

int worker_session_failed(struct worker_session *session, cl_int status, const char *what, struct mmt_error *error)
{
	worker_cl_error(error, status, what);
	if (status != CL_MEM_OBJECT_ALLOCATION_FAILURE && status != CL_OUT_OF_HOST_MEMORY)
		session->lost = true;
	return -1;
}

int worker_session_wait(struct worker_session *session, cl_event last, struct mmt_error *error)
{
	cl_int execution = CL_COMPLETE;
	cl_int status;

	worker_meter_enter(&session->meter);
	status = clFinish(session->queue);
	if (status == CL_SUCCESS && last != NULL)
		status = clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof execution, &execution, NULL);
	worker_meter_leave(&session->meter);
	if (status == CL_SUCCESS && execution < 0)
		status = execution;
	if (status != CL_SUCCESS)
		return worker_session_failed(session, status, "the launch did not end well", error);
	return 0;
}

int worker_session_write(struct worker_session *session, cl_mem buffer, size_t offset_bytes, size_t bytes,
			 const void *data, struct mmt_error *error)
{
	cl_int status;

	worker_meter_enter(&session->meter);
	status = clEnqueueWriteBuffer(session->queue, buffer, CL_TRUE, offset_bytes, bytes, data, 0, NULL, NULL);
	worker_meter_leave(&session->meter);
	if (status != CL_SUCCESS)
		return worker_session_failed(session, status, "clEnqueueWriteBuffer", error);
	return 0;
}

int worker_session_read(struct worker_session *session, cl_mem buffer, size_t offset_bytes, size_t bytes, void *data,
			struct mmt_error *error)
{
	cl_int status;

	worker_meter_enter(&session->meter);
	status = clEnqueueReadBuffer(session->queue, buffer, CL_TRUE, offset_bytes, bytes, data, 0, NULL, NULL);
	worker_meter_leave(&session->meter);
	if (status != CL_SUCCESS)
		return worker_session_failed(session, status, "clEnqueueReadBuffer", error);
	return 0;
}

int worker_session_read_rows(struct worker_session *session, cl_mem buffer, const struct kern_sample *sample,
			     void *data, struct mmt_error *error)
{
	const size_t bytes = sample->row_bytes;
	cl_int status = CL_SUCCESS;
	char *to = data;

	worker_meter_enter(&session->meter);
	for (size_t i = 0; i < sample->n_rows && status == CL_SUCCESS; i++)
		status = clEnqueueReadBuffer(session->queue, buffer, CL_FALSE, (size_t)sample->rows[i] * bytes, bytes,
					     to + i * bytes, 0, NULL, NULL);
	worker_meter_leave(&session->meter);
	if (status != CL_SUCCESS) {
		clFinish(session->queue); /* what was enqueued writes into data */
		return worker_session_failed(session, status, "clEnqueueReadBuffer", error);
	}
	return worker_session_wait(session, NULL, error);
}

int worker_session_poison(struct worker_session *session, cl_mem buffer, uint64_t bytes, struct mmt_error *error)
{
	const cl_uint pattern[] = {POISON, POISON, POISON, POISON};
	const size_t pattern_bytes = bytes % sizeof pattern == 0 ? sizeof pattern : 1;
	cl_int status;

	worker_meter_enter(&session->meter);
	status = clEnqueueFillBuffer(session->queue, buffer, pattern, pattern_bytes, 0, bytes, 0, NULL, NULL);
	worker_meter_leave(&session->meter);
	if (status != CL_SUCCESS)
		return worker_session_failed(session, status, "clEnqueueFillBuffer", error);
	return 0;
}
