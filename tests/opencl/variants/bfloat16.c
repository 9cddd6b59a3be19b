/* bfloat16 VARIANT: what a matmul variant makes of each of the 65536 values of bfloat16, infinities, NaNs and
 * subnormals among them: C = A B of one step of k, A a column of factors, B a row of all values. Each product of two is
 * exact in float, or rounded once on both sides, so that C is known to the bit: the product, rounded to nearest, ties
 * to even. And again with an alpha that is NaN, with all bits set, so that rounding it as if it were a number would
 * wrap.
 *
 * A device need not have subnormals. Where it has, they may be off by one step, since tensor cores may cut. Exit
 * status: 0, 1, or 77 without a device. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configurations.h"
#include "guarded.h"
#include "registry.h"
#include "values.h"

#define SKIPPED  77
#define ROWS     16
#define COLUMNS  65536
#define SMALLEST 0x1p-126F /* that is normal */

/* Those of 8 bits give every pattern of the bits to be rounded off; the others lead past both ends. */
static const float factors[ROWS] = {1,         -1,         0x1.02p0F, 0x1.fep0F,  -0x1.54p0F,  0x1.aap-1F,
				    0x1.8p1F,  -0x1.04p3F, 0x1p-40F,  0x1.02p-9F, -0x1.7ep-1F, 0x1p40F,
				    0x1.06p2F, 0x1.f0p0F,  0x1.4p0F,  0x1.cap0F};

struct test {
	struct launcher launcher;
	const struct kern_variant *variant;
	struct mmt_problem problem;
	struct guarded a, b, c;
	bool subnormals;
	unsigned runs, failures;
};

static bool is_right(const struct test *test, float alpha, float a, float b, uint16_t found)
{
	const float product = alpha * (a * b), got = kern_bfloat16_to_float(found);

	if (isnan(product))
		return isnan(got);
	if (!test->subnormals && (fabsf(b) < SMALLEST || fabsf(product) < SMALLEST))
		return fabsf(got) <= fabsf(product);
	if (fabsf(product) < SMALLEST)
		return fabsf(got - product) <= 0x1p-133F;
	return found == kern_bfloat16_from_float(product);
}

static int judge(const struct test *test, float alpha, const uint16_t *c, struct mmt_error *error)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		for (uint32_t j = 0; j < COLUMNS; j++) {
			const float b = kern_bfloat16_to_float((uint16_t)j);
			const uint16_t found = c[i * COLUMNS + j];
			if (!is_right(test, alpha, factors[i], b, found))
				return mmt_error_set(error, MMT_WRONG_RESULT, 0,
						     "%a times %a times %a is %04x, not %04x", alpha, factors[i], b,
						     found, kern_bfloat16_from_float(alpha * (factors[i] * b)));
		}
	}
	return 0;
}

static int run_plan(struct test *test, const struct kern_plan *plan, double alpha, struct mmt_error *error)
{
	const struct launcher_value values[] = {
		{.name = "a", .buffer = test->a.buffer}, {.name = "b", .buffer = test->b.buffer},
		{.name = "c", .buffer = test->c.buffer}, {.name = "lda", .integer = 1},
		{.name = "ldb", .integer = COLUMNS},     {.name = "ldc", .integer = COLUMNS},
		{.name = "alpha", .real = alpha},        {.name = "beta", .real = 0},
	};

	if (launcher_run(&test->launcher, plan, values, sizeof values / sizeof values[0], error))
		return -1;
	const void *found = guarded_read(&test->c, &test->launcher, error);
	return found ? judge(test, (float)alpha, found, error) : -1;
}

static void run_configuration(struct test *test, const uint16_t *indices)
{
	struct kern_plan plan;
	struct mmt_error error = {0};
	char text[512];
	double nan;

	memset(&nan, 0xff, sizeof nan);
	if (kern_plan_init(&plan, test->variant, &test->problem, indices, &test->launcher.device, &error)) {
		printf("%s\n", error.message);
		return;
	}
	test->runs++;
	if (run_plan(test, &plan, 1, &error) || run_plan(test, &plan, nan, &error)) {
		test->failures++;
		fprintf(stderr, "%s\n\t%s %s\n", error.message, test->variant->name,
			configurations_text(test->variant, indices, text, sizeof text));
	}
	kern_plan_finish(&plan);
}

static int buffers_init(struct test *test, struct mmt_error *error)
{
	uint16_t a[ROWS], b[COLUMNS];
	uint16_t *c = malloc(ROWS * COLUMNS * sizeof *c);

	for (uint32_t i = 0; i < ROWS; i++)
		a[i] = kern_bfloat16_from_float(factors[i]);
	for (uint32_t j = 0; j < COLUMNS; j++)
		b[j] = (uint16_t)j;
	kern_values_poison(MMT_BF16, (size_t)ROWS * COLUMNS, c);
	const int status = guarded_init(&test->a, &test->launcher, a, sizeof a, error) ||
			   guarded_init(&test->b, &test->launcher, b, sizeof b, error) ||
			   guarded_init(&test->c, &test->launcher, c, ROWS * COLUMNS * sizeof *c, error);
	free(c);
	return status ? -1 : 0;
}

static void run_variant(struct test *test)
{
	const unsigned random_configurations = configurations_count(4);
	uint16_t indices[EXPR_LIMIT_NAMES];

	kern_default_configuration(test->variant, &test->problem, &test->launcher.device, indices);
	run_configuration(test, indices);
	for (unsigned i = 0; i < random_configurations; i++)
		if (configurations_random(test->variant, &test->problem, &test->launcher.device, i, indices))
			run_configuration(test, indices);
}

int main(int argc, char **argv)
{
	struct test test = {.problem = {.m = 0}};
	struct kern_registry registry;
	struct mmt_error error = {0};
	cl_device_fp_config config = 0;

	if (argc != 2 || kern_registry_init(&registry, NULL, &error)) {
		fprintf(stderr, "usage: %s VARIANT %s\n", argv[0], error.message);
		return EXIT_FAILURE;
	}
	test.variant = kern_registry_find(&registry, "matmul", argv[1]);
	if (!test.variant || launcher_init(&test.launcher, &error)) {
		fprintf(stderr, "%s: %s\n", argv[1], test.variant ? error.message : "no such variant");
		return test.variant ? SKIPPED : EXIT_FAILURE;
	}
	clGetDeviceInfo(test.launcher.id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
	test.subnormals = config & CL_FP_DENORM;
	mmt_problem_init(&test.problem);
	test.problem.m = ROWS;
	test.problem.n = COLUMNS;
	test.problem.type = MMT_BF16;
	if (buffers_init(&test, &error)) {
		fprintf(stderr, "%s\n", error.message);
		test.failures++;
	} else {
		run_variant(&test);
	}
	printf("%s: %u runs, %u failed\n", argv[1], test.runs, test.failures);
	guarded_finish(&test.a);
	guarded_finish(&test.b);
	guarded_finish(&test.c);
	launcher_finish(&test.launcher);
	kern_registry_finish(&registry);
	return test.failures ? EXIT_FAILURE : test.runs ? EXIT_SUCCESS : SKIPPED;
}
