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
	assert_false(worker_enough(samples, 4, 1e3));
	assert_true(worker_enough(samples, 5, 1e3));
}

static void test_noisy_samples_go_on_until_the_array_is_full(void **state)
{
	double samples[WORKER_MAX_SAMPLES];

	(void)state;
	for (size_t i = 0; i < WORKER_MAX_SAMPLES; i++)
		samples[i] = 100 + 10.0 * (double)(i % 4);
	assert_false(worker_enough(samples, WORKER_MAX_SAMPLES - 1, 1e6));
	assert_true(worker_enough(samples, WORKER_MAX_SAMPLES, 1e6));
}

static void test_long_launches_run_twice(void **state)
{
	const double samples[] = {400e6, 500e6};

	(void)state;
	assert_false(worker_enough(samples, 1, 400e6));
	assert_true(worker_enough(samples, 2, 900e6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary_of_odd_and_even_counts),
		cmocka_unit_test(test_one_sample_has_no_spread),
		cmocka_unit_test(test_one_outlier_moves_neither_median_nor_spread),
		cmocka_unit_test(test_quiet_samples_stop_at_five),
		cmocka_unit_test(test_noisy_samples_go_on_until_the_array_is_full),
		cmocka_unit_test(test_long_launches_run_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
