/* Numbers and replies, for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fields.h"
#include "format.h"

static void numbers_have_units(void **state)
{
	(void)state;
	char out[CLI_FORMAT_BYTES];
	assert_string_equal(cli_format_time(out, 0), "0 ns");
	assert_string_equal(cli_format_time(out, 999), "999 ns");
	assert_string_equal(cli_format_time(out, 71234.5), "71.2 us");
	assert_string_equal(cli_format_time(out, 1.53e6), "1.53 ms");
	assert_string_equal(cli_format_time(out, 2.5e12), "2500 s");
	assert_string_equal(cli_format_bytes(out, 0), "0 B");
	assert_string_equal(cli_format_bytes(out, 8192), "8 KiB");
	assert_string_equal(cli_format_bytes(out, 8448), "8.25 KiB");
	assert_string_equal(cli_format_bytes(out, 149250179072.0), "139 GiB");
	assert_string_equal(cli_format_amount(out, 0.2714), "0.271");
	assert_string_equal(cli_format_amount(out, 27989.1), "27989");
	assert_string_equal(cli_format_percent(out, 1, 2), "50 %");
	assert_string_equal(cli_format_percent(out, 1, 0), "");
	assert_string_equal(cli_format_seconds(out, 59.4), "59 s");
	assert_string_equal(cli_format_seconds(out, 125), "2 min 5 s");
	assert_string_equal(cli_format_seconds(out, 3780), "1 h 3 min");
	assert_string_equal(cli_format_seconds(out, -3), "0 s");
}

static void sizes_are_joined(void **state)
{
	(void)state;
	char out[CLI_FORMAT_BYTES];
	json_t *sizes = json_pack("[i, i, i]", 1024, 16, 1);
	assert_string_equal(cli_format_sizes(out, sizes, "x"), "1024x16x1");
	assert_string_equal(cli_format_sizes(out, sizes, " "), "1024 16 1");
	json_decref(sizes);
	assert_string_equal(cli_format_sizes(out, NULL, "x"), "");
	json_t *many = json_array();
	for (int i = 0; i < 100; i++)
		json_array_append_new(many, json_integer(1234567));
	assert_true(strlen(cli_format_sizes(out, many, "x")) < CLI_FORMAT_BYTES);
	json_decref(many);
}

static void absent_fields_read_as_empty(void **state)
{
	(void)state;
	char text[64], problem[MMT_MESSAGE_BYTES];
	json_t *object = json_pack("{s:i, s:n, s:{s:i, s:s, s:b}}", "n", 3, "none", "p", "A", 64, "B", "x", "C", 1);
	assert_string_equal(cli_field_text(object, "n"), "");
	assert_string_equal(cli_field_text(NULL, "n"), "");
	assert_true(cli_field_number(object, "none") == 0);
	assert_int_equal(cli_field_integer(object, "n"), 3);
	assert_string_equal(cli_field_parameters(object, "p", text, sizeof text), "A=64 B=x C=true");
	assert_string_equal(cli_field_parameters(object, "p", text, 8), "A=64");
	assert_string_equal(cli_field_problem(object, "n", problem), "");
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_units),
		cmocka_unit_test(sizes_are_joined),
		cmocka_unit_test(absent_fields_read_as_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
