/* What an answer rests on: this very problem and kernel, a neighbour's configuration, or nothing yet. */
#include "fixture.h"

#include "answer.h"
#include "prepared.h"
#include "problem_json.h"

static int set_up(void **state)
{
	struct fixture *fixture = malloc(sizeof *fixture);
	fixture_create(fixture);
	fixture_start(fixture, "devices=gpu:Card; driver=1.0");
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	fixture_destroy(*state);
	free(*state);
	return 0;
}

static struct svc_device *device_of(struct fixture *fixture)
{
	return svc_devices_at(fixture->service.devices, 0);
}

/* Makes a trial of the toy the best of a problem. */
static void promote_on(struct fixture *fixture, const struct svc_device *device, const struct mmt_problem *problem,
		       const char *configuration, double time_ns)
{
	const struct kern_variant *variant = fixture->variants[strcmp(problem->family, "matmul") != 0];
	json_t *json = problem_to_json(problem);
	char *text = json_dumps(json, JSON_COMPACT);
	char family[32], sha[2][65], driver[512], platform[512], configuration_text[128], outcome[] = "ok", name[16];
	snprintf(family, sizeof family, "%s", variant->family);
	snprintf(name, sizeof name, "%s", variant->name);
	snprintf(sha[0], sizeof sha[0], "%s", variant->spec_sha256);
	snprintf(sha[1], sizeof sha[1], "%s", variant->source_sha256);
	snprintf(driver, sizeof driver, "%s", device->properties.driver);
	snprintf(platform, sizeof platform, "%s", device->properties.platform_version);
	snprintf(configuration_text, sizeof configuration_text, "%s", configuration);
	struct db_trial trial = {
		.id = 1,
		.device_id = device->id,
		.environment_id = device->environment_id,
		.configuration = configuration_text,
		.outcome = outcome,
		.time_ns = time_ns,
		.gflops = 123,
		.spread = 0.01,
		.relative_error = 1e-7,
		.measured_at = 1764000000,
		.problem = text,
		.family = family,
		.variant = name,
		.spec_sha256 = sha[0],
		.source_sha256 = sha[1],
		.driver = driver,
		.platform_version = platform,
	};
	struct mmt_error error = {0};
	if (svc_answers_promoted(fixture->service.answers, &trial, &error) != 0)
		fail_msg("%s", error.message);
	json_decref(json);
	free(text);
}

static void promote_problem(struct fixture *fixture, const struct mmt_problem *problem, const char *configuration,
			    double time_ns)
{
	promote_on(fixture, device_of(fixture), problem, configuration, time_ns);
}

static void promote(struct fixture *fixture, int64_t order, const char *configuration)
{
	struct mmt_problem problem = fixture_problem(order);
	promote_problem(fixture, &problem, configuration, 1000);
}

static json_t *ask(struct fixture *fixture, const struct mmt_problem *problem, bool *untuned)
{
	struct mmt_error error = {0};
	json_t *answer =
		svc_answers_query(fixture->service.answers, device_of(fixture), problem, false, untuned, &error);
	if (!answer)
		fail_msg("%s", error.message);
	return answer;
}

static int64_t parameter(const json_t *answer, const char *name)
{
	return json_integer_value(json_object_get(json_object_get(answer, "parameters"), name));
}

static void nothing_known_gives_the_default(void **state)
{
	bool untuned = false;
	struct mmt_problem problem = fixture_problem(100);
	json_t *answer = ask(*state, &problem, &untuned);
	assert_true(untuned);
	assert_string_equal(fixture_text(answer, "match"), "default");
	assert_int_equal(parameter(answer, "T"), 4);
	assert_true(json_is_null(json_object_get(answer, "measured_at")));
	assert_true(json_is_null(json_object_get(json_object_get(answer, "performance"), "gflops")));
	assert_null(json_object_get(answer, "neighbour"));
	json_decref(answer);
}

static void a_tuned_problem_is_exact_with_its_rates(void **state)
{
	bool untuned = true;
	struct mmt_problem problem = fixture_problem(100);
	promote(*state, 100, "{\"T\":16,\"U\":2}");
	json_t *answer = ask(*state, &problem, &untuned);
	assert_false(untuned);
	assert_string_equal(fixture_text(answer, "match"), "exact");
	assert_false(json_is_true(json_object_get(answer, "stale")));
	assert_string_equal(fixture_text(answer, "measured_at"), "2025-11-24T16:00:00Z");
	assert_int_equal(parameter(answer, "T"), 16);
	json_t *performance = json_object_get(answer, "performance");
	assert_float_equal(json_real_value(json_object_get(performance, "time_ns")), 1000, 1e-9);
	/* 2 * 100^3 operations, 2 * 100^2 * 4 bytes in 1 us */
	assert_float_equal(json_real_value(json_object_get(performance, "gflops")), 2000, 1e-9);
	assert_float_equal(json_real_value(json_object_get(performance, "effective_bandwidth_gbps")), 80, 1e-9);
	assert_float_equal(json_real_value(json_object_get(performance, "compulsory_bandwidth_gbps")), 80, 1e-9);
	assert_true(json_is_null(json_object_get(performance, "peak_gflops")));
	json_decref(answer);
}

static void the_nearest_neighbour_is_planned_anew(void **state)
{
	bool untuned = false;
	struct mmt_problem problem = fixture_problem(120);
	promote(*state, 1000, "{\"T\":1,\"U\":1}");
	promote(*state, 100, "{\"T\":16,\"U\":2}");
	promote(*state, 10, "{\"T\":64,\"U\":8}");
	json_t *answer = ask(*state, &problem, &untuned);
	assert_true(untuned);
	assert_string_equal(fixture_text(answer, "match"), "near");
	assert_int_equal(parameter(answer, "T"), 16);
	json_t *step = json_array_get(json_object_get(answer, "steps"), 0);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(step, "global_size"), 0)), 128); /* of 120 */
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(json_object_get(answer, "neighbour"), "problem"), "m")),
			 100);
	assert_true(json_is_null(json_object_get(json_object_get(answer, "performance"), "time_ns")));
	json_decref(answer);
}

static void the_same_transposition_is_nearer(void **state)
{
	bool untuned;
	struct mmt_problem problem = fixture_problem(100), other = fixture_problem(100);
	other.trans = MMT_NT;
	promote_problem(*state, &other, "{\"T\":1,\"U\":1}", 10);
	promote(*state, 4000, "{\"T\":64,\"U\":8}");
	json_t *answer = ask(*state, &problem, &untuned);
	assert_int_equal(parameter(answer, "T"), 64);
	json_decref(answer);
}

/* Of neighbours that all are of another kind: another accuracy alone is less than another transposition beside it. */
static void what_differs_in_less_is_nearer(void **state)
{
	bool untuned;
	struct mmt_problem problem = fixture_problem(100), other = fixture_problem(100);
	problem.accuracy = MMT_ACCURACY_TF32;
	other.trans = MMT_NT;
	promote_problem(*state, &other, "{\"T\":1,\"U\":1}", 10);
	promote(*state, 4000, "{\"T\":64,\"U\":8}");
	json_t *answer = ask(*state, &problem, &untuned);
	assert_int_equal(parameter(answer, "T"), 64);
	json_decref(answer);
}

static void a_neighbour_that_does_not_hold_is_passed_over(void **state)
{
	struct fixture *fixture = *state;
	bool untuned;
	struct mmt_problem problem = fixture_problem(100);
	device_of(fixture)->properties.max_work_group_size = 16;
	promote(fixture, 101, "{\"T\":64,\"U\":1}");
	promote(fixture, 200, "{\"T\":16,\"U\":1}");
	json_t *answer = ask(fixture, &problem, &untuned);
	assert_string_equal(fixture_text(answer, "match"), "near");
	assert_int_equal(parameter(answer, "T"), 16);
	json_decref(answer);
}

static void a_default_that_is_refused_gives_way_to_what_holds(void **state)
{
	struct fixture *fixture = *state;
	bool untuned;
	struct mmt_problem problem = fixture_problem(100);
	device_of(fixture)->properties.max_work_group_size = 1;
	json_t *answer = ask(fixture, &problem, &untuned);
	assert_string_equal(fixture_text(answer, "match"), "default");
	assert_int_equal(parameter(answer, "T"), 1);
	json_decref(answer);
}

static void another_driver_makes_it_stale(void **state)
{
	struct fixture *fixture = *state;
	bool untuned = false;
	struct mmt_problem problem = fixture_problem(100);
	promote(fixture, 100, "{\"T\":16,\"U\":2}");
	fixture_enumerate(fixture, "devices=gpu:Card; driver=2.0");
	json_t *answer = ask(fixture, &problem, &untuned);
	assert_true(untuned);
	assert_string_equal(fixture_text(answer, "match"), "exact");
	assert_true(json_is_true(json_object_get(answer, "stale")));
	assert_string_equal(fixture_text(answer, "driver"), "1.0"); /* that it was measured with */
	json_decref(answer);
}

static void a_changed_kernel_is_never_served_as_measured(void **state)
{
	struct fixture *fixture = *state;
	bool untuned = false;
	struct mmt_problem problem = fixture_problem(100);
	promote(fixture, 100, "{\"T\":16,\"U\":2}");
	kern_variant_destroy(fixture->variants[0]);
	fixture->variants[0] =
		fixture_variant("matmul/toy.json", FIXTURE_VARIANT("matmul"), "kernel void toy() {/* new */}\n");
	json_t *answer = ask(fixture, &problem, &untuned);
	assert_true(untuned);
	assert_string_equal(fixture_text(answer, "match"), "near");
	assert_int_equal(parameter(answer, "T"), 16);
	assert_true(json_is_null(json_object_get(json_object_get(answer, "performance"), "gflops")));
	json_decref(answer);
}

static void a_measured_peak_is_given(void **state)
{
	struct fixture *fixture = *state;
	bool untuned;
	const char *which;
	struct mmt_problem peak, problem = fixture_problem(100);
	fixture_peak(MMT_F32, 0, &which, &peak);
	assert_true(svc_answers_peak_gflops(fixture->service.answers, device_of(fixture), MMT_F32) == 0);
	promote_problem(fixture, &peak, "{\"T\":16,\"U\":2}", 10);
	assert_float_equal(svc_answers_peak_gflops(fixture->service.answers, device_of(fixture), MMT_F32), 123, 1e-9);
	assert_true(svc_answers_peak_gflops(fixture->service.answers, device_of(fixture), MMT_F64) == 0);
	json_t *answer = ask(fixture, &problem, &untuned);
	assert_float_equal(json_real_value(json_object_get(json_object_get(answer, "performance"), "peak_gflops")), 123,
			   1e-9);
	json_decref(answer);
}

static void what_cannot_be_answered_says_why(void **state)
{
	struct fixture *fixture = *state;
	bool untuned;
	struct mmt_error error = {0};
	struct svc_answers *answers = fixture->service.answers;
	struct mmt_problem problem = fixture_problem(1000000);
	assert_null(svc_answers_query(answers, device_of(fixture), &problem, false, &untuned, &error));
	assert_int_equal(error.code, MMT_TOO_LARGE);
	problem = fixture_problem(10);
	snprintf(problem.family, sizeof problem.family, "sort");
	assert_null(svc_answers_query(answers, device_of(fixture), &problem, false, &untuned, &error));
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	problem = fixture_problem(10);
	device_of(fixture)->properties.max_work_group_size = 0;
	assert_null(svc_answers_query(answers, device_of(fixture), &problem, false, &untuned, &error));
	assert_int_equal(error.code, MMT_NO_ANSWER);
}

static void a_prepared_reply_lasts_until_a_promotion(void **state)
{
	struct fixture *fixture = *state;
	struct svc_answers *answers = fixture->service.answers;
	size_t length = 0;
	assert_null(svc_answers_recall(answers, "call", 4, &length));
	svc_answers_remember(answers, "call", 4, "reply\0", 6);
	svc_answers_remember(answers, "cal", 3, "other", 5);
	assert_memory_equal(svc_answers_recall(answers, "call", 4, &length), "reply\0", 6);
	assert_int_equal(length, 6);
	svc_answers_remember(answers, "call", 4, "new", 3);
	assert_memory_equal(svc_answers_recall(answers, "call", 4, &length), "new", 3);
	promote(fixture, 100, "{\"T\":16,\"U\":2}");
	assert_null(svc_answers_recall(answers, "call", 4, &length));
}

static void prepared_replies_are_bounded(void **state)
{
	(void)state;
	struct prepared *prepared = malloc(sizeof *prepared);
	prepared_init(prepared);
	char call[16], reply[9000] = {0};
	for (int i = 0; i < 5000; i++) {
		int length = snprintf(call, sizeof call, "%d", i);
		prepared_put(prepared, call, (size_t)length, reply, sizeof reply);
		assert_true(prepared->entries <= PREPARED_ENTRIES && prepared->bytes <= PREPARED_LIMIT_BYTES);
	}
	size_t length;
	assert_non_null(prepared_get(prepared, "4999", 4, &length));
	assert_null(prepared_get(prepared, "0", 1, &length));
	prepared_clear(prepared);
	free(prepared);
}

/* ---- sizes between ---- */

static double confidence(const json_t *answer)
{
	return json_real_value(json_object_get(json_object_get(answer, "neighbour"), "confidence"));
}

struct tried {
	struct fixture *fixture;
	const struct mmt_problem *problem;
	const char *configuration, *reason; /* reason NULL: not promoted */
	double time_ns;
};

/* As a job stores it: a trial, and its promotion. */
static int try_work(struct db *db, void *context, struct mmt_error *error)
{
	const struct tried *tried = context;
	const struct kern_variant *variant = tried->fixture->variants[0];
	const struct svc_device *device = device_of(tried->fixture);
	json_t *json = problem_to_json(tried->problem);
	char *text = json_dumps(json, JSON_COMPACT), outcome[] = "ok";
	char *configuration = strdup(tried->configuration);
	struct db_trial trial = {
		.device_id = device->id,
		.environment_id = device->environment_id,
		.configuration = configuration,
		.outcome = outcome,
		.time_ns = tried->time_ns,
		.minimum_ns = tried->time_ns,
		.gflops = 2.0 * (double)(tried->problem->m * tried->problem->n * tried->problem->k) / tried->time_ns,
	};
	int status = db_problem(db, text, &trial.problem_id, error);
	if (status == 0)
		status = db_variant(db, variant->family, variant->name, variant->spec_sha256, variant->source_sha256,
				    &trial.variant_id, error);
	if (status == 0)
		status = db_trial_add(db, &trial, error);
	if (status == 0 && tried->reason)
		status = db_promote(db, trial.id, tried->reason, error);
	json_decref(json);
	free(text);
	free(configuration);
	return status;
}

static void try_at(struct fixture *fixture, int64_t order, const char *configuration, double time_ns,
		   const char *reason)
{
	const struct mmt_problem problem = fixture_problem(order);
	struct tried tried = {fixture, &problem, configuration, reason, time_ns};
	struct mmt_error error = {0};
	if (svc_store_run(fixture->service.store, try_work, &tried, &error) != 0)
		fail_msg("%s", error.message);
}

/* 700 lies nearer to 512; its winner is poor at 1000, and 1000's is good at 512. */
static void the_winner_that_loses_least_answers_between(void **state)
{
	struct fixture *fixture = *state;
	const struct mmt_problem between = fixture_problem(700), near_512 = fixture_problem(513);
	bool untuned;
	try_at(fixture, 512, "{\"T\":16,\"U\":1}", 1e6, "first");
	try_at(fixture, 1000, "{\"T\":4,\"U\":8}", 8e6, "first");
	fixture_stop(fixture);
	fixture_start(fixture, "devices=gpu:Card; driver=1.0");
	json_t *answer = ask(fixture, &between, &untuned);
	assert_int_equal(parameter(answer, "T"), 16); /* the nearest, while nothing else is known */
	json_decref(answer);
	try_at(fixture, 1000, "{\"T\":16,\"U\":1}", 40e6, NULL);
	try_at(fixture, 512, "{\"T\":4,\"U\":8}", 1.05e6, NULL);
	fixture_stop(fixture);
	fixture_start(fixture, "devices=gpu:Card; driver=1.0");
	answer = ask(fixture, &between, &untuned);
	assert_string_equal(fixture_text(answer, "match"), "near");
	assert_int_equal(parameter(answer, "T"), 4);
	assert_true(confidence(answer) > 0.9 && confidence(answer) < 1);
	const json_t *neighbour = json_object_get(answer, "neighbour");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(neighbour, "problem"), "m")), 1000);
	double expected = json_real_value(json_object_get(neighbour, "expected_gflops"));
	assert_true(expected > 220 && expected < 270); /* 268 at 512 and 250 at 1000 */
	json_decref(answer);
	answer = ask(fixture, &near_512, &untuned);
	assert_int_equal(parameter(answer, "T"), 16); /* at its own size it is the best */
	json_decref(answer);
}

static void confidence_falls_with_the_distance(void **state)
{
	struct fixture *fixture = *state;
	bool untuned;
	double before = 1;
	promote(fixture, 512, "{\"T\":16,\"U\":1}");
	for (int64_t order = 513; order < 9000; order = 2 * order + 1) {
		const struct mmt_problem problem = fixture_problem(order);
		json_t *answer = ask(fixture, &problem, &untuned);
		assert_true(confidence(answer) < before && confidence(answer) > 0.4);
		before = confidence(answer);
		json_decref(answer);
	}
}

/* After a promotion the times of the others are read again, while answers go on. */
static void a_promotion_reads_the_times_again(void **state)
{
	struct fixture *fixture = *state;
	const struct mmt_problem between = fixture_problem(700);
	bool untuned;
	int64_t t = 0;
	try_at(fixture, 512, "{\"T\":16,\"U\":1}", 1e6, "first");
	try_at(fixture, 1000, "{\"T\":4,\"U\":8}", 8e6, "first");
	fixture_stop(fixture);
	fixture_start(fixture, "devices=gpu:Card; driver=1.0");
	try_at(fixture, 1000, "{\"T\":16,\"U\":1}", 40e6, NULL);
	promote(fixture, 5, "{\"T\":1,\"U\":1}");
	promote(fixture, 6, "{\"T\":1,\"U\":1}");
	for (int i = 0; i < 500 && t != 4; i++) {
		uv_run(&fixture->loop, UV_RUN_ONCE);
		json_t *answer = ask(fixture, &between, &untuned);
		t = parameter(answer, "T");
		json_decref(answer);
	}
	assert_int_equal(t, 4);
}

/* ---- what a search may start from ---- */

static size_t priors_of(struct fixture *fixture, int64_t order, const struct svc_best **out, size_t max)
{
	struct mmt_problem problem = fixture_problem(order);
	return svc_answers_priors(fixture->service.answers, device_of(fixture), &problem, out, max);
}

static void priors_are_nearest_first(void **state)
{
	struct fixture *fixture = *state;
	for (int64_t order = 60; order < 100; order++)
		promote(fixture, order, "{\"T\":16,\"U\":2}");
	const struct svc_best *priors[4];
	assert_int_equal(priors_of(fixture, 100, priors, 4), 4);
	assert_int_equal(priors[0]->problem.m, 99);
	assert_int_equal(priors[3]->problem.m, 96);
}

static void priors_come_from_other_types_transposes_and_devices_of_the_kind(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_problem problem = fixture_problem(100);
	const struct svc_best *priors[8];
	fixture_enumerate(fixture, "devices=gpu:Card,gpu:Other Card,cpu:Chip");
	struct svc_device *const gpu0 = svc_devices_at(fixture->service.devices, 1);
	struct svc_device *const gpu1 = svc_devices_at(fixture->service.devices, 2);
	promote_on(fixture, svc_devices_at(fixture->service.devices, 0), &problem, "{\"T\":1,\"U\":1}", 1);
	promote_on(fixture, gpu1, &problem, "{\"T\":4,\"U\":1}", 1);
	problem.type = MMT_F64;
	promote_on(fixture, gpu0, &problem, "{\"T\":16,\"U\":1}", 1);
	problem = fixture_problem(100);
	problem.trans = MMT_TN;
	promote_on(fixture, gpu0, &problem, "{\"T\":64,\"U\":1}", 1);
	problem = fixture_problem(100);
	assert_int_equal(svc_answers_priors(fixture->service.answers, gpu0, &problem, priors, 8), 3);
	assert_int_equal(priors[0]->problem.trans, MMT_TN);
	assert_int_equal(priors[1]->problem.type, MMT_F64);
	assert_int_equal(priors[2]->trial.device_id, gpu1->id);
	/* for an answer they are no ground, but for the transposition */
	bool untuned;
	struct mmt_error error = {0};
	problem.type = MMT_F64;
	json_t *answer = svc_answers_query(fixture->service.answers, gpu1, &problem, false, &untuned, &error);
	assert_string_equal(fixture_text(answer, "match"), "default");
	json_decref(answer);
}

static void a_prior_of_a_changed_kernel_is_the_last(void **state)
{
	struct fixture *fixture = *state;
	const struct svc_best *priors[2];
	promote(fixture, 100, "{\"T\":16,\"U\":2}");
	kern_variant_destroy(fixture->variants[0]);
	fixture->variants[0] =
		fixture_variant("matmul/toy.json", FIXTURE_VARIANT("matmul"), "kernel void toy() {/* new */}\n");
	promote(fixture, 5000, "{\"T\":4,\"U\":2}");
	assert_int_equal(priors_of(fixture, 100, priors, 2), 2);
	assert_int_equal(priors[0]->problem.m, 5000);
	assert_int_equal(priors[1]->problem.m, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_known_gives_the_default, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_tuned_problem_is_exact_with_its_rates, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_nearest_neighbour_is_planned_anew, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_same_transposition_is_nearer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_differs_in_less_is_nearer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_neighbour_that_does_not_hold_is_passed_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_default_that_is_refused_gives_way_to_what_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_driver_makes_it_stale, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_changed_kernel_is_never_served_as_measured, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_measured_peak_is_given, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_answered_says_why, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_prepared_reply_lasts_until_a_promotion, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_winner_that_loses_least_answers_between, set_up, tear_down),
		cmocka_unit_test_setup_teardown(confidence_falls_with_the_distance, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_promotion_reads_the_times_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(priors_are_nearest_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(priors_come_from_other_types_transposes_and_devices_of_the_kind, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_prior_of_a_changed_kernel_is_the_last, set_up, tear_down),
		cmocka_unit_test(prepared_replies_are_bounded),
	};
	return cmocka_run_group_tests_name("service/answers", tests, NULL, NULL);
}
