/* The read family: the sum of the inputs is known exactly; one that lacks an element or has it twice is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "registry.h"

#define COUNT 100003

static struct kern_checker *checker_of(enum mmt_type type)
{
	struct mmt_problem problem;
	struct mmt_error error;

	mmt_problem_init(&problem);
	strcpy(problem.family, "read");
	problem.n = COUNT;
	problem.type = type;
	struct kern_checker *checker = kern_family_find("read")->checker_create(&problem, 7, &error);
	assert_non_null(checker);
	return checker;
}

static int verify(struct kern_checker *checker, const void *sum, struct mmt_error *error)
{
	double relative_error;

	return kern_family_find("read")->verify(checker, KERN_CHECK_PLAIN, "sum", sum, &relative_error, error);
}

/* Forwards, backwards and with a stride, in the element's own type. */
static void every_order_gives_the_sum(void **state)
{
	const struct kern_family *family = kern_family_find("read");
	struct kern_checker *checker = checker_of(MMT_F32);
	const float *x = family->contents(checker, KERN_CHECK_PLAIN, "x");
	float forwards = 0, backwards = 0, strided = 0;
	struct mmt_error error;
	(void)state;

	for (int i = 0; i < COUNT; i++) {
		forwards += x[i];
		backwards += x[COUNT - 1 - i];
		strided += x[(int64_t)i * 1024 % COUNT]; /* COUNT is prime */
	}
	assert_int_equal(verify(checker, &forwards, &error), 0);
	assert_int_equal(verify(checker, &backwards, &error), 0);
	assert_int_equal(verify(checker, &strided, &error), 0);
	family->checker_destroy(checker);
}

static void an_element_too_few_or_twice_is_found(void **state)
{
	const struct kern_family *family = kern_family_find("read");
	struct kern_checker *checker = checker_of(MMT_F64);
	const double *x = family->contents(checker, KERN_CHECK_PLAIN, "x");
	double sum = 0, lacking, doubled;
	struct mmt_error error;
	(void)state;

	for (int i = 0; i < COUNT; i++)
		sum += x[i];
	lacking = sum - x[70001];
	doubled = sum + x[COUNT - 1];
	assert_int_equal(verify(checker, &sum, &error), 0);
	assert_int_equal(verify(checker, &lacking, &error), -1);
	assert_int_equal(error.code, MMT_WRONG_RESULT);
	assert_int_equal(verify(checker, &doubled, &error), -1);
	family->checker_destroy(checker);
}

static void what_was_there_before_is_no_answer(void **state)
{
	const struct kern_family *family = kern_family_find("read");
	struct kern_checker *checker = checker_of(MMT_F32);
	struct mmt_error error;
	float sum;
	(void)state;

	for (int mode = 0; mode < KERN_CHECK_MODES; mode++) {
		memcpy(&sum, family->contents(checker, (enum kern_check_mode)mode, "sum"), sizeof sum);
		assert_int_equal(verify(checker, &sum, &error), -1);
	}
	family->checker_destroy(checker);
}

static void only_n_is_a_size(void **state)
{
	const struct kern_family *family = kern_family_find("read");
	struct mmt_problem problem;
	struct mmt_error error;
	(void)state;

	mmt_problem_init(&problem);
	assert_int_equal(family->check(&problem, &error), 0);
	problem.m = 2;
	assert_int_equal(family->check(&problem, &error), -1);
	problem.m = 1;
	for (enum mmt_type type = MMT_F16; type <= MMT_BF16; type++) {
		problem.type = type;
		assert_int_equal(family->check(&problem, &error), -1);
		assert_int_equal(error.code, MMT_NOT_SUPPORTED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_order_gives_the_sum),
		cmocka_unit_test(an_element_too_few_or_twice_is_found),
		cmocka_unit_test(what_was_there_before_is_no_answer),
		cmocka_unit_test(only_n_is_a_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
