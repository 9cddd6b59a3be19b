/* The transpose family: a result is equal or wrong, and a wrong one is named by its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "registry.h"

#define ROWS    131 /* of A; over three squares of the checker, and an edge */
#define COLUMNS 67

struct transposed {
	const struct kern_family *family;
	struct kern_checker *checker;
	float b[COLUMNS][ROWS];
};

static int setup(void **state)
{
	struct transposed *transposed = calloc(1, sizeof *transposed);
	struct mmt_problem problem;
	struct mmt_error error;

	mmt_problem_init(&problem);
	problem.m = ROWS;
	problem.n = COLUMNS;
	transposed->family = kern_family_find("transpose");
	transposed->checker = transposed->family->checker_create(&problem, 7, &error);
	assert_non_null(transposed->checker);
	const float *a = transposed->family->contents(transposed->checker, KERN_CHECK_PLAIN, "a");
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++)
			transposed->b[j][i] = a[i * COLUMNS + j];
	*state = transposed;
	return 0;
}

static int teardown(void **state)
{
	struct transposed *transposed = *state;

	transposed->family->checker_destroy(transposed->checker);
	free(transposed);
	return 0;
}

static void refused(struct transposed *transposed, const char *place)
{
	struct mmt_error error;
	double relative_error;

	assert_int_equal(transposed->family->verify(transposed->checker, KERN_CHECK_PLAIN, "b", transposed->b,
						    &relative_error, &error),
			 -1);
	assert_int_equal(error.code, MMT_WRONG_RESULT);
	if (!strstr(error.message, place))
		fail_msg("'%s' does not name %s", error.message, place);
}

static void a_transpose_is_right(void **state)
{
	struct transposed *transposed = *state;
	struct mmt_error error;
	double relative_error = 1;

	if (transposed->family->verify(transposed->checker, KERN_CHECK_PLAIN, "b", transposed->b, &relative_error,
				       &error))
		fail_msg("%s", error.message);
	assert_true(relative_error == 0);
}

static void one_different_bit_is_found(void **state)
{
	struct transposed *transposed = *state;

	((unsigned char *)&transposed->b[40][97])[0] ^= 1;
	refused(transposed, "b[40][97]");
}

static void a_copy_is_no_transpose(void **state)
{
	struct transposed *transposed = *state;

	memcpy(transposed->b, transposed->family->contents(transposed->checker, KERN_CHECK_PLAIN, "a"),
	       sizeof transposed->b);
	refused(transposed, "b[0][1]");
}

static void an_edge_that_was_not_written_is_found(void **state)
{
	struct transposed *transposed = *state;
	const float *poison = transposed->family->contents(transposed->checker, KERN_CHECK_PLAIN, "b");

	for (int i = 128; i < ROWS; i++)
		transposed->b[COLUMNS - 1][i] = poison[i];
	refused(transposed, "b[66][128] is ");
	refused(transposed, "nan");
}

static void a_prefilled_output_is_no_answer(void **state)
{
	struct transposed *transposed = *state;

	memcpy(transposed->b, transposed->family->contents(transposed->checker, KERN_CHECK_GENERAL, "b"),
	       sizeof transposed->b);
	refused(transposed, "b[0][0]");
}

static void only_m_and_n_are_sizes(void **state)
{
	const struct kern_family *family = kern_family_find("transpose");
	struct mmt_problem problem;
	struct mmt_error error;
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	(void)state;

	mmt_problem_init(&problem);
	assert_int_equal(family->check(&problem, &error), 0);
	problem.k = 2;
	assert_int_equal(family->check(&problem, &error), -1);
	problem.k = 1;
	problem.m = problem.n = INT32_MAX;
	problem.type = MMT_F64; /* passes 2^64 bytes: saturated, so that it fits nowhere */
	assert_int_equal(family->check(&problem, &error), 0);
	assert_int_equal(family->buffers(&problem, buffers), 2);
	assert_true(buffers[0].bytes == UINT64_MAX);
	problem.n = 0;
	assert_int_equal(family->check(&problem, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_transpose_is_right, setup, teardown),
		cmocka_unit_test_setup_teardown(one_different_bit_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(a_copy_is_no_transpose, setup, teardown),
		cmocka_unit_test_setup_teardown(an_edge_that_was_not_written_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(a_prefilled_output_is_no_answer, setup, teardown),
		cmocka_unit_test(only_m_and_n_are_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
