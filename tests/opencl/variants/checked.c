/* checked FAMILY VARIANT: a variant's results pass its own family's checker, in both modes, and a result that was not
 * computed does not. $MMTUNE_TEST_FULL=100 tries more sizes and a hundred random configurations. Exit status: 0, 1, or
 * 77 without a device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configurations.h"
#include "guarded.h"
#include "registry.h"

#define SKIPPED 77

static const int64_t sizes[][2] = {/* m, where the family has it, and n */
				   {65, 1013},
				   /* and in the full sweep */
				   {1, 1},
				   {2, 2},
				   {3, 3},
				   {7, 7},
				   {17, 17},
				   {64, 64},
				   {100, 100},
				   {127, 127},
				   {128, 128},
				   {129, 129},
				   {500, 500},
				   {1000, 1000},
				   {1013, 1013},
				   {1, 4096},
				   {8, 3200},
				   {130, 293},
				   {3, 100003}};
#define SIZES_FULL (sizeof sizes / sizeof sizes[0])

struct test {
	struct launcher launcher;
	const struct kern_family *family;
	const struct kern_variant *variant;
	unsigned runs, failures;
};

/* The buffers of a problem on the device, filled as the checker says. */
struct operands {
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	struct guarded guarded[KERN_MAX_BUFFERS];
	size_t n_buffers;
};

static int judge(struct test *test, struct kern_checker *checker, enum kern_check_mode mode, struct operands *operands,
		 struct mmt_error *error)
{
	double relative_error;

	for (size_t i = 0; i < operands->n_buffers; i++) {
		const void *found = guarded_read(&operands->guarded[i], &test->launcher, error);
		if (!found)
			return -1;
		if (operands->buffers[i].output &&
		    test->family->verify(checker, mode, operands->buffers[i].name, found, &relative_error, error))
			return -1;
	}
	return 0;
}

static int run_mode(struct test *test, const struct mmt_problem *problem, const struct kern_plan *plan,
		    struct kern_checker *checker, enum kern_check_mode mode, struct mmt_error *error)
{
	struct launcher_value values[KERN_MAX_SCALARS + KERN_MAX_BUFFERS];
	struct kern_scalar scalars[KERN_MAX_SCALARS];
	struct operands operands = {.n_buffers = 0};
	size_t n_values = test->family->scalars(problem, mode, scalars);
	int status = -1;

	for (size_t i = 0; i < n_values; i++)
		values[i] = (struct launcher_value){
			.name = scalars[i].name, .integer = scalars[i].integer, .real = scalars[i].real};
	operands.n_buffers = test->family->buffers(problem, operands.buffers);
	for (size_t i = 0; i < operands.n_buffers; i++) {
		const struct kern_buffer *buffer = &operands.buffers[i];
		if (guarded_init(&operands.guarded[i], &test->launcher,
				 test->family->contents(checker, mode, buffer->name), buffer->bytes, error))
			goto out;
		values[n_values++] =
			(struct launcher_value){.name = buffer->name, .buffer = operands.guarded[i].buffer};
	}
	if (judge(test, checker, mode, &operands, error) == 0) {
		mmt_error_set(error, MMT_WRONG_RESULT, 0, "a result passed before it was computed");
		goto out;
	}
	if (launcher_run(&test->launcher, plan, values, n_values, error) == 0)
		status = judge(test, checker, mode, &operands, error);
out:
	for (size_t i = 0; i < operands.n_buffers; i++)
		guarded_finish(&operands.guarded[i]);
	return status;
}

static void run_configuration(struct test *test, const struct mmt_problem *problem, const uint16_t *indices)
{
	struct kern_plan plan;
	struct mmt_error error = {0};
	char text[512];

	if (kern_plan_init(&plan, test->variant, problem, indices, &test->launcher.device, &error))
		return;
	struct kern_checker *checker = test->family->checker_create(problem, test->runs + 1, &error);
	test->runs++;
	for (int mode = 0; mode < KERN_CHECK_MODES; mode++) {
		if (checker && run_mode(test, problem, &plan, checker, (enum kern_check_mode)mode, &error) == 0)
			continue;
		test->failures++;
		fprintf(stderr, "%s\n\t%s, mode %d\n", error.message, mmt_problem_text(problem, text, sizeof text),
			mode);
		fprintf(stderr, "\t%s %s\n", test->variant->name,
			configurations_text(test->variant, indices, text, sizeof text));
	}
	test->family->checker_destroy(checker);
	kern_plan_finish(&plan);
}

/* A problem of the family's shape. */
static void problem_init(struct mmt_problem *problem, const struct kern_family *family, const int64_t size[2])
{
	struct mmt_problem square;

	mmt_problem_init(problem);
	snprintf(problem->family, sizeof problem->family, "%s", family->name);
	problem->n = size[1];
	square = *problem;
	square.k = 67;
	if (family->check(&square, NULL) == 0)
		*problem = square;
	square.m = size[0];
	if (family->check(&square, NULL) == 0)
		*problem = square;
}

static void run_size(struct test *test, const int64_t size[2])
{
	const unsigned random_configurations = configurations_count(strcmp(test->family->name, "matmul") ? 8 : 1);
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct mmt_problem problem;

	problem_init(&problem, test->family, size);
	for (int type = 0; type < MMT_TYPE_COUNT; type++) {
		problem.type = (enum mmt_type)type;
		kern_default_configuration(test->variant, &problem, &test->launcher.device, indices);
		run_configuration(test, &problem, indices);
	}
	for (unsigned i = 0; i < random_configurations; i++) {
		problem.type = i % 2 ? MMT_F64 : MMT_F32;
		if (configurations_random(test->variant, &problem, &test->launcher.device, i, indices))
			run_configuration(test, &problem, indices);
	}
}

int main(int argc, char **argv)
{
	struct test test = {.failures = 0};
	struct kern_registry registry;
	struct mmt_error error = {0};

	if (argc != 3 || kern_registry_init(&registry, NULL, &error)) {
		fprintf(stderr, "usage: %s FAMILY VARIANT %s\n", argv[0], error.message);
		return EXIT_FAILURE;
	}
	test.family = kern_family_find(argv[1]);
	test.variant = kern_registry_find(&registry, argv[1], argv[2]);
	if (!test.family || !test.variant || launcher_init(&test.launcher, &error)) {
		fprintf(stderr, "%s/%s: %s\n", argv[1], argv[2], test.variant ? error.message : "no such variant");
		return test.variant ? SKIPPED : EXIT_FAILURE;
	}
	for (size_t i = 0; i < (configurations_full() ? SIZES_FULL : 1); i++)
		run_size(&test, sizes[i]);
	printf("%s/%s: %u runs, %u failed\n", argv[1], argv[2], test.runs, test.failures);
	launcher_finish(&test.launcher);
	kern_registry_finish(&registry);
	return test.failures ? EXIT_FAILURE : test.runs ? EXIT_SUCCESS : SKIPPED;
}
