/* The copy family: a result is equal or wrong; the problem that measures the bandwidth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "registry.h"

#define COUNT 1013

struct copied {
	const struct kern_family *family;
	struct kern_checker *checker;
	float dst[COUNT];
};

static int setup(void **state)
{
	struct copied *copied = calloc(1, sizeof *copied);
	struct mmt_problem problem;
	struct mmt_error error;

	mmt_problem_init(&problem);
	problem.n = COUNT;
	copied->family = kern_family_find("copy");
	copied->checker = copied->family->checker_create(&problem, 7, &error);
	assert_non_null(copied->checker);
	memcpy(copied->dst, copied->family->contents(copied->checker, KERN_CHECK_PLAIN, "src"), sizeof copied->dst);
	*state = copied;
	return 0;
}

static int teardown(void **state)
{
	struct copied *copied = *state;

	copied->family->checker_destroy(copied->checker);
	free(copied);
	return 0;
}

static int verify(struct copied *copied, struct mmt_error *error)
{
	double relative_error;

	return copied->family->verify(copied->checker, KERN_CHECK_PLAIN, "dst", copied->dst, &relative_error, error);
}

static void an_equal_copy_is_right(void **state)
{
	struct mmt_error error;

	assert_int_equal(verify(*state, &error), 0);
}

static void one_different_bit_is_found(void **state)
{
	struct copied *copied = *state;
	struct mmt_error error;

	((unsigned char *)copied->dst)[4 * 617] ^= 1;
	assert_int_equal(verify(copied, &error), -1);
	assert_int_equal(error.code, MMT_WRONG_RESULT);
	assert_non_null(strstr(error.message, "dst[617]"));
}

static void an_end_that_was_not_written_is_found(void **state)
{
	struct copied *copied = *state;
	struct mmt_error error;
	const char *poison = copied->family->contents(copied->checker, KERN_CHECK_PLAIN, "dst");

	memcpy(&copied->dst[1008], poison + sizeof(float[1008]), sizeof(float[COUNT - 1008]));
	assert_int_equal(verify(copied, &error), -1);
	assert_non_null(strstr(error.message, "dst[1008]"));
}

static void the_peak_problem_fits_and_passes_the_caches(void **state)
{
	const struct kern_family *family = kern_family_find("copy");
	struct mmt_problem problem;
	const char *name;
	(void)state;

	assert_true(family->peak(MMT_F32, UINT64_C(24) << 30, &name, &problem));
	assert_string_equal(name, "bandwidth");
	assert_int_equal(problem.n * 4, INT64_C(256) << 20);
	assert_true(family->compulsory_bytes(&problem) == 0x1p29);
	family->peak(MMT_F32, UINT64_C(128) << 20, &name, &problem);
	assert_int_equal(problem.n * 4, INT64_C(16) << 20);
	family->peak(MMT_F32, UINT64_C(1) << 40, &name, &problem);
	assert_int_equal(problem.n * 4, INT64_C(2) << 30);
	assert_false(family->peak(MMT_F64, UINT64_C(1) << 40, &name, &problem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_equal_copy_is_right, setup, teardown),
		cmocka_unit_test_setup_teardown(one_different_bit_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(an_end_that_was_not_written_is_found, setup, teardown),
		cmocka_unit_test(the_peak_problem_fits_and_passes_the_caches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
