/* The write family: every element is the value, or the result is wrong; variants that cannot win say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "registry.h"

#define COUNT 1013

static struct kern_checker *checker_of(void)
{
	struct mmt_problem problem;
	struct mmt_error error;

	mmt_problem_init(&problem);
	strcpy(problem.family, "write");
	problem.n = COUNT;
	struct kern_checker *checker = kern_family_find("write")->checker_create(&problem, 7, &error);
	assert_non_null(checker);
	return checker;
}

static void fill(enum kern_check_mode mode, float y[COUNT])
{
	struct mmt_problem problem;
	struct kern_scalar scalars[KERN_MAX_SCALARS];

	mmt_problem_init(&problem);
	problem.n = COUNT;
	assert_int_equal(kern_family_find("write")->scalars(&problem, mode, scalars), 2);
	assert_string_equal(scalars[1].name, "value");
	for (int i = 0; i < COUNT; i++)
		y[i] = (float)scalars[1].real;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const float *y, struct mmt_error *error)
{
	double relative_error;

	return kern_family_find("write")->verify(checker, mode, "y", y, &relative_error, error);
}

static void the_value_everywhere_is_right(void **state)
{
	struct kern_checker *checker = checker_of();
	struct mmt_error error;
	float y[COUNT];
	(void)state;

	for (int mode = 0; mode < KERN_CHECK_MODES; mode++) {
		fill((enum kern_check_mode)mode, y);
		assert_int_equal(verify(checker, (enum kern_check_mode)mode, y, &error), 0);
		assert_int_equal(verify(checker, (enum kern_check_mode) !mode, y, &error), -1);
	}
	kern_family_find("write")->checker_destroy(checker);
}

static void one_element_that_was_left_out_is_found(void **state)
{
	const struct kern_family *family = kern_family_find("write");
	struct kern_checker *checker = checker_of();
	struct mmt_error error;
	float y[COUNT];
	(void)state;

	for (int mode = 0; mode < KERN_CHECK_MODES; mode++) {
		const float *before = family->contents(checker, (enum kern_check_mode)mode, "y");
		fill((enum kern_check_mode)mode, y);
		y[617] = before[617];
		assert_int_equal(verify(checker, (enum kern_check_mode)mode, y, &error), -1);
		assert_int_equal(error.code, MMT_WRONG_RESULT);
		assert_non_null(strstr(error.message, "y[617]"));
	}
	family->checker_destroy(checker);
}

/* In order and aligned is what the families are tuned for; the rest is measured by name. */
static void what_cannot_win_is_measured_by_name(void **state)
{
	static const char *const families[] = {"copy", "read", "write"};
	static const char *const others[] = {"unaligned", "strided", "random"};
	struct kern_registry registry;
	struct mmt_error error;
	(void)state;

	assert_int_equal(kern_registry_init(&registry, NULL, &error), 0);
	for (size_t f = 0; f < 3; f++) {
		const char *best = strcmp(families[f], "copy") == 0 ? "copy" : "contiguous";
		assert_false(kern_registry_find(&registry, families[f], best)->by_name_only);
		for (size_t o = 0; o < 3; o++)
			assert_true(kern_registry_find(&registry, families[f], others[o])->by_name_only);
	}
	kern_registry_finish(&registry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_value_everywhere_is_right),
		cmocka_unit_test(one_element_that_was_left_out_is_found),
		cmocka_unit_test(what_cannot_win_is_measured_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
