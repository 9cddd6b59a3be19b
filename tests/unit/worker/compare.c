/* Plans held against each other: who wins, who is out when, what is a tie. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"

#define MOST_PLANS 8

/* Plans with a true time each; samples scatter, and all become slower at a sample's number. */
struct field {
	double times[MOST_PLANS], scatter, slow_factor;
	unsigned samples, slow_at;
	size_t fails, fails_at; /* which plan, at which of its samples; 0: none */
	uint64_t random;
	struct worker_measurement measurements[MOST_PLANS];
	double ratios[MOST_PLANS]; /* as ranked; 0: not */
};

/* Uniform in [-1, 1): the sum of three is nearly normal. */
static double next_random(struct field *field)
{
	field->random = field->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(field->random >> 11) / (double)((uint64_t)1 << 52) - 1;
}

static const struct worker_measurement *sample(void *context, size_t index)
{
	struct field *field = context;
	struct worker_measurement *measurement = &field->measurements[index];
	double noise = next_random(field) + next_random(field) + next_random(field);
	double time_ns = field->times[index] * exp(field->scatter * noise);

	if (field->samples++ >= field->slow_at && field->slow_at > 0)
		time_ns *= field->slow_factor;
	if (field->fails_at > 0 && index == field->fails && measurement->n_samples + 1 == field->fails_at)
		return NULL;
	measurement->samples_ns[measurement->n_samples++] = time_ns;
	measurement->shortest_ns = 1e5;
	measurement->spent_ns += time_ns;
	return measurement;
}

static void rank(void *context, size_t index, double ratio, double error)
{
	struct field *field = context;

	field->ratios[index] = ratio;
	assert_true(error >= 0);
}

static void compare(struct field *field, size_t n, double limit_ns)
{
	const struct worker_comparison comparison = {n, 7, limit_ns, sample, rank, field};

	assert_int_equal(worker_compare(&comparison, NULL), 0);
}

static void test_clear_winner_needs_no_more_than_the_least(void **state)
{
	struct field field = {.times = {1e6, 1.2e6, 2e6}, .scatter = 0.005, .random = 1};

	(void)state;
	compare(&field, 3, 1e12);
	assert_int_equal(field.samples, 3 * 7);
	assert_float_equal(field.ratios[0], 1, 1e-12);
	assert_float_equal(field.ratios[1], 1.2, 0.02);
	assert_float_equal(field.ratios[2], 2, 0.03);
}

/* 3 % apart at 10 % between the quartiles, the clock down by 20 % on the way. */
static void test_noise_and_a_drop_hide_no_winner(void **state)
{
	int found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct field field = {.times = {1.03e6, 1.05e6, 1e6, 1.04e6, 1.1e6, 1.3e6},
				      .scatter = 0.074,
				      .slow_factor = 1.25,
				      .slow_at = 100,
				      .random = seed};

		compare(&field, 6, 1e12);
		found += field.ratios[2] == 1;
		assert_true(field.ratios[5] > 1.15 && field.ratios[5] < 1.5);
		assert_true(field.measurements[5].n_samples < 30);
	}
	assert_true(found >= 19);
}

static void test_equals_are_a_tie_and_end_it(void **state)
{
	struct field field = {.times = {1e6, 1e6}, .scatter = 0.0005, .random = 3};

	(void)state;
	compare(&field, 2, 1e12);
	assert_true(field.samples < 40);
	assert_true(fmax(field.ratios[0], field.ratios[1]) < 1.005);
}

static void test_time_is_limited(void **state)
{
	struct field field = {.times = {1e6, 1e6}, .scatter = 0.1, .random = 4};

	(void)state;
	compare(&field, 2, 50e6);
	assert_true(field.samples >= 40 && field.samples <= 60);
}

static void test_failures_are_out_and_the_rest_goes_on(void **state)
{
	struct field field = {.times = {1e6, 0.5e6, 1.5e6}, .scatter = 0.005, .random = 5, .fails = 1, .fails_at = 4};

	(void)state;
	compare(&field, 3, 1e12);
	assert_float_equal(field.ratios[1], 0, 0);
	assert_float_equal(field.ratios[0], 1, 1e-12);
	assert_float_equal(field.ratios[2], 1.5, 0.03);
	field = (struct field){.times = {1e6}, .fails = 0, .fails_at = 1};
	compare(&field, 1, 1e12);
	assert_float_equal(field.ratios[0], 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clear_winner_needs_no_more_than_the_least),
		cmocka_unit_test(test_noise_and_a_drop_hide_no_winner),
		cmocka_unit_test(test_equals_are_a_tie_and_end_it),
		cmocka_unit_test(test_time_is_limited),
		cmocka_unit_test(test_failures_are_out_and_the_rest_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
