/* matmul VARIANT [LARGEST]: a matmul variant at odd and even sizes, in all transposes, with rows longer than the
 * matrices, and with alpha and beta that matter, against a product in double.
 *
 * What is around and between the rows of A and B is NaN, as is C where beta is 0: reading it spoils the result. What is
 * around and between the rows of C must stay as it is. Half and bfloat16 go along where a variant has them: they are
 * only loaded and stored, which a device need not have cl_khr_fp16 for. $MMTUNE_TEST_FULL=100 tries more sizes, each
 * alpha with each beta where that is soon done, and a hundred random configurations; LARGEST leaves out problems of
 * more products (for a simulator, a million times slower). Exit status: 0, 1, or 77 without a device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configurations.h"
#include "guarded.h"
#include "reference.h"
#include "registry.h"
#include "values.h"

#define SKIPPED      77
#define MAX_FAILURES 5
#define LARGE        100000000 /* products: the slowest variants need seconds; one random configuration in eight does */

static const int64_t sizes[][3] = {
	{1, 1, 1},
	{2, 2, 2},
	{3, 3, 3},
	{7, 7, 7},
	{17, 17, 17},
	{64, 64, 64},
	{100, 100, 100},
	{127, 127, 127},
	{128, 128, 128},
	{129, 129, 129},
	{1, 300, 1},
	{8, 160, 160},
	{130, 293, 237},
	/* and in the full sweep */
	{500, 500, 500},
	{1000, 1000, 1000},
	{1013, 1013, 1013},
	{1, 4096, 1},
	{8, 3200, 3200},
};
#define SIZES_FULL (sizeof sizes / sizeof sizes[0])
#define SIZES      (SIZES_FULL - 5)

static const double factors[][2] = {/* alpha, beta */
				    {1, 0}, {0.75, -1}, {-1, 1}, {2, 0}, {0, 1}, {0.5, 0.5}, {0, 0}};
#define FACTORS (sizeof factors / sizeof factors[0])

static const double scalars[] = {1, 0, -1, 0.5}; /* in the full sweep */
#define SCALARS (sizeof scalars / sizeof scalars[0])
#define SMALL   10000000 /* products: up to these each of them is alpha with each as beta */

struct test {
	struct launcher launcher;
	const struct kern_variant *variant;
	struct reference references[MMT_TYPE_COUNT][SIZES_FULL]; /* f64 uses f32's */
	size_t n_sizes;
	int64_t largest; /* m n k of the largest problem to try */
	unsigned runs, skipped, failures;
	struct mmt_error why; /* the first was skipped */
	uint16_t indices[EXPR_LIMIT_NAMES];
	enum mmt_type type;
	enum mmt_trans trans;
};

/* One run: operands with their leading dimensions. */
struct operand {
	int64_t rows, ld; /* as stored */
	void *host;
	size_t bytes;
	struct guarded guarded;
};

static void operand_init(struct operand *operand, enum mmt_type type, int64_t rows, int64_t ld)
{
	memset(operand, 0, sizeof *operand);
	operand->rows = rows;
	operand->ld = ld;
	operand->bytes = (size_t)(rows * ld) * mmt_type_bytes(type);
	operand->host = malloc(operand->bytes);
	memset(operand->host, 0xff, operand->bytes);
}

static void operand_finish(struct operand *operand)
{
	guarded_finish(&operand->guarded);
	free(operand->host);
}

/* The elements between the rows of C must be the NaNs that they were. */
static int check_gaps(const struct operand *c, enum mmt_type type, int64_t n, const char *found,
		      struct mmt_error *error)
{
	const size_t size = mmt_type_bytes(type);

	for (int64_t i = 0; i < c->rows; i++) {
		const size_t at = (size_t)(i * c->ld + n) * size;
		if (memcmp(found + at, (const char *)c->host + at, (size_t)(c->ld - n) * size) != 0)
			return mmt_error_set(error, MMT_WRONG_RESULT, 0,
					     "something was written between rows %" PRId64 " and %" PRId64 " of C", i,
					     i + 1);
	}
	return 0;
}

/* operands: a, b, c */
static int run_operands(struct test *test, const struct kern_plan *plan, const struct reference *reference,
			struct operand operands[3], const double factor[2])
{
	struct mmt_error error = {0};
	const char *found;
	int status = -1;

	for (int i = 0; i < 3; i++) {
		if (guarded_init(&operands[i].guarded, &test->launcher, operands[i].host, operands[i].bytes, &error))
			goto out;
	}
	const struct launcher_value values[] = {
		{.name = "a", .buffer = operands[0].guarded.buffer},
		{.name = "b", .buffer = operands[1].guarded.buffer},
		{.name = "c", .buffer = operands[2].guarded.buffer},
		{.name = "lda", .integer = operands[0].ld},
		{.name = "ldb", .integer = operands[1].ld},
		{.name = "ldc", .integer = operands[2].ld},
		{.name = "alpha", .real = factor[0]},
		{.name = "beta", .real = factor[1]},
	};
	if (launcher_run(&test->launcher, plan, values, sizeof values / sizeof values[0], &error))
		goto out;
	found = guarded_read(&operands[2].guarded, &test->launcher, &error);
	if (!found)
		goto out;
	if (check_gaps(&operands[2], test->type, reference->n, found, &error))
		goto out;
	const struct mmt_problem problem = {.type = test->type, .accuracy = test->variant->accuracy};
	status = reference_compare(reference, &problem, factor[0], factor[1], found, operands[2].ld, &error);
out:
	if (status)
		fprintf(stderr, "%s\n", error.message);
	return status;
}

static int run_plan(struct test *test, const struct kern_plan *plan, const struct reference *reference,
		    const double factor[2], int64_t gap)
{
	const int64_t m = reference->m, n = reference->n, k = reference->k;
	const bool trans_a = test->trans & 2, trans_b = test->trans & 1;
	struct operand operands[3];

	operand_init(&operands[0], test->type, trans_a ? k : m, (trans_a ? m : k) + gap);
	operand_init(&operands[1], test->type, trans_b ? n : k, (trans_b ? k : n) + 2 * gap);
	operand_init(&operands[2], test->type, m, n + 3 * gap);
	reference_store(test->type, reference->a, m, k, trans_a, operands[0].ld, operands[0].host);
	reference_store(test->type, reference->b, k, n, trans_b, operands[1].ld, operands[1].host);
	if (factor[1] != 0)
		reference_store(test->type, reference->c0, m, n, false, operands[2].ld, operands[2].host);
	const int status = run_operands(test, plan, reference, operands, factor);
	if (status)
		fprintf(stderr, "\twith alpha %g, beta %g, lda %" PRId64 ", ldb %" PRId64 ", ldc %" PRId64 "\n",
			factor[0], factor[1], operands[0].ld, operands[1].ld, operands[2].ld);
	for (int i = 0; i < 3; i++)
		operand_finish(&operands[i]);
	return status;
}

static void problem_of(const struct test *test, size_t size, struct mmt_problem *problem)
{
	mmt_problem_init(problem);
	problem->m = sizes[size][0];
	problem->n = sizes[size][1];
	problem->k = sizes[size][2];
	problem->type = test->type;
	problem->trans = test->trans;
	problem->accuracy = test->variant->accuracy;
}

/* With alpha and beta of the next pair, or with all pairs; the gaps between rows change with each. */
static int run_factors(struct test *test, const struct kern_plan *plan, size_t size, bool all)
{
	const enum mmt_type exact_in = test->type == MMT_F64 ? MMT_F32 : test->type;
	const struct reference *reference = &test->references[exact_in][size];

	if (!all)
		return run_plan(test, plan, reference, factors[test->runs % FACTORS], test->runs % 4);
	for (size_t i = 0; i < SCALARS * SCALARS; i++) {
		const double factor[2] = {scalars[i / SCALARS], scalars[i % SCALARS]};
		if (run_plan(test, plan, reference, factor, (int64_t)(i + i / SCALARS + test->runs) % 4))
			return -1;
	}
	return 0;
}

static void run_size(struct test *test, size_t size, bool all_factors)
{
	struct mmt_problem problem;
	struct kern_plan plan;
	struct mmt_error error;
	char text[512];

	problem_of(test, size, &problem);
	if (problem.m * problem.n * problem.k > test->largest)
		return;
	if (kern_plan_init(&plan, test->variant, &problem, test->indices, &test->launcher.device, &error)) {
		if (test->skipped++ == 0)
			test->why = error;
		return;
	}
	if (run_factors(test, &plan, size, all_factors && problem.m * problem.n * problem.k <= SMALL)) {
		test->failures++;
		fprintf(stderr, "\t%s\n", mmt_problem_text(&problem, text, sizeof text));
		fprintf(stderr, "\t%s %s\n", test->variant->name,
			configurations_text(test->variant, test->indices, text, sizeof text));
	}
	test->runs++;
	kern_plan_finish(&plan);
}

/* One configuration at all sizes; at a few where each size is another program to build. thorough: at large sizes too,
 * and in the full sweep with all alphas and betas. */
static void run_configuration(struct test *test, unsigned number, bool thorough)
{
	const bool few = strstr(test->variant->source, "PROBLEM_") && !configurations_full();

	for (size_t size = 0; size < test->n_sizes && test->failures < MAX_FAILURES; size++) {
		if (!thorough && sizes[size][0] * sizes[size][1] * sizes[size][2] > LARGE)
			continue;
		if (!few || (size + number) % 6 == 0)
			run_size(test, size, thorough && configurations_full());
	}
}

/* Of the number-th random configuration: in turn f32; f16 or bf16, where the variant has it; f64. */
static enum mmt_type random_type(const struct test *test, unsigned number)
{
	const enum mmt_type storage = number / 3 % 2 ? MMT_BF16 : MMT_F16;

	if (number % 3 == 2)
		return MMT_F64;
	return number % 3 == 1 && test->variant->type_mask & 1U << storage ? storage : MMT_F32;
}

static void run_variant(struct test *test)
{
	const unsigned random_configurations = configurations_count(5);
	struct mmt_problem problem;
	unsigned number = 0;

	for (int type = MMT_F32; type < MMT_TYPE_COUNT; type++) {
		for (int trans = 0; trans < MMT_TRANS_COUNT; trans++) {
			test->type = (enum mmt_type)type;
			test->trans = (enum mmt_trans)trans;
			problem_of(test, SIZES - 1, &problem);
			kern_default_configuration(test->variant, &problem, &test->launcher.device, test->indices);
			if (type == MMT_F32 || trans % 3 == 0 || configurations_full())
				run_configuration(test, number++, true);
		}
	}
	for (unsigned i = 0; i < random_configurations; i++) {
		test->type = random_type(test, i);
		test->trans = (enum mmt_trans)(i % 4);
		problem_of(test, SIZES - 1, &problem);
		if (configurations_random(test->variant, &problem, &test->launcher.device, i, test->indices))
			run_configuration(test, number++, i % 8 == 0);
	}
}

/* Of f32, and of what is stored in less. */
static void references_init(struct test *test)
{
	for (int type = 0; type < MMT_TYPE_COUNT; type++) {
		const bool wanted = type == MMT_F32 || test->variant->type_mask & 1U << type;
		for (size_t i = 0; i < test->n_sizes && wanted && type != MMT_F64; i++)
			reference_init(&test->references[type][i], (enum mmt_type)type, sizes[i][0], sizes[i][1],
				       sizes[i][2]);
	}
}

static void references_finish(struct test *test)
{
	for (int type = 0; type < MMT_TYPE_COUNT; type++)
		for (size_t i = 0; i < test->n_sizes; i++)
			reference_finish(&test->references[type][i]);
}

int main(int argc, char **argv)
{
	struct test test = {.n_sizes = configurations_full() ? SIZES_FULL : SIZES, .largest = INT64_MAX};
	struct kern_registry registry;
	struct mmt_error error = {0};

	if (argc < 2 || argc > 3 || kern_registry_init(&registry, NULL, &error)) {
		fprintf(stderr, "usage: %s VARIANT [LARGEST] %s\n", argv[0], error.message);
		return EXIT_FAILURE;
	}
	if (argc == 3)
		test.largest = strtoll(argv[2], NULL, 10);
	test.variant = kern_registry_find(&registry, "matmul", argv[1]);
	if (!test.variant || launcher_init(&test.launcher, &error)) {
		fprintf(stderr, "%s: %s\n", argv[1], test.variant ? error.message : "no such variant");
		return test.variant ? SKIPPED : EXIT_FAILURE;
	}
	references_init(&test);
	run_variant(&test);
	printf("%s: %u runs, %u skipped, %u failed%s%s\n", argv[1], test.runs, test.skipped, test.failures,
	       test.skipped > 0 ? "; first skipped: " : "", test.why.message);
	references_finish(&test);
	launcher_finish(&test.launcher);
	kern_registry_finish(&registry);
	return test.failures || (test.runs == 0 && test.skipped == 0) ? EXIT_FAILURE
	       : test.runs                                            ? EXIT_SUCCESS
								      : SKIPPED;
}
