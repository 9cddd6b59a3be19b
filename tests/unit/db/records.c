/* records.c: what goes into the database comes out of it. */
#include "filled.h"

#include <math.h>

struct seen {
	int count;
	int64_t ids[64];
	char reasons[64][32];
	int64_t withdrawn[64];
	int stop_after;
};

static int see_trial(void *context, const struct db_trial *trial)
{
	struct seen *seen = context;
	seen->ids[seen->count++] = trial->id;
	return seen->stop_after && seen->count == seen->stop_after;
}

static int see_promotion(void *context, const struct db_promotion *promotion)
{
	struct seen *seen = context;
	snprintf(seen->reasons[seen->count], sizeof(seen->reasons[0]), "%s", promotion->reason);
	seen->withdrawn[seen->count] = promotion->withdrawn_at;
	seen->ids[seen->count++] = promotion->trial->id;
	return 0;
}

static int64_t best(struct filled *filled)
{
	struct seen seen = {0};
	struct mmt_error error = {0};
	assert_int_equal(db_bests(filled->db, see_trial, &seen, &error), 0);
	assert_in_range(seen.count, 0, 1);
	return seen.ids[0];
}

static void content_is_found_again(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	int64_t id = 0, other = 0;
	assert_int_equal(db_problem(filled->db, "{\"m\":1000}", &id, &error), 0);
	assert_int_equal(id, filled->problem);
	assert_int_equal(db_problem(filled->db, "{\"m\":1001}", &other, &error), 0);
	assert_int_not_equal(other, filled->problem);
	assert_int_equal(db_variant(filled->db, "matmul", "tiled", "aa", "bb", &id, &error), 0);
	assert_int_equal(id, filled->variant);
	assert_int_equal(db_variant(filled->db, "matmul", "tiled", "aa", "changed", &other, &error), 0);
	assert_int_not_equal(other, filled->variant);
	assert_int_equal(db_environment(filled->db, filled->device, "1.0", "OpenCL 3.0", &id, &error), 0);
	assert_int_equal(id, filled->environment);
	assert_int_equal(db_environment(filled->db, filled->device, "2.0", "OpenCL 3.0", &other, &error), 0);
	assert_int_not_equal(other, filled->environment);
	assert_int_equal(db_environment(filled->db, 999, "1.0", "OpenCL 3.0", &id, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
}

static void devices_keep_name_and_first_sight(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	struct db_device *devices = NULL;
	size_t count = 0;
	struct db_device changed = {.id = filled->device,
				    .name = (char *)"cpu0",
				    .fingerprint = (char *)"print-0",
				    .properties = (char *)"{\"name\":\"a \\\"quoted\\\" one\"}",
				    .first_seen_at = 99,
				    .last_seen_at = 77};
	assert_int_equal(db_device_put(filled->db, &changed, &error), 0);
	assert_int_equal(db_devices(filled->db, &devices, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_int_equal(devices[0].first_seen_at, 10);
	assert_int_equal(devices[0].last_seen_at, 77);
	assert_string_equal(devices[0].properties, changed.properties);
	db_device_finish(&devices[0]);
	free(devices);

	struct db_device twin = {.name = (char *)"cpu0", .fingerprint = (char *)"x", .properties = (char *)"{}"};
	assert_int_equal(db_device_put(filled->db, &twin, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	struct db_device nobody = {
		.id = 55, .name = (char *)"cpu9", .fingerprint = (char *)"y", .properties = (char *)"{}"};
	assert_int_equal(db_device_put(filled->db, &nobody, &error), -1);
	assert_int_equal(error.code, MMT_NO_SUCH_DEVICE);
}

static int check_trial(void *context, const struct db_trial *trial)
{
	const struct db_trial *given = context;
	assert_int_equal(trial->id, given->id);
	assert_int_equal(trial->job_id, 0);
	assert_true(isnan(trial->relative_error));
	assert_true(trial->time_ns == 0 && trial->total_ns == 5e18 && trial->build_ns == 0.1);
	assert_int_equal(trial->runs, 3);
	assert_string_equal(trial->configuration, given->configuration);
	assert_string_equal(trial->outcome, "wrong_result");
	assert_string_equal(trial->message, "");
	assert_string_equal(trial->device, "cpu0");
	assert_string_equal(trial->problem, "{\"m\":1000}");
	assert_string_equal(trial->family, "matmul");
	assert_string_equal(trial->variant, "tiled");
	assert_string_equal(trial->spec_sha256, "aa");
	assert_string_equal(trial->source_sha256, "bb");
	assert_string_equal(trial->driver, "1.0");
	assert_string_equal(trial->platform_version, "OpenCL 3.0");
	return 0;
}

static void a_trial_comes_back_as_it_was(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	struct db_trial trial = {.device_id = filled->device,
				 .environment_id = filled->environment,
				 .problem_id = filled->problem,
				 .variant_id = filled->variant,
				 .configuration = (char *)"{\"a\":1,\"b\":\"\xc3\xbc\"}",
				 .outcome = (char *)"wrong_result",
				 .relative_error = NAN,
				 .build_ns = 0.1,
				 .verify_ns = -0.0,
				 .total_ns = 5e18,
				 .runs = 3};
	assert_int_equal(db_trial_add(filled->db, &trial, &error), 0);
	assert_true(trial.id > 0);
	struct db_trial_filter all = {0};
	assert_int_equal(db_trials(filled->db, &all, check_trial, &trial, &error), 0);
	/* and its checksum holds, NaN, -0 and all */
	filled_close(filled);
	filled_open(filled);
	assert_string_equal(filled->opened.set_aside, "");
}

static void a_trial_must_make_sense(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	struct db_trial good = {.device_id = filled->device,
				.environment_id = filled->environment,
				.problem_id = filled->problem,
				.variant_id = filled->variant,
				.configuration = (char *)"{}",
				.outcome = (char *)"ok",
				.time_ns = 1};
	struct db_trial bad[] = {good, good, good, good, good, good};
	bad[0].outcome = (char *)"perhaps";
	bad[1].time_ns = 0;
	bad[2].time_ns = INFINITY;
	bad[3].time_ns = NAN;
	bad[4].variant_id = 99;
	bad[5].configuration = NULL;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(db_trial_add(filled->db, &bad[i], &error), -1);
		assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	}
	/* an environment of another device */
	struct db_device other = {.name = (char *)"gpu0", .fingerprint = (char *)"other", .properties = (char *)"{}"};
	assert_int_equal(db_device_put(filled->db, &other, &error), 0);
	struct db_trial crossed = good;
	crossed.device_id = other.id;
	assert_int_equal(db_trial_add(filled->db, &crossed, &error), -1);
	assert_int_equal(db_trial_add(filled->db, &good, &error), 0);
	assert_int_equal(filled_count(filled), 1);
}

static void trials_are_filtered(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	int64_t first = filled_trial(filled, "ok", 1), second = filled_trial(filled, "timeout", 2);
	int64_t third = filled_trial(filled, "ok", 3);
	const struct {
		struct db_trial_filter filter;
		int count;
		int64_t ids[3];
	} cases[] = {
		{{0}, 3, {first, second, third}},
		{{.newest_first = true, .limit = 2}, 2, {third, second}},
		{{.after_id = first}, 2, {second, third}},
		{{.after_id = first, .limit = 1}, 1, {second}},
		{{.outcome = "ok"}, 2, {first, third}},
		{{.outcome = "ok' OR '1"}, 0, {0}},
		{{.device_id = filled->device, .problem_id = filled->problem, .limit = 1}, 1, {first}},
		{{.environment_id = filled->environment, .outcome = "timeout"}, 1, {second}},
		{{.job_id = filled->job}, 3, {first, second, third}},
		{{.job_id = 99}, 0, {0}},
		{{.device_id = 99}, 0, {0}},
		{{.problem_id = 99}, 0, {0}},
		{{.environment_id = 99}, 0, {0}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen seen = {0};
		assert_int_equal(db_trials(filled->db, &cases[i].filter, see_trial, &seen, &error), 0);
		assert_int_equal(seen.count, cases[i].count);
		assert_memory_equal(seen.ids, cases[i].ids, (size_t)seen.count * sizeof(int64_t));
	}
	struct seen stopped = {.stop_after = 2};
	assert_int_equal(db_trials(filled->db, &cases[0].filter, see_trial, &stopped, &error), 0);
	assert_int_equal(stopped.count, 2);
}

static void trials_never_change(void **state)
{
	struct filled *filled = *state;
	int64_t id = filled_trial(filled, "ok", 5);
	assert_int_equal(filled_sql(filled, "UPDATE trials SET time_ns = 1"), SQLITE_CONSTRAINT);
	assert_int_equal(filled_sql(filled, "DELETE FROM trials"), SQLITE_CONSTRAINT);
	/* REPLACE deletes without asking, unless the connection is ours */
	char replace[512];
	snprintf(replace, sizeof(replace),
		 "REPLACE INTO trials SELECT %lld, job_id, device_id, environment_id, problem_id, variant_id, "
		 "configuration, outcome, 1, minimum_ns, spread, gflops, effective_gbps, compulsory_gbps, "
		 "relative_error, runs, build_ns, verify_ns, measure_ns, driver_ns, total_ns, message, measured_at, "
		 "checksum FROM trials",
		 (long long)id);
	struct mmt_error error = {0};
	assert_int_equal(db_execute(filled->db, replace, "replacing", &error), -1);
	assert_non_null(strstr(error.message, "append-only"));
	assert_int_equal(filled_count(filled), 1);
}

static void the_best_has_a_history(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	int64_t slow = filled_trial(filled, "ok", 9), fast = filled_trial(filled, "ok", 3);
	assert_int_equal(db_demote(filled->db, filled->device, filled->problem, &error), -1);
	assert_int_equal(error.code, MMT_NO_ANSWER);
	assert_int_equal(db_promote(filled->db, slow, "first", &error), 0);
	assert_int_equal(db_demote(filled->db, filled->device, filled->problem, &error), -1);
	assert_int_equal(error.code, MMT_NO_ANSWER);
	assert_int_equal(best(filled), slow);
	assert_int_equal(db_promote(filled->db, fast, "faster", &error), 0);
	assert_int_equal(best(filled), fast);
	assert_int_equal(db_demote(filled->db, filled->device, filled->problem, &error), 0);
	assert_int_equal(best(filled), slow);

	struct seen seen = {0};
	assert_int_equal(db_history(filled->db, 0, 0, 0, see_promotion, &seen, &error), 0);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.ids[0], fast);
	assert_string_equal(seen.reasons[0], "faster");
	assert_true(seen.withdrawn[0] > 0 && seen.withdrawn[1] == 0);
	struct seen none = {0}, one = {0};
	assert_int_equal(db_history(filled->db, 99, 0, 0, see_promotion, &none, &error), 0);
	assert_int_equal(none.count, 0);
	assert_int_equal(db_history(filled->db, filled->device, filled->problem, 1, see_promotion, &one, &error), 0);
	assert_int_equal(one.count, 1);
}

struct winner_times {
	int count;
	double least_ns;
};

static int see_winner_time(void *context, const struct db_winner_time *time)
{
	struct winner_times *seen = context;
	seen->count++;
	seen->least_ns = time->minimum_ns;
	assert_string_equal(time->problem, "{\"m\":7}");
	return 0;
}

/* The winner of one problem was tried at another, twice, and so was one that won nowhere. */
static void a_winners_time_at_another_problem_is_its_shortest(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	struct db_trial trial = {.device_id = filled->device,
				 .environment_id = filled->environment,
				 .variant_id = filled->variant,
				 .configuration = (char *)"{\"tile\":9}",
				 .outcome = (char *)"ok",
				 .time_ns = 70};
	assert_int_equal(db_promote(filled->db, filled_trial(filled, "ok", 9), "first", &error), 0);
	assert_int_equal(db_problem(filled->db, "{\"m\":7}", &trial.problem_id, &error), 0);
	for (double minimum_ns = 60; minimum_ns > 40; minimum_ns -= 10) {
		trial.minimum_ns = minimum_ns;
		assert_int_equal(db_trial_add(filled->db, &trial, &error), 0);
	}
	trial.configuration = (char *)"{\"tile\":10}";
	trial.minimum_ns = 5;
	assert_int_equal(db_trial_add(filled->db, &trial, &error), 0);
	struct winner_times seen = {0};
	assert_int_equal(db_winner_times(filled->db, see_winner_time, &seen, &error), 0);
	assert_int_equal(seen.count, 1); /* filled_trial() has no minimum */
	assert_float_equal(seen.least_ns, 50, 1e-9);
}

static void only_a_result_is_promoted(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	int64_t wrong = filled_trial(filled, "wrong_result", 3);
	assert_int_equal(db_promote(filled->db, wrong, "no", &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_int_equal(db_promote(filled->db, 12345, "no", &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_int_equal(best(filled), 0);
}

static void jobs_keep_their_state(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	struct db_job *jobs = NULL;
	size_t count = 0;
	assert_int_equal(db_jobs(filled->db, true, 0, &jobs, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_int_equal(jobs[0].seed, -7);
	assert_string_equal(jobs[0].device, "cpu0");
	assert_string_equal(jobs[0].problem, "{\"m\":1000}");
	assert_null(jobs[0].message);
	struct db_job done = jobs[0];
	done.state = (char *)"failed";
	done.message = (char *)"no valid configuration";
	done.spent_ns = 2.5e9;
	done.evaluations = 12;
	assert_int_equal(db_job_put(filled->db, &done, &error), 0);
	db_job_finish(&jobs[0]);
	free(jobs);
	assert_int_equal(db_jobs(filled->db, true, 0, &jobs, &count, &error), 0);
	assert_int_equal(count, 0);
	assert_int_equal(db_jobs(filled->db, false, 5, &jobs, &count, &error), 0);
	assert_int_equal(count, 1);
	assert_string_equal(jobs[0].message, "no valid configuration");
	assert_true(jobs[0].spent_ns == 2.5e9 && jobs[0].evaluations == 12);

	struct db_job strange = jobs[0];
	strange.state = (char *)"sleeping";
	assert_int_equal(db_job_put(filled->db, &strange, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	strange = jobs[0];
	strange.id = 4711;
	assert_int_equal(db_job_put(filled->db, &strange, &error), -1);
	assert_int_equal(error.code, MMT_NO_SUCH_JOB);
	db_job_finish(&jobs[0]);
	free(jobs);
}

static void a_batch_is_all_or_nothing(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	assert_int_equal(db_begin(filled->db, &error), 0);
	int64_t trial = filled_trial(filled, "ok", 1);
	assert_int_equal(db_promote(filled->db, trial, "x", &error), 0);
	db_rollback(filled->db);
	assert_int_equal(filled_count(filled), 0);

	assert_int_equal(db_begin(filled->db, &error), 0);
	trial = filled_trial(filled, "ok", 1);
	assert_int_equal(db_promote(filled->db, 999, "x", &error), -1); /* takes back itself only */
	assert_int_equal(db_promote(filled->db, trial, "x", &error), 0);
	assert_int_equal(db_commit(filled->db, &error), 0);
	assert_int_equal(best(filled), trial);
	assert_int_equal(db_commit(filled->db, &error), -1);
}

static void memory_is_a_database_too(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct db_opened opened;
	struct filled filled = {.db = db_open(":memory:", &opened, &error)};
	assert_non_null(filled.db);
	assert_true(opened.created);
	filled_rows(&filled);
	int64_t trial = filled_trial(&filled, "ok", 1);
	assert_int_equal(db_promote(filled.db, trial, "x", &error), 0);
	assert_int_equal(best(&filled), trial);
	db_close(filled.db);
	db_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILLED_TEST(content_is_found_again),
		FILLED_TEST(devices_keep_name_and_first_sight),
		FILLED_TEST(a_trial_comes_back_as_it_was),
		FILLED_TEST(a_trial_must_make_sense),
		FILLED_TEST(trials_are_filtered),
		FILLED_TEST(trials_never_change),
		FILLED_TEST(the_best_has_a_history),
		FILLED_TEST(only_a_result_is_promoted),
		FILLED_TEST(a_winners_time_at_another_problem_is_its_shortest),
		FILLED_TEST(jobs_keep_their_state),
		FILLED_TEST(a_batch_is_all_or_nothing),
		cmocka_unit_test(memory_is_a_database_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
