/* Problems: names and dimensions, parsed strictly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "mmtune/problem.h"

static void names_are_parsed_and_given_back(void **state)
{
	(void)state;
	enum mmt_type type;
	enum mmt_trans trans;
	enum mmt_accuracy accuracy;
	for (int i = 0; i < MMT_TYPE_COUNT; i++) {
		assert_int_equal(mmt_type_parse(mmt_type_name((enum mmt_type)i), &type, NULL), 0);
		assert_int_equal(type, i);
	}
	for (int i = 0; i < MMT_TRANS_COUNT; i++) {
		assert_int_equal(mmt_trans_parse(mmt_trans_name((enum mmt_trans)i), &trans, NULL), 0);
		assert_int_equal(trans, i);
	}
	for (int i = 0; i < MMT_ACCURACY_COUNT; i++) {
		assert_int_equal(mmt_accuracy_parse(mmt_accuracy_name((enum mmt_accuracy)i), &accuracy, NULL), 0);
		assert_int_equal(accuracy, i);
	}
	assert_int_equal(mmt_type_bytes(MMT_F64), 8);
	/* Bit 0: B is transposed; bit 1: A is. */
	assert_string_equal(mmt_trans_name(MMT_NT), "nt");
	assert_int_equal(MMT_NT & 1, 1);
}

static void an_unknown_name_is_an_error_that_lists_the_names(void **state)
{
	(void)state;
	struct mmt_error error;
	enum mmt_type type = MMT_F64;
	assert_int_equal(mmt_type_parse("float", &type, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_string_equal(error.message, "unknown type 'float': choose f32, f64, f16 or bf16");
	assert_int_equal(type, MMT_F64);
	assert_int_equal(mmt_type_parse("", &type, &error), -1);
	assert_int_equal(mmt_type_parse("F32", &type, &error), -1);
}

static void a_dimension_is_decimal_digits_in_range(void **state)
{
	(void)state;
	static const char *const wrong[] = {
		"",   "0", "-5", "+5", "1e9", "10x", " 10", "10 ", "0x10", "2147483648", "99999999999999999999999",
		"1.0"};
	struct mmt_error error;
	int64_t value = 77;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		assert_int_equal(mmt_dimension_parse("order", wrong[i], &value, &error), -1);
		assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
		assert_non_null(strstr(error.message, "order"));
		assert_non_null(strstr(error.message, wrong[i]));
	}
	assert_int_equal(value, 77);
	assert_int_equal(mmt_dimension_parse("order", "2147483647", &value, &error), 0);
	assert_int_equal(value, INT32_MAX);
	assert_int_equal(mmt_dimension_parse("order", "0001", &value, &error), 0);
	assert_int_equal(value, 1);
}

static void every_field_makes_problems_differ(void **state)
{
	(void)state;
	struct mmt_problem base, other[7];
	mmt_problem_init(&base);
	for (size_t i = 0; i < 7; i++)
		mmt_problem_init(&other[i]);
	assert_true(mmt_problem_equal(&base, &other[0]));
	strcpy(other[0].family, "copy");
	other[1].m = other[2].n = other[3].k = 2;
	other[4].trans = MMT_TT;
	other[5].type = MMT_F64;
	other[6].accuracy = MMT_ACCURACY_TF32;
	for (size_t i = 0; i < 7; i++)
		assert_false(mmt_problem_equal(&base, &other[i]));
}

static void the_text_is_for_people(void **state)
{
	(void)state;
	char text[128];
	struct mmt_problem problem;
	mmt_problem_init(&problem);
	problem.m = 130, problem.n = 293, problem.k = 237;
	assert_string_equal(mmt_problem_text(&problem, text, sizeof text), "matmul 130x293x237 nn f32");
	problem.accuracy = MMT_ACCURACY_TF32;
	assert_string_equal(mmt_problem_text(&problem, text, sizeof text), "matmul 130x293x237 nn f32 tf32");
	assert_string_equal(mmt_problem_text(&problem, text, 7), "matmul");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_parsed_and_given_back),
		cmocka_unit_test(an_unknown_name_is_an_error_that_lists_the_names),
		cmocka_unit_test(a_dimension_is_decimal_digits_in_range),
		cmocka_unit_test(every_field_makes_problems_differ),
		cmocka_unit_test(the_text_is_for_people),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
