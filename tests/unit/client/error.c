/* The error record: what it says, and that it can be printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>

#include "mmtune/error.h"
#include "utf8.h"

static void every_code_is_found_by_its_wire_name(void **state)
{
	(void)state;
	for (int code = MMT_OK + 1; code < MMT_CODE_COUNT; code++) {
		const char *name = mmt_code_wire_name((enum mmt_code)code);
		char full[128] = "org.mmtune.Tuner.";
		strcat(full, name);
		assert_int_equal(mmt_code_from_wire_name(name), code);
		assert_int_equal(mmt_code_from_wire_name(full), code);
		assert_in_range(mmt_code_exit_status((enum mmt_code)code), 1, 6);
		assert_true(mmt_code_text((enum mmt_code)code)[0] != '\0');
	}
	assert_int_equal(mmt_code_from_wire_name("org.mmtune.Tuner.FromTheFuture"), MMT_FAILED);
	assert_int_equal(mmt_code_exit_status(MMT_OK), 0);
}

static void a_code_out_of_range_reads_as_failed(void **state)
{
	(void)state;
	assert_string_equal(mmt_code_wire_name((enum mmt_code)999), "Failed");
	assert_int_equal(mmt_code_exit_status((enum mmt_code) - 1), 1);
}

static void set_returns_minus_one_with_and_without_a_record(void **state)
{
	(void)state;
	struct mmt_error error;
	assert_int_equal(mmt_error_set(NULL, MMT_BUSY, 3, "x"), -1);
	assert_int_equal(mmt_error_set(&error, MMT_BUSY, 3, "job %d", 7), -1);
	assert_int_equal(error.code, MMT_BUSY);
	assert_int_equal(error.foreign, 3);
	assert_string_equal(error.message, "job 7");
}

static void a_message_may_be_made_from_itself(void **state)
{
	(void)state;
	struct mmt_error error;
	mmt_error_set(&error, MMT_FAILED, 0, "inner");
	mmt_error_set(&error, MMT_FAILED, 0, "outer: %s", error.message);
	assert_string_equal(error.message, "outer: inner");
}

static void a_long_message_is_cut_between_characters(void **state)
{
	(void)state;
	struct mmt_error error;
	for (size_t offset = 0; offset < 4; offset++) {
		char text[1024] = "abc";
		text[offset] = '\0';
		while (strlen(text) < 900)
			strcat(text, "\xe6\xbc\xa2"); /* three bytes each */
		mmt_error_set(&error, MMT_FAILED, 0, "%s", text);
		size_t length = strlen(error.message);
		assert_in_range(length, MMT_MESSAGE_BYTES - 4, MMT_MESSAGE_BYTES - 1);
		assert_memory_equal(error.message, text, length);
		assert_int_equal((length - offset) % 3, 0);
	}
}

static void what_would_break_a_terminal_or_json_is_replaced(void **state)
{
	(void)state;
	struct mmt_error error;
	mmt_error_set(&error, MMT_FAILED, 0, "a\033[31m\xff\xc3\xa9\xed\xa0\x80\n\tb");
	assert_string_equal(error.message, "a?[31m?\xc3\xa9???\n\tb");
}

static void an_errno_keeps_its_reason_whatever_the_length(void **state)
{
	(void)state;
	struct mmt_error error;
	char path[2000];
	memset(path, 'x', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	errno = ENOSPC;
	assert_int_equal(mmt_error_errno(&error, "cannot write %s", path), -1);
	assert_int_equal(error.code, MMT_SYSTEM);
	assert_int_equal(error.foreign, ENOSPC);
	assert_non_null(strstr(error.message, "xxx: No space left on device"));
}

static void utf8_follows_rfc_3629(void **state)
{
	(void)state;
	assert_int_equal(utf8_length("a"), 1);
	assert_int_equal(utf8_length("\xc3\xa9"), 2);
	assert_int_equal(utf8_length("\xf0\x9f\x98\x80"), 4);
	assert_int_equal(utf8_length("\xc0\x80"), 0);         /* overlong */
	assert_int_equal(utf8_length("\xed\xa0\x80"), 0);     /* surrogate */
	assert_int_equal(utf8_length("\xf4\x90\x80\x80"), 0); /* beyond U+10FFFF */
	assert_int_equal(utf8_length("\xe6\xbc"), 0);         /* ends within */
	assert_int_equal(utf8_length("\x80"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_is_found_by_its_wire_name),
		cmocka_unit_test(a_code_out_of_range_reads_as_failed),
		cmocka_unit_test(set_returns_minus_one_with_and_without_a_record),
		cmocka_unit_test(a_message_may_be_made_from_itself),
		cmocka_unit_test(a_long_message_is_cut_between_characters),
		cmocka_unit_test(what_would_break_a_terminal_or_json_is_replaced),
		cmocka_unit_test(an_errno_keeps_its_reason_whatever_the_length),
		cmocka_unit_test(utf8_follows_rfc_3629),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
