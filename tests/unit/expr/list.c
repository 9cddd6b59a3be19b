/* Lists of values, and values as text. */
#include "expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void makes_lists(void **state)
{
	(void)state;
	static const struct {
		const char *text, *values; /* joined by blanks */
	} cases[] = {
		{"[1, 2, 4]", "1 2 4"},
		{"[]", ""},
		{"[1, 2, ]", "1 2"},
		{"(16, 32)", "16 32"},
		{"range(1, 9)", "1 2 3 4 5 6 7 8"},
		{"range(3)", "0 1 2"},
		{"range(10, 0, -4)", "10 6 2"},
		{"list(range(2, 9, 3))", "2 5 8"},
		{"[2, 4] + [16.5]", "2 4 16.5"},
		{"list(range(2)) + [8] + range(2)", "0 1 8 0 1"},
		{"['a', \"b c\", 'it\"s']", "a b c it\"s"},
		{"[2**i for i in range(5)]", "1 2 4 8 16"},
		{"[16 * i for i in range(1, 4) if i != 2]", "16 48"},
		{"[1/2, -3, True, 1e100, 100.0]", "0.5 -3 1 1e+100 100.0"},
		{"[0.1, 1/3, 12345678.5, 3.0]", "0.1 0.3333333333333333 12345678.5 3.0"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mmt_error error = {0};
		struct expr_value *values = NULL;
		size_t count;
		if (expr_list(cases[i].text, &values, &count, &error) != 0)
			fail_msg("%s: %s", cases[i].text, error.message);
		assert_non_null(values);
		char joined[512] = "", one[64];
		for (size_t v = 0; v < count; v++) {
			strcat(joined, v > 0 ? " " : "");
			strcat(joined, expr_value_text(&values[v], one, sizeof(one)));
		}
		assert_string_equal(joined, cases[i].values);
		expr_list_free(values, count);
	}
}

static void refuses_what_is_no_list(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"5", "column 1: a list is needed"},
		{"'abc'", "column 1: a list is needed"},
		{"1, 2", "column 2: an operator is needed before ','"},
		{"[x]", "column 2: unknown name 'x'"},
		{"[ProblemSize[0]]", "column 2: ProblemSize[0], and there are 0 sizes"},
		{"[1, [2]]", "column 1: element 1 is a list"},
		{"['a', [2]]", "column 1: element 1 is a list"},
		{"[1 // 0]", "column 4: division by zero"},
		{"range(65537)", "column 1: a list of more than 65536 elements"},
		{"[i for i in range(65537)]", "column 4: a list of more than 65536 elements"},
		{"range(40000) + range(40000)", "column 14: a list of more than 65536 elements"},
		{"range(-9223372036854775807, 9223372036854775807)", "column 1: a list of more than"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mmt_error error = {0};
		struct expr_value *values;
		size_t count;
		assert_int_equal(expr_list(cases[i].text, &values, &count, &error), -1);
		if (strstr(error.message, cases[i].message) != error.message)
			fail_msg("%s: %s", cases[i].text, error.message);
	}
}

static void takes_the_longest_list(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct expr_value *values;
	size_t count;
	assert_int_equal(expr_list("range(65536)", &values, &count, &error), 0);
	assert_int_equal(count, 65536);
	assert_int_equal(values[65535].integer, 65535);
	expr_list_free(values, count);
	assert_int_equal(expr_list("[i for i in range(65536)]", &values, &count, &error), 0);
	assert_int_equal(count, 65536);
	expr_list_free(values, count);
	expr_list_free(NULL, 0);
}

static void compares_values(void **state)
{
	(void)state;
	struct expr_value one = {.kind = EXPR_INT, .integer = 1}, real_one = {.kind = EXPR_REAL, .real = 1},
			  half = {.kind = EXPR_REAL, .real = 0.5}, text = {.kind = EXPR_STRING, .string = "1"};
	char copy[] = "1";
	struct expr_value same_text = {.kind = EXPR_STRING, .string = copy};
	assert_true(expr_value_equal(&one, &real_one));
	assert_false(expr_value_equal(&one, &half));
	assert_false(expr_value_equal(&one, &text));
	assert_true(expr_value_equal(&text, &same_text));
}

static void cuts_text_to_the_buffer(void **state)
{
	(void)state;
	struct expr_value text = {.kind = EXPR_STRING, .string = "abcdefgh"}, ten = {.kind = EXPR_REAL, .real = 8};
	char small[4];
	assert_string_equal(expr_value_text(&text, small, sizeof(small)), "abc");
	assert_string_equal(expr_value_text(&ten, small, sizeof(small)), "8.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_lists),
		cmocka_unit_test(refuses_what_is_no_list),
		cmocka_unit_test(takes_the_longest_list),
		cmocka_unit_test(compares_values),
		cmocka_unit_test(cuts_text_to_the_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
