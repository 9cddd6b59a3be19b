/* The scan family: sums are exact in any order, so a result is equal or wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "registry.h"

#define COUNT 100003
#define BLOCK 256

struct scanned {
	const struct kern_family *family;
	struct kern_checker *checker;
	const float *x;
	float *y;
};

static int setup(void **state)
{
	struct scanned *scanned = calloc(1, sizeof *scanned);
	struct mmt_problem problem;
	struct mmt_error error;
	double sum = 0;

	mmt_problem_init(&problem);
	problem.n = COUNT;
	scanned->family = kern_family_find("scan");
	scanned->checker = scanned->family->checker_create(&problem, 7, &error);
	assert_non_null(scanned->checker);
	scanned->x = scanned->family->contents(scanned->checker, KERN_CHECK_PLAIN, "x");
	scanned->y = malloc(COUNT * sizeof *scanned->y);
	assert_non_null(scanned->y);
	for (size_t i = 0; i < COUNT; i++)
		scanned->y[i] = (float)(sum += scanned->x[i]);
	*state = scanned;
	return 0;
}

static int teardown(void **state)
{
	struct scanned *scanned = *state;

	scanned->family->checker_destroy(scanned->checker);
	free(scanned->y);
	free(scanned);
	return 0;
}

static int verify(const struct scanned *scanned, struct mmt_error *error)
{
	double relative_error;

	return scanned->family->verify(scanned->checker, KERN_CHECK_PLAIN, "y", scanned->y, &relative_error, error);
}

static void refused(const struct scanned *scanned, const char *place)
{
	struct mmt_error error;

	assert_int_equal(verify(scanned, &error), -1);
	assert_int_equal(error.code, MMT_WRONG_RESULT);
	if (!strstr(error.message, place))
		fail_msg("'%s' does not name %s", error.message, place);
}

static void a_sum_in_order_is_right(void **state)
{
	struct mmt_error error;

	if (verify(*state, &error))
		fail_msg("%s", error.message);
}

/* In float, block by block: another order, the same values. */
static void a_sum_in_blocks_is_right(void **state)
{
	struct scanned *scanned = *state;
	struct mmt_error error;
	float offset = 0;

	for (size_t first = 0; first < COUNT; first += BLOCK) {
		float sum = 0;
		for (size_t i = first; i < COUNT && i < first + BLOCK; i++) {
			sum += scanned->x[i];
			scanned->y[i] = offset + sum;
		}
		offset += sum;
	}
	if (verify(scanned, &error))
		fail_msg("%s", error.message);
}

static void one_wrong_element_is_found(void **state)
{
	struct scanned *scanned = *state;

	scanned->y[99871] = nextafterf(scanned->y[99871], INFINITY);
	refused(scanned, "y[99871]");
}

static void an_offset_that_lacks_one_element_is_found(void **state)
{
	struct scanned *scanned = *state;
	const size_t first = COUNT / BLOCK * BLOCK;

	for (size_t i = first; i < COUNT; i++)
		scanned->y[i] -= scanned->x[first - 1];
	refused(scanned, "y[99840]");
}

static void an_exclusive_sum_is_wrong(void **state)
{
	struct scanned *scanned = *state;

	memmove(scanned->y + 1, scanned->y, (COUNT - 1) * sizeof *scanned->y);
	scanned->y[0] = 0;
	refused(scanned, "y[0]");
}

static void an_end_that_was_not_written_is_found(void **state)
{
	struct scanned *scanned = *state;
	const float *poison = scanned->family->contents(scanned->checker, KERN_CHECK_PLAIN, "y");

	scanned->y[COUNT - 1] = poison[COUNT - 1];
	refused(scanned, "y[100002]");
}

/* A few bits less than float has, as a kernel would have that adds in a narrower type. */
static void narrower_sums_are_found(void **state)
{
	struct scanned *scanned = *state;
	float sum = 0;

	for (size_t i = 0; i < COUNT; i++) {
		sum = ldexpf(nearbyintf(ldexpf(sum + scanned->x[i], 11)), -11); /* the grid is 2^-12 */
		scanned->y[i] = sum;
	}
	refused(scanned, "y[");
}

/* Doubles that add in float are wrong, at a length where nothing else would be. */
static void doubles_need_doubles(void **state)
{
	const struct kern_family *family = kern_family_find("scan");
	struct mmt_problem problem;
	struct mmt_error error;
	double y[17], relative_error;
	float sum = 0;
	(void)state;

	mmt_problem_init(&problem);
	problem.n = 17;
	problem.type = MMT_F64;
	struct kern_checker *checker = family->checker_create(&problem, 3, &error);
	assert_non_null(checker);
	const double *x = family->contents(checker, KERN_CHECK_PLAIN, "x");
	for (size_t i = 0; i < 17; i++)
		y[i] = sum += (float)x[i];
	assert_int_equal(family->verify(checker, KERN_CHECK_PLAIN, "y", y, &relative_error, &error), -1);
	family->checker_destroy(checker);
}

static void only_n_is_a_size(void **state)
{
	const struct kern_family *family = kern_family_find("scan");
	struct mmt_problem problem;
	struct mmt_error error;
	(void)state;

	mmt_problem_init(&problem);
	problem.n = INT32_MAX;
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
		cmocka_unit_test_setup_teardown(a_sum_in_order_is_right, setup, teardown),
		cmocka_unit_test_setup_teardown(a_sum_in_blocks_is_right, setup, teardown),
		cmocka_unit_test_setup_teardown(one_wrong_element_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(an_offset_that_lacks_one_element_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(an_exclusive_sum_is_wrong, setup, teardown),
		cmocka_unit_test_setup_teardown(an_end_that_was_not_written_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(narrower_sums_are_found, setup, teardown),
		cmocka_unit_test(doubles_need_doubles),
		cmocka_unit_test(only_n_is_a_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
