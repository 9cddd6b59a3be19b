/* blas.c: answers' plans against OpenBLAS and CLBlast, in one run.
 *
 *	bench-blas [--seconds 3] [--csv] [--no-clblast] [--against ANSWER.json] ANSWER.json...
 *
 * An answer is what `mmtune query --json --source` printed; its plan is
 * launched as an application would, packing and all launches included. Every
 * contender takes its turn each round (contest.h). With --against, the plan of
 * another problem runs along, and the rates are compared: odd sizes and
 * transposes against the aligned case.
 *
 * A product that differs from OpenBLAS's by more than rounding can explain
 * ends the program with status 1. Without OpenBLAS nothing is compared. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "libraries.h"

/* A plan with its operands. */
struct entry {
	json_t *answer;
	struct plan_device where;
	struct plan_launch *plan;
	struct product product;
};

struct bench {
	double seconds;
	bool csv;
	product_run *openblas, *clblast;
	const char *against;
	struct contender mmtune, host, device, other;
};

/* ---- a plan ---- */

static size_t element_bytes(const struct product *product)
{
	return product->is_double ? sizeof(double) : sizeof(float);
}

static double operations(const struct product *product)
{
	return 2.0 * product->m * product->n * product->k;
}

static void *random_matrix(const struct product *product, int rows, int columns)
{
	const size_t count = (size_t)rows * (size_t)columns;
	void *values = aligned_alloc(64, (count * element_bytes(product) + 63) / 64 * 64);
	if (!values)
		plan_fail("no memory for a matrix", rows);
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

static void entry_init(struct entry *entry, const char *path)
{
	json_error_t where;
	struct product *product = &entry->product;
	entry->answer = json_load_file(path, 0, &where);
	if (!entry->answer)
		plan_fail(path, where.line);
	read_problem(product, entry->answer);
	plan_device_init(&entry->where, entry->answer);
	entry->plan = plan_launch_create(&entry->where, entry->answer);
	const size_t size = element_bytes(product);
	const size_t m = (size_t)product->m, n = (size_t)product->n, k = (size_t)product->k;
	product->a = random_matrix(product, product->m, product->k);
	product->b = random_matrix(product, product->k, product->n);
	product->c = random_matrix(product, product->m, product->n);
	product->device_a = plan_buffer(&entry->where, product->a, m * k * size);
	product->device_b = plan_buffer(&entry->where, product->b, k * n * size);
	product->device_c = plan_buffer(&entry->where, product->c, m * n * size);
	product->queue = entry->where.queue;
	plan_launch_bind(entry->plan, "a", product->device_a);
	plan_launch_bind(entry->plan, "b", product->device_b);
	plan_launch_bind(entry->plan, "c", product->device_c);
}

static void entry_finish(struct entry *entry)
{
	struct product *product = &entry->product;
	clReleaseMemObject(product->device_a);
	clReleaseMemObject(product->device_b);
	clReleaseMemObject(product->device_c);
	free(product->a);
	free(product->b);
	free(product->c);
	plan_launch_destroy(entry->plan);
	plan_device_finish(&entry->where);
	json_decref(entry->answer);
}

static void run_plan(void *context)
{
	plan_launch_run(context);
}

/* ---- the comparison ---- */

/* Both products of random numbers in [-1, 1) have errors of at most about k u times the sum of k products: 4 k u
 * sqrt(k) is far above what they show and far below what a missing term makes. */
static void check_result(const struct entry *entry, product_run *openblas)
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

/* ---- the table ---- */

static void print_head(const struct bench *bench)
{
	if (bench->csv)
		puts("problem,type,trans,variant,gflops,openblas_gflops,openblas_ratio,gflop_per_core_s,"
		     "openblas_gflop_per_core_s,core_ratio,clblast_gflops,clblast_ratio,rate_against,peak_fraction");
	else
		printf("%-12s %-4s %-5s %-12s %8s %9s %6s %9s %9s %6s %8s %6s %8s %6s\n", "problem", "type", "trans",
		       "variant", "GFLOP/s", "OpenBLAS", "ratio", "/core s", "OpenBLAS", "ratio", "CLBlast", "ratio",
		       "against", "peak");
}

/* A figure, or what stands for none. */
static void print_figure(const struct bench *bench, int width, int digits, double value)
{
	if (bench->csv)
		value > 0 ? printf(",%.6g", value) : printf(",");
	else if (value > 0)
		printf(" %*.*f", width, digits, value);
	else
		printf(" %*s", width, "-");
}

static double rate(const struct contender *contender, double flops)
{
	return contender->rounds > 0 ? flops / contender->median_ns : 0;
}

static double core_rate(const struct contender *contender, double flops)
{
	return contender->rounds > 0 ? flops / contender->core_ns : 0;
}

static double ratio(const struct contender *mine, const struct contender *peer)
{
	return peer->rounds > 0 ? contest_ratio(mine, peer) : 0;
}

static void print_row(const struct bench *bench, const struct entry *entry, double other_flops)
{
	const struct product *product = &entry->product;
	const double flops = operations(product);
	const json_t *performance = json_object_get(entry->answer, "performance");
	const double peak = json_number_value(json_object_get(performance, "peak_gflops"));
	const double core = core_rate(&bench->mmtune, flops), host_core = core_rate(&bench->host, flops);
	char size[48];
	snprintf(size, sizeof size, "%dx%dx%d", product->m, product->n, product->k);
	if (product->m == product->n && product->n == product->k)
		snprintf(size, sizeof size, "%d", product->m);
	printf(bench->csv ? "%s,%s,%s,%s" : "%-12s %-4s %-5s %-12s", size, product->is_double ? "f64" : "f32",
	       plan_text(json_object_get(entry->answer, "problem"), "trans"), plan_text(entry->answer, "variant"));
	print_figure(bench, 8, 1, rate(&bench->mmtune, flops));
	print_figure(bench, 9, 1, rate(&bench->host, flops));
	print_figure(bench, 6, 2, ratio(&bench->mmtune, &bench->host));
	print_figure(bench, 9, 1, core);
	print_figure(bench, 9, 1, host_core);
	print_figure(bench, 6, 2, host_core > 0 ? core / host_core : 0);
	print_figure(bench, 8, 1, rate(&bench->device, flops));
	print_figure(bench, 6, 2, ratio(&bench->mmtune, &bench->device));
	print_figure(bench, 8, 2, ratio(&bench->mmtune, &bench->other) * flops / other_flops);
	print_figure(bench, 6, 2, peak > 0 ? rate(&bench->mmtune, flops) / peak : 0);
	putchar('\n');
	fflush(stdout);
}

static void measure(struct bench *bench, const char *path)
{
	struct entry entry, other;
	struct contender *contenders[4];
	size_t count = 0;
	entry_init(&entry, path);
	if (bench->openblas)
		check_result(&entry, bench->openblas);
	bench->host.rounds = bench->device.rounds = bench->other.rounds = 0;
	bench->mmtune.run = run_plan;
	bench->mmtune.context = entry.plan;
	contenders[count++] = &bench->mmtune;
	bench->host.run = bench->openblas;
	bench->device.run = bench->clblast;
	bench->host.context = bench->device.context = &entry.product;
	if (bench->openblas)
		contenders[count++] = &bench->host;
	if (bench->clblast)
		contenders[count++] = &bench->device;
	if (bench->against) {
		entry_init(&other, bench->against);
		bench->other.run = run_plan;
		bench->other.context = other.plan;
		contenders[count++] = &bench->other;
	}
	contest(contenders, count, bench->seconds);
	print_row(bench, &entry, bench->against ? operations(&other.product) : 1);
	if (bench->against)
		entry_finish(&other);
	entry_finish(&entry);
}

int main(int argc, char **argv)
{
	static struct bench bench = {.seconds = 3};
	bool with_clblast = true;
	int first = 1;
	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
		if (strcmp(argv[first], "--csv") == 0)
			bench.csv = true;
		else if (strcmp(argv[first], "--no-clblast") == 0)
			with_clblast = false;
		else if (strcmp(argv[first], "--seconds") == 0 && first + 1 < argc)
			bench.seconds = strtod(argv[++first], NULL);
		else if (strcmp(argv[first], "--against") == 0 && first + 1 < argc)
			bench.against = argv[++first];
		else
			break;
	}
	if (first >= argc || strncmp(argv[first], "--", 2) == 0) {
		fprintf(stderr, "usage: bench-blas [--seconds S] [--csv] [--no-clblast] [--against ANSWER.json] "
				"ANSWER.json...\n");
		return 2;
	}
	bench.openblas = library_openblas();
	bench.clblast = with_clblast ? library_clblast() : NULL;
	print_head(&bench);
	for (int i = first; i < argc; i++)
		measure(&bench, argv[i]);
	fprintf(stderr, "%s\n", contest_machine());
	return 0;
}
