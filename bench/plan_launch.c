/* plan_launch.c: see plan_launch.h. */
#include "plan_launch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 8, MAX_TEMPORARIES = 16 };

struct step {
	cl_kernel kernel;
	json_t *arguments; /* borrowed from the answer */
	cl_uint dimensions;
	size_t global[3], local[3];
	bool has_local;
};

struct plan_launch {
	const struct plan_device *where;
	struct step steps[MAX_STEPS];
	size_t n_steps;
	cl_mem temporaries[MAX_TEMPORARIES];
	size_t n_temporaries;
};

void plan_fail(const char *what, long code)
{
	fprintf(stderr, "%s: %s (%ld)\n", program_invocation_short_name, what, code);
	exit(1);
}

void plan_check(cl_int status, const char *what)
{
	if (status != CL_SUCCESS)
		plan_fail(what, status);
}

const char *plan_text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));
	if (!value)
		plan_fail(key, 0);
	return value;
}

long plan_integer(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_integer(value))
		plan_fail(key, 0);
	return (long)json_integer_value(value);
}

/* ---- the device ---- */

static cl_device_id find_device(const char *wanted)
{
	cl_platform_id platforms[16];
	cl_uint n_platforms = 0;
	if (clGetPlatformIDs(16, platforms, &n_platforms) != CL_SUCCESS || n_platforms == 0)
		exit(77);
	for (cl_uint p = 0; p < n_platforms; p++) {
		cl_device_id devices[64];
		cl_uint n_devices = 0;
		if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &n_devices) != CL_SUCCESS)
			continue;
		for (cl_uint d = 0; d < n_devices; d++) {
			char name[1024] = "";
			clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL);
			if (strcmp(name, wanted) == 0)
				return devices[d];
		}
	}
	plan_fail("no device of that name", 0);
}

void plan_device_init(struct plan_device *where, const json_t *answer)
{
	cl_int status;
	where->device = find_device(plan_text(answer, "device_name"));
	where->context = clCreateContext(NULL, 1, &where->device, NULL, NULL, &status);
	plan_check(status, "clCreateContext");
	where->queue = clCreateCommandQueue(where->context, where->device, 0, &status);
	plan_check(status, "clCreateCommandQueue");
}

void plan_device_finish(struct plan_device *where)
{
	clReleaseCommandQueue(where->queue);
	clReleaseContext(where->context);
}

cl_mem plan_buffer(const struct plan_device *where, const void *data, size_t bytes)
{
	cl_int status;
	cl_mem memory = clCreateBuffer(where->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), bytes,
				       (void *)data, &status);
	plan_check(status, "clCreateBuffer");
	return memory;
}

/* ---- arguments ---- */

static bool is_memory(const char *type)
{
	return strcmp(type, "buffer") == 0 || strcmp(type, "temporary") == 0 || strcmp(type, "image") == 0;
}

static void set_number(cl_kernel kernel, cl_uint index, const char *name, const char *type, double value)
{
	cl_int status = CL_INVALID_ARG_VALUE, int32 = (cl_int)value;
	cl_long int64 = (cl_long)value;
	cl_float real = (cl_float)value;
	if (strcmp(type, "int32") == 0)
		status = clSetKernelArg(kernel, index, sizeof int32, &int32);
	else if (strcmp(type, "int64") == 0)
		status = clSetKernelArg(kernel, index, sizeof int64, &int64);
	else if (strcmp(type, "float") == 0)
		status = clSetKernelArg(kernel, index, sizeof real, &real);
	else if (strcmp(type, "double") == 0)
		status = clSetKernelArg(kernel, index, sizeof value, &value);
	plan_check(status, name);
}

/* What is known without the caller: numbers and local memory. */
static void set_own_arguments(const struct step *step)
{
	size_t index;
	json_t *argument;
	json_array_foreach (step->arguments, index, argument) {
		const char *name = plan_text(argument, "name"), *type = plan_text(argument, "type");
		if (strcmp(type, "local") == 0)
			plan_check(clSetKernelArg(step->kernel, (cl_uint)index, (size_t)plan_integer(argument, "bytes"),
						  NULL),
				   name);
		else if (!is_memory(type))
			set_number(step->kernel, (cl_uint)index, name, type,
				   json_number_value(json_object_get(argument, "value")));
	}
}

void plan_launch_bind(struct plan_launch *plan, const char *name, cl_mem memory)
{
	for (size_t s = 0; s < plan->n_steps; s++) {
		size_t index;
		json_t *argument;
		json_array_foreach (plan->steps[s].arguments, index, argument)
			if (is_memory(plan_text(argument, "type")) && strcmp(plan_text(argument, "name"), name) == 0)
				plan_check(
					clSetKernelArg(plan->steps[s].kernel, (cl_uint)index, sizeof memory, &memory),
					name);
	}
}

void plan_launch_set(struct plan_launch *plan, const char *name, double value)
{
	for (size_t s = 0; s < plan->n_steps; s++) {
		size_t index;
		json_t *argument;
		json_array_foreach (plan->steps[s].arguments, index, argument)
			if (strcmp(plan_text(argument, "name"), name) == 0)
				set_number(plan->steps[s].kernel, (cl_uint)index, name, plan_text(argument, "type"),
					   value);
	}
}

double plan_launch_number(const struct plan_launch *plan, const char *name)
{
	for (size_t s = 0; s < plan->n_steps; s++) {
		size_t index;
		json_t *argument;
		json_array_foreach (plan->steps[s].arguments, index, argument)
			if (strcmp(plan_text(argument, "name"), name) == 0)
				return json_number_value(json_object_get(argument, "value"));
	}
	return 0;
}

/* ---- the plan ---- */

/* What the steps share: a buffer, or where it has a width an image. */
static void create_temporary(struct plan_launch *plan, const json_t *temporary)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
	const cl_image_desc description = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = (size_t)json_integer_value(json_object_get(temporary, "width")),
		.image_height = (size_t)json_integer_value(json_object_get(temporary, "height")),
	};
	cl_mem memory;
	if (plan->n_temporaries == MAX_TEMPORARIES)
		plan_fail("too many temporaries", MAX_TEMPORARIES);
	if (description.image_width == 0) {
		memory = plan_buffer(plan->where, NULL, (size_t)plan_integer(temporary, "bytes"));
	} else {
		cl_int status;
		memory = clCreateImage(plan->where->context, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
		plan_check(status, "clCreateImage");
	}
	plan->temporaries[plan->n_temporaries++] = memory;
	plan_launch_bind(plan, plan_text(temporary, "name"), memory);
}

static size_t read_sizes(const json_t *array, size_t out[3])
{
	for (size_t i = 0; i < json_array_size(array) && i < 3; i++)
		out[i] = (size_t)json_integer_value(json_array_get(array, i));
	return json_array_size(array);
}

static void create_step(struct plan_launch *plan, const json_t *description)
{
	const struct plan_device *where = plan->where;
	const char *source = plan_text(description, "source");
	cl_int status;
	if (plan->n_steps == MAX_STEPS)
		plan_fail("too many steps", MAX_STEPS);
	struct step *step = &plan->steps[plan->n_steps++];
	cl_program program = clCreateProgramWithSource(where->context, 1, &source, NULL, &status);
	plan_check(status, "clCreateProgramWithSource");
	plan_check(clBuildProgram(program, 1, &where->device, plan_text(description, "build_options"), NULL, NULL),
		   "clBuildProgram");
	step->kernel = clCreateKernel(program, plan_text(description, "entry"), &status);
	plan_check(status, "clCreateKernel");
	clReleaseProgram(program); /* the kernel keeps it */
	step->arguments = json_object_get(description, "arguments");
	step->dimensions = (cl_uint)read_sizes(json_object_get(description, "global_size"), step->global);
	step->has_local = read_sizes(json_object_get(description, "local_size"), step->local) > 0;
	set_own_arguments(step);
}

struct plan_launch *plan_launch_create(const struct plan_device *where, const json_t *answer)
{
	struct plan_launch *plan = calloc(1, sizeof *plan);
	size_t index;
	json_t *item;
	if (!plan)
		plan_fail("no memory", 0);
	plan->where = where;
	json_array_foreach (json_object_get(answer, "steps"), index, item)
		create_step(plan, item);
	if (plan->n_steps == 0)
		plan_fail("the answer has no steps", 0);
	json_array_foreach (json_object_get(answer, "temporaries"), index, item)
		create_temporary(plan, item);
	return plan;
}

void plan_launch_destroy(struct plan_launch *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->n_steps; i++)
		clReleaseKernel(plan->steps[i].kernel);
	for (size_t i = 0; i < plan->n_temporaries; i++)
		clReleaseMemObject(plan->temporaries[i]);
	free(plan);
}

void plan_launch_run(struct plan_launch *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct step *step = &plan->steps[i];
		plan_check(clEnqueueNDRangeKernel(plan->where->queue, step->kernel, step->dimensions, NULL,
						  step->global, step->has_local ? step->local : NULL, 0, NULL, NULL),
			   "clEnqueueNDRangeKernel");
	}
	plan_check(clFinish(plan->where->queue), "clFinish");
}
