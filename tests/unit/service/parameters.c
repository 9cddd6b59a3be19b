/* What a method accepts as its parameters, and what it says of the rest. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "parameters.h"

struct taken {
	const char *device;
	int64_t limit;
	double wait_s;
	bool source;
};

static int take(const char *text, enum svc_problem_keys keys, struct taken *taken, struct mmt_error *error)
{
	static json_t *parameters; /* strings are borrowed from it until the next call */
	json_decref(parameters);
	parameters = text != NULL ? json_loads(text, 0, NULL) : NULL;
	if (parameters == NULL)
		return -1;
	*taken = (struct taken){.limit = 7};
	const struct svc_parameter table[] = {
		{"device", SVC_STRING, SVC_REQUIRED, &taken->device},
		{"limit", SVC_INTEGER, SVC_OPTIONAL, &taken->limit},
		{"wait_s", SVC_REAL, SVC_OPTIONAL, &taken->wait_s},
		{"source", SVC_BOOLEAN, SVC_OPTIONAL, &taken->source},
		{0},
	};
	return svc_parameters_read(parameters, table, keys, error);
}

static void values_are_taken(void **state)
{
	struct taken taken;
	struct mmt_error error;
	(void)state;
	assert_int_equal(take("{\"device\":\"gpu0\",\"wait_s\":3,\"source\":true,\"limit\":null}", SVC_NO_PROBLEM,
			      &taken, &error),
			 0);
	assert_string_equal(taken.device, "gpu0");
	assert_int_equal(taken.limit, 7); /* null is absent */
	assert_true(taken.wait_s == 3);
	assert_true(taken.source);
	assert_int_equal(take("{\"device\":\"a\",\"order\":4}", SVC_WITH_PROBLEM, &taken, &error), 0);
	take(NULL, SVC_NO_PROBLEM, &taken, &error);
}

static void the_rest_is_refused_by_name(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{}", "the parameter 'device' is missing"},
		{"{\"device\":null}", "the parameter 'device' is missing"},
		{"{\"device\":7}", "device: 7 where a string is expected"},
		{"{\"device\":\"a\",\"order\":4}", "unknown parameter 'order'"},
		{"{\"device\":\"a\",\"limit\":-1}", "limit: -1 where an integer that is not negative is expected"},
		{"{\"device\":\"a\",\"limit\":1.5}", "limit: 1.5 where an integer that is not negative is expected"},
		{"{\"device\":\"a\",\"wait_s\":\"1\"}",
		 "wait_s: \"1\" where a number that is not negative is expected"},
		{"{\"device\":\"a\",\"source\":1}", "source: 1 where true or false is expected"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct taken taken;
		struct mmt_error error;
		assert_int_equal(take(cases[i].text, SVC_NO_PROBLEM, &taken, &error), -1);
		assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
		assert_string_equal(error.message, cases[i].message);
	}
	take(NULL, SVC_NO_PROBLEM, &(struct taken){0}, NULL);
}

static int read_problem(const char *text, struct mmt_problem *problem, struct mmt_error *error)
{
	json_t *parameters = json_loads(text, 0, NULL);
	assert_non_null(parameters);
	int status = svc_parameters_problem(parameters, problem, error);
	json_decref(parameters);
	return status;
}

static void a_problem_is_read_among_other_keys(void **state)
{
	struct mmt_problem problem;
	struct mmt_error error;
	(void)state;
	assert_int_equal(read_problem("{\"device\":\"a\",\"m\":130,\"n\":293,\"k\":237,\"trans\":\"nt\",\"type\":null}",
				      &problem, &error),
			 0);
	assert_int_equal(problem.m, 130);
	assert_int_equal(problem.n, 293);
	assert_int_equal(problem.k, 237);
	assert_int_equal(problem.trans, MMT_NT);
	assert_int_equal(problem.type, MMT_F32);
}

static void wrong_problems_are_refused(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"{\"device\":\"a\"}", "size is missing"},
		{"{\"k\":3}", "need m"},
		{"{\"n\":3,\"k\":3,\"m\":null}", "need m"},
		{"{\"order\":0}", "0"},
		{"{\"order\":-5}", "-5"},
		{"{\"order\":1e9}", "order"},
		{"{\"order\":4,\"type\":\"f99\"}", "f99"},
		{"{\"order\":4,\"trans\":\"xx\"}", "xx"},
		{"{\"order\":4,\"family\":\"no\"}", "matmul"}, /* the families are listed */
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct mmt_problem problem;
		struct mmt_error error;
		assert_int_equal(read_problem(cases[i].text, &problem, &error), -1);
		assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
		if (strstr(error.message, cases[i].part) == NULL)
			fail_msg("'%s' is not in '%s'", cases[i].part, error.message);
	}
}

static bool matches(const char *text, const struct mmt_problem *problem)
{
	struct svc_problem_filter filter;
	struct mmt_error error;
	json_t *parameters = json_loads(text, 0, NULL);
	assert_int_equal(svc_parameters_filter(parameters, &filter, &error), 0);
	json_decref(parameters);
	return svc_problem_filter_matches(&filter, problem);
}

static void a_filter_asks_only_for_what_was_given(void **state)
{
	struct mmt_problem problem;
	(void)state;
	mmt_problem_init(&problem);
	problem.m = problem.n = problem.k = 64;
	problem.trans = MMT_TN;
	problem.type = MMT_F64;
	assert_true(matches("{}", &problem));
	assert_true(matches("{\"order\":64}", &problem)); /* any type */
	assert_true(matches("{\"type\":\"f64\",\"trans\":\"tn\"}", &problem));
	assert_true(matches("{\"family\":\"matmul\",\"what\":\"trials\"}", &problem));
	assert_false(matches("{\"order\":65}", &problem));
	assert_false(matches("{\"m\":64,\"n\":64,\"k\":1}", &problem));
	assert_false(matches("{\"type\":\"f32\"}", &problem));
	assert_false(matches("{\"trans\":\"nn\"}", &problem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_taken),
		cmocka_unit_test(the_rest_is_refused_by_name),
		cmocka_unit_test(a_problem_is_read_among_other_keys),
		cmocka_unit_test(wrong_problems_are_refused),
		cmocka_unit_test(a_filter_asks_only_for_what_was_given),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
