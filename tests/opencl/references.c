/* References in the real worker: told of in its hello, verified, timed, and refused with a reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "drive.h"
#include "problem_json.h"

#define TIMEOUT_MS 240000 /* a library may build its kernels first */
#define SKIPPED    77

static char fingerprint[65];

static struct mmt_problem make_problem(int64_t m, int64_t n, int64_t k, enum mmt_trans trans, enum mmt_type type)
{
	struct mmt_problem problem;

	mmt_problem_init(&problem);
	problem.m = m;
	problem.n = n;
	problem.k = k;
	problem.trans = trans;
	problem.type = type;
	return problem;
}

static struct kern_result reference(struct drive *drive, const char *name, const struct mmt_problem *problem,
				    double give_up_ns)
{
	struct kern_result result;
	json_t *request = json_pack("{s:s, s:i, s:o, s:s, s:f}", "op", "reference", "id", 1, "problem",
				    problem_to_json(problem), "name", name, "give_up_ns", give_up_ns);

	assert_non_null(request);
	assert_int_equal(drive_run(drive, request, TIMEOUT_MS, &result, 1), 0);
	return result;
}

static void expect_ok(const char *name, const struct kern_result *result)
{
	if (result->outcome != KERN_OUTCOME_OK)
		fail_msg("%s: %s: %s", name, kern_outcome_name(result->outcome), result->message);
	assert_true(result->time_ns > 0 && result->minimum_ns > 0 && result->minimum_ns <= result->time_ns);
	assert_true(result->host_clock);
	assert_true(isfinite(result->relative_error) && result->relative_error < 1e-4);
}

/* Verified, then measured: where that takes long, it says so again and again. */
static void assert_phases(const char *phases)
{
	static const char verify[] = "verify ", measure[] = "measure ";

	assert_int_equal(strncmp(phases, verify, strlen(verify)), 0);
	phases += strlen(verify);
	do {
		assert_int_equal(strncmp(phases, measure, strlen(measure)), 0);
		phases += strlen(measure);
	} while (*phases);
}

static void references_are_verified_and_timed(void **state)
{
	static const char *const names[] = {"host_ijk", "host_ijk_fast", "host_ijk_naive",
					    "host_ikj", "host_kij",      "host_ikj_openmp"};
	const struct mmt_problem problems[] = {
		make_problem(65, 67, 33, MMT_NN, MMT_F32),
		make_problem(31, 1, 64, MMT_TT, MMT_F64),
		make_problem(7, 100, 13, MMT_NT, MMT_F64),
	};
	struct drive drive;

	(void)state;
	assert_int_equal(drive_start(&drive, MMTUNE_WORKER, fingerprint), 0);
	for (size_t p = 0; p < sizeof problems / sizeof *problems; p++) {
		if (problems[p].type == MMT_F64 && !drive.device.fp64)
			continue;
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			struct kern_result result = reference(&drive, names[i], &problems[p], 0);

			if (result.outcome == KERN_OUTCOME_SKIPPED && strstr(result.message, "OpenMP") != NULL)
				continue;
			expect_ok(names[i], &result);
			assert_true(result.runs >= 2);
			assert_phases(drive.phases);
		}
	}
	drive_stop(&drive);
}

static void a_slow_one_runs_once(void **state)
{
	const struct mmt_problem problem = make_problem(64, 64, 64, MMT_NN, MMT_F32);
	struct kern_result result;
	struct drive drive;

	(void)state;
	assert_int_equal(drive_start(&drive, MMTUNE_WORKER, fingerprint), 0);
	result = reference(&drive, "host_ijk_naive", &problem, 1);
	expect_ok("host_ijk_naive", &result);
	assert_true(result.gave_up);
	assert_int_equal(result.runs, 1);
	drive_stop(&drive);
}

/* There, or not installed: nothing else; and the kernels after it are as right as before. */
static void libraries_are_peers_where_they_are(void **state)
{
	static const char *const names[] = {"openblas", "clblast"};
	const struct mmt_problem problem = make_problem(50, 70, 30, MMT_TN, MMT_F32);
	struct kern_result result;
	struct drive drive;

	(void)state;
	assert_int_equal(drive_start(&drive, MMTUNE_WORKER, fingerprint), 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		result = reference(&drive, names[i], &problem, 0);
		if (result.outcome == KERN_OUTCOME_SKIPPED)
			assert_non_null(strstr(result.message, "not installed"));
		else
			expect_ok(names[i], &result);
	}
	assert_int_equal(drive_run(&drive,
				   drive_trial(&problem, drive_plan("element", &problem, &drive.device), 0, true),
				   TIMEOUT_MS, &result, 1),
			 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_OK);
	drive_stop(&drive);
}

static void what_cannot_be_is_skipped_with_a_reason(void **state)
{
	struct mmt_problem problem = make_problem(8, 8, 8, MMT_NN, MMT_F32);
	struct kern_result result;
	struct drive drive;

	(void)state;
	assert_int_equal(drive_start(&drive, MMTUNE_WORKER, fingerprint), 0);
	result = reference(&drive, "host_jki", &problem, 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_SKIPPED);
	assert_non_null(strstr(result.message, "no reference 'host_jki'"));
	mmt_problem_init(&problem);
	strcpy(problem.family, "transpose");
	problem.m = problem.n = 16;
	problem.k = 1;
	result = reference(&drive, "host_ikj", &problem, 0);
	assert_int_equal(result.outcome, KERN_OUTCOME_SKIPPED);
	assert_non_null(strstr(result.message, "matmul only"));
	drive_stop(&drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references_are_verified_and_timed),
		cmocka_unit_test(a_slow_one_runs_once),
		cmocka_unit_test(libraries_are_peers_where_they_are),
		cmocka_unit_test(what_cannot_be_is_skipped_with_a_reason),
	};
	json_t *devices = drive_enumerate(MMTUNE_WORKER);
	const json_t *device = json_array_get(json_object_get(devices, "devices"), 0);
	const char *first = json_string_value(json_object_get(device, "fingerprint"));
	int status = SKIPPED;

	if (first != NULL) {
		snprintf(fingerprint, sizeof fingerprint, "%s", first);
		status = cmocka_run_group_tests(tests, NULL, NULL);
	}
	json_decref(devices);
	return status;
}
