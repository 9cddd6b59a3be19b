/* run.c: see run.h. */
#include "run.h"
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define POISON     0xffffffff /* of a pixel: NaN in every type */
#define WHAT_BYTES 256

int worker_run_build(struct worker_run *run, struct worker_session *session, struct worker_programs *programs,
		     const struct kern_plan *plan, struct mmt_error *error)
{
	memset(run, 0, sizeof *run);
	run->plan = plan;
	for (size_t i = 0; i < plan->n_launches; i++) {
		const struct kern_launch *launch = &plan->launches[i];
		cl_program program;
		cl_int status;

		if (launch->source == NULL)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "step %zu comes without its source", i);
		if (worker_programs_get(programs, session, launch->source, launch->build_options, &program, error) != 0)
			return -1;
		worker_meter_enter(&session->meter);
		run->kernels[i] = clCreateKernel(program, launch->entry, &status);
		worker_meter_leave(&session->meter);
		if (run->kernels[i] == NULL)
			return mmt_error_set(error, MMT_FAILED, status, "the program has no kernel '%s': %s (%d)",
					     launch->entry, worker_cl_name(status), status);
	}
	return 0;
}

void worker_run_finish(struct worker_run *run)
{
	for (size_t i = 0; i < KERN_MAX_STEPS; i++) {
		if (run->kernels[i] != NULL)
			clReleaseKernel(run->kernels[i]);
	}
	for (size_t i = 0; i < KERN_MAX_ARGUMENTS; i++)
		worker_guarded_finish(&run->temporaries[i]);
	memset(run, 0, sizeof *run);
}

static size_t work_group_items(const struct kern_launch *launch)
{
	size_t items = 1;

	if (launch->local[0] == 0)
		return 1;
	for (unsigned d = 0; d < launch->dimensions; d++)
		items *= launch->local[d];
	return items;
}

/* Compiled for the launch's very work-group (reqd_work_group_size): then the driver has seen to it that it fits, and
 * NVIDIA's says 256 for CL_KERNEL_WORK_GROUP_SIZE all the same (580.159, of kernels that ran with 512). */
static bool is_compiled_for(const struct worker_session *session, cl_kernel kernel, const struct kern_launch *launch)
{
	size_t compiled[3] = {0};

	if (clGetKernelWorkGroupInfo(kernel, session->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof compiled, compiled,
				     NULL) != CL_SUCCESS)
		return false;
	for (unsigned d = 0; d < launch->dimensions; d++) {
		if (launch->local[d] != compiled[d])
			return false;
	}
	return true;
}

/* What the compiled kernel needs, against what the device has for it. */
static int check_limits(const struct worker_session *session, cl_kernel kernel, const struct kern_launch *launch,
			struct mmt_error *error)
{
	const struct kern_device *device = &session->device;
	size_t items = work_group_items(launch);
	size_t allowed = 0;
	cl_ulong local_bytes = 0;

	for (unsigned d = 0; d < launch->dimensions; d++) {
		if (launch->local[d] > device->max_work_item_sizes[d])
			return mmt_error_set(
				error, MMT_SKIPPED, 0,
				"needs %zu work-items in dimension %u, CL_DEVICE_MAX_WORK_ITEM_SIZES is %" PRIu64,
				launch->local[d], d, device->max_work_item_sizes[d]);
	}
	if (!is_compiled_for(session, kernel, launch) &&
	    clGetKernelWorkGroupInfo(kernel, session->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof allowed, &allowed, NULL) ==
		    CL_SUCCESS &&
	    items > allowed)
		return mmt_error_set(error, MMT_SKIPPED, 0,
				     "needs a work-group of %zu, CL_KERNEL_WORK_GROUP_SIZE is %zu", items, allowed);
	/* GPUs may take more than they claim, and refuse cleanly; a CPU driver is known to abort the process */
	if (device->type == KERN_CPU &&
	    clGetKernelWorkGroupInfo(kernel, session->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes,
				     NULL) == CL_SUCCESS &&
	    local_bytes > device->local_memory_bytes)
		return mmt_error_set(error, MMT_SKIPPED, 0,
				     "needs %" PRIu64 " bytes of local memory, CL_DEVICE_LOCAL_MEM_SIZE is %" PRIu64,
				     local_bytes, device->local_memory_bytes);
	return 0;
}

static int set_argument(cl_kernel kernel, cl_uint index, size_t bytes, const void *value, const char *name,
			struct mmt_error *error)
{
	cl_int status = clSetKernelArg(kernel, index, bytes, value);
	char what[WHAT_BYTES];

	if (status == CL_SUCCESS)
		return 0;
	snprintf(what, sizeof what, "clSetKernelArg %u, '%.64s', %zu bytes", index, name, bytes);
	return worker_cl_error(error, status, what);
}

static int set_scalar(cl_kernel kernel, cl_uint index, const struct kern_argument *argument,
		      const struct kern_scalar *scalar, struct mmt_error *error)
{
	const char *name = argument->name;
	cl_int narrow = (cl_int)scalar->integer;
	cl_long wide = scalar->integer;
	cl_float single = (cl_float)scalar->real;
	cl_double exact = scalar->real;

	switch (scalar->kind) {
	case KERN_INT32:
		return set_argument(kernel, index, sizeof narrow, &narrow, name, error);
	case KERN_INT64:
		return set_argument(kernel, index, sizeof wide, &wide, name, error);
	case KERN_REAL:
		break;
	}
	if (argument->is_double)
		return set_argument(kernel, index, sizeof exact, &exact, name, error);
	return set_argument(kernel, index, sizeof single, &single, name, error);
}

static cl_mem find_temporary(const struct worker_run *run, const char *name)
{
	for (size_t i = 0; i < run->plan->n_temporaries; i++) {
		if (strcmp(run->plan->temporaries[i].name, name) == 0)
			return run->temporaries[i].buffer;
	}
	return NULL;
}

/* All but scalars, which change between modes. */
static int bind_argument(const struct worker_run *run, const struct worker_operands *operands, size_t step,
			 cl_uint index, struct mmt_error *error)
{
	const struct kern_argument *argument = &run->plan->launches[step].arguments[index];
	cl_mem memory = NULL;

	if (argument->kind == KERN_ARGUMENT_SCALAR)
		return 0;
	if (argument->kind == KERN_ARGUMENT_LOCAL)
		return set_argument(run->kernels[step], index, argument->bytes, NULL, argument->name, error);
	if (argument->kind == KERN_ARGUMENT_BUFFER)
		memory = worker_operands_find(operands, argument->name);
	else
		memory = find_temporary(run, argument->name);
	if (memory == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "there is no buffer '%s'", argument->name);
	return set_argument(run->kernels[step], index, sizeof memory, &memory, argument->name, error);
}

/* No canaries: what a kernel stores outside an image is lost (OpenCL C 3.0, 6.15.15.4). */
static int create_image(struct worker_guarded *image, struct worker_session *session, const char *name, uint64_t width,
			uint64_t height, struct mmt_error *error)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
	const cl_image_desc description = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
	char what[WHAT_BYTES];
	cl_int status;

	worker_meter_enter(&session->meter);
	image->buffer = clCreateImage(session->context, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
	worker_meter_leave(&session->meter);
	if (image->buffer != NULL)
		return 0;
	snprintf(what, sizeof what, "an image of %" PRIu64 " x %" PRIu64 " pixels for '%.32s'", width, height, name);
	return worker_cl_error(error, status, what);
}

static int create_temporary(struct worker_run *run, struct worker_session *session, size_t index,
			    struct mmt_error *error)
{
	const struct kern_plan *plan = run->plan;

	if (plan->temporaries[index].width > 0)
		return create_image(&run->temporaries[index], session, plan->temporaries[index].name,
				    plan->temporaries[index].width, plan->temporaries[index].height, error);
	return worker_guarded_init(&run->temporaries[index], session, plan->temporaries[index].name,
				   plan->temporaries[index].bytes, error);
}

int worker_run_bind(struct worker_run *run, struct worker_session *session, const struct worker_operands *operands,
		    struct mmt_error *error)
{
	const struct kern_plan *plan = run->plan;

	for (size_t i = 0; i < plan->n_launches; i++) {
		if (check_limits(session, run->kernels[i], &plan->launches[i], error) != 0)
			return -1;
	}
	for (size_t i = 0; i < plan->n_temporaries; i++) {
		if (create_temporary(run, session, i, error) != 0)
			return -1;
	}
	for (size_t i = 0; i < plan->n_launches; i++) {
		for (cl_uint j = 0; j < plan->launches[i].n_arguments; j++) {
			if (bind_argument(run, operands, i, j, error) != 0)
				return -1;
		}
	}
	return 0;
}

/* The family's value of that name, or the plan's own. */
static const struct kern_scalar *scalar_of(const struct kern_argument *argument, const struct kern_scalar *scalars,
					   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(scalars[i].name, argument->name) == 0)
			return &scalars[i];
	}
	return &argument->scalar;
}

int worker_run_set_scalars(struct worker_run *run, struct worker_session *session,
			   const struct worker_operands *operands, enum kern_check_mode mode, struct mmt_error *error)
{
	struct kern_scalar scalars[KERN_MAX_SCALARS];
	size_t n = mode == KERN_CHECK_PLAIN ? 0 : operands->family->scalars(&operands->problem, mode, scalars);
	int result = 0;

	worker_meter_enter(&session->meter);
	for (size_t i = 0; i < run->plan->n_launches && result == 0; i++) {
		const struct kern_launch *launch = &run->plan->launches[i];

		for (cl_uint j = 0; j < launch->n_arguments && result == 0; j++) {
			const struct kern_argument *argument = &launch->arguments[j];

			if (argument->kind == KERN_ARGUMENT_SCALAR)
				result = set_scalar(run->kernels[i], j, argument, scalar_of(argument, scalars, n),
						    error);
		}
	}
	worker_meter_leave(&session->meter);
	return result;
}

static int poison_image(const struct worker_run *run, struct worker_session *session, size_t index,
			struct mmt_error *error)
{
	const cl_uint poison[] = {POISON, POISON, POISON, POISON};
	const size_t origin[3] = {0};
	const size_t region[3] = {run->plan->temporaries[index].width, run->plan->temporaries[index].height, 1};
	cl_int status;

	worker_meter_enter(&session->meter);
	status = clEnqueueFillImage(session->queue, run->temporaries[index].buffer, poison, origin, region, 0, NULL,
				    NULL);
	worker_meter_leave(&session->meter);
	if (status != CL_SUCCESS)
		return worker_session_failed(session, status, "clEnqueueFillImage", error);
	return 0;
}

int worker_run_poison(struct worker_run *run, struct worker_session *session, struct mmt_error *error)
{
	for (size_t i = 0; i < run->plan->n_temporaries; i++) {
		const struct worker_guarded *temporary = &run->temporaries[i];
		int status;

		if (worker_guarded_arm(temporary, session, error) != 0)
			return -1;
		status = run->plan->temporaries[i].width > 0
				 ? poison_image(run, session, i, error)
				 : worker_session_poison(session, temporary->buffer, temporary->bytes, error);
		if (status != 0)
			return -1;
	}
	return 0;
}

int worker_run_check(const struct worker_run *run, struct worker_session *session, struct mmt_error *error)
{
	for (size_t i = 0; i < run->plan->n_temporaries; i++) {
		if (worker_guarded_check(&run->temporaries[i], session, run->plan->temporaries[i].name, error) != 0)
			return -1;
	}
	return 0;
}

/* The sizes behind a refusal, as the driver compiled the kernel. */
static int launch_refused(struct worker_session *session, cl_kernel kernel, const struct kern_launch *launch,
			  cl_int status, struct mmt_error *error)
{
	cl_ulong local_bytes = 0;
	cl_ulong private_bytes = 0;
	char what[WHAT_BYTES];

	clGetKernelWorkGroupInfo(kernel, session->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, NULL);
	clGetKernelWorkGroupInfo(kernel, session->id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private_bytes, &private_bytes,
				 NULL);
	snprintf(what, sizeof what,
		 "launch of '%.64s' (work-group %zu, local memory %" PRIu64 " bytes, private memory %" PRIu64 " bytes)",
		 launch->entry, work_group_items(launch), local_bytes, private_bytes);
	worker_cl_error(error, status, what);
	if (status == CL_INVALID_COMMAND_QUEUE || status == CL_INVALID_CONTEXT || status == CL_DEVICE_NOT_AVAILABLE)
		session->lost = true;
	return -1;
}

/* One run of the plan. Events are made only where asked for: NULL means no. */
static int enqueue(struct worker_run *run, struct worker_session *session, cl_event *first, cl_event *last,
		   struct mmt_error *error)
{
	size_t n = run->plan->n_launches;

	for (size_t i = 0; i < n; i++) {
		const struct kern_launch *launch = &run->plan->launches[i];
		cl_event *event = i + 1 == n ? last : NULL;
		cl_int status;

		if (i == 0 && first != NULL)
			event = first;
		status = clEnqueueNDRangeKernel(session->queue, run->kernels[i], launch->dimensions, NULL,
						launch->global, launch->local[0] != 0 ? launch->local : NULL, 0, NULL,
						event);
		if (status != CL_SUCCESS)
			return launch_refused(session, run->kernels[i], launch, status, error);
	}
	return 0;
}

static void read_events(cl_event first, cl_event last, struct worker_timing *timing)
{
	cl_ulong start = 0;
	cl_ulong end = 0;

	timing->has_events =
		clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS &&
		clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS;
	timing->start_ns = start;
	timing->end_ns = end;
}

int worker_run_time(struct worker_run *run, struct worker_session *session, unsigned repeats,
		    struct worker_timing *timing, struct mmt_error *error)
{
	cl_event first = NULL;
	cl_event last = NULL;
	bool is_cpu = session->device.type == KERN_CPU;
	double waiting_ns = is_cpu ? worker_waiting_ns() : 0;
	double started_ns = worker_now_ns();
	bool single = repeats == 1 && run->plan->n_launches == 1;
	int result = 0;

	worker_meter_enter(&session->meter);
	for (unsigned i = 0; i < repeats && result == 0; i++)
		result = enqueue(run, session, i == 0 ? &first : NULL, i + 1 == repeats && !single ? &last : NULL,
				 error);
	worker_meter_leave(&session->meter);
	if (result == 0)
		result = worker_session_wait(session, single ? first : last, error);
	timing->host_ns = worker_now_ns() - started_ns;
	timing->waited_ns = is_cpu ? worker_waiting_ns() - waiting_ns : 0;
	if (result == 0)
		read_events(first, single ? first : last, timing);
	if (first != NULL)
		clReleaseEvent(first);
	if (last != NULL)
		clReleaseEvent(last);
	return result;
}
