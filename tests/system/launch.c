/* launch.c: an application that knows nothing of mmtune but the answer's JSON.
 *
 *	mmtune query ... --json --source | test-launch [--lda EXTRA] [--alpha X] [--beta X]
 *
 * Reads the object from standard input, builds and launches its steps on the
 * device with the answer's device_name, with random inputs, a C that holds NaN
 * when beta is 0, rows EXTRA elements longer than needed and guarded, and
 * compares every element with a reference in double. Links neither the
 * service's nor the kernels' code: only OpenCL and a JSON parser.
 *
 * Exit status: 0 right; 1 wrong or failed; 77 no OpenCL device. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 16, GUARD = 64 };

struct matrix {
	size_t rows, columns, stride, elements;
	double *values; /* as rounded to the element's type */
};

struct run {
	bool is_double;
	long m, n, k, extra;
	bool trans_a, trans_b;
	double alpha, beta;
	struct matrix a, b, c;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	struct {
		char name[64];
		cl_mem memory;
	} buffers[MAX_BUFFERS];
	size_t n_buffers;
};

static void fail(const char *what, long code)
{
	fprintf(stderr, "test-launch: %s (%ld)\n", what, code);
	exit(1);
}

static void check(cl_int status, const char *what)
{
	if (status != CL_SUCCESS)
		fail(what, status);
}

static const char *text(json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));
	if (!value)
		fail(key, 0);
	return value;
}

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
	fail("no device of that name", 0);
	return NULL;
}

static struct matrix make_matrix(const struct run *run, size_t rows, size_t columns)
{
	struct matrix matrix = {rows, columns, columns + (size_t)run->extra, 0, NULL};
	matrix.elements = rows * matrix.stride + GUARD;
	matrix.values = malloc(matrix.elements * sizeof *matrix.values);
	for (size_t i = 0; i < matrix.elements; i++) {
		double value = 2.0 * rand() / RAND_MAX - 1.0;
		matrix.values[i] = run->is_double ? value : (double)(float)value;
	}
	return matrix;
}

static void *pack(const struct run *run, const struct matrix *matrix)
{
	if (run->is_double)
		return memcpy(malloc(matrix->elements * sizeof(double)), matrix->values,
			      matrix->elements * sizeof(double));
	float *out = malloc(matrix->elements * sizeof *out);
	for (size_t i = 0; i < matrix->elements; i++)
		out[i] = (float)matrix->values[i];
	return out;
}

static cl_mem hold(struct run *run, const char *name, cl_mem memory)
{
	snprintf(run->buffers[run->n_buffers].name, sizeof run->buffers[0].name, "%s", name);
	run->buffers[run->n_buffers++].memory = memory;
	return memory;
}

static cl_mem upload(struct run *run, const char *name, const void *data, size_t bytes)
{
	cl_int status;
	cl_mem memory = clCreateBuffer(run->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), bytes,
				       (void *)data, &status);
	check(status, "clCreateBuffer");
	return hold(run, name, memory);
}

/* What the steps share: a buffer, or where it has a width an image. */
static void create_temporary(struct run *run, json_t *temporary)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
	const cl_image_desc description = {
		.image_type = CL_MEM_OBJECT_IMAGE2D,
		.image_width = (size_t)json_integer_value(json_object_get(temporary, "width")),
		.image_height = (size_t)json_integer_value(json_object_get(temporary, "height")),
	};
	const char *name = text(temporary, "name");
	cl_int status;
	if (description.image_width == 0) {
		upload(run, name, NULL, (size_t)json_integer_value(json_object_get(temporary, "bytes")));
		return;
	}
	hold(run, name, clCreateImage(run->context, CL_MEM_READ_WRITE, &format, &description, NULL, &status));
	check(status, "clCreateImage");
}

static cl_mem buffer(struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_buffers; i++)
		if (strcmp(run->buffers[i].name, name) == 0)
			return run->buffers[i].memory;
	fprintf(stderr, "test-launch: the plan names an unknown buffer '%s'\n", name);
	exit(1);
}

/* The application's own alpha, beta and leading dimensions instead of the plan's defaults. */
static double scalar_value(const struct run *run, const char *name, json_t *argument)
{
	if (strcmp(name, "alpha") == 0)
		return run->alpha;
	if (strcmp(name, "beta") == 0)
		return run->beta;
	double value = json_number_value(json_object_get(argument, "value"));
	bool leading = strcmp(name, "lda") == 0 || strcmp(name, "ldb") == 0 || strcmp(name, "ldc") == 0;
	return leading ? value + (double)run->extra : value;
}

static void set_argument(struct run *run, cl_kernel kernel, cl_uint index, json_t *argument)
{
	const char *name = text(argument, "name"), *type = text(argument, "type");
	double value = scalar_value(run, name, argument);
	cl_int status;
	if (strcmp(type, "buffer") == 0 || strcmp(type, "temporary") == 0 || strcmp(type, "image") == 0) {
		cl_mem memory = buffer(run, name);
		status = clSetKernelArg(kernel, index, sizeof memory, &memory);
	} else if (strcmp(type, "local") == 0) {
		status = clSetKernelArg(kernel, index, (size_t)json_integer_value(json_object_get(argument, "bytes")),
					NULL);
	} else if (strcmp(type, "int32") == 0) {
		cl_int number = (cl_int)value;
		status = clSetKernelArg(kernel, index, sizeof number, &number);
	} else if (strcmp(type, "int64") == 0) {
		cl_long number = (cl_long)value;
		status = clSetKernelArg(kernel, index, sizeof number, &number);
	} else if (strcmp(type, "float") == 0) {
		cl_float number = (cl_float)value;
		status = clSetKernelArg(kernel, index, sizeof number, &number);
	} else if (strcmp(type, "double") == 0) {
		cl_double number = value;
		status = clSetKernelArg(kernel, index, sizeof number, &number);
	} else {
		fprintf(stderr, "test-launch: argument '%s' has the unknown type '%s'\n", name, type);
		exit(1);
	}
	check(status, name);
}

static size_t sizes(json_t *array, size_t out[3])
{
	for (size_t i = 0; i < json_array_size(array) && i < 3; i++)
		out[i] = (size_t)json_integer_value(json_array_get(array, i));
	return json_array_size(array);
}

static void launch(struct run *run, json_t *step)
{
	const char *source = text(step, "source");
	cl_int status;
	cl_program program = clCreateProgramWithSource(run->context, 1, &source, NULL, &status);
	check(status, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &run->device, text(step, "build_options"), NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, text(step, "entry"), &status);
	check(status, "clCreateKernel");
	size_t index;
	json_t *argument;
	json_array_foreach (json_object_get(step, "arguments"), index, argument)
		set_argument(run, kernel, (cl_uint)index, argument);
	size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
	size_t dimensions = sizes(json_object_get(step, "global_size"), global);
	size_t with_local = sizes(json_object_get(step, "local_size"), local);
	check(clEnqueueNDRangeKernel(run->queue, kernel, (cl_uint)dimensions, NULL, global, with_local ? local : NULL,
				     0, NULL, NULL),
	      "clEnqueueNDRangeKernel");
	check(clFinish(run->queue), "clFinish");
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

static double element(const struct matrix *matrix, bool transposed, long row, long column)
{
	return transposed ? matrix->values[(size_t)column * matrix->stride + (size_t)row]
			  : matrix->values[(size_t)row * matrix->stride + (size_t)column];
}

/* |error| <= (k + 4) u sum |a||b|: Higham, Accuracy and Stability of Numerical Algorithms, 3.1. */
static void compare(const struct run *run, const void *result)
{
	double unit = run->is_double ? ldexp(1, -53) : ldexp(1, -24);
	double *row = malloc((size_t)run->n * sizeof *row), *sum = malloc((size_t)run->n * sizeof *sum);
	for (long i = 0; i < run->m; i++) {
		memset(row, 0, (size_t)run->n * sizeof *row);
		memset(sum, 0, (size_t)run->n * sizeof *sum);
		for (long p = 0; p < run->k; p++) {
			double a = element(&run->a, run->trans_a, i, p);
			for (long j = 0; j < run->n; j++) {
				double product = a * element(&run->b, run->trans_b, p, j);
				row[j] += product;
				sum[j] += fabs(product);
			}
		}
		for (long j = 0; j < (long)run->c.stride; j++) {
			size_t at = (size_t)i * run->c.stride + (size_t)j;
			double was = run->c.values[at];
			double got =
				run->is_double ? ((const double *)result)[at] : (double)((const float *)result)[at];
			double want = was, bound = 0;
			if (j < run->n) {
				double rest = run->beta == 0 ? 0 : run->beta * was;
				want = run->alpha * row[j] + rest;
				bound = (double)(run->k + 4) * unit * (fabs(run->alpha) * sum[j] + fabs(rest));
			}
			bool same = isnan(want) ? isnan(got) : fabs(got - want) <= bound;
			if (!same) {
				fprintf(stderr, "test-launch: C[%ld][%ld] is %.9g, should be %.9g (bound %.3g)\n", i, j,
					got, want, bound);
				exit(1);
			}
		}
	}
	free(row);
	free(sum);
}

static void read_problem(struct run *run, json_t *answer)
{
	json_t *problem = json_object_get(answer, "problem");
	run->m = (long)json_integer_value(json_object_get(problem, "m"));
	run->n = (long)json_integer_value(json_object_get(problem, "n"));
	run->k = (long)json_integer_value(json_object_get(problem, "k"));
	const char *trans = text(problem, "trans");
	run->trans_a = trans[0] == 't';
	run->trans_b = trans[1] == 't';
	run->is_double = strcmp(text(problem, "type"), "f64") == 0;
}

int main(int argc, char **argv)
{
	struct run run = {.alpha = 1};
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--lda") == 0)
			run.extra = strtol(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--alpha") == 0)
			run.alpha = strtod(argv[i + 1], NULL);
		else if (strcmp(argv[i], "--beta") == 0)
			run.beta = strtod(argv[i + 1], NULL);
		else
			fail("unknown option", i);
	}
	json_error_t where;
	json_t *answer = json_loadf(stdin, 0, &where);
	if (!answer)
		fail("standard input is not JSON", where.position);
	read_problem(&run, answer);
	run.device = find_device(text(answer, "device_name"));
	cl_int status;
	run.context = clCreateContext(NULL, 1, &run.device, NULL, NULL, &status);
	check(status, "clCreateContext");
	run.queue = clCreateCommandQueue(run.context, run.device, 0, &status);
	check(status, "clCreateCommandQueue");

	srand(7);
	run.a = make_matrix(&run, (size_t)(run.trans_a ? run.k : run.m), (size_t)(run.trans_a ? run.m : run.k));
	run.b = make_matrix(&run, (size_t)(run.trans_b ? run.n : run.k), (size_t)(run.trans_b ? run.k : run.n));
	run.c = make_matrix(&run, (size_t)run.m, (size_t)run.n);
	if (run.beta == 0)
		for (size_t i = 0; i < run.c.elements; i++)
			run.c.values[i] = NAN;
	struct {
		const char *name;
		struct matrix *matrix;
	} operands[] = {{"a", &run.a}, {"b", &run.b}, {"c", &run.c}};
	size_t element_bytes = run.is_double ? sizeof(double) : sizeof(float);
	for (size_t i = 0; i < 3; i++) {
		void *data = pack(&run, operands[i].matrix);
		upload(&run, operands[i].name, data, operands[i].matrix->elements * element_bytes);
		free(data);
	}
	size_t index;
	json_t *item;
	json_array_foreach (json_object_get(answer, "temporaries"), index, item)
		create_temporary(&run, item);
	json_array_foreach (json_object_get(answer, "steps"), index, item)
		launch(&run, item);
	if (index == 0)
		fail("the answer has no steps", 0);

	void *result = malloc(run.c.elements * element_bytes);
	check(clEnqueueReadBuffer(run.queue, buffer(&run, "c"), CL_TRUE, 0, run.c.elements * element_bytes, result, 0,
				  NULL, NULL),
	      "clEnqueueReadBuffer");
	compare(&run, result);
	printf("%s %s %ldx%ldx%ld: every element within the bound\n", text(answer, "variant"), text(answer, "match"),
	       run.m, run.n, run.k);
	for (size_t i = 0; i < run.n_buffers; i++)
		clReleaseMemObject(run.buffers[i].memory);
	clReleaseCommandQueue(run.queue);
	clReleaseContext(run.context);
	free(run.a.values);
	free(run.b.values);
	free(run.c.values);
	free(result);
	json_decref(answer);
	return 0;
}
