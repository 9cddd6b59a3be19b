/* The framing: messages cut anywhere, too long, too deep, ended early. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire.h"

static void feed(struct wire_reader *reader, const char *bytes, size_t length)
{
	char *space = wire_reader_reserve(reader, length, NULL);
	assert_non_null(space);
	memcpy(space, bytes, length);
	wire_reader_commit(reader, length);
}

static void messages_come_out_whole_however_they_were_cut(void **state)
{
	(void)state;
	static const char stream[] = "one\0\0three";
	for (size_t piece = 1; piece <= sizeof stream; piece++) {
		struct wire_reader reader;
		char got[64] = "";
		wire_reader_init(&reader, 100);
		for (size_t at = 0; at < sizeof stream; at += piece) {
			size_t length, left = sizeof stream - at;
			feed(&reader, stream + at, piece < left ? piece : left);
			for (char *message; (message = wire_reader_next(&reader, &length)) != NULL;) {
				assert_int_equal(strlen(message), length);
				strcat(strcat(got, message), "|");
			}
		}
		assert_string_equal(got, "one||three|");
		wire_reader_finish(&reader);
	}
}

static void a_message_over_the_limit_is_found_at_the_limit(void **state)
{
	(void)state;
	struct wire_reader reader;
	struct mmt_error error;
	size_t length, fed = 0;
	wire_reader_init(&reader, 1000);
	while (fed < 1000) {
		char *space = wire_reader_reserve(&reader, 10, &error);
		assert_non_null(space);
		memset(space, 'x', 10);
		wire_reader_commit(&reader, 10);
		assert_null(wire_reader_next(&reader, &length));
		fed += 10;
	}
	assert_null(wire_reader_reserve(&reader, 10, &error));
	assert_int_equal(error.code, MMT_PROTOCOL);
	assert_non_null(strstr(error.message, "1000 bytes"));
	wire_reader_finish(&reader);
}

static void many_messages_over_the_limit_together_are_fine(void **state)
{
	(void)state;
	struct wire_reader reader;
	size_t length;
	wire_reader_init(&reader, 100);
	for (int i = 0; i < 1000; i++) {
		feed(&reader, "0123456789012345678901234567890123456789", 41);
		assert_non_null(wire_reader_next(&reader, &length));
		assert_int_equal(length, 40);
	}
	assert_true(reader.capacity <= 8192);
	wire_reader_finish(&reader);
}

static void an_idle_reader_gives_a_large_buffer_back(void **state)
{
	(void)state;
	struct wire_reader reader;
	size_t length, large = (size_t)4 << 20;
	wire_reader_init(&reader, (size_t)8 << 20);
	char *space = wire_reader_reserve(&reader, large, NULL);
	memset(space, 'x', large);
	space[large - 1] = '\0';
	wire_reader_commit(&reader, large);
	assert_non_null(wire_reader_next(&reader, &length));
	assert_int_equal(length, large - 1);
	assert_non_null(wire_reader_reserve(&reader, 4096, NULL));
	assert_true(reader.capacity <= (size_t)64 << 10);
	wire_reader_finish(&reader);
}

static void an_encoded_message_is_compact_and_ends_in_its_only_nul(void **state)
{
	(void)state;
	json_t *object = json_pack("{s:s%, s:i}", "z", "a\0b", (size_t)3, "a", 1);
	size_t length;
	char *text = wire_encode(object, &length);
	assert_string_equal(text, "{\"z\":\"a\\u0000b\",\"a\":1}");
	assert_int_equal(length, strlen(text) + 1);
	free(text);
	json_decref(object);
}

static void numbers_survive_the_wire_exactly(void **state)
{
	(void)state;
	json_t *object = json_pack("{s:f, s:I}", "real", 0.1, "integer", (json_int_t)9007199254740993);
	size_t length;
	char *text = wire_encode(object, &length);
	json_t *back = wire_decode(text, length - 1, NULL);
	assert_true(json_real_value(json_object_get(back, "real")) == 0.1);
	assert_true(json_integer_value(json_object_get(back, "integer")) == 9007199254740993);
	free(text);
	json_decref(object);
	json_decref(back);
}

/* {"a":[[[...]]]} with brackets nested so deep in all. */
static char *nested(size_t depth)
{
	char *text = calloc(1, 2 * depth + 16);
	strcpy(text, "{\"a\":");
	memset(text + 5, '[', depth - 1);
	memset(text + 4 + depth, ']', depth - 1);
	text[3 + 2 * depth] = '}';
	return text;
}

static void nesting_is_capped_at_64(void **state)
{
	(void)state;
	struct mmt_error error;
	char *allowed = nested(64), *refused = nested(65);
	json_t *object = wire_decode(allowed, strlen(allowed), &error);
	assert_non_null(object);
	json_decref(object);
	assert_null(wire_decode(refused, strlen(refused), &error));
	assert_int_equal(error.code, MMT_PROTOCOL);
	free(allowed);
	free(refused);
	/* Brackets within a string do not nest, escaped quotes do not end it. */
	char text[300] = "{\"a\":\"\\\"";
	memset(text + strlen(text), '[', 200);
	strcat(text, "\"}");
	object = wire_decode(text, strlen(text), &error);
	assert_non_null(object);
	json_decref(object);
}

static void anything_but_one_object_is_refused(void **state)
{
	(void)state;
	static const char *const wrong[] = {"",
					    "[]",
					    "1",
					    "null",
					    "{",
					    "{}{}",
					    "{\"a\":1,}",
					    "{'a':1}",
					    "{\"a\":NaN}",
					    "\"x",
					    "{\"a\":1,\"a\":2}",
					    "{\"a\":\"\xff\"}",
					    "{\"a\":\"\\u0000\"}",
					    "{\"a\":1e999}",
					    "{\"\\",
					    "{\"a\":99999999999999999999}"};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct mmt_error error = {.code = MMT_OK};
		assert_null(wire_decode(wrong[i], strlen(wrong[i]), &error));
		assert_int_equal(error.code, MMT_PROTOCOL);
		assert_true(error.message[0] != '\0');
	}
}

static void a_message_goes_through_a_socket(void **state)
{
	(void)state;
	int pair[2];
	struct wire_reader reader;
	struct mmt_error error;
	json_t *sent = json_pack("{s:i}", "x", 1), *came = NULL;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	wire_reader_init(&reader, 100);
	assert_int_equal(wire_send(pair[0], sent, &error), 0);
	assert_int_equal(wire_receive(pair[1], &reader, 1000, &came, &error), 0);
	assert_true(json_equal(sent, came));
	json_decref(came);
	/* Nothing more: a time out; then a clean end. */
	assert_int_equal(wire_receive(pair[1], &reader, 1, &came, &error), -1);
	assert_int_equal(error.code, MMT_TIMED_OUT);
	close(pair[0]);
	assert_int_equal(wire_receive(pair[1], &reader, -1, &came, &error), 0);
	assert_null(came);
	/* And sending to nobody is an error, not a signal. */
	assert_int_equal(wire_send(pair[1], sent, &error), -1);
	assert_int_equal(error.code, MMT_UNREACHABLE);
	close(pair[1]);
	wire_reader_finish(&reader);
	json_decref(sent);
}

static void an_end_within_a_message_is_an_error(void **state)
{
	(void)state;
	int pair[2];
	struct wire_reader reader;
	struct mmt_error error;
	json_t *came = NULL;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	wire_reader_init(&reader, 100);
	assert_int_equal(write(pair[0], "{\"x\":", 5), 5);
	close(pair[0]);
	assert_int_equal(wire_receive(pair[1], &reader, 1000, &came, &error), -1);
	assert_int_equal(error.code, MMT_PROTOCOL);
	close(pair[1]);
	wire_reader_finish(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_out_whole_however_they_were_cut),
		cmocka_unit_test(a_message_over_the_limit_is_found_at_the_limit),
		cmocka_unit_test(many_messages_over_the_limit_together_are_fine),
		cmocka_unit_test(an_idle_reader_gives_a_large_buffer_back),
		cmocka_unit_test(an_encoded_message_is_compact_and_ends_in_its_only_nul),
		cmocka_unit_test(numbers_survive_the_wire_exactly),
		cmocka_unit_test(nesting_is_capped_at_64),
		cmocka_unit_test(anything_but_one_object_is_refused),
		cmocka_unit_test(a_message_goes_through_a_socket),
		cmocka_unit_test(an_end_within_a_message_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
