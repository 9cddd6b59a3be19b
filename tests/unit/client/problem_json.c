/* Problems as JSON: what is written is what is read; the rest is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "problem_json.h"

static int read_text(const char *text, struct mmt_problem *out, struct mmt_error *error)
{
	json_t *object = json_loads(text, JSON_DECODE_ANY, NULL);
	assert_non_null(object);
	int status = problem_from_json(object, out, error);
	json_decref(object);
	return status;
}

static void keys_have_a_fixed_order(void **state)
{
	(void)state;
	struct mmt_problem problem;
	mmt_problem_init(&problem);
	problem.m = problem.n = problem.k = 1000;
	json_t *object = problem_to_json(&problem);
	char *text = json_dumps(object, JSON_COMPACT);
	assert_string_equal(text, "{\"family\":\"matmul\",\"m\":1000,\"n\":1000,\"k\":1000,\"trans\":\"nn\","
				  "\"type\":\"f32\"}");
	free(text);
	json_decref(object);
}

static void every_problem_survives_the_round_trip(void **state)
{
	(void)state;
	for (int i = 0; i < MMT_TRANS_COUNT * MMT_TYPE_COUNT * MMT_ACCURACY_COUNT; i++) {
		struct mmt_problem problem = {.family = "matmul", .m = 1 + i, .n = INT32_MAX, .k = 46341}, back;
		problem.trans = (enum mmt_trans)(i % MMT_TRANS_COUNT);
		problem.type = (enum mmt_type)(i / MMT_TRANS_COUNT % MMT_TYPE_COUNT);
		problem.accuracy = (enum mmt_accuracy)(i / MMT_TRANS_COUNT / MMT_TYPE_COUNT);
		json_t *object = problem_to_json(&problem);
		assert_int_equal(problem_from_json(object, &back, NULL), 0);
		assert_true(mmt_problem_equal(&problem, &back));
		json_decref(object);
	}
}

static void absent_keys_take_their_defaults(void **state)
{
	(void)state;
	struct mmt_problem problem;
	assert_int_equal(read_text("{}", &problem, NULL), 0);
	assert_true(problem.m == 1 && problem.n == 1 && problem.k == 1);
	assert_string_equal(problem.family, "matmul");
	assert_int_equal(read_text("{\"order\":5,\"k\":null,\"family\":null}", &problem, NULL), 0);
	assert_true(problem.m == 5 && problem.n == 5 && problem.k == 5);
	assert_int_equal(read_text("{\"m\":4,\"k\":3}", &problem, NULL), 0);
	assert_true(problem.m == 4 && problem.n == 4 && problem.k == 3);
	assert_int_equal(read_text("{\"family\":\"copy\",\"m\":4}", &problem, NULL), 0);
	assert_true(problem.m == 4 && problem.n == 1 && problem.k == 1);
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *json, *said;
	} cases[] = {
		{"{\"order\":0}", "order 0"},
		{"{\"m\":-5}", "m -5"},
		{"{\"m\":2147483648}", "m 2147483648"},
		{"{\"m\":5.0}", "m 5.0"},
		{"{\"m\":\"5\"}", "m \"5\""},
		{"{\"m\":true}", "m true"},
		{"{\"order\":5,\"m\":5}", "not both"},
		{"{\"ordre\":5}", "'ordre'"},
		{"{\"type\":\"f128\"}", "'f128'"},
		{"{\"trans\":7}", "trans"},
		{"{\"accuracy\":\"low\"}", "'low'"},
		{"{\"family\":\"\"}", "family"},
		{"{\"family\":\"a name that is longer than a family's can be\"}", "family"},
		{"[]", "object"},
		{"null", "object"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct mmt_problem problem;
		struct mmt_error error;
		assert_int_equal(read_text(cases[i].json, &problem, &error), -1);
		assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
		assert_non_null(strstr(error.message, cases[i].said));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_have_a_fixed_order),
		cmocka_unit_test(every_problem_survives_the_round_trip),
		cmocka_unit_test(absent_keys_take_their_defaults),
		cmocka_unit_test(what_is_wrong_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
