/* launch.c: an application that knows nothing of mmtune but the answer's JSON.
 *
 *	mmtune query ... --json --source | test-launch [--lda EXTRA] [--alpha X] [--beta X]
 *
 * Reads the object from standard input, builds and launches its steps on the
 * device with the answer's device_name, with random inputs, a C that holds NaN
 * when beta is 0, rows EXTRA elements longer than needed and guarded, and
 * compares every element with a reference in double. Links neither the
 * service's nor the kernels' code: only OpenCL and a JSON parser (bench/plan_launch.c).
 *
 * Exit status: 0 right; 1 wrong or failed; 77 no OpenCL device. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_launch.h"

enum { GUARD = 64 };

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
};

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

static void read_problem(struct run *run, const json_t *answer)
{
	const json_t *problem = json_object_get(answer, "problem");
	run->m = plan_integer(problem, "m");
	run->n = plan_integer(problem, "n");
	run->k = plan_integer(problem, "k");
	const char *trans = plan_text(problem, "trans");
	run->trans_a = trans[0] == 't';
	run->trans_b = trans[1] == 't';
	run->is_double = strcmp(plan_text(problem, "type"), "f64") == 0;
}

static void read_options(struct run *run, int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--lda") == 0)
			run->extra = strtol(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--alpha") == 0)
			run->alpha = strtod(argv[i + 1], NULL);
		else if (strcmp(argv[i], "--beta") == 0)
			run->beta = strtod(argv[i + 1], NULL);
		else
			plan_fail("unknown option", i);
	}
}

static void make_matrices(struct run *run)
{
	srand(7);
	run->a = make_matrix(run, (size_t)(run->trans_a ? run->k : run->m), (size_t)(run->trans_a ? run->m : run->k));
	run->b = make_matrix(run, (size_t)(run->trans_b ? run->n : run->k), (size_t)(run->trans_b ? run->k : run->n));
	run->c = make_matrix(run, (size_t)run->m, (size_t)run->n);
	if (run->beta == 0)
		for (size_t i = 0; i < run->c.elements; i++)
			run->c.values[i] = NAN;
}

/* The application's own alpha, beta and leading dimensions instead of the plan's defaults. */
static void set_numbers(const struct run *run, struct plan_launch *plan)
{
	static const char *const leading[] = {"lda", "ldb", "ldc"};
	plan_launch_set(plan, "alpha", run->alpha);
	plan_launch_set(plan, "beta", run->beta);
	for (size_t i = 0; i < 3; i++)
		plan_launch_set(plan, leading[i], plan_launch_number(plan, leading[i]) + (double)run->extra);
}

/* Launches the plan; C as it is afterwards. Caller frees. */
static void *compute(struct run *run, const json_t *answer)
{
	static const char *const names[] = {"a", "b", "c"};
	const struct matrix *matrices[] = {&run->a, &run->b, &run->c};
	const size_t element_bytes = run->is_double ? sizeof(double) : sizeof(float);
	const size_t result_bytes = run->c.elements * element_bytes;
	struct plan_device where;
	cl_mem operands[3];
	plan_device_init(&where, answer);
	struct plan_launch *plan = plan_launch_create(&where, answer);
	set_numbers(run, plan);
	for (size_t i = 0; i < 3; i++) {
		void *data = pack(run, matrices[i]);
		operands[i] = plan_buffer(&where, data, matrices[i]->elements * element_bytes);
		plan_launch_bind(plan, names[i], operands[i]);
		free(data);
	}
	plan_launch_run(plan);
	void *result = malloc(result_bytes);
	plan_check(clEnqueueReadBuffer(where.queue, operands[2], CL_TRUE, 0, result_bytes, result, 0, NULL, NULL),
		   "clEnqueueReadBuffer");
	for (size_t i = 0; i < 3; i++)
		clReleaseMemObject(operands[i]);
	plan_launch_destroy(plan);
	plan_device_finish(&where);
	return result;
}

int main(int argc, char **argv)
{
	struct run run = {.alpha = 1};
	json_error_t where;
	read_options(&run, argc, argv);
	json_t *answer = json_loadf(stdin, 0, &where);
	if (!answer)
		plan_fail("standard input is not JSON", where.position);
	read_problem(&run, answer);
	make_matrices(&run);
	void *result = compute(&run, answer);
	compare(&run, result);
	printf("%s %s %ldx%ldx%ld: every element within the bound\n", plan_text(answer, "variant"),
	       plan_text(answer, "match"), run.m, run.n, run.k);
	free(run.a.values);
	free(run.b.values);
	free(run.c.values);
	free(result);
	json_decref(answer);
	return 0;
}
