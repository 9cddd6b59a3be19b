/* matmul/image: operands through images, in every transpose, with long rows, both types; and an image that is too
 * large. */
#include "launcher.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct launcher launcher;

static const int64_t shapes[][3] = {{1, 1, 1},    {2, 2, 2},       {3, 3, 3},   {7, 7, 7},   {17, 17, 17},
				    {64, 64, 64}, {129, 127, 128}, {1, 300, 1}, {300, 1, 5}, {130, 93, 237}};

static struct mmt_problem problem_of(const int64_t shape[3], enum mmt_trans trans, enum mmt_type type)
{
	struct mmt_problem problem;

	mmt_problem_init(&problem);
	problem.m = shape[0];
	problem.n = shape[1];
	problem.k = shape[2];
	problem.trans = trans;
	problem.type = type;
	return problem;
}

static void check_problem(const struct kern_variant *variant, const char *configuration,
			  const struct mmt_problem *problem, enum kern_check_mode mode, int64_t gap)
{
	const bool trans_a = problem->trans & 2, trans_b = problem->trans & 1;
	const int64_t m = problem->m, n = problem->n, k = problem->k;
	const struct launcher_matrix matrices[] = {{"a", "lda", trans_a ? k : m, trans_a ? m : k, gap},
						   {"b", "ldb", trans_b ? n : k, trans_b ? k : n, 2 * gap},
						   {"c", "ldc", m, n, 3 * gap},
						   {NULL, NULL, 0, 0, 0}};
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct mmt_error error = {0};
	char text[128];

	launcher_configure(&launcher, variant, configuration, indices);
	if (launcher_check(&launcher, variant, problem, indices, mode, matrices, &error) != 0)
		fail_msg("%s %s, %s, gap %d: %s", variant->name, configuration,
			 mmt_problem_text(problem, text, sizeof text), (int)gap, error.message);
}

/* Two transposes a configuration: a build takes seconds on a CPU, and the copying steps alone know of them. */
static void check_configuration(const char *configuration, enum mmt_trans first, enum mmt_trans second,
				enum mmt_type type)
{
	const struct kern_variant *variant = kern_registry_find(&launcher.registry, "matmul", "image");

	assert_non_null(variant);
	for (size_t s = 0; s < 2 * sizeof shapes / sizeof *shapes; s++) {
		const struct mmt_problem problem = problem_of(shapes[s / 2], s % 2 ? second : first, type);
		check_problem(variant, configuration, &problem, s / 2 % 2 ? KERN_CHECK_GENERAL : KERN_CHECK_PLAIN,
			      s % 3 ? 3 : 0);
	}
}

static void skip_without_images(void)
{
	if (!launcher.session.device.images)
		skip();
}

static void both_operands(void **state)
{
	(void)state;
	skip_without_images();
	check_configuration("IMAGE_A=1 IMAGE_B=1 MPIXELS=2 NPIXELS=1", MMT_NT, MMT_TN, MMT_F32);
}

static void one_operand(void **state)
{
	(void)state;
	skip_without_images();
	check_configuration("IMAGE_A=1 IMAGE_B=0 MPIXELS=1 NPIXELS=2", MMT_NN, MMT_TT, MMT_F32);
}

static void doubles(void **state)
{
	(void)state;
	skip_without_images();
	if (!launcher.session.device.fp64)
		skip();
	check_configuration("IMAGE_A=0 IMAGE_B=1 MPIXELS=2 NPIXELS=2", MMT_NN, MMT_TT, MMT_F64);
}

/* Refused before the driver is asked, by the name of the limit. */
static void an_image_over_the_limit(void **state)
{
	const struct kern_variant *variant = kern_registry_find(&launcher.registry, "matmul", "image");
	const int64_t height = (int64_t)launcher.session.device.image2d_max_height;
	const struct mmt_problem problem = problem_of((const int64_t[]){8, 8, height + 1}, MMT_NN, MMT_F32);
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct mmt_error error = {0};

	(void)state;
	skip_without_images();
	assert_true(height > 0);
	launcher_configure(&launcher, variant, "", indices);
	assert_int_equal(launcher_check(&launcher, variant, &problem, indices, KERN_CHECK_PLAIN, NULL, &error), -1);
	assert_int_equal(error.code, MMT_SKIPPED);
	assert_non_null(strstr(error.message, "(image2d_max_height)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_operands),
		cmocka_unit_test(one_operand),
		cmocka_unit_test(doubles),
		cmocka_unit_test(an_image_over_the_limit),
	};
	int status = launcher_init(&launcher);

	if (status != 0)
		return status;
	status = cmocka_run_group_tests(tests, NULL, NULL);
	launcher_finish(&launcher);
	return status;
}
