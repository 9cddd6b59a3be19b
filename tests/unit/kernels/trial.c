/* trial.c: what the worker says of a trial, and what is not believed. */
#include "fixture.h"

#include <math.h>

#include "trial.h"

static struct kern_result good_result(void)
{
	return (struct kern_result){.outcome = KERN_OUTCOME_OK,
				    .time_ns = 1.5e6,
				    .minimum_ns = 1.4e6,
				    .spread = 0.01,
				    .runs = 7,
				    .host_clock = true,
				    .relative_error = 3e-7,
				    .build_ns = 1e9,
				    .driver_ns = 2e9,
				    .total_ns = 3e9,
				    .message = "a\nb"};
}

static int round_trip(const struct kern_result *result, struct kern_result *back, struct mmt_error *error)
{
	json_t *object = kern_result_to_json(result);
	assert_non_null(object);
	int failed = kern_result_from_json(object, back, error);
	json_decref(object);
	return failed;
}

static void json_keeps_every_field(void **state)
{
	(void)state;
	struct kern_result result = good_result(), back;
	struct mmt_error error;
	assert_int_equal(round_trip(&result, &back, &error), 0);
	json_t *object = kern_result_to_json(&result), *again = kern_result_to_json(&back);
	assert_true(json_equal(object, again));
	assert_int_equal(back.runs, 7);
	assert_true(back.time_ns == 1.5e6 && back.relative_error == 3e-7 && back.host_clock && !back.gave_up);
	assert_string_equal(back.message, "a\nb");
	json_decref(object);
	json_decref(again);
}

static void an_unbounded_error_travels(void **state)
{
	(void)state;
	struct kern_result result = {.outcome = KERN_OUTCOME_WRONG_RESULT, .relative_error = NAN}, back;
	struct mmt_error error;
	assert_int_equal(round_trip(&result, &back, &error), 0);
	assert_true(isinf(back.relative_error));
}

static void nothing_is_infinitely_fast(void **state)
{
	(void)state;
	static const double times[] = {0, -1, NAN, INFINITY};
	struct kern_result back;
	struct mmt_error error = {0};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct kern_result result = good_result();
		result.time_ns = times[i];
		assert_int_equal(round_trip(&result, &back, &error), -1);
		assert_int_equal(error.code, MMT_PROTOCOL);
	}
	struct kern_result result = good_result();
	result.runs = 0;
	assert_int_equal(round_trip(&result, &back, &error), -1);
	result = good_result();
	result.outcome = KERN_OUTCOME_TIMEOUT; /* a time without a measurement */
	assert_int_equal(round_trip(&result, &back, &error), -1);
}

static void outcomes_have_names(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	for (int i = 0; i < KERN_OUTCOME_COUNT; i++) {
		enum kern_outcome back;
		assert_int_equal(kern_outcome_parse(kern_outcome_name((enum kern_outcome)i), &back, &error), 0);
		assert_int_equal(back, i);
	}
	enum kern_outcome out;
	assert_int_equal(kern_outcome_parse("OK", &out, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
}

static void bad_json_is_refused(void **state)
{
	(void)state;
	struct kern_result result = good_result(), back;
	struct mmt_error error;
	static const char *const keys[] = {"outcome", "time_ns", "runs", "gave_up", "relative_error", "message"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_t *object = kern_result_to_json(&result);
		json_object_set_new(object, keys[i], json_array());
		assert_int_equal(kern_result_from_json(object, &back, &error), -1);
		json_object_del(object, keys[i]);
		assert_int_equal(kern_result_from_json(object, &back, &error), -1);
		json_decref(object);
	}
	assert_int_equal(kern_result_from_json(NULL, &back, &error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_keeps_every_field),     cmocka_unit_test(an_unbounded_error_travels),
		cmocka_unit_test(nothing_is_infinitely_fast), cmocka_unit_test(outcomes_have_names),
		cmocka_unit_test(bad_json_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
