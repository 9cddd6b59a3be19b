/* The fake worker does what its script says; and what the worker does with clocks that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "drive.h"

#define TIMEOUT_MS 5000
#define SOURCE     "__kernel void matmul() {}"

static void start(struct drive *drive, const char *script)
{
	json_t *devices;
	const char *fingerprint;

	setenv("MMTUNE_FAKE", script, 1);
	devices = drive_enumerate(MMTUNE_FAKE_WORKER);
	assert_non_null(devices);
	fingerprint = json_string_value(
		json_object_get(json_array_get(json_object_get(devices, "devices"), 0), "fingerprint"));
	assert_non_null(fingerprint);
	assert_int_equal(drive_start(drive, MMTUNE_FAKE_WORKER, fingerprint), 0);
	json_decref(devices);
}

static struct mmt_problem order(int64_t n)
{
	struct mmt_problem problem;

	mmt_problem_init(&problem);
	problem.m = problem.n = problem.k = n;
	return problem;
}

/* A trial of a candidate with these options. */
static int trial(struct drive *drive, const char *options, double give_up_ns, struct kern_result *result)
{
	struct mmt_problem problem = order(1000);
	json_t *plan = drive_plan_of_source(SOURCE, options, &problem, &drive->device);

	assert_non_null(plan);
	return drive_run(drive, drive_trial(&problem, plan, give_up_ns, false), TIMEOUT_MS, result, 1);
}

static double time_with(const char *script, const char *options, bool *host_clock)
{
	struct kern_result result;
	struct drive drive;

	start(&drive, script);
	assert_int_equal(trial(&drive, options, 0, &result), 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_OK);
	if (host_clock != NULL)
		*host_clock = result.host_clock;
	drive_stop(&drive);
	return result.time_ns;
}

static void test_optimum_is_where_the_script_says(void **state)
{
	const char *script = "best=MWG:64";

	(void)state;
	assert_true(time_with(script, "-DMWG=64", NULL) < time_with(script, "-DMWG=32", NULL));
	assert_true(time_with(script, "-DMWG=64", NULL) < time_with(script, "-DMWG=128", NULL));
	assert_true(time_with(script, "-DMWG=32", NULL) < time_with(script, "-DMWG=16", NULL));
}

static void test_true_events_are_used(void **state)
{
	bool host_clock;
	double time_ns = time_with("best=MWG:64", "-DMWG=64", &host_clock);

	(void)state;
	assert_false(host_clock);
	assert_true(time_ns > 2.0e6 && time_ns < 2.1e6); /* 2e9 operations at 1000 GFLOP/s */
}

static void test_events_that_lie_give_the_host_clock(void **state)
{
	bool host_clock;
	double true_ns = time_with("best=MWG:64", "-DMWG=64", NULL);
	double time_ns = time_with("best=MWG:64; events=zero", "-DMWG=64", &host_clock);

	(void)state;
	assert_true(host_clock);
	assert_true(time_ns > true_ns && time_ns < 1.05 * true_ns);
	time_ns = time_with("best=MWG:64; events=reversed", "-DMWG=64", &host_clock);
	assert_true(host_clock);
	assert_true(time_ns > true_ns && time_ns < 1.05 * true_ns);
}

static void test_coarse_timer_is_overcome_by_repetition(void **state)
{
	/* 20 us launches by a clock that counts milliseconds and claims nanoseconds */
	double true_ns = time_with("rate_gflops=100000; best=MWG:64", "-DMWG=64", NULL);
	double time_ns = time_with("rate_gflops=100000; best=MWG:64; timer_ns=1000000", "-DMWG=64", NULL);

	(void)state;
	assert_true(time_ns > 0.95 * true_ns && time_ns < 1.05 * true_ns);
}

static void test_slow_candidate_is_given_up_after_one_run(void **state)
{
	struct kern_result result;
	struct drive drive;

	(void)state;
	start(&drive, "best=MWG:64; noise=0.1");
	assert_int_equal(trial(&drive, "-DMWG=64", 1e6, &result), 0);
	assert_true(result.gave_up);
	assert_int_equal(result.runs, 1);
	assert_int_equal(trial(&drive, "-DMWG=64", 3e6, &result), 0);
	assert_false(result.gave_up);
	assert_true(result.runs >= 5);
	drive_stop(&drive);
}

static void test_comparison_is_fair_when_the_clock_drops(void **state)
{
	struct mmt_problem problem = order(1000);
	struct kern_result results[2];
	struct drive drive;
	json_t *plans;

	(void)state;
	start(&drive, "best=MWG:64; noise=0.02; drop=0.2@0");
	plans = json_pack("[o, o]", drive_plan_of_source(SOURCE, "-DMWG=48", &problem, &drive.device),
			  drive_plan_of_source(SOURCE, "-DMWG=64", &problem, &drive.device));
	assert_int_equal(drive_run(&drive, drive_compare(&problem, plans, 7), TIMEOUT_MS, results, 2), 0);
	assert_int_equal(results[0].runs, 7);
	assert_int_equal(results[1].runs, 7);
	assert_true(results[1].time_ns < results[0].time_ns);
	drive_stop(&drive);
}

static void test_outcomes_as_scripted(void **state)
{
	static const enum kern_outcome outcomes[] = {KERN_OUTCOME_BUILD_FAILED, KERN_OUTCOME_LAUNCH_FAILED,
						     KERN_OUTCOME_WRONG_RESULT, KERN_OUTCOME_OUT_OF_MEMORY,
						     KERN_OUTCOME_SKIPPED};
	struct kern_result result;
	struct drive drive;
	char script[128];

	(void)state;
	for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
		snprintf(script, sizeof script, "%s=@-DBAD=1", kern_outcome_name(outcomes[i]));
		start(&drive, script);
		assert_int_equal(trial(&drive, "-DBAD=1", 0, &result), 0);
		assert_int_equal(result.outcome, outcomes[i]);
		assert_true(result.message[0] != '\0');
		assert_int_equal(trial(&drive, "-DBAD=0", 0, &result), 0);
		assert_int_equal(result.outcome, KERN_OUTCOME_OK);
		assert_string_equal(drive.phases, "build verify measure ");
		drive_stop(&drive);
	}
}

static void test_crash_hang_garbage_and_loss_end_the_worker(void **state)
{
	static const char *const scripts[] = {"crash=1", "hang=1", "garbage=1"};
	struct kern_result result;
	struct drive drive;

	(void)state;
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		struct mmt_problem problem = order(10);

		start(&drive, scripts[i]);
		assert_int_equal(
			drive_run(&drive,
				  drive_trial(&problem, drive_plan_of_source(SOURCE, "", &problem, &drive.device), 0,
					      false),
				  300, &result, 1),
			-1);
		assert_true(WIFSIGNALED(drive.status));
	}
	start(&drive, "lost=1");
	assert_int_equal(trial(&drive, "", 0, &result), 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_LAUNCH_FAILED);
	assert_true(result.device_lost);
	assert_int_equal(trial(&drive, "", 0, &result), -1);
	drive_stop(&drive);
}

static void test_faults_by_probability_hit_some_and_always_the_same(void **state)
{
	struct kern_result result;
	struct drive drive;
	char options[32];
	int failed[2] = {0};

	(void)state;
	for (int round = 0; round < 2; round++) {
		start(&drive, "wrong_result=0.3; seed=5");
		for (int i = 0; i < 60; i++) {
			snprintf(options, sizeof options, "-DX=%d", i);
			assert_int_equal(trial(&drive, options, 0, &result), 0);
			failed[round] += result.outcome == KERN_OUTCOME_WRONG_RESULT ? i + 1 : 0;
		}
		drive_stop(&drive);
	}
	assert_int_equal(failed[0], failed[1]);
	assert_true(failed[0] > 0 && failed[0] < 60 * 61 / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_optimum_is_where_the_script_says),
		cmocka_unit_test(test_true_events_are_used),
		cmocka_unit_test(test_events_that_lie_give_the_host_clock),
		cmocka_unit_test(test_coarse_timer_is_overcome_by_repetition),
		cmocka_unit_test(test_slow_candidate_is_given_up_after_one_run),
		cmocka_unit_test(test_comparison_is_fair_when_the_clock_drops),
		cmocka_unit_test(test_outcomes_as_scripted),
		cmocka_unit_test(test_crash_hang_garbage_and_loss_end_the_worker),
		cmocka_unit_test(test_faults_by_probability_hit_some_and_always_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
