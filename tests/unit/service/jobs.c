/* Jobs from the queue to their end, with a fake worker that builds, hangs, crashes and lies on demand. */
#include "fixture.h"

#include "trial.h"

#define CANDIDATES 12 /* of the toy */

static int set_up(void **state)
{
	struct fixture *fixture = malloc(sizeof *fixture);
	fixture_create(fixture);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	fixture_destroy(*state);
	free(*state);
	return 0;
}

static void start(struct fixture *fixture, const char *fake)
{
	fixture_start(fixture, fake);
	svc_jobs_start(fixture->service.jobs);
}

static void restart(struct fixture *fixture, const char *fake)
{
	fixture_stop(fixture);
	start(fixture, fake);
}

static void finish_job(struct fixture_job *job)
{
	json_decref(job->last);
	job->last = NULL;
}

static void run(struct fixture *fixture, struct fixture_job *job, const struct svc_job_request *request)
{
	fixture_add(fixture, job, request);
	fixture_watch(fixture, job);
	fixture_wait(fixture, &job->ended, 60);
}

/* ---- what the database has ---- */

struct counting {
	struct db_trial_filter filter;
	const char *configuration, *problem;
	int64_t count, promotions;
	char message[512], first[64]; /* of the last and the configuration of the first */
};

static int count_one(void *context, const struct db_trial *trial)
{
	struct counting *counting = context;
	if ((counting->configuration && strcmp(trial->configuration, counting->configuration) != 0) ||
	    (counting->problem && !strstr(trial->problem, counting->problem)))
		return 0;
	if (counting->count++ == 0)
		snprintf(counting->first, sizeof counting->first, "%s", trial->configuration);
	snprintf(counting->message, sizeof counting->message, "%s", trial->message ? trial->message : "");
	return 0;
}

static int count_promotion(void *context, const struct db_promotion *promotion)
{
	struct counting *counting = context;
	counting->promotions += strstr(promotion->trial->problem, "matmul") != NULL;
	return 0;
}

static int count_work(struct db *db, void *context, struct mmt_error *error)
{
	struct counting *counting = context;
	if (db_history(db, 0, 0, 0, count_promotion, counting, error) != 0)
		return -1;
	return db_trials(db, &counting->filter, count_one, counting, error);
}

static struct counting count(struct fixture *fixture, struct counting counting)
{
	struct mmt_error error = {0};
	counting.problem = "matmul";
	if (svc_store_run(fixture->service.store, count_work, &counting, &error) != 0)
		fail_msg("%s", error.message);
	return counting;
}

static const char *match_of(struct fixture *fixture, int64_t order, char out[16])
{
	bool untuned;
	struct mmt_error error = {0};
	struct mmt_problem problem = fixture_problem(order);
	json_t *answer = svc_answers_query(fixture->service.answers, svc_devices_at(fixture->service.devices, 0),
					   &problem, false, &untuned, &error);
	snprintf(out, 16, "%s", answer ? fixture_text(answer, "match") : "none");
	json_decref(answer);
	return out;
}

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
	assert_int_equal(json_integer_value(json_object_get(job.last, "evaluations")), CANDIDATES);
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
	assert_int_equal(json_integer_value(json_object_get(second.last, "evaluations")), 0);
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
	bool some = false;
	for (int i = 0; i < 2000 && !some; i++) {
		uv_run(&fixture->loop, UV_RUN_ONCE);
		some = json_integer_value(json_object_get(job.last, "evaluations")) >= 3;
	}
	assert_true(some);
	int64_t id = job.id;
	assert_false(job.ended);
	restart(fixture, "best=T:16,U:2");
	assert_int_equal(svc_jobs_pending(fixture->service.jobs), 1);
	job.id = id;
	fixture_watch(fixture, &job);
	fixture_wait(fixture, &job.ended, 60);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_int_equal(json_integer_value(json_object_get(job.last, "evaluations")), CANDIDATES);
	struct counting counting = {.configuration = "{\"T\":1,\"U\":8}"}; /* far from the best: in no final */
	assert_int_equal(count(fixture, counting).count, 1);
	finish_job(&job);
}

/* ---- transfer ---- */

/* Tunes order 100 by trying all, and then order 125 by `auto`; *second is the second job at its end. */
static void tune_two(struct fixture *fixture, const char *first_fake, const char *second_fake, int64_t evaluations,
		     struct fixture_job *second)
{
	struct fixture_job first;
	start(fixture, first_fake);
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &first, &request);
	finish_job(&first);
	restart(fixture, second_fake);
	svc_devices_at(fixture->service.devices, 0)->properties.max_work_group_size =
		strstr(second_fake, "T:64") ? 256 : 16;
	request = fixture_request(fixture, 125);
	request.strategy = "auto";
	request.max_evaluations = evaluations;
	run(fixture, second, &request);
	assert_string_equal(fixture_text(second->last, "state"), "done");
}

static void the_winner_of_a_neighbour_is_tried_first(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	tune_two(fixture, "best=T:64,U:8", "best=T:64,U:8", 2, &job);
	struct counting counting = {.filter = {.job_id = job.id}};
	counting = count(fixture, counting);
	assert_string_equal(counting.first, "{\"T\":64,\"U\":8}");
	const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 64);
	finish_job(&job);
}

static void a_neighbour_that_misleads_does_not_win(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	tune_two(fixture, "best=T:1,U:8", "best=T:64,U:1", 0, &job);
	struct counting counting = {.filter = {.job_id = job.id}};
	counting = count(fixture, counting);
	assert_string_equal(counting.first, "{\"T\":1,\"U\":8}");
	const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 64);
	assert_int_equal(json_integer_value(json_object_get(parameters, "U")), 1);
	finish_job(&job);
}

static void a_neighbour_that_does_not_hold_here_is_no_prior(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	tune_two(fixture, "best=T:64,U:8", "best=T:16,U:2", 1, &job); /* work-groups of 16 at most */
	struct counting counting = {.filter = {.job_id = job.id}};
	counting = count(fixture, counting);
	assert_string_equal(counting.first, "{\"T\":4,\"U\":1}"); /* the default */
	assert_int_equal(fixture_outcome(&job, "skipped"), 0);
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
	assert_int_equal(json_integer_value(json_object_get(job.last, "evaluations")), CANDIDATES);
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
	assert_int_equal(json_integer_value(json_object_get(job.last, "evaluations")), CANDIDATES - 3);
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

static void conditions_that_never_hold_are_a_failure_that_names_them(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	static const char json[] = FIXTURE_VARIANT("matmul"), none[] = "\"Conditions\":[]";
	const char *at = strstr(json, none);
	char text[sizeof json + 64];
	snprintf(text, sizeof text, "%.*s\"Conditions\":[{\"Parameters\":[\"T\"],\"Expression\":\"T > 64\"}]%s",
		 (int)(at - json), json, at + strlen(none));
	kern_variant_destroy(fixture->variants[0]);
	fixture->variants[0] = fixture_variant("matmul/toy.json", text, "kernel void toy() {}\n");
	start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "failed");
	assert_non_null(strstr(fixture_text(job.last, "message"), "the conditions of toy leave no configuration"));
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

/* ---- the queue ---- */

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
	bool runs = false;
	for (int i = 0; i < 5000 && !runs; i++) {
		uv_run(&fixture->loop, UV_RUN_ONCE);
		runs = json_integer_value(json_object_get(background.last, "evaluations")) > 0;
	}
	assert_true(runs);
	request = fixture_request(fixture, 200);
	run(fixture, &client, &request);
	assert_false(background.ended);
	fixture_wait(fixture, &background.ended, 60);
	assert_string_equal(fixture_text(background.last, "state"), "done");
	assert_int_equal(json_integer_value(json_object_get(background.last, "evaluations")), CANDIDATES);
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
	bool some = false;
	for (int i = 0; i < 5000 && !some; i++) {
		uv_run(&fixture->loop, UV_RUN_ONCE);
		some = json_integer_value(json_object_get(job.last, "evaluations")) >= 2;
	}
	assert_true(some);
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
	assert_int_equal(json_integer_value(json_object_get(job.last, "evaluations")), 3);
	finish_job(&job);
	request = fixture_request(fixture, 200);
	request.budget_s = 1;
	uint64_t before = uv_hrtime();
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	assert_true((double)(uv_hrtime() - before) * 1e-9 < 5);
	assert_true(json_integer_value(json_object_get(job.last, "evaluations")) < CANDIDATES);
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
	for (int i = 0; i < 5000 && json_integer_value(json_object_get(background.last, "evaluations")) < 4; i++)
		uv_run(&fixture->loop, UV_RUN_ONCE);
	request.origin = SVC_JOB_CLIENT;
	request.max_evaluations = 3;
	fixture_add(fixture, &client, &request);
	fixture_wait(fixture, &background.ended, 60);
	assert_int_equal(client.id, background.id);
	int64_t evaluations = json_integer_value(json_object_get(background.last, "evaluations"));
	assert_true(evaluations >= 7 && evaluations < CANDIDATES);
	finish_job(&background);
}

/* The toy with other values of U. */
static void give_values(struct fixture *fixture, const char *values)
{
	static const char json[] = FIXTURE_VARIANT("matmul"), few[] = "[1, 2, 8]";
	const char *at = strstr(json, few);
	char text[sizeof json + 512];
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - json), json, values, at + strlen(few));
	kern_variant_destroy(fixture->variants[0]);
	fixture->variants[0] = fixture_variant("matmul/toy.json", text, "kernel void toy() {}\n");
}

static void a_job_ends_when_nothing_is_left_to_gain(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	char values[400] = "[1";
	for (int u = 2; u <= 64; u++)
		snprintf(values + strlen(values), sizeof values - strlen(values), ", %d", u);
	strcat(values, "]");
	give_values(fixture, values);
	start(fixture, "best=T:16,U:20");
	struct svc_job_request request = fixture_request(fixture, 100);
	request.strategy = "auto";
	request.budget_s = 100;
	request.until_best = true;
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	int64_t evaluations = json_integer_value(json_object_get(job.last, "evaluations"));
	assert_true(evaluations > 30 && evaluations < 4 * 64);
	const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 16);
	finish_job(&job);
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
	assert_int_equal(json_integer_value(json_object_get(job.last, "evaluations")), 1);
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
	assert_int_equal(json_integer_value(json_object_get(job.last, "evaluations")), CANDIDATES);
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_job_finds_and_promotes_the_best),
		TEST(a_second_job_measures_nothing_twice_and_keeps_the_best),
		TEST(a_job_goes_on_where_it_was),
		TEST(the_winner_of_a_neighbour_is_tried_first),
		TEST(a_neighbour_that_misleads_does_not_win),
		TEST(a_neighbour_that_does_not_hold_here_is_no_prior),
		TEST(one_that_hangs_is_killed_and_the_next_runs),
		TEST(one_that_crashes_is_recorded_with_its_last_words_and_not_tried_again),
		TEST(a_lost_device_is_not_the_next_ones_fault),
		TEST(one_that_the_device_cannot_run_is_skipped),
		TEST(nothing_that_builds_is_a_failure_with_the_log),
		TEST(conditions_that_never_hold_are_a_failure_that_names_them),
		TEST(wrong_results_never_win),
		TEST(a_finalist_that_lacks_memory_may_win_another_time),
		TEST(a_device_that_crashes_again_and_again_is_put_in_quarantine),
		TEST(a_worker_that_cannot_start_fails_the_job),
		TEST(equal_jobs_are_one_and_a_client_lifts_it),
		TEST(a_client_does_not_wait_for_the_background),
		TEST(a_queued_job_says_that_peaks_are_measured_first),
		TEST(what_is_asked_most_is_tuned_first_and_what_is_listed_last),
		TEST(what_is_asked_most_waits_for_its_own_peaks),
		TEST(what_is_on_its_way_into_the_queue_counts),
		TEST(what_is_listed_is_tuned_once),
		TEST(an_empty_queue_takes_what_was_asked_for_and_found_no_room),
		TEST(a_result_over_the_peak_has_it_measured_again_once),
		TEST(a_queued_job_is_cancelled_at_once),
		TEST(a_running_job_that_is_cancelled_keeps_its_results),
		TEST(pause_gives_the_device_back_and_resume_goes_on),
		TEST(budgets_end_a_job),
		TEST(evaluations_count_from_when_a_client_asks),
		TEST(a_job_ends_when_nothing_is_left_to_gain),
		TEST(a_limit_without_a_column_of_its_own_is_kept),
		TEST(a_job_ends_at_a_part_of_the_peak),
		TEST(a_new_driver_has_everything_measured_again),
		TEST(a_device_that_is_gone_fails_the_jobs_that_wait_for_it),
		TEST(requests_that_make_no_sense_are_refused),
#undef TEST
	};
	return cmocka_run_group_tests_name("service/jobs", tests, NULL, NULL);
}
