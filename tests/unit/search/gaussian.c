/* The model: it reproduces what it learnt, generalises over interactions, and knows what it does not know. */
#include "gaussian.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint16_t greatest[] = {7, 7, 7};

/* Neither of the first two variables alone tells anything; the third one never does. */
static double target_of(const uint16_t *row)
{
	return (row[0] < 4) == (row[1] < 4) ? 1.0 : 5.0;
}

static struct search_gaussian *create(size_t n_features)
{
	struct mmt_error error = {0};
	struct search_gaussian *gaussian = search_gaussian_create(greatest, n_features, &error);
	assert_non_null(gaussian);
	return gaussian;
}

static void learns_an_interaction(void **state)
{
	(void)state;
	struct search_random random;
	uint16_t rows[SEARCH_GAUSSIAN_MAX][3];
	double targets[SEARCH_GAUSSIAN_MAX], mean, deviation, wrong = 0;
	search_random_seed(&random, 7);
	for (size_t i = 0; i < SEARCH_GAUSSIAN_MAX; i++) {
		for (size_t f = 0; f < 3; f++)
			rows[i][f] = (uint16_t)search_random_below(&random, 8);
		targets[i] = target_of(rows[i]);
	}
	struct search_gaussian *gaussian = create(3);
	for (int again = 0; again < 20; again++)
		search_gaussian_fit(gaussian, rows[0], targets, SEARCH_GAUSSIAN_MAX, &random);
	for (uint16_t a = 0; a < 8; a++) {
		for (uint16_t b = 0; b < 8; b++) {
			const uint16_t row[3] = {a, b, 3};
			search_gaussian_predict(gaussian, row, &mean, &deviation);
			assert_true(mean == search_gaussian_mean(gaussian, row) && deviation >= 0);
			wrong += fabs(mean - target_of(row)) > 2;
		}
	}
	assert_true(wrong <= 6); /* of 64 */
	search_gaussian_destroy(gaussian);
}

static void doubts_grow_with_the_distance(void **state)
{
	(void)state;
	struct search_random random;
	const uint16_t rows[] = {0, 0, 1, 1, 2, 0, 0, 2};
	const double targets[] = {3, 5, 4, 6};
	double mean, near, far;
	search_random_seed(&random, 7);
	struct search_gaussian *gaussian = create(2);
	search_gaussian_fit(gaussian, rows, targets, 4, &random);
	search_gaussian_predict(gaussian, (const uint16_t[]){1, 1}, &mean, &near);
	assert_true(fabs(mean - 5) < 0.5); /* as told, but for the noise */
	search_gaussian_predict(gaussian, (const uint16_t[]){7, 7}, &mean, &far);
	assert_true(far > 2 * near && far <= search_gaussian_deviation(gaussian));
	search_gaussian_destroy(gaussian);
}

static void handles_little_data(void **state)
{
	(void)state;
	struct search_random random;
	const uint16_t rows[] = {1, 2, 1, 2, 1, 2, 5, 5};
	const double targets[] = {3, 3, 9, 7};
	double mean, deviation;
	search_random_seed(&random, 7);
	struct search_gaussian *gaussian = create(2);
	search_gaussian_predict(gaussian, rows, &mean, &deviation);
	assert_true(mean == 0 && deviation == 0); /* nothing learnt */
	search_gaussian_fit(gaussian, rows, targets, 1, &random);
	search_gaussian_predict(gaussian, rows, &mean, &deviation);
	assert_true(mean == 3 && deviation == 0); /* without a spread there is no doubt */
	search_gaussian_fit(gaussian, rows, targets, 3, &random);
	search_gaussian_predict(gaussian, rows, &mean, &deviation);
	assert_true(fabs(mean - 5) < 1e-9); /* nothing to tell them apart */
	search_gaussian_fit(gaussian, rows, targets, 4, &random);
	assert_true(search_gaussian_mean(gaussian, rows + 6) > search_gaussian_mean(gaussian, rows));
	search_gaussian_destroy(gaussian);
	search_gaussian_destroy(NULL);
}

static void handles_no_features(void **state)
{
	(void)state;
	struct search_random random;
	const uint16_t none[1] = {0};
	const double targets[] = {3, 4};
	search_random_seed(&random, 7);
	struct search_gaussian *gaussian = create(0);
	search_gaussian_fit(gaussian, none, targets, 2, &random);
	assert_true(fabs(search_gaussian_mean(gaussian, none) - 3.5) < 1e-9);
	search_gaussian_destroy(gaussian);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_an_interaction),
		cmocka_unit_test(doubts_grow_with_the_distance),
		cmocka_unit_test(handles_little_data),
		cmocka_unit_test(handles_no_features),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
