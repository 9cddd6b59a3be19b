/* Median, quartiles, and when to stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats.h"

static void test_summary_of_odd_and_even_counts(void **state)
{
	const double odd[] = {5, 1, 4, 2, 3};
	const double even[] = {4, 1, 3, 2};

	(void)state;
	assert_float_equal(worker_summarise(odd, 5).median, 3, 1e-12);
	assert_float_equal(worker_summarise(odd, 5).minimum, 1, 1e-12);
	assert_float_equal(worker_summarise(odd, 5).spread, (4.0 - 2.0) / 3, 1e-12);
	assert_float_equal(worker_summarise(even, 4).median, 2.5, 1e-12);
	assert_float_equal(worker_summarise(even, 4).spread, (3.25 - 1.75) / 2.5, 1e-12);
	assert_float_equal(odd[0], 5, 0); /* the samples stay in order */
}

static void test_one_sample_has_no_spread(void **state)
{
	const double one[] = {7};

	(void)state;
	assert_float_equal(worker_summarise(one, 1).median, 7, 0);
	assert_float_equal(worker_summarise(one, 1).spread, 0, 0);
}

static void test_one_outlier_moves_neither_median_nor_spread(void **state)
{
	const double samples[] = {100, 100, 100, 100, 900};

	(void)state;
	assert_float_equal(worker_summarise(samples, 5).median, 100, 0);
	assert_float_equal(worker_summarise(samples, 5).spread, 0, 0);
}

static void test_quiet_samples_stop_at_five(void **state)
{
	const double samples[] = {100, 100.1, 100.2, 99.9, 100};

	(void)state;
	assert_false(worker_enough(samples, 4, 1e3, 0));
	assert_true(worker_enough(samples, 5, 1e3, 0));
}

static void test_noisy_samples_go_on_until_there_are_31(void **state)
{
	double samples[31];

	(void)state;
	for (size_t i = 0; i < 31; i++)
		samples[i] = 100 + 10.0 * (double)(i % 4);
	assert_false(worker_enough(samples, 30, 1e6, 0));
	assert_true(worker_enough(samples, 31, 1e6, 0));
}

static void test_what_is_clearly_slower_needs_three(void **state)
{
	const double samples[] = {130, 160, 145};
	const double one_good[] = {130, 160, 110};

	(void)state;
	assert_false(worker_enough(samples, 2, 1e3, 120));
	assert_true(worker_enough(samples, 3, 1e3, 120));
	assert_false(worker_enough(one_good, 3, 1e3, 120));
	assert_false(worker_enough(samples, 3, 1e3, 0));
}

/* Normal quantiles, so that their interquartile range is 1.349. */
static void test_estimate_narrows_with_the_root_of_n(void **state)
{
	const double nine[] = {-1.28, -0.84, -0.52, -0.25, 0, 0.25, 0.52, 0.84, 1.28};
	struct worker_estimate few = worker_estimate(nine, 9);
	double many[81];

	(void)state;
	for (size_t i = 0; i < 81; i++)
		many[i] = nine[i % 9];
	assert_float_equal(few.value, 0, 1e-12);
	assert_true(few.error > 1.0 && few.error < 1.6);
	assert_true(worker_estimate(many, 81).error < few.error / 3);
	many[0] = 1e6; /* one disturbed value moves little */
	assert_true(worker_estimate(many, 81).value < 0.1);
}

static void test_long_launches_run_twice(void **state)
{
	const double samples[] = {400e6, 500e6};

	(void)state;
	assert_false(worker_enough(samples, 1, 400e6, 0));
	assert_true(worker_enough(samples, 2, 900e6, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary_of_odd_and_even_counts),
		cmocka_unit_test(test_one_sample_has_no_spread),
		cmocka_unit_test(test_one_outlier_moves_neither_median_nor_spread),
		cmocka_unit_test(test_quiet_samples_stop_at_five),
		cmocka_unit_test(test_noisy_samples_go_on_until_there_are_31),
		cmocka_unit_test(test_what_is_clearly_slower_needs_three),
		cmocka_unit_test(test_estimate_narrows_with_the_root_of_n),
		cmocka_unit_test(test_long_launches_run_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
