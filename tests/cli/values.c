/* Option values, strictly parsed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "values.h"

static void durations_have_units(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double seconds;
	} cases[] = {{"60", 60},     {"60s", 60},    {"2m", 120},       {"1h", 3600},
		     {"500ms", 0.5}, {"1.5h", 5400}, {"0.001s", 0.001}, {"168h", 604800}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double seconds = 0;
		assert_int_equal(cli_parse_duration_s("--budget", cases[i].text, &seconds, NULL), 0);
		assert_true(seconds == cases[i].seconds);
	}
	static const char *const wrong[] = {
		"", "0", "0s", "-1", "1d", "1 s", "1e3", "inf", "nan", "1.2.3", "169h", ".", "1111111111111111", "s"};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct mmt_error error;
		double seconds = 7;
		assert_int_equal(cli_parse_duration_s("--budget", wrong[i], &seconds, &error), -1);
		assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
		assert_true(seconds == 7);
	}
}

static void fractions_may_be_percents(void **state)
{
	(void)state;
	double fraction;
	assert_int_equal(cli_parse_fraction("--until", "80%", &fraction, NULL), 0);
	assert_true(fraction == 0.8);
	assert_int_equal(cli_parse_fraction("--until", "1", &fraction, NULL), 0);
	assert_true(fraction == 1);
	assert_int_equal(cli_parse_fraction("--until", "100%", &fraction, NULL), 0);
	assert_int_equal(cli_parse_fraction("--until", "101%", &fraction, NULL), -1);
	assert_int_equal(cli_parse_fraction("--until", "80", &fraction, NULL), -1);
	assert_int_equal(cli_parse_fraction("--until", "0", &fraction, NULL), -1);
	assert_int_equal(cli_parse_fraction("--until", "8x", &fraction, NULL), -1);
}

static void integers_do_not_overflow(void **state)
{
	(void)state;
	int64_t value = 7;
	assert_int_equal(cli_parse_integer("--seed", "9223372036854775807", 0, INT64_MAX, &value, NULL), 0);
	assert_true(value == INT64_MAX);
	assert_int_equal(cli_parse_integer("--seed", "9223372036854775808", 0, INT64_MAX, &value, NULL), -1);
	assert_int_equal(cli_parse_integer("--seed", "18446744073709551617", 0, INT64_MAX, &value, NULL), -1);
	assert_int_equal(cli_parse_integer("--seed", "", 0, INT64_MAX, &value, NULL), -1);
	assert_int_equal(cli_parse_integer("--seed", "-0", 0, INT64_MAX, &value, NULL), -1);
	assert_true(value == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(fractions_may_be_percents),
		cmocka_unit_test(integers_do_not_overflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
