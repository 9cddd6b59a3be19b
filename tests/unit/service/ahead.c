/* Builds ahead of the device: fake workers whose builds take time, fail, crash and hang. */
#include "fixture.h"

#include <dirent.h>

#include "trial.h"

#define CANDIDATES 12 /* of the toy */
#define BUILDERS   "4"

struct ahead {
	struct fixture fixture;
	char cache[96];
};

static void empty(const char *folder)
{
	DIR *entries = opendir(folder);
	for (struct dirent *entry; entries && (entry = readdir(entries));) {
		char path[512];
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.')
			unlink(path);
	}
	closedir(entries);
}

static int set_up(void **state)
{
	struct ahead *ahead = malloc(sizeof *ahead);
	fixture_create(&ahead->fixture);
	snprintf(ahead->cache, sizeof ahead->cache, "%s/cache", ahead->fixture.folder);
	mkdir(ahead->cache, 0700);
	setenv("MMTUNE_BUILDERS", BUILDERS, 1);
	*state = ahead;
	return 0;
}

static int tear_down(void **state)
{
	struct ahead *ahead = *state;
	empty(ahead->cache);
	rmdir(ahead->cache);
	fixture_destroy(&ahead->fixture);
	free(ahead);
	unsetenv("MMTUNE_BUILDERS");
	return 0;
}

/* Starts with a script that has the cache. */
static void start(struct ahead *ahead, const char *script)
{
	char fake[256];
	snprintf(fake, sizeof fake, "best=T:16,U:2; cache=%s; %s", ahead->cache, script);
	fixture_start(&ahead->fixture, fake);
	svc_jobs_start(ahead->fixture.service.jobs);
}

static void run(struct ahead *ahead, struct fixture_job *job, const struct svc_job_request *request)
{
	fixture_add(&ahead->fixture, job, request);
	fixture_watch(&ahead->fixture, job);
	fixture_wait(&ahead->fixture, &job->ended, 60);
	assert_string_equal(fixture_text(job->last, "state"), "done");
}

static double accounted(const struct fixture_job *job, const char *name)
{
	return json_real_value(json_object_get(json_object_get(job->last, "accounting"), name));
}

static void assert_best(const struct fixture_job *job)
{
	json_t *parameters = json_object_get(json_object_get(job->last, "best"), "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 16);
	assert_int_equal(json_integer_value(json_object_get(parameters, "U")), 2);
}

/* The first job, and the one of the peak before it, have the same builds: the cache is emptied for the second. */
static void builds_overlap_and_the_result_is_the_same(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	start(ahead, "slow_build=1");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	run(ahead, &job, &request);
	json_decref(job.last);
	empty(ahead->cache);
	request = fixture_request(&ahead->fixture, 200);
	run(ahead, &job, &request);
	double wall_s = accounted(&job, "wall_s");
	assert_best(&job);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	/* one after the other they take a second each, four at a time a quarter; the worker has no build to do */
	assert_true(wall_s > CANDIDATES / 4.0 && wall_s < CANDIDATES / 1.5);
	assert_true(accounted(&job, "build_s") < 1);
	json_decref(job.last);
}

static int keep_first(void *context, const struct db_trial *trial)
{
	char *first = context;
	if (first[0] == '\0' && strstr(trial->problem, "matmul"))
		snprintf(first, 64, "%s", trial->configuration);
	return 0;
}

static int first_work(struct db *db, void *context, struct mmt_error *error)
{
	const struct db_trial_filter all = {0};
	return db_trials(db, &all, keep_first, context, error);
}

/* A short job may end after one. */
static void the_first_asked_is_measured_first(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	struct mmt_error error = {0};
	char first[64] = "";
	start(ahead, "slow_build=@-DT=1 -DU=1");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	run(ahead, &job, &request);
	assert_int_equal(svc_store_run(ahead->fixture.service.store, first_work, first, &error), 0);
	assert_string_equal(first, "{\"T\":1,\"U\":1}");
	assert_best(&job);
	json_decref(job.last);
}

static void a_failed_build_costs_that_candidate_only(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	start(ahead, "build_failed=@-DT=4 -DU=8");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	run(ahead, &job, &request);
	assert_best(&job);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	assert_int_equal(fixture_outcome(&job, "build_failed"), 1);
	json_decref(job.last);
}

static void a_builder_that_crashes_or_hangs_costs_that_candidate_only(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	ahead->fixture.service.config.build_deadline_s = 1;
	start(ahead, "build_crash=@-DT=1 -DU=2; build_hang=@-DT=4 -DU=8");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	run(ahead, &job, &request);
	assert_best(&job);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	assert_int_equal(fixture_outcome(&job, "crashed"), 1);
	assert_int_equal(fixture_outcome(&job, "timeout"), 1);
	/* the one that hung was never in the hands of the worker that measures */
	assert_true(accounted(&job, "worker_s") < 1);
	json_decref(job.last);
}

static void a_job_has_no_more_evaluations_than_it_may(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	start(ahead, "delay_ms=5");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	request.max_evaluations = 5;
	run(ahead, &job, &request);
	assert_int_equal(fixture_evaluations(&job), 5);
	json_decref(job.last);
}

static void without_a_cache_the_worker_builds_and_nothing_is_lost(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	unsetenv("MMTUNE_BUILDERS");
	ahead->fixture.service.config.builders = 4; /* as many as there are cores for, which may be none */
	fixture_start(&ahead->fixture, "best=T:16,U:2; delay_ms=120");
	svc_jobs_start(ahead->fixture.service.jobs);
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	run(ahead, &job, &request);
	assert_best(&job);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	json_decref(job.last);
}

/* On a CPU nothing is built while something is measured: the job takes both times. */
static void on_a_cpu_builders_and_worker_take_turns(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	start(ahead, "devices=cpu:A; slow_build=1; delay_ms=100");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	run(ahead, &job, &request);
	assert_best(&job);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	double wall_s = accounted(&job, "wall_s"), build_s = accounted(&job, "build_s");
	assert_true(build_s > CANDIDATES / 4.0 && build_s < CANDIDATES / 1.5);
	assert_true(wall_s > build_s + accounted(&job, "measure_s"));
	assert_true(accounted(&job, "measure_s") > 0.1 * CANDIDATES);
	json_decref(job.last);
}

/* What a CPU's builder finds wrong when it runs the candidate is that candidate's outcome. */
static void on_a_cpu_a_first_launch_that_fails_costs_that_candidate_only(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	ahead->fixture.service.config.crash_limit = 2; /* the builder that is lost is not sent the next one */
	start(ahead, "devices=cpu:A; lost=@-DT=16 -DU=8; wrong_result=@-DT=4 -DU=8; crash=@-DT=1 -DU=2; "
		     "out_of_memory=@-DT=4 -DU=2");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	run(ahead, &job, &request);
	assert_best(&job);
	assert_int_equal(fixture_evaluations(&job), CANDIDATES);
	assert_int_equal(fixture_outcome(&job, "wrong_result"), 1);
	assert_int_equal(fixture_outcome(&job, "crashed"), 1);
	assert_int_equal(fixture_outcome(&job, "launch_failed"), 1);
	assert_int_equal(fixture_outcome(&job, "out_of_memory"), 1);
	json_decref(job.last);
}

static void a_cancelled_job_ends_its_builders(void **state)
{
	struct ahead *ahead = *state;
	struct fixture_job job;
	start(ahead, "build_hang=1");
	struct svc_job_request request = fixture_request(&ahead->fixture, 100);
	struct mmt_error error;
	fixture_add(&ahead->fixture, &job, &request);
	fixture_watch(&ahead->fixture, &job);
	assert_int_equal(svc_jobs_cancel(ahead->fixture.service.jobs, job.id, &error), 0);
	fixture_wait(&ahead->fixture, &job.ended, 20);
	assert_string_equal(fixture_text(job.last, "state"), "cancelled");
	json_decref(job.last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(builds_overlap_and_the_result_is_the_same, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_first_asked_is_measured_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failed_build_costs_that_candidate_only, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_builder_that_crashes_or_hangs_costs_that_candidate_only, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_job_has_no_more_evaluations_than_it_may, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_cache_the_worker_builds_and_nothing_is_lost, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(on_a_cpu_builders_and_worker_take_turns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(on_a_cpu_a_first_launch_that_fails_costs_that_candidate_only, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_cancelled_job_ends_its_builders, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
