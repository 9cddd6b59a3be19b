/* entry.c: see entry.h. */
#include "entry.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t element_bytes(const struct product *product)
{
	return product->is_double ? sizeof(double) : sizeof(float);
}

/* Caller frees. */
static void *random_values(const struct product *product, size_t count)
{
	void *values = aligned_alloc(64, (count * element_bytes(product) + 63) / 64 * 64);
	if (!values)
		plan_fail("no memory for an operand", (long)count);
	for (size_t i = 0; i < count; i++) {
		double value = 2.0 * rand() / RAND_MAX - 1.0;
		if (product->is_double)
			((double *)values)[i] = value;
		else
			((float *)values)[i] = (float)value;
	}
	return values;
}

static void read_problem(struct product *product, const json_t *answer)
{
	const json_t *problem = json_object_get(answer, "problem");
	const char *trans = plan_text(problem, "trans");
	*product = (struct product){
		.m = (int)plan_integer(problem, "m"),
		.n = (int)plan_integer(problem, "n"),
		.k = (int)plan_integer(problem, "k"),
		.trans_a = trans[0] == 't',
		.trans_b = trans[1] == 't',
		.is_double = strcmp(plan_text(problem, "type"), "f64") == 0,
	};
}

static void open_answer(struct entry *entry, const char *path)
{
	json_error_t where;
	entry->answer = json_load_file(path, 0, &where);
	if (!entry->answer)
		plan_fail(path, where.line);
	read_problem(&entry->product, entry->answer);
	plan_device_init(&entry->where, entry->answer);
	entry->plan = plan_launch_create(&entry->where, entry->answer);
}

void entry_init(struct entry *entry, const char *path)
{
	struct product *product = &entry->product;
	open_answer(entry, path);
	entry->flops = 2.0 * product->m * product->n * product->k;
	const size_t size = element_bytes(product);
	const size_t m = (size_t)product->m, n = (size_t)product->n, k = (size_t)product->k;
	product->a = random_values(product, m * k);
	product->b = random_values(product, k * n);
	product->c = random_values(product, m * n);
	product->device_a = plan_buffer(&entry->where, product->a, m * k * size);
	product->device_b = plan_buffer(&entry->where, product->b, k * n * size);
	product->device_c = plan_buffer(&entry->where, product->c, m * n * size);
	product->queue = entry->where.queue;
	plan_launch_bind(entry->plan, "a", product->device_a);
	plan_launch_bind(entry->plan, "b", product->device_b);
	plan_launch_bind(entry->plan, "c", product->device_c);
}

/* madd's y[i] is k multiply-adds on x[i]: x and y take the places of A and C. */
void entry_init_peak(struct entry *entry, const char *path)
{
	struct product *product = &entry->product;
	open_answer(entry, path);
	entry->flops = 2.0 * product->n * product->k;
	const size_t count = (size_t)product->n, bytes = count * element_bytes(product);
	product->a = random_values(product, count);
	product->device_a = plan_buffer(&entry->where, product->a, bytes);
	product->device_c = plan_buffer(&entry->where, NULL, bytes);
	plan_launch_bind(entry->plan, "x", product->device_a);
	plan_launch_bind(entry->plan, "y", product->device_c);
}

void entry_finish(struct entry *entry)
{
	struct product *product = &entry->product;
	clReleaseMemObject(product->device_a);
	if (product->device_b)
		clReleaseMemObject(product->device_b);
	clReleaseMemObject(product->device_c);
	free(product->a);
	free(product->b);
	free(product->c);
	plan_launch_destroy(entry->plan);
	plan_device_finish(&entry->where);
	json_decref(entry->answer);
}

/* Both products of random numbers in [-1, 1) have errors of at most about k u times the sum of k products: 4 k u
 * sqrt(k) is far above what they show and far below what a missing term makes. */
void entry_check(const struct entry *entry, product_run *openblas)
{
	const struct product *product = &entry->product;
	const size_t count = (size_t)product->m * (size_t)product->n;
	const double unit = product->is_double ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
	const double bound = 4 * product->k * unit * sqrt(product->k);
	void *found = malloc(count * element_bytes(product));
	if (!found)
		plan_fail("no memory for a matrix", product->m);
	openblas((void *)product);
	plan_launch_run(entry->plan);
	plan_check(clEnqueueReadBuffer(product->queue, product->device_c, CL_TRUE, 0, count * element_bytes(product),
				       found, 0, NULL, NULL),
		   "clEnqueueReadBuffer");
	for (size_t i = 0; i < count; i++) {
		double a = product->is_double ? ((double *)found)[i] : (double)((float *)found)[i];
		double b = product->is_double ? ((double *)product->c)[i] : (double)((float *)product->c)[i];
		if (!(fabs(a - b) <= bound)) {
			fprintf(stderr, "bench-blas: C[%zu] is %.9g, OpenBLAS's %.9g\n", i, a, b);
			exit(1);
		}
	}
	free(found);
}
