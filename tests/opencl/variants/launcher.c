/* launcher.c: see launcher.h. */
#include "launcher.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

struct launcher_program {
	struct launcher_program *next;
	char *key; /* hash of the source, and the options */
	cl_program program;
};

static int fail(struct mmt_error *error, const char *call, cl_int status)
{
	return mmt_error_set(error, MMT_OPENCL, status, "%s: %d", call, status);
}

static void ask(const struct launcher *launcher, cl_device_info what, size_t bytes, void *out)
{
	clGetDeviceInfo(launcher->id, what, bytes, out, NULL);
}

static void describe(struct launcher *launcher)
{
	struct kern_device *device = &launcher->device;
	cl_device_type type = 0;
	cl_bool images = CL_FALSE;
	size_t group = 0, items[3] = {0}, width = 0, height = 0;

	ask(launcher, CL_DEVICE_NAME, sizeof device->name, device->name);
	ask(launcher, CL_DEVICE_EXTENSIONS, sizeof device->extensions, device->extensions);
	ask(launcher, CL_DEVICE_TYPE, sizeof type, &type);
	ask(launcher, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof device->global_memory_bytes, &device->global_memory_bytes);
	ask(launcher, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof device->max_allocation_bytes, &device->max_allocation_bytes);
	ask(launcher, CL_DEVICE_LOCAL_MEM_SIZE, sizeof device->local_memory_bytes, &device->local_memory_bytes);
	ask(launcher, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->compute_units, &device->compute_units);
	ask(launcher, CL_DEVICE_ADDRESS_BITS, sizeof device->address_bits, &device->address_bits);
	ask(launcher, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, sizeof device->preferred_vector_float,
	    &device->preferred_vector_float);
	ask(launcher, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, sizeof device->preferred_vector_double,
	    &device->preferred_vector_double);
	ask(launcher, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images);
	ask(launcher, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof width, &width);
	ask(launcher, CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof height, &height);
	device->image2d_max_width = width;
	device->image2d_max_height = height;
	ask(launcher, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group);
	ask(launcher, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items);
	device->max_work_group_size = group;
	for (int i = 0; i < 3; i++)
		device->max_work_item_sizes[i] = items[i];
	device->type = type & CL_DEVICE_TYPE_CPU   ? KERN_CPU /* Oclgrind says all three */
		       : type & CL_DEVICE_TYPE_GPU ? KERN_GPU
						   : KERN_ACCELERATOR;
	device->images = images == CL_TRUE;
	device->fp64 = kern_device_has_extension(device, "cl_khr_fp64");
	device->fp16 = kern_device_has_extension(device, "cl_khr_fp16");
	device->sub_groups = kern_device_has_extension(device, "cl_khr_subgroups");
	if (kern_device_has_extension(device, "cl_nv_device_attribute_query")) {
		cl_uint major = 0, minor = 0;
		ask(launcher, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major);
		ask(launcher, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, sizeof minor, &minor);
		device->compute_capability = 100 * major + 10 * minor;
	}
}

static cl_device_id first_device(void)
{
	cl_platform_id platforms[16];
	cl_device_id id;
	cl_uint count = 0;

	if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		return NULL;
	for (cl_uint i = 0; i < count && i < 16; i++) {
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &id, NULL) == CL_SUCCESS)
			return id;
	}
	return NULL;
}

int launcher_init(struct launcher *launcher, struct mmt_error *error)
{
	cl_int status;

	memset(launcher, 0, sizeof *launcher);
	launcher->id = first_device();
	if (!launcher->id)
		return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "there is no OpenCL device");
	describe(launcher);
	launcher->context = clCreateContext(NULL, 1, &launcher->id, NULL, NULL, &status);
	if (!launcher->context)
		return fail(error, "clCreateContext", status);
	launcher->queue = clCreateCommandQueue(launcher->context, launcher->id, 0, &status);
	return launcher->queue ? 0 : fail(error, "clCreateCommandQueue", status);
}

void launcher_finish(struct launcher *launcher)
{
	while (launcher->programs) {
		struct launcher_program *program = launcher->programs;
		launcher->programs = program->next;
		if (program->program)
			clReleaseProgram(program->program);
		free(program->key);
		free(program);
	}
	if (launcher->queue)
		clReleaseCommandQueue(launcher->queue);
	if (launcher->context)
		clReleaseContext(launcher->context);
}

/* The launch's options, without sizes that the source does not read; caller frees. */
static char *options_of(const struct kern_launch *launch)
{
	char *options = strdup(launch->build_options), *sizes;

	while (!strstr(launch->source, "PROBLEM_") && (sizes = strstr(options, "-DPROBLEM_"))) {
		const char *rest = sizes + strcspn(sizes, " ");
		memmove(sizes, rest, strlen(rest) + 1);
	}
	return options;
}

static int build(struct launcher *launcher, struct launcher_program *program, const struct kern_launch *launch,
		 struct mmt_error *error)
{
	const char *options = program->key + strlen(launch->source_sha256);
	char log[MMT_MESSAGE_BYTES - 64] = "";
	cl_int status;

	program->program =
		clCreateProgramWithSource(launcher->context, 1, (const char *[]){launch->source}, NULL, &status);
	if (!program->program)
		return fail(error, "clCreateProgramWithSource", status);
	status = clBuildProgram(program->program, 1, &launcher->id, options, NULL, NULL);
	if (status == CL_SUCCESS)
		return 0;
	clGetProgramBuildInfo(program->program, launcher->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
	return mmt_error_set(error, MMT_OPENCL, status, "clBuildProgram: %d: %s", status, log);
}

/* The program of a launch, built now or before; NULL: it does not build. */
static cl_program program_of(struct launcher *launcher, const struct kern_launch *launch, struct mmt_error *error)
{
	char *options = options_of(launch);
	const size_t bytes = strlen(launch->source_sha256) + strlen(options) + 1;
	char *key = malloc(bytes);
	struct launcher_program *program;

	strcpy(key, launch->source_sha256);
	strcat(key, options);
	free(options);
	for (program = launcher->programs; program; program = program->next) {
		if (strcmp(program->key, key) == 0) {
			free(key);
			return program->program;
		}
	}
	program = calloc(1, sizeof *program);
	program->key = key;
	program->next = launcher->programs;
	launcher->programs = program;
	return build(launcher, program, launch, error) ? NULL : program->program;
}

static const struct launcher_value *find(const struct launcher_value *values, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(values[i].name, name) == 0)
			return &values[i];
	}
	return NULL;
}

static cl_int set_scalar(cl_kernel kernel, cl_uint index, const struct kern_argument *argument,
			 const struct launcher_value *value)
{
	const int64_t integer = value ? value->integer : argument->scalar.integer;
	const double real = value ? value->real : argument->scalar.real;
	const cl_int narrow = (cl_int)integer;
	const cl_long wide = integer;
	const float single = (float)real;

	switch (argument->scalar.kind) {
	case KERN_INT32:
		return clSetKernelArg(kernel, index, sizeof narrow, &narrow);
	case KERN_INT64:
		return clSetKernelArg(kernel, index, sizeof wide, &wide);
	default:
		return argument->is_double ? clSetKernelArg(kernel, index, sizeof real, &real)
					   : clSetKernelArg(kernel, index, sizeof single, &single);
	}
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, const struct kern_argument *argument,
			   const struct launcher_value *value)
{
	if (argument->kind == KERN_ARGUMENT_SCALAR)
		return set_scalar(kernel, index, argument, value);
	if (argument->kind == KERN_ARGUMENT_LOCAL)
		return clSetKernelArg(kernel, index, argument->bytes, NULL);
	if (!value)
		return CL_INVALID_ARG_VALUE;
	return clSetKernelArg(kernel, index, sizeof value->buffer, &value->buffer);
}

static int launch_step(struct launcher *launcher, const struct kern_launch *launch, const struct launcher_value *values,
		       size_t n_values, struct mmt_error *error)
{
	cl_int status;
	cl_program program = program_of(launcher, launch, error);
	if (!program)
		return -1;
	cl_kernel kernel = clCreateKernel(program, launch->entry, &status);
	if (!kernel)
		return fail(error, "clCreateKernel", status);
	for (size_t i = 0; i < launch->n_arguments && status == CL_SUCCESS; i++)
		status = set_argument(kernel, (cl_uint)i, &launch->arguments[i],
				      find(values, n_values, launch->arguments[i].name));
	if (status == CL_SUCCESS)
		status = clEnqueueNDRangeKernel(launcher->queue, kernel, launch->dimensions, NULL, launch->global,
						launch->local[0] ? launch->local : NULL, 0, NULL, NULL);
	if (status == CL_SUCCESS)
		status = clFinish(launcher->queue);
	clReleaseKernel(kernel);
	return status == CL_SUCCESS ? 0 : fail(error, launch->entry, status);
}

/* An image where there is a width. Full of NaN: a kernel that reads what no kernel wrote spoils its result. NULL with
 * *status: it failed. */
static cl_mem create_temporary(struct launcher *launcher, uint64_t bytes, uint64_t width, uint64_t height,
			       cl_int *status)
{
	const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
	const cl_image_desc description = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = width,
		.image_height = height,
	};
	void *poison = malloc(bytes);
	cl_mem memory = NULL;

	*status = CL_OUT_OF_HOST_MEMORY;
	if (poison) {
		memset(poison, 0xff, bytes);
		memory = width > 0 ? clCreateImage(launcher->context, flags, &format, &description, poison, status)
				   : clCreateBuffer(launcher->context, flags, bytes, poison, status);
	}
	free(poison);
	return memory;
}

int launcher_run(struct launcher *launcher, const struct kern_plan *plan, const struct launcher_value *values,
		 size_t n_values, struct mmt_error *error)
{
	struct launcher_value all[KERN_MAX_SCALARS + KERN_MAX_BUFFERS + KERN_MAX_ARGUMENTS];
	int status = 0;
	cl_int created = CL_SUCCESS;

	memcpy(all, values, n_values * sizeof *values);
	for (size_t i = 0; i < plan->n_temporaries; i++) {
		all[n_values + i] = (struct launcher_value){.name = plan->temporaries[i].name};
		all[n_values + i].buffer =
			create_temporary(launcher, plan->temporaries[i].bytes, plan->temporaries[i].width,
					 plan->temporaries[i].height, &created);
		if (created != CL_SUCCESS)
			status = fail(error, "a temporary", created);
	}
	for (size_t i = 0; i < plan->n_launches && status == 0; i++)
		status = launch_step(launcher, &plan->launches[i], all, n_values + plan->n_temporaries, error);
	for (size_t i = 0; i < plan->n_temporaries; i++) {
		if (all[n_values + i].buffer)
			clReleaseMemObject(all[n_values + i].buffer);
	}
	return status;
}
