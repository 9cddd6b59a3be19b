/* What a mistyped name meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "nearest.h"

static const char *meant(const char *typed)
{
	static const char *const names[] = {"cancel", "devices", "history", "jobs", "pause", "query", "resume", "tune"};
	struct nearest nearest;
	nearest_init(&nearest, typed);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		nearest_offer(&nearest, names[i]);
	return nearest_found(&nearest);
}

static void slips_of_the_finger_are_understood(void **state)
{
	(void)state;
	assert_string_equal(meant("qurey"), "query");
	assert_string_equal(meant("tun"), "tune");
	assert_string_equal(meant("dev"), "devices");
	assert_string_equal(meant("canccel"), "cancel");
	assert_string_equal(meant("hstory"), "history");
}

static void anything_else_is_not_guessed_at(void **state)
{
	(void)state;
	char long_name[300];
	memset(long_name, 'q', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	assert_null(meant(""));
	assert_null(meant("x"));
	assert_null(meant("xyzzy"));
	assert_null(meant("qaaay"));
	assert_null(meant(long_name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips_of_the_finger_are_understood),
		cmocka_unit_test(anything_else_is_not_guessed_at),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
