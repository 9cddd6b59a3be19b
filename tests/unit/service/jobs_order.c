/* The queue of jobs: which joins which, which comes first, what fills it. */
#include "jobs_fixture.h"

static void equal_jobs_are_one_and_a_client_lifts_it(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job background, again, client, other;
	fixture_start(fixture, ""); /* nothing runs yet */
	struct svc_job_request request = fixture_request(fixture, 100);
	request.origin = SVC_JOB_QUERY;
	fixture_add(fixture, &background, &request);
	fixture_add(fixture, &again, &request);
	assert_int_equal(again.id, background.id);
	request.problem = fixture_problem(200);
	fixture_add(fixture, &other, &request);
	assert_int_not_equal(other.id, background.id);
	request.origin = SVC_JOB_CLIENT;
	request.budget_s = 33;
	fixture_add(fixture, &client, &request);
	assert_int_equal(client.id, other.id);
	/* the peak first, then the client's job, though it came last */
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 3);
	json_t *first = fixture_progress_at(fixture, 0);
	json_t *second = fixture_progress_at(fixture, 1);
	assert_string_equal(fixture_text(first, "origin"), "peak");
	assert_string_equal(fixture_text(second, "origin"), "client");
	assert_int_equal(json_integer_value(json_object_get(second, "job")), other.id);
	assert_float_equal(json_real_value(json_object_get(second, "budget_s")), 33, 1e-9);
	json_decref(first);
	json_decref(second);
}

static int64_t order_at(struct fixture *fixture, size_t index, const char *origin)
{
	json_t *progress = fixture_progress_at(fixture, index);
	int64_t order = json_integer_value(json_object_get(json_object_get(progress, "problem"), "m"));
	assert_string_equal(fixture_text(progress, "origin"), origin);
	json_decref(progress);
	return order;
}

/* As the verb Query does. */
static void ask(struct fixture *fixture, int64_t order)
{
	struct fixture_job job;
	struct svc_job_request request = fixture_request(fixture, order);
	request.origin = SVC_JOB_QUERY;
	request.asks = svc_demand_ask(fixture->service.demand, request.device->id, &request.problem);
	fixture_add(fixture, &job, &request);
}

static void what_is_asked_most_is_tuned_first_and_what_is_listed_last(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "");
	config_set(&fixture->service.config, "tuning", "auto_tune", "50, 60", NULL);
	svc_jobs_add_listed(fixture->service.jobs);
	svc_jobs_add_listed(fixture->service.jobs); /* as after each look for devices */
	ask(fixture, 100);
	ask(fixture, 200);
	ask(fixture, 200);
	assert_int_equal(order_at(fixture, 0, "peak"), 1000);
	assert_int_equal(order_at(fixture, 1, "query"), 200);
	assert_int_equal(order_at(fixture, 2, "query"), 100);
	assert_int_equal(order_at(fixture, 3, "auto"), 50);
	assert_int_equal(order_at(fixture, 4, "auto"), 60);
	ask(fixture, 60); /* wanted as often as 100, and came before it */
	assert_int_equal(order_at(fixture, 2, "auto"), 60);
	assert_int_equal(order_at(fixture, 3, "query"), 100);
	fixture_stop(fixture); /* order and asks outlast a restart */
	fixture_start(fixture, "");
	svc_jobs_add_listed(fixture->service.jobs);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 5);
	assert_int_equal(order_at(fixture, 1, "query"), 200);
	assert_int_equal(order_at(fixture, 4, "auto"), 50);
}

static void what_is_asked_most_waits_for_its_own_peaks(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	fixture_start(fixture, "");
	ask(fixture, 100);
	struct svc_job_request request = fixture_request(fixture, 200);
	request.problem.type = MMT_F64; /* of which the peak is not known either */
	request.origin = SVC_JOB_QUERY;
	request.asks = 2;
	fixture_add(fixture, &job, &request);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 4);
	assert_int_equal(order_at(fixture, 0, "peak"), 1000);
	assert_int_equal(order_at(fixture, 1, "peak"), 1000);
	assert_int_equal(order_at(fixture, 2, "query"), 200);
	assert_int_equal(order_at(fixture, 3, "query"), 100);
}

/* Else a client that asks faster than jobs are stored fills the queue without limit. */
static void what_is_on_its_way_into_the_queue_counts(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job = {0};
	fixture_start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 100), other = fixture_request(fixture, 200);
	assert_false(svc_jobs_would_join(fixture->service.jobs, &request));
	svc_jobs_add(fixture->service.jobs, &request, fixture_on_queued, &job);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 0);
	assert_int_equal(svc_jobs_count(fixture->service.jobs), 2); /* with its peak */
	assert_int_equal(svc_jobs_find(fixture->service.jobs, request.device, &request.problem), 0);
	assert_true(svc_jobs_would_join(fixture->service.jobs, &request));
	assert_false(svc_jobs_would_join(fixture->service.jobs, &other));
	fixture_wait(fixture, &job.queued, 10);
	assert_int_equal(svc_jobs_count(fixture->service.jobs), 2);
	assert_int_equal(svc_jobs_find(fixture->service.jobs, request.device, &request.problem), job.id);
	assert_int_equal(svc_jobs_find(fixture->service.jobs, request.device, &other.problem), 0);
}

static void what_is_listed_is_tuned_once(void **state)
{
	struct fixture *fixture = *state;
	start(fixture, "");
	config_set(&fixture->service.config, "tuning", "auto_tune", "gpu0:50/f64, gpu7:60", NULL);
	svc_jobs_add_listed(fixture->service.jobs);
	for (int i = 0; i < 2000 && svc_jobs_pending(fixture->service.jobs) + (i < 5) > 0; i++)
		uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 0);
	int64_t before = count(fixture, (struct counting){0}).count;
	assert_true(before >= CANDIDATES);
	restart(fixture, "");
	svc_jobs_add_listed(fixture->service.jobs);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 0);
	assert_int_equal(count(fixture, (struct counting){0}).count, before);
}

static void an_empty_queue_takes_what_was_asked_for_and_found_no_room(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	struct mmt_problem problem = fixture_problem(300);
	char match[16];
	start(fixture, "");
	fixture->service.config.background_budget_s = 20;
	svc_demand_ask(fixture->service.demand, svc_devices_at(fixture->service.devices, 0)->id, &problem);
	problem = fixture_problem(1000000); /* can never be */
	svc_demand_ask(fixture->service.demand, svc_devices_at(fixture->service.devices, 0)->id, &problem);
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	finish_job(&job);
	for (int i = 0; i < 2000 && svc_demand_count(fixture->service.demand) > 0; i++)
		uv_run(&fixture->loop, UV_RUN_ONCE);
	assert_int_equal(svc_demand_count(fixture->service.demand), 0);
	assert_string_equal(match_of(fixture, 300, match), "exact");
}

static void a_result_over_the_peak_has_it_measured_again_once(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job, peak;
	start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 2000);
	run(fixture, &job, &request);
	finish_job(&job);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 1);
	json_t *progress = fixture_progress_at(fixture, 0);
	assert_string_equal(fixture_text(progress, "origin"), "peak");
	peak = (struct fixture_job){.id = json_integer_value(json_object_get(progress, "job"))};
	json_decref(progress);
	fixture_watch(fixture, &peak);
	fixture_wait(fixture, &peak.ended, 60);
	assert_string_equal(fixture_text(peak.last, "state"), "done");
	finish_job(&peak);
	request = fixture_request(fixture, 2100);
	run(fixture, &job, &request);
	finish_job(&job);
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 0);
}

static void a_client_does_not_wait_for_the_background(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job background, client;
	start(fixture, "delay_ms=30");
	struct svc_job_request request = fixture_request(fixture, 100);
	request.origin = SVC_JOB_QUERY;
	fixture_add(fixture, &background, &request);
	fixture_watch(fixture, &background);
	fixture_wait_evaluations(fixture, &background, 1);
	request = fixture_request(fixture, 200);
	run(fixture, &client, &request);
	assert_false(background.ended);
	fixture_wait(fixture, &background.ended, 60);
	assert_string_equal(fixture_text(background.last, "state"), "done");
	assert_int_equal(fixture_evaluations(&background), CANDIDATES);
	finish_job(&background);
	finish_job(&client);
}

static void a_queued_job_says_that_peaks_are_measured_first(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	fixture_start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 100);
	fixture_add(fixture, &job, &request);
	json_t *progress = svc_job_progress(fixture->service.jobs, job.id);
	assert_string_equal(json_string_value(json_object_get(progress, "phase")), "peaks");
	json_decref(progress);
	fixture_watch(fixture, &job);
	svc_jobs_start(fixture->service.jobs);
	fixture_wait(fixture, &job.ended, 60);
	assert_true(json_is_null(json_object_get(job.last, "phase")));
	finish_job(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_jobs_are_one_and_a_client_lifts_it),
		TEST(a_client_does_not_wait_for_the_background),
		TEST(a_queued_job_says_that_peaks_are_measured_first),
		TEST(what_is_asked_most_is_tuned_first_and_what_is_listed_last),
		TEST(what_is_asked_most_waits_for_its_own_peaks),
		TEST(what_is_on_its_way_into_the_queue_counts),
		TEST(what_is_listed_is_tuned_once),
		TEST(an_empty_queue_takes_what_was_asked_for_and_found_no_room),
		TEST(a_result_over_the_peak_has_it_measured_again_once),
	};
	return cmocka_run_group_tests_name("service/jobs_order", tests, NULL, NULL);
}
