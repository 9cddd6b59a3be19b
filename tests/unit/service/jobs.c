/* Jobs from their start to their end, with a fake worker that builds, hangs, crashes and lies on demand. */
#include "jobs_fixture.h"

/* ---- the main road ---- */

static void a_job_finds_and_promotes_the_best(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	char match[16];
	start(fixture, "best=T:16,U:2");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	json_t *best = json_object_get(job.last, "best");
	assert_string_equal(fixture_text(best, "variant"), "toy");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(best, "parameters"), "T")), 16);
	assert_true(json_real_value(json_object_get(best, "fraction_of_peak")) > 0); /* the peak job went before */
	assert_string_equal(match_of(fixture, 100, match), "exact");
	json_t *accounting = json_object_get(job.last, "accounting");
	double wall_s = json_real_value(json_object_get(accounting, "wall_s"));
	double driver_s = json_real_value(json_object_get(accounting, "driver_s"));
	assert_true(driver_s > 0 && driver_s <= wall_s);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 0);
	assert_int_equal(count(fixture, (struct counting){0}).promotions, 1);
	finish_job(&job);
}

static void the_default_is_a_finalist_where_it_is_near(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "best=T:4,U:2");
	fixture->service.config.finalists = 1;
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(count(fixture, (struct counting){.configuration = "{\"T\":4,\"U\":2}"}).count, 2);
	assert_int_equal(count(fixture, (struct counting){.configuration = "{\"T\":4,\"U\":1}"}).count, 2);
	assert_int_equal(count(fixture, (struct counting){.configuration = "{\"T\":1,\"U\":2}"}).count, 1);
	finish_job(&job);
}

/* The winner's configuration where U should be 1.46, and 1 (the default) and 2 differ by what the seed gives them. */
static void find_with_seed(struct fixture *fixture, const char *fake, char out[32])
{
	struct fixture_job job;
	start(fixture, fake);
	struct svc_job_request request = fixture_request(fixture, 1000);
	run(fixture, &job, &request);
	const struct db_trial *best = svc_answers_best(
		fixture->service.answers, svc_devices_at(fixture->service.devices, 0)->id, &request.problem);
	snprintf(out, 32, "%s", best ? best->configuration : "none");
	finish_job(&job);
}

static void of_those_that_tie_the_default_wins(void **state)
{
	char winner[32];
	find_with_seed(*state, "best=T:4,U:1.46; seed=8", winner);
	assert_string_equal(winner, "{\"T\":4,\"U\":1}");
}

static void the_default_does_not_win_where_it_is_slower(void **state)
{
	char winner[32];
	find_with_seed(*state, "best=T:4,U:1.46; seed=9", winner);
	assert_string_equal(winner, "{\"T\":4,\"U\":2}");
}

static void a_second_job_measures_nothing_twice_and_keeps_the_best(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job first, second;
	start(fixture, "best=T:16,U:2");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &first, &request);
	restart(fixture, "best=T:16,U:2");
	request = fixture_request(fixture, 100);
	run(fixture, &second, &request);
	assert_string_equal(fixture_text(second.last, "state"), "done");
	assert_int_equal(fixture_evaluations(&second), 0);
	assert_non_null(strstr(fixture_text(second.last, "message"), "still the fastest"));
	assert_int_equal(count(fixture, (struct counting){0}).promotions, 1);
	finish_job(&first);
	finish_job(&second);
}

static void a_job_goes_on_where_it_was(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "best=T:16,U:2; delay_ms=20");
	struct svc_job_request request = fixture_request(fixture, 100);
	fixture_add(fixture, &job, &request);
	fixture_watch(fixture, &job);
	fixture_wait_evaluations(fixture, &job, 3);
	int64_t id = job.id;
	assert_false(job.ended);
	restart(fixture, "best=T:16,U:2");
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 1);
	job.id = id;
	fixture_watch(fixture, &job);
	fixture_wait(fixture, &job.ended, 60);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	struct counting counting = {.configuration = "{\"T\":1,\"U\":8}"}; /* far from the best: in no final */
	assert_int_equal(count(fixture, counting).count, 1);
	finish_job(&job);
}

/* ---- candidates that misbehave ---- */

static void one_that_hangs_is_killed_and_the_next_runs(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "best=T:16,U:2; hang=@-DT=1 -DU=8");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(fixture_outcome(&job, "timeout"), 1);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	finish_job(&job);
}

static void one_that_crashes_is_recorded_with_its_last_words_and_not_tried_again(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	struct counting counting = {.filter = {.outcome = "crashed"}};
	start(fixture, "best=T:16,U:2; crash=@-DT=16 -DU=2");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	finish_job(&job);
	restart(fixture, "best=T:16,U:2; crash=@-DT=16 -DU=2");
	request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	counting = count(fixture, counting);
	assert_int_equal(counting.count, 1);
	assert_non_null(strstr(counting.message, "Assertion"));
	finish_job(&job);
}

static void a_lost_device_is_not_the_next_ones_fault(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "best=T:16,U:2; lost=@-DT=4");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(fixture_outcome(&job, "launch_failed"), 3);
	finish_job(&job);
}

static void one_that_the_device_cannot_run_is_skipped(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	struct counting counting = {.filter = {.outcome = "skipped"}};
	start(fixture, "best=T:16,U:2");
	svc_devices_at(fixture->service.devices, 0)->properties.max_work_group_size = 16;
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(fixture_evaluations(&job), CANDIDATES - 3);
	assert_int_equal(fixture_outcome(&job, "skipped"), 3);
	counting = count(fixture, counting);
	assert_int_equal(counting.count, 3);
	assert_non_null(strstr(counting.message, "16"));
	finish_job(&job);
}

static void nothing_that_builds_is_a_failure_with_the_log(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	char match[16];
	start(fixture, "build_failed=1");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "failed");
	assert_non_null(strstr(fixture_text(job.last, "message"), "no valid configuration"));
	assert_non_null(strstr(fixture_text(job.last, "message"), "fake.cl:1:1"));
	assert_string_equal(match_of(fixture, 100, match), "default");
	finish_job(&job);
}

static void wrong_results_never_win(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "best=T:16,U:2; wrong_result=@-DT=16");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
	assert_int_not_equal(json_integer_value(json_object_get(parameters, "T")), 16);
	assert_int_equal(fixture_outcome(&job, "wrong_result"), 3);
	finish_job(&job);
}

/* In a comparison the others hold memory too: what lacks it there is neither recorded as such nor lost. */
static void a_finalist_that_lacks_memory_may_win_another_time(void **state)
{
	static const char *const fakes[] = {"best=T:16,U:2", "best=T:16,U:2; out_of_memory=@-DT=16 -DU=2",
					    "best=T:16,U:2"};
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, fakes[0]);
	for (size_t i = 0; i < 3; i++) {
		if (i > 0)
			restart(fixture, fakes[i]);
		struct svc_job_request request = fixture_request(fixture, 100);
		run(fixture, &job, &request);
		assert_string_equal(fixture_text(job.last, "state"), "done");
		assert_int_equal(fixture_outcome(&job, "out_of_memory"), 0);
		const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
		assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 16);
		finish_job(&job);
	}
	assert_int_equal(count(fixture, (struct counting){0}).promotions, 3);
}

static void a_device_that_crashes_again_and_again_is_put_in_quarantine(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	fixture->service.config.crash_limit = 3;
	start(fixture, "crash=1");
	struct svc_job_request request = fixture_request(fixture, 100);
	fixture_add(fixture, &job, &request);
	struct svc_device *device = svc_devices_at(fixture->service.devices, 0);
	bool quarantined = false;
	for (int i = 0; i < 5000 && !quarantined; i++) {
		uv_run(&fixture->loop, UV_RUN_ONCE);
		quarantined = device->quarantined_until > 0;
	}
	assert_true(quarantined);
	assert_non_null(strstr(device->quarantine_reason, "3 crashes in a row"));
	bool told = false;
	for (int i = 0; i < 500 && !told; i++) {
		uv_run(&fixture->loop, UV_RUN_ONCE);
		json_t *first = fixture_progress_at(fixture, 0);
		told = strstr(fixture_text(first, "message"), "in quarantine: 3 crashes in a row") != NULL;
		json_decref(first);
	}
	assert_true(told);
	request = fixture_request(fixture, 200);
	fixture_add(fixture, &job, &request);
	assert_int_equal(job.error.code, MMT_BUSY);
	assert_true(svc_jobs_pending(fixture->service.jobs) >= 1); /* the job itself waits for its end */
}

static void a_worker_that_cannot_start_fails_the_job(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "");
	config_set(&fixture->service.config, "service", "worker", "/nonexistent/worker", NULL);
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "failed");
	assert_non_null(strstr(fixture_text(job.last, "message"), "no such file"));
	finish_job(&job);
}

/* ---- ends ---- */

static void a_queued_job_is_cancelled_at_once(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	fixture_start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 100);
	fixture_add(fixture, &job, &request);
	fixture_watch(fixture, &job);
	assert_int_equal(svc_jobs_cancel(fixture->service.jobs, job.id, NULL), 0);
	fixture_wait(fixture, &job.ended, 10);
	assert_string_equal(fixture_text(job.last, "state"), "cancelled");
	struct mmt_error error = {0};
	assert_int_equal(svc_jobs_cancel(fixture->service.jobs, job.id, &error), -1);
	assert_int_equal(error.code, MMT_NO_SUCH_JOB);
	finish_job(&job);
}

static void a_running_job_that_is_cancelled_keeps_its_results(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	char match[16];
	start(fixture, "delay_ms=30");
	struct svc_job_request request = fixture_request(fixture, 100);
	fixture_add(fixture, &job, &request);
	fixture_watch(fixture, &job);
	fixture_wait_evaluations(fixture, &job, 2);
	assert_int_equal(svc_jobs_cancel(fixture->service.jobs, job.id, NULL), 0);
	fixture_wait(fixture, &job.ended, 10);
	assert_string_equal(fixture_text(job.last, "state"), "cancelled");
	assert_true(count(fixture, (struct counting){0}).count >= 2);
	assert_string_equal(match_of(fixture, 100, match), "exact"); /* there was nothing before it */
	finish_job(&job);
}

static void pause_gives_the_device_back_and_resume_goes_on(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "delay_ms=20");
	struct svc_job_request request = fixture_request(fixture, 100);
	fixture_add(fixture, &job, &request);
	fixture_watch(fixture, &job);
	svc_jobs_pause(fixture->service.jobs, true);
	bool idle = false;
	for (int i = 0; i < 500 && !idle; i++) {
		uv_run(&fixture->loop, UV_RUN_ONCE);
		json_t *first = fixture_progress_at(fixture, 0);
		idle = strcmp(fixture_text(first, "state"), "queued") == 0;
		json_decref(first);
	}
	assert_true(idle);
	assert_false(job.ended);
	svc_jobs_pause(fixture->service.jobs, false);
	fixture_wait(fixture, &job.ended, 60);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	finish_job(&job);
}

static void budgets_end_a_job(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "delay_ms=60; best=T:16,U:2");
	struct svc_job_request request = fixture_request(fixture, 100);
	request.max_evaluations = 3;
	run(fixture, &job, &request);
	assert_int_equal(fixture_evaluations(&job), 3);
	finish_job(&job);
	request = fixture_request(fixture, 200);
	request.budget_s = 1;
	uint64_t before = uv_hrtime();
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_true((double)(uv_hrtime() - before) * 1e-9 < 5);
	assert_true(fixture_evaluations(&job) < CANDIDATES);
	finish_job(&job);
}

/* What the background evaluated before a client came is not of the client's budget. */
static void evaluations_count_from_when_a_client_asks(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job background, client;
	start(fixture, "delay_ms=30");
	struct svc_job_request request = fixture_request(fixture, 100);
	request.origin = SVC_JOB_QUERY;
	fixture_add(fixture, &background, &request);
	fixture_watch(fixture, &background);
	fixture_wait_evaluations(fixture, &background, 4);
	request.origin = SVC_JOB_CLIENT;
	request.max_evaluations = 3;
	fixture_add(fixture, &client, &request);
	fixture_wait(fixture, &background.ended, 60);
	assert_int_equal(client.id, background.id);
	int64_t evaluations = fixture_evaluations(&background);
	assert_true(evaluations >= 7 && evaluations < CANDIDATES);
	finish_job(&background);
}

/* What was asked of a job outlasts a restart. */
static void a_limit_without_a_column_of_its_own_is_kept(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	fixture_start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 100);
	request.until_best = true;
	fixture_add(fixture, &job, &request);
	fixture_stop(fixture);
	fixture_start(fixture, "");
	json_t *progress = svc_job_progress(fixture->service.jobs, job.id);
	assert_true(json_is_true(json_object_get(progress, "until_best")));
	json_decref(progress);
}

static void a_job_ends_at_a_part_of_the_peak(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 2000); /* its rate passes the peak of order 1000 */
	request.until = 0.5;
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(fixture_evaluations(&job), 1);
	finish_job(&job);
}

static void a_new_driver_has_everything_measured_again(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	char match[16];
	start(fixture, "best=T:16,U:2");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	finish_job(&job);
	restart(fixture, "devices=gpu:Fake GPU; driver=9.9; best=T:4,U:2");
	request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	assert_non_null(strstr(fixture_text(job.last, "message"), "head to head"));
	assert_string_equal(match_of(fixture, 100, match), "exact");
	assert_int_equal(count(fixture, (struct counting){0}).promotions, 2);
	finish_job(&job);
}

static void a_device_that_is_gone_fails_the_jobs_that_wait_for_it(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	fixture_start(fixture, "devices=gpu:Fake GPU");
	struct svc_job_request request = fixture_request(fixture, 100);
	fixture_add(fixture, &job, &request);
	fixture_watch(fixture, &job);
	fixture_enumerate(fixture, "devices=");
	svc_jobs_start(fixture->service.jobs);
	fixture_wait(fixture, &job.ended, 10);
	assert_string_equal(fixture_text(job.last, "state"), "failed");
	assert_non_null(strstr(fixture_text(job.last, "message"), "not there any more"));
	finish_job(&job);
}

static void requests_that_make_no_sense_are_refused(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	fixture_start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 100);
	request.strategy = "luck";
	fixture_add(fixture, &job, &request);
	assert_int_equal(job.error.code, MMT_INVALID_ARGUMENT);
	assert_non_null(strstr(job.error.message, "exhaustive"));
	request = fixture_request(fixture, 100);
	request.variant = "none";
	fixture_add(fixture, &job, &request);
	assert_int_equal(job.error.code, MMT_INVALID_ARGUMENT);
	request = fixture_request(fixture, 1000000);
	fixture_add(fixture, &job, &request);
	assert_int_equal(job.error.code, MMT_TOO_LARGE);
	request = fixture_request(fixture, 100);
	request.device->present = false;
	fixture_add(fixture, &job, &request);
	assert_int_equal(job.error.code, MMT_NO_SUCH_DEVICE);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_job_finds_and_promotes_the_best),
		TEST(the_default_is_a_finalist_where_it_is_near),
		TEST(of_those_that_tie_the_default_wins),
		TEST(the_default_does_not_win_where_it_is_slower),
		TEST(a_second_job_measures_nothing_twice_and_keeps_the_best),
		TEST(a_job_goes_on_where_it_was),
		TEST(one_that_hangs_is_killed_and_the_next_runs),
		TEST(one_that_crashes_is_recorded_with_its_last_words_and_not_tried_again),
		TEST(a_lost_device_is_not_the_next_ones_fault),
		TEST(one_that_the_device_cannot_run_is_skipped),
		TEST(nothing_that_builds_is_a_failure_with_the_log),
		TEST(wrong_results_never_win),
		TEST(a_finalist_that_lacks_memory_may_win_another_time),
		TEST(a_device_that_crashes_again_and_again_is_put_in_quarantine),
		TEST(a_worker_that_cannot_start_fails_the_job),
		TEST(a_queued_job_is_cancelled_at_once),
		TEST(a_running_job_that_is_cancelled_keeps_its_results),
		TEST(pause_gives_the_device_back_and_resume_goes_on),
		TEST(budgets_end_a_job),
		TEST(evaluations_count_from_when_a_client_asks),
		TEST(a_limit_without_a_column_of_its_own_is_kept),
		TEST(a_job_ends_at_a_part_of_the_peak),
		TEST(a_new_driver_has_everything_measured_again),
		TEST(a_device_that_is_gone_fails_the_jobs_that_wait_for_it),
		TEST(requests_that_make_no_sense_are_refused),
	};
	return cmocka_run_group_tests_name("service/jobs", tests, NULL, NULL);
}
