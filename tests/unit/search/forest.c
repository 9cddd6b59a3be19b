/* The model: it reproduces what it learnt, and generalises over interactions. */
#include "forest.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Neither variable alone tells anything */
static double target_of(const uint16_t *row)
{
	return (row[0] < 4) == (row[1] < 4) ? 1.0 : 5.0;
}

static void learns_an_interaction(void **state)
{
	(void)state;
	struct search_random random;
	struct mmt_error error;
	uint16_t rows[200][3];
	const uint16_t *pointers[200];
	double targets[200], mean, deviation, wrong = 0;
	search_random_seed(&random, 7);
	for (size_t i = 0; i < 200; i++) {
		for (size_t f = 0; f < 3; f++)
			rows[i][f] = (uint16_t)search_random_below(&random, 8);
		pointers[i] = rows[i];
		targets[i] = target_of(rows[i]);
	}
	struct search_forest *forest = search_forest_create(3, &error);
	assert_non_null(forest);
	assert_int_equal(search_forest_fit(forest, pointers, targets, 200, &random), 0);
	for (uint16_t a = 0; a < 8; a++) {
		for (uint16_t b = 0; b < 8; b++) {
			const uint16_t row[3] = {a, b, 3};
			search_forest_predict(forest, row, &mean, &deviation);
			assert_true(mean >= 1 && mean <= 5 && deviation >= 0);
			wrong += fabs(mean - target_of(row)) > 2;
		}
	}
	assert_true(wrong <= 6); /* of 64 */
	search_forest_destroy(forest);
}

static void handles_little_data(void **state)
{
	(void)state;
	struct search_random random;
	struct mmt_error error;
	const uint16_t row[2] = {1, 2}, other[2] = {5, 5};
	const uint16_t *rows[] = {row, row, row, other};
	double targets[] = {3, 3, 9, 7}, mean, deviation;
	search_random_seed(&random, 7);
	struct search_forest *forest = search_forest_create(2, &error);
	search_forest_predict(forest, row, &mean, &deviation);
	assert_true(mean == 0 && deviation == 0); /* nothing learnt */
	assert_int_equal(search_forest_fit(forest, rows, targets, 1, &random), 0);
	search_forest_predict(forest, other, &mean, &deviation);
	assert_true(mean == 3 && deviation == 0);
	assert_int_equal(search_forest_fit(forest, rows, targets, 3, &random), 0);
	search_forest_predict(forest, other, &mean, &deviation);
	assert_true(mean == 5 && deviation == 0); /* nothing to tell them apart */
	assert_int_equal(search_forest_fit(forest, rows, targets, 4, &random), 0);
	search_forest_predict(forest, other, &mean, &deviation);
	assert_true(mean == 7);
	search_forest_destroy(forest);
	search_forest_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_an_interaction),
		cmocka_unit_test(handles_little_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
