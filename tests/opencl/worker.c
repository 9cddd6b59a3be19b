/* The worker on a real device: good candidates are measured, bad ones are outcomes. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "drive.h"

#define TIMEOUT_MS 60000
#define SKIPPED    77

/* GEMM's arguments, and the row and column of `element`'s launch (DIMENSION_0 = 0). */
#define KERNEL(body)                                                                                                \
	"__kernel void matmul(const int m, const int n, const int k, const float alpha, __global const float *a,\n" \
	"	const int lda, __global const float *b, const int ldb, const float beta, __global float *c,\n"            \
	"	const int ldc)\n"                                                                                         \
	"{\n"                                                                                                       \
	"	const size_t i = get_global_id(1), j = get_global_id(0);\n"                                               \
	"	float sum = 0;\n"                                                                                         \
	"	if (i >= m || j >= n) return;\n"                                                                          \
	"	for (int p = 0; p < k; p++) sum += a[i * lda + p] * b[p * ldb + j];\n" body "\n}\n"

#define RIGHT "c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];"

static char fingerprint[65];

static struct mmt_problem shape(int64_t m, int64_t n, int64_t k)
{
	struct mmt_problem problem;

	mmt_problem_init(&problem);
	problem.m = m;
	problem.n = n;
	problem.k = k;
	return problem;
}

static void start(struct drive *drive)
{
	assert_int_equal(drive_start(drive, MMTUNE_WORKER, fingerprint), 0);
}

/* One trial of a kernel with RIGHT or wrong insides, verified in both modes. */
static int trial(struct drive *drive, const char *source, struct kern_result *result)
{
	struct mmt_problem problem = shape(65, 67, 33);
	json_t *plan = drive_plan_of_source(source, NULL, &problem, &drive->device);

	assert_non_null(plan);
	return drive_run(drive, drive_trial(&problem, plan, 0, true), TIMEOUT_MS, result, 1);
}

static void expect_good(struct drive *drive)
{
	struct kern_result result;

	assert_int_equal(trial(drive, KERNEL(RIGHT), &result), 0);
	if (result.outcome != KERN_OUTCOME_OK)
		fail_msg("%s: %s", kern_outcome_name(result.outcome), result.message);
	assert_true(result.time_ns > 0 && result.minimum_ns > 0 && result.minimum_ns <= result.time_ns);
}

/* The worker lives on, and the next good candidate is measured. */
static void expect_outcome(const char *source, enum kern_outcome outcome, const char *part)
{
	struct kern_result result;
	struct drive drive;

	start(&drive);
	expect_good(&drive);
	assert_int_equal(trial(&drive, source, &result), 0);
	if (result.outcome != outcome)
		fail_msg("%s instead of %s: %s", kern_outcome_name(result.outcome), kern_outcome_name(outcome),
			 result.message);
	assert_non_null(strstr(result.message, part));
	assert_false(result.device_lost);
	expect_good(&drive);
	drive_stop(&drive);
}

static void test_hello_names_the_device(void **state)
{
	struct drive drive;

	(void)state;
	start(&drive);
	assert_string_equal(drive.device.fingerprint, fingerprint);
	assert_true(drive.device.max_work_group_size > 0);
	drive_stop(&drive);
}

static void test_unknown_fingerprint_ends_the_worker(void **state)
{
	struct drive drive;

	(void)state;
	assert_int_equal(drive_start(&drive, MMTUNE_WORKER, "0123"), -1);
}

static void test_built_in_variants_are_right(void **state)
{
	static const char *const variants[] = {"element", "row", "tiled", "blocked"};
	struct mmt_problem problem = shape(130, 93, 37);
	struct kern_result result;
	struct drive drive;

	(void)state;
	start(&drive);
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		json_t *plan = drive_plan(variants[i], &problem, &drive.device);

		assert_non_null(plan);
		assert_int_equal(drive_run(&drive, drive_trial(&problem, plan, 0, true), TIMEOUT_MS, &result, 1), 0);
		if (result.outcome != KERN_OUTCOME_OK)
			fail_msg("%s: %s: %s", variants[i], kern_outcome_name(result.outcome), result.message);
		assert_string_equal(drive.phases, "build verify verify measure ");
		assert_true(result.relative_error > 0 && result.relative_error < 1e-5);
	}
	drive_stop(&drive);
}

static void test_accounting_adds_up(void **state)
{
	struct mmt_problem problem = shape(200, 200, 200);
	struct kern_result result;
	struct drive drive;

	(void)state;
	start(&drive);
	assert_int_equal(drive_run(&drive,
				   drive_trial(&problem, drive_plan("element", &problem, &drive.device), 0, false),
				   TIMEOUT_MS, &result, 1),
			 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_OK);
	assert_true(result.build_ns > 0 && result.verify_ns > 0 && result.measure_ns > 0);
	assert_true(result.driver_ns <= result.total_ns);
	assert_true(result.total_ns <= 1.001 * (result.build_ns + result.verify_ns + result.measure_ns));
	drive_stop(&drive);
}

static void test_build_failure_carries_the_log(void **state)
{
	(void)state;
	expect_outcome(KERNEL("c[0] = not_declared;"), KERN_OUTCOME_BUILD_FAILED, "not_declared");
}

static void test_missing_entry_is_a_build_failure(void **state)
{
	(void)state;
	expect_outcome("__kernel void other(__global float *c) { c[0] = 1; }", KERN_OUTCOME_BUILD_FAILED, "matmul");
}

static void test_wrong_values_never_win(void **state)
{
	static const char *const bodies[] = {
		/* wrong everywhere; off in one element; one NaN; a part unwritten; beta ignored */
		KERNEL("c[i * ldc + j] = alpha * sum * 1.01f;"),
		KERNEL(RIGHT " if (i == 31 && j == 29) c[i * ldc + j] += 1;"),
		KERNEL(RIGHT " if (i == 40 && j == 50) c[i * ldc + j] = NAN;"),
		KERNEL("if (i < 60 || j < 60)" RIGHT),
		KERNEL("c[i * ldc + j] = alpha * sum;"),
		KERNEL("c[i * ldc + j] = alpha * sum + beta * c[i * ldc + j];"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
		expect_outcome(bodies[i], KERN_OUTCOME_WRONG_RESULT, "");
}

static void test_kernel_that_spoils_its_inputs_spoils_no_other(void **state)
{
	struct kern_result result;
	struct drive drive;

	(void)state;
	start(&drive);
	expect_good(&drive);
	/* Right the first time, since it stores after it was read by all: one work-item stores at the very end */
	assert_int_equal(
		trial(&drive, KERNEL(RIGHT " if (i == m - 1 && j == n - 1) ((__global float *)a)[0] = 7;"), &result),
		0);
	expect_good(&drive);
	drive_stop(&drive);
}

/* Just beyond the buffer, into the guard zone: seen. On a CPU the worker is to be replaced after it. */
static void expect_trespass(const char *source, const char *part)
{
	struct kern_result result;
	struct drive drive;

	start(&drive);
	assert_int_equal(trial(&drive, source, &result), 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_WRONG_RESULT);
	assert_non_null(strstr(result.message, part));
	assert_int_equal(result.device_lost, drive.device.type == KERN_CPU);
	if (result.device_lost) {
		drive_stop(&drive);
		start(&drive);
	}
	expect_good(&drive);
	drive_stop(&drive);
}

static void test_stores_outside_the_buffer_are_seen(void **state)
{
	(void)state;
	expect_trespass(KERNEL(RIGHT " if (i == 0 && j == 0) c[(size_t)m * ldc + 3] = 1;"), "after the end of 'c'");
	expect_trespass(KERNEL(RIGHT " if (i == 0 && j == 0) c[-2] = 1;"), "before the start of 'c'");
}

static void test_wild_store_ends_this_worker_at_most(void **state)
{
	struct kern_result result = {0};
	struct drive drive;

	(void)state;
	start(&drive);
	if (trial(&drive, KERNEL(RIGHT " c[((size_t)1 << 45) + i] = 1;"), &result) == 0) {
		assert_int_not_equal(result.outcome, KERN_OUTCOME_OK);
		drive_stop(&drive);
	}
	start(&drive);
	expect_good(&drive);
	drive_stop(&drive);
}

static void test_endless_kernel_ends_with_its_worker(void **state)
{
	struct mmt_problem problem = shape(64, 64, 64);
	struct kern_result result;
	struct drive drive;
	json_t *plan;

	(void)state;
	start(&drive);
	plan = drive_plan_of_source(KERNEL("volatile int go = 1; while (go) ; " RIGHT), NULL, &problem, &drive.device);
	assert_int_equal(drive_run(&drive, drive_trial(&problem, plan, 0, false), 1500, &result, 1), -1);
	assert_true(WIFSIGNALED(drive.status) && WTERMSIG(drive.status) == SIGKILL);
}

static void test_work_group_beyond_the_limit_is_skipped(void **state)
{
	struct mmt_problem problem = shape(64, 64, 64);
	struct kern_result result;
	struct drive drive;
	json_t *plan;
	json_t *step;

	(void)state;
	start(&drive);
	plan = drive_plan("element", &problem, &drive.device);
	step = json_array_get(json_object_get(plan, "steps"), 0);
	json_object_set_new(step, "global_size", json_pack("[I, i]", (json_int_t)drive.device.max_work_group_size, 64));
	json_object_set_new(step, "local_size", json_pack("[I, i]", (json_int_t)drive.device.max_work_group_size, 64));
	assert_int_equal(drive_run(&drive, drive_trial(&problem, plan, 0, false), TIMEOUT_MS, &result, 1), 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_SKIPPED);
	assert_non_null(strstr(result.message, "CL_KERNEL_WORK_GROUP_SIZE"));
	expect_good(&drive);
	drive_stop(&drive);
}

static void test_slow_candidate_is_given_up(void **state)
{
	struct mmt_problem problem = shape(128, 128, 128);
	struct kern_result result;
	struct drive drive;

	(void)state;
	start(&drive);
	assert_int_equal(drive_run(&drive,
				   drive_trial(&problem, drive_plan("element", &problem, &drive.device), 1, false),
				   TIMEOUT_MS, &result, 1),
			 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_OK);
	assert_true(result.gave_up);
	assert_int_equal(result.runs, 1);
	drive_stop(&drive);
}

static void test_comparison_gives_each_plan_its_outcome(void **state)
{
	struct mmt_problem problem = shape(65, 67, 33);
	struct kern_result results[3];
	struct drive drive;
	json_t *plans;

	(void)state;
	start(&drive);
	plans = json_pack("[o, o, o]", drive_plan("element", &problem, &drive.device),
			  drive_plan_of_source(KERNEL("c[i * ldc + j] = 1;"), NULL, &problem, &drive.device),
			  drive_plan("row", &problem, &drive.device));
	assert_int_equal(drive_run(&drive, drive_compare(&problem, plans, 5), TIMEOUT_MS, results, 3), 0);
	assert_int_equal(results[0].outcome, KERN_OUTCOME_OK);
	assert_int_equal(results[1].outcome, KERN_OUTCOME_WRONG_RESULT);
	assert_int_equal(results[2].outcome, KERN_OUTCOME_OK);
	assert_int_equal(results[0].runs, 5);
	assert_int_equal(results[2].runs, 5);
	drive_stop(&drive);
}

static void test_broken_plan_is_refused_and_the_worker_lives(void **state)
{
	struct mmt_problem problem = shape(8, 8, 8);
	struct kern_result result;
	struct drive drive;

	(void)state;
	start(&drive);
	assert_int_equal(drive_run(&drive, drive_trial(&problem, json_pack("{s:i}", "steps", 3), 0, false), TIMEOUT_MS,
				   &result, 1),
			 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_SKIPPED);
	expect_good(&drive);
	drive_stop(&drive);
}

/* No results: it is built. */
static void test_build_alone_says_why_it_failed(void **state)
{
	static const char *const sources[] = {KERNEL(RIGHT), "__kernel void matmul() { this is no C }"};
	struct mmt_problem problem = shape(8, 8, 8);
	struct kern_result result;
	struct drive drive;

	(void)state;
	start(&drive);
	for (size_t i = 0; i < 2; i++) {
		json_t *plan = drive_plan_of_source(sources[i], NULL, &problem, &drive.device);

		assert_int_equal(drive_run(&drive, json_pack("{s:s, s:i, s:o}", "op", "build", "id", 9, "plan", plan),
					   TIMEOUT_MS, &result, i),
				 0);
		assert_string_equal(drive.phases, "build ");
	}
	assert_int_equal(result.outcome, KERN_OUTCOME_BUILD_FAILED);
	assert_non_null(strstr(result.message, "error"));
	expect_good(&drive);
	drive_stop(&drive);
}

static void test_idle_then_work_again(void **state)
{
	struct drive drive;

	(void)state;
	start(&drive);
	expect_good(&drive);
	assert_int_equal(drive_send(&drive, json_pack("{s:s}", "op", "idle")), 0);
	expect_good(&drive);
	drive_stop(&drive);
}

/* The first device; the test is skipped where there is none. */
static int find_device(void)
{
	json_t *output = drive_enumerate(MMTUNE_WORKER);
	const json_t *device = json_array_get(json_object_get(output, "devices"), 0);
	const char *text = json_string_value(json_object_get(device, "fingerprint"));

	if (text != NULL)
		snprintf(fingerprint, sizeof fingerprint, "%s", text);
	json_decref(output);
	return text != NULL ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_names_the_device),
		cmocka_unit_test(test_unknown_fingerprint_ends_the_worker),
		cmocka_unit_test(test_built_in_variants_are_right),
		cmocka_unit_test(test_accounting_adds_up),
		cmocka_unit_test(test_build_failure_carries_the_log),
		cmocka_unit_test(test_missing_entry_is_a_build_failure),
		cmocka_unit_test(test_wrong_values_never_win),
		cmocka_unit_test(test_kernel_that_spoils_its_inputs_spoils_no_other),
		cmocka_unit_test(test_stores_outside_the_buffer_are_seen),
		cmocka_unit_test(test_wild_store_ends_this_worker_at_most),
		cmocka_unit_test(test_endless_kernel_ends_with_its_worker),
		cmocka_unit_test(test_work_group_beyond_the_limit_is_skipped),
		cmocka_unit_test(test_slow_candidate_is_given_up),
		cmocka_unit_test(test_comparison_gives_each_plan_its_outcome),
		cmocka_unit_test(test_broken_plan_is_refused_and_the_worker_lives),
		cmocka_unit_test(test_build_alone_says_why_it_failed),
		cmocka_unit_test(test_idle_then_work_again),
	};

	if (find_device() != 0)
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
