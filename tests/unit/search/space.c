/* Expansion, against a plain walk over the product. */
#include "space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_PARAMETERS 16

struct fixture {
	struct search_parameter parameters[MAX_PARAMETERS];
	const char *names[MAX_PARAMETERS];
	size_t n_parameters;
	struct expr *conditions[16];
	size_t n_conditions;
	const int64_t *sizes;
};

static void add_parameter(struct fixture *fixture, const char *name, const char *values)
{
	struct mmt_error error;
	struct expr_value *list;
	size_t count;
	assert_int_equal(expr_list(values, &list, &count, &error), 0);
	fixture->names[fixture->n_parameters] = name;
	fixture->parameters[fixture->n_parameters++] =
		(struct search_parameter){.name = name, .values = list, .n_values = count};
}

static void add_condition(struct fixture *fixture, const char *text)
{
	struct mmt_error error;
	struct expr *expr = expr_create(text, fixture->names, fixture->n_parameters, 2, &error);
	if (expr == NULL)
		fail_msg("%s: %s", text, error.message);
	fixture->conditions[fixture->n_conditions++] = expr;
}

static struct search_space_spec spec_of(const struct fixture *fixture)
{
	return (struct search_space_spec){
		.parameters = fixture->parameters,
		.n_parameters = fixture->n_parameters,
		.conditions = (const struct expr *const *)fixture->conditions,
		.n_conditions = fixture->n_conditions,
		.sizes = fixture->sizes,
	};
}

static struct search_space *expand(const struct fixture *fixture)
{
	struct mmt_error error = {0};
	struct search_space_spec spec = spec_of(fixture);
	struct search_space *space = search_space_create(&spec, &error);
	if (space == NULL)
		fail_msg("%s", error.message);
	return space;
}

static void finish(struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->n_parameters; i++)
		expr_list_free((struct expr_value *)fixture->parameters[i].values, fixture->parameters[i].n_values);
	for (size_t i = 0; i < fixture->n_conditions; i++)
		expr_destroy(fixture->conditions[i]);
}

/* CLBlast's GEMM as Kernel Tuner and KTT record it */
static void add_gemm(struct fixture *fixture)
{
	static const char *const parameters[][2] = {
		{"MWG", "[16, 32, 64, 128]"},
		{"NWG", "[16, 32, 64, 128]"},
		{"KWG", "[32]"},
		{"MDIMC", "[8, 16, 32]"},
		{"NDIMC", "[8, 16, 32]"},
		{"MDIMA", "[8, 16, 32]"},
		{"NDIMB", "[8, 16, 32]"},
		{"KWI", "[2]"},
		{"VWM", "[1, 2, 4, 8]"},
		{"VWN", "[1, 2, 4, 8]"},
		{"STRM", "[0]"},
		{"STRN", "[0]"},
		{"SA", "[0, 1]"},
		{"SB", "[0, 1]"},
	};
	static const char *const conditions[] = {
		"KWG % KWI == 0",
		"MWG % (MDIMC * VWM) == 0",
		"NWG % (NDIMC * VWN) == 0",
		"MWG % (MDIMA * VWM) == 0",
		"NWG % (NDIMB * VWN) == 0",
		"KWG % ((MDIMC * NDIMC)/MDIMA) == 0",
		"KWG % ((MDIMC * NDIMC)/NDIMB) == 0",
	};
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		add_parameter(fixture, parameters[i][0], parameters[i][1]);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		add_condition(fixture, conditions[i]);
}

/* Walks the whole product in the order that the space promises, and compares. */
static void compare_with_product(const struct fixture *fixture)
{
	struct search_space *space = expand(fixture);
	uint16_t row[MAX_PARAMETERS] = {0};
	struct expr_value slots[MAX_PARAMETERS];
	size_t point = 0, p;
	do {
		bool valid = true;
		for (p = 0; p < fixture->n_parameters; p++)
			slots[p] = fixture->parameters[p].values[row[p]];
		for (size_t c = 0; c < fixture->n_conditions && valid; c++) {
			bool truth = false;
			valid = expr_eval_truth(fixture->conditions[c], slots, fixture->sizes, &truth, NULL) == 0 &&
				truth;
		}
		assert_int_equal(search_space_find(space, row), valid ? point : SEARCH_NO_POINT);
		if (valid)
			assert_memory_equal(search_space_get(space, point++), row,
					    fixture->n_parameters * sizeof(row[0]));
		for (p = fixture->n_parameters; p-- > 0;) {
			if (++row[p] < fixture->parameters[p].n_values)
				break;
			row[p] = 0;
		}
	} while (p != SIZE_MAX);
	assert_int_equal(search_space_points(space), point);
	search_space_destroy(space);
}

static void expands_a_real_space(void **state)
{
	(void)state;
	struct fixture fixture = {0};
	add_gemm(&fixture);
	struct search_space *space = expand(&fixture);
	assert_int_equal(search_space_points(space), 17956); /* as the recorded spaces have it */
	assert_int_equal(search_space_parameters(space), 14);
	assert_int_equal(search_space_values(space, 3), 3);
	search_space_destroy(space);
	compare_with_product(&fixture);
	finish(&fixture);
}

static void numbers_points_in_the_parameters_order(void **state)
{
	(void)state;
	static const int64_t sizes[2] = {12, 5};
	struct fixture fixture = {.sizes = sizes};
	add_parameter(&fixture, "free", "[1, 2, 3]");
	add_parameter(&fixture, "a", "range(1, 9)");
	add_parameter(&fixture, "kind", "['x', 'y']");
	add_parameter(&fixture, "b", "[3, 2, 1, 0]");
	add_parameter(&fixture, "c", "range(5)");
	add_condition(&fixture, "c < ProblemSize[1] - 1");
	add_condition(&fixture, "a % b == 0 or kind == 'y'"); /* fails to evaluate where b is 0 */
	add_condition(&fixture, "a * c <= ProblemSize[0] and kind in ['x', 'y']");
	add_condition(&fixture, "1 < 2");
	compare_with_product(&fixture);
	finish(&fixture);
}

/* 10^9 combinations; the conditions read parameters that are far apart. */
static void prunes_a_vast_product(void **state)
{
	(void)state;
	static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"};
	struct fixture fixture = {0};
	for (size_t i = 0; i < 9; i++)
		add_parameter(&fixture, names[i], "range(1, 11)");
	add_condition(&fixture, "x0 * x8 == 24");
	add_condition(&fixture, "x1 + x7 == 3");
	add_condition(&fixture, "x2 == x6 == x4");
	add_condition(&fixture, "x3 * x5 > 90");
	struct search_space *space = expand(&fixture);
	assert_int_equal(search_space_points(space), 4 * 2 * 10 * 1);
	search_space_destroy(space);
	finish(&fixture);
}

static void refuses_what_is_too_large(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct fixture fixture = {0};
	for (size_t i = 0; i < 8; i++)
		add_parameter(&fixture, "x", "range(65535)");
	struct search_space_spec spec = spec_of(&fixture);
	assert_null(search_space_create(&spec, &error));
	assert_int_equal(error.code, MMT_TOO_LARGE);
	assert_string_equal(error.message, "the space has more than 16777216 valid configurations");
	finish(&fixture);
}

static void refuses_bad_parameters(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct fixture fixture = {0};
	add_parameter(&fixture, "none", "[]");
	struct search_space_spec spec = spec_of(&fixture);
	assert_null(search_space_create(&spec, &error));
	assert_string_equal(error.message, "parameter none has 0 values; 1 to 65535 are allowed");
	finish(&fixture);

	fixture = (struct fixture){0};
	add_parameter(&fixture, "many", "range(65536)");
	spec = spec_of(&fixture);
	assert_null(search_space_create(&spec, &error));
	finish(&fixture);

	fixture = (struct fixture){0};
	add_parameter(&fixture, "a", "[1]");
	add_parameter(&fixture, "b", "[1]");
	add_condition(&fixture, "a == b");
	fixture.parameters[0].default_index = 1;
	spec = spec_of(&fixture);
	assert_null(search_space_create(&spec, &error));
	assert_string_equal(error.message, "parameter a has no value 1");
	fixture.parameters[0].default_index = 0;
	spec.n_parameters = 1;
	assert_null(search_space_create(&spec, &error));
	assert_string_equal(error.message, "the condition 'a == b' reads a name that is no parameter");
	finish(&fixture);
}

static void may_be_empty_or_a_single_point(void **state)
{
	(void)state;
	struct fixture fixture = {0};
	struct search_space *space = expand(&fixture);
	assert_int_equal(search_space_points(space), 1); /* no parameters: one configuration */
	assert_int_equal(search_space_default(space), 0);
	assert_int_equal(search_space_find(space, NULL), 0);
	assert_int_equal(search_space_neighbours(space, 0, NULL, 0), 0);
	search_space_destroy(space);

	add_condition(&fixture, "False");
	space = expand(&fixture);
	assert_int_equal(search_space_points(space), 0);
	assert_int_equal(search_space_default(space), SEARCH_NO_POINT);
	search_space_destroy(space);
	finish(&fixture);

	fixture = (struct fixture){0};
	add_parameter(&fixture, "a", "range(3)");
	add_parameter(&fixture, "b", "range(3)");
	add_condition(&fixture, "a + b > 4");
	space = expand(&fixture);
	assert_int_equal(search_space_points(space), 0);
	search_space_destroy(space);
	search_space_destroy(NULL);
	finish(&fixture);
}

static void finds_the_nearest_to_the_default(void **state)
{
	(void)state;
	struct fixture fixture = {0};
	add_parameter(&fixture, "a", "[1, 2, 4, 8]");
	add_parameter(&fixture, "b", "[1, 2, 4, 8]");
	fixture.parameters[0].default_index = 1;
	fixture.parameters[1].default_index = 2;
	struct search_space *space = expand(&fixture);
	assert_memory_equal(search_space_get(space, search_space_default(space)), ((uint16_t[]){1, 2}), 4);
	search_space_destroy(space);
	add_condition(&fixture, "a * b >= 16"); /* (1, 3) and (2, 2) are each one step away: the first one */
	space = expand(&fixture);
	assert_memory_equal(search_space_get(space, search_space_default(space)), ((uint16_t[]){1, 3}), 4);
	search_space_destroy(space);
	finish(&fixture);
}

static void lists_neighbours(void **state)
{
	(void)state;
	struct fixture fixture = {0};
	add_parameter(&fixture, "a", "range(4)");
	add_parameter(&fixture, "b", "range(3)");
	add_condition(&fixture, "a + b != 3");
	struct search_space *space = expand(&fixture);
	size_t point = search_space_find(space, (uint16_t[]){1, 1}), found[8];
	static const uint16_t expected[][2] = {{0, 1}, {3, 1}, {1, 0}}; /* (2, 1) and (1, 2) are not valid */
	assert_int_equal(search_space_neighbours(space, point, found, 8), 3);
	for (size_t i = 0; i < 3; i++)
		assert_memory_equal(search_space_get(space, found[i]), expected[i], 4);
	found[1] = 77;
	assert_int_equal(search_space_neighbours(space, point, found, 1), 3);
	assert_int_equal(found[1], 77);
	search_space_destroy(space);
	finish(&fixture);
}

static void takes_rows_as_they_are(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct fixture fixture = {0};
	add_parameter(&fixture, "a", "range(4)");
	add_parameter(&fixture, "b", "range(3)");
	struct search_space_spec spec = spec_of(&fixture);
	static const uint16_t rows[] = {3, 1, 0, 2, 1, 1}, twice[] = {3, 1, 0, 2, 3, 1}, outside[] = {4, 0};
	struct search_space *space = search_space_create_from_rows(&spec, rows, 3, &error);
	assert_non_null(space);
	assert_int_equal(search_space_points(space), 3);
	assert_int_equal(search_space_find(space, (uint16_t[]){0, 2}), 0);
	assert_int_equal(search_space_find(space, (uint16_t[]){1, 1}), 1);
	assert_int_equal(search_space_find(space, (uint16_t[]){3, 1}), 2);
	assert_int_equal(search_space_find(space, (uint16_t[]){3, 2}), SEARCH_NO_POINT);
	search_space_destroy(space);
	assert_null(search_space_create_from_rows(&spec, twice, 3, &error));
	assert_string_equal(error.message, "a configuration is listed twice");
	assert_null(search_space_create_from_rows(&spec, outside, 1, &error));
	finish(&fixture);
}

static void counts_twos(void **state)
{
	(void)state;
	struct fixture fixture = {0};
	add_parameter(&fixture, "first", "[0, 1]");
	add_parameter(&fixture, "size", "[32, 48, 7, -8, 2.0, 'a']");
	struct search_space *space = expand(&fixture);
	static const unsigned expected[] = {5, 4, 0, 3, 0, 0};
	for (size_t v = 0; v < 6; v++)
		assert_int_equal(search_space_twos(space, 1, v), expected[v]);
	assert_int_equal(search_space_twos(space, 0, 0), 0);
	search_space_destroy(space);
	finish(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_twos),
		cmocka_unit_test(expands_a_real_space),
		cmocka_unit_test(numbers_points_in_the_parameters_order),
		cmocka_unit_test(prunes_a_vast_product),
		cmocka_unit_test(refuses_what_is_too_large),
		cmocka_unit_test(refuses_bad_parameters),
		cmocka_unit_test(may_be_empty_or_a_single_point),
		cmocka_unit_test(finds_the_nearest_to_the_default),
		cmocka_unit_test(lists_neighbours),
		cmocka_unit_test(takes_rows_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
