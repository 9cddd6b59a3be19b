/* The record that search.c keeps. */
#include "random.h"
#include "search.h"
#include "strategy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct search_space *make_space(size_t n_values)
{
	struct mmt_error error = {0};
	struct expr_value values[100];
	for (size_t i = 0; i < n_values; i++)
		values[i] = (struct expr_value){.kind = EXPR_INT, .integer = (int64_t)i};
	struct search_parameter parameter = {.name = "a", .values = values, .n_values = n_values};
	struct search_space_spec spec = {.parameters = &parameter, .n_parameters = 1};
	struct search_space *space = search_space_create(&spec, &error);
	assert_non_null(space);
	return space;
}

static void keeps_the_best(void **state)
{
	(void)state;
	struct search_space *space = make_space(10);
	const struct search_space *spaces[] = {space};
	struct search_spec spec = {.strategy = "random", .spaces = spaces, .n_spaces = 1};
	struct mmt_error error;
	struct search *search = search_create(&spec, &error);
	static const struct {
		uint32_t point;
		enum search_outcome outcome;
		double time;
		double best_time; /* afterwards; 0: none */
		uint32_t best;
		size_t told;
	} steps[] = {
		{3, SEARCH_INVALID, 5, 0, 0, 1},      {4, SEARCH_OK, 100, 100, 4, 2},
		{5, SEARCH_OK, 90, 90, 5, 3},         {6, SEARCH_OK, 95, 90, 5, 4},
		{6, SEARCH_OK, 80, 80, 6, 4}, /* again: the last one counts */
		{6, SEARCH_OK, 92, 90, 5, 4}, /* the best gets worse: another one is */
		{5, SEARCH_INVALID, 0, 92, 6, 4},     {7, SEARCH_OK, 0, 92, 6, 5}, /* times that are none */
		{7, SEARCH_OK, -1, 92, 6, 5},         {8, SEARCH_OK, NAN, 92, 6, 6},
		{9, SEARCH_OK, INFINITY, 92, 6, 7},   {9, SEARCH_OK, 1e300, 92, 6, 7},
		{10, SEARCH_OK, 1, 92, 6, 7}, /* no such point */
		{UINT32_MAX, SEARCH_OK, 1, 92, 6, 7}, {6, SEARCH_INVALID, 0, 100, 4, 7},
		{4, SEARCH_INVALID, 0, 0, 4, 7},
	};
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct search_point best;
		double time = 0;
		search_tell(search, (struct search_point){0, steps[i].point}, steps[i].outcome, steps[i].time);
		assert_int_equal(search_best(search, &best, &time), steps[i].best_time != 0);
		if (steps[i].best_time != 0) {
			assert_true(time == steps[i].best_time);
			assert_int_equal(best.point, steps[i].best);
		}
		assert_int_equal(search_told(search), steps[i].told);
	}
	search_tell(search, (struct search_point){1, 0}, SEARCH_OK, 1); /* no such space */
	assert_false(search_evaluated(search, (struct search_point){1, 0}));
	assert_false(search_evaluated(search, (struct search_point){0, 2}));
	assert_true(search_evaluated(search, (struct search_point){0, 3}));
	search_destroy(search);
	search_space_destroy(space);
}

static void names_its_strategies(void **state)
{
	(void)state;
	const char *const *names = search_strategy_names();
	size_t count = 0;
	for (; names[count] != NULL; count++) {
		assert_non_null(search_strategy_summary(names[count]));
		if (count > 0)
			assert_true(strcmp(names[count - 1], names[count]) < 0);
	}
	assert_true(count >= 8);
	assert_null(search_strategy_summary("nonsense"));
	struct search_spec spec = {.strategy = "nonsense"};
	struct mmt_error error = {0};
	assert_null(search_create(&spec, &error));
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "there is no search strategy 'nonsense'; there are auto, diff"));
	for (size_t i = 0; i < count; i++)
		assert_non_null(strstr(error.message, names[i]));
}

/* Every order of a small space comes about, and no point is favoured. */
static void random_is_uniform(void **state)
{
	(void)state;
	struct search_space *space = make_space(5);
	const struct search_space *spaces[] = {space, space};
	size_t last[10] = {0};
	for (uint64_t seed = 0; seed < 5000; seed++) {
		struct search_spec spec = {.strategy = "random", .spaces = spaces, .n_spaces = 2, .seed = seed};
		struct mmt_error error;
		struct search *search = search_create(&spec, &error);
		struct search_point point = {0, 0};
		while (search_ask(search, &point) == SEARCH_POINT)
			;
		last[point.space * 5 + point.point]++;
		search_destroy(search);
	}
	for (size_t i = 0; i < 10; i++) /* 500 expected, standard deviation 21 */
		assert_in_range(last[i], 500 - 5 * 21, 500 + 5 * 21);
	search_space_destroy(space);
}

static void random_numbers_are_the_published_ones(void **state)
{
	(void)state;
	/* xoshiro256** from the state 1, 2, 3, 4: the first outputs of the authors' C code */
	struct search_random random = {{1, 2, 3, 4}};
	assert_true(search_random_next(&random) == 11520);
	assert_true(search_random_next(&random) == 0);
	assert_true(search_random_next(&random) == 1509978240);
	assert_true(search_random_next(&random) == 1215971899390074240);
	assert_int_equal(search_random_below(&random, 0), 0);
	assert_int_equal(search_random_below(&random, 1), 0);
	for (size_t i = 0; i < 1000; i++) {
		double unit = search_random_unit(&random);
		assert_true(unit >= 0 && unit < 1);
		assert_true(search_random_below(&random, 7) < 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_best),
		cmocka_unit_test(names_its_strategies),
		cmocka_unit_test(random_is_uniform),
		cmocka_unit_test(random_numbers_are_the_published_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
