/* fake_worker.c: a worker without OpenCL, for tests of the service.
 *
 * Same command line and protocol as mmtune-worker (trial.h); installed nowhere.
 * What it has and does is written in the environment, MMTUNE_FAKE, as
 * settings NAME=VALUE separated by semicolons, for example
 *
 *	devices=gpu:Fake GPU,cpu:Fake CPU; noise=0.02; crash=0.01; hang=@-DSTAGE_A=1
 *
 * Devices:
 *	devices=TYPE:NAME[:UUID],...	cpu, gpu or acc; \xHH in a name is that byte; empty: none
 *					(default: gpu:Fake GPU)
 *	driver=VERSION			of the devices, which must have come before (default 1.0)
 *	hint=TEXT			one hint of --enumerate
 *	enumerate=, hello=		ok, crash, hang or garbage: how these two begin
 * Times (model.h has the formula):
 *	rate_gflops=NUMBER		of the best configuration (default 1000)
 *	best=NAME:VALUE,...		where the optimum of a parameter is (default: drawn from the seed)
 *	seed=NUMBER			of all that is drawn (default 0)
 *	noise=FRACTION			a timing is longer by up to this share
 *	spread=FRACTION			timings scatter around the true one, with this interquartile range
 *	drop=FRACTION@FROM[-TO]		the device's clock falls by this share after FROM candidates, until TO of them
 *	timer_ns=NUMBER			step of the device's timer, which it claims to be 1 ns
 *	events=true, zero, reversed	what the driver's events say
 *	delay_ms=NUMBER			real time that each phase takes
 * Faults, with a PROBABILITY, a PART of the build options (@PART), or both (PROBABILITY@PART):
 *	build_failed= launch_failed= wrong_result= out_of_memory= skipped=	that outcome
 *	crash=		the process ends by a signal while it verifies
 *	hang=		it verifies for ever
 *	lost=		launch_failed with device_lost, and the process ends
 *	garbage=	it writes what is no message
 *	slow_build=	the build takes a second of real time
 *	build_crash=	the process ends by a signal while it builds
 *	build_hang=	it builds for ever
 * Builds:
 *	cache=FOLDER	keeps builds there, as a driver's cache does: the second one of any worker takes no time
 *
 * References, as of trial.h: fake_naive and fake_loop at a thousandth and a hundredth of the rate, and fake_library,
 * which is not installed.
 *
 * Which candidates are hit is drawn from their build options: the same in every
 * worker, so that a candidate that crashed one crashes the next one too.
 *
 * Thread: one. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"
#include "model.h"
#include "pace.h"
#include "protocol.h"
#include "script.h"
#include "wire.h"

#define EXIT_USAGE        2
#define SLOW_BUILD_MS     1000
#define NS_PER_MS         1e6
#define VERIFIED_ERROR    1e-7
#define GARBAGE           "this is no message"
#define DEFAULT_BUILD_LOG "CL_BUILD_PROGRAM_FAILURE (-11): fake.cl:1:1: error: as MMTUNE_FAKE says"

/* share: of rate_gflops; 0: not installed. */
static const struct fake_reference {
	const char *name, *kind;
	double share;
} references[] = {{"fake_naive", "naive", 0.001}, {"fake_loop", "host", 0.01}, {"fake_library", "library", 0}};

struct fake_worker {
	struct fake_script script;
	struct fake_clock clock;
	struct worker_clock judged; /* as the real worker judges the device's clock */
	int64_t request_id;
};

struct fake_candidate {
	struct fake_worker *worker;
	double time_ns;
	struct worker_measurement measurement;
	struct kern_result result;
};

static void wait_ms(double ms)
{
	struct timespec left = {(time_t)(ms / 1000), (long)((ms - 1000 * (double)(time_t)(ms / 1000)) * NS_PER_MS)};

	while (ms > 0 && nanosleep(&left, &left) != 0)
		continue;
}

static void hang(void)
{
	for (;;)
		pause();
}

static void crash(void)
{
	fputs("fake driver: Assertion `0' failed.\n", stderr);
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void garbage(int fd)
{
	if (write(fd, GARBAGE, sizeof GARBAGE) < 0)
		perror("write");
}

/* What enumerate= and hello= ask for; returns only where the start is a good one. */
static void begin(enum fake_start start, int fd)
{
	switch (start) {
	case FAKE_START_OK:
		break;
	case FAKE_START_CRASH:
		crash();
		break;
	case FAKE_START_HANG:
		hang();
		break;
	case FAKE_START_GARBAGE:
		garbage(fd);
		hang();
		break;
	}
}

/* One phase, told and taking the script's time. */
static void phase(struct fake_worker *worker, const char *name, double *part_ns, struct kern_result *result)
{
	double taken_ns = worker->script.delay_ms * NS_PER_MS;

	worker_send_phase(worker->request_id, name, NULL);
	wait_ms(worker->script.delay_ms);
	*part_ns += taken_ns;
	result->driver_ns += taken_ns;
	result->total_ns += taken_ns;
}

static void fail(struct kern_result *result, enum kern_outcome outcome, const char *message)
{
	result->outcome = outcome;
	worker_message_set(result, message);
}

/* Faults that show while the kernel is verified. */
static void meet_fault(const struct fake_fault *fault, struct kern_result *result)
{
	switch (fault->kind) {
	case FAKE_CRASH:
		crash();
		break;
	case FAKE_HANG:
		hang();
		break;
	case FAKE_GARBAGE:
		garbage(KERN_WORKER_FD);
		hang();
		break;
	case FAKE_LOST:
		fail(result, KERN_OUTCOME_LAUNCH_FAILED, "the launch did not end well: CL_INVALID_COMMAND_QUEUE (-36)");
		result->device_lost = true;
		break;
	case FAKE_OUTCOME:
		fail(result, fault->outcome, "as MMTUNE_FAKE says");
		break;
	case FAKE_SLOW_BUILD:
	case FAKE_BUILD_CRASH:
	case FAKE_BUILD_HANG:
		break; /* they have shown in the build */
	}
}

/* Opens a build's place in the driver's cache; false: it is not there, or there is no cache. */
static bool open_cached(const struct fake_script *script, const struct kern_plan *plan, int flags)
{
	char path[2 * FAKE_TEXT_BYTES];
	int fd;

	if (script->cache[0] == '\0')
		return false;
	snprintf(path, sizeof path, "%s/%016" PRIx64, script->cache, fake_model_hash(script, plan));
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void build(struct fake_worker *worker, const struct kern_plan *plan, const struct fake_fault *fault,
		  struct kern_result *result)
{
	const struct fake_script *script = &worker->script;

	if (open_cached(script, plan, O_RDONLY)) {
		worker_send_phase(worker->request_id, "build", NULL);
		return;
	}
	phase(worker, "build", &result->build_ns, result);
	if (fault != NULL && fault->kind == FAKE_SLOW_BUILD)
		wait_ms(SLOW_BUILD_MS);
	if (fault != NULL && fault->kind == FAKE_BUILD_CRASH)
		crash();
	if (fault != NULL && fault->kind == FAKE_BUILD_HANG)
		hang();
	if (fault != NULL && fault->kind == FAKE_OUTCOME && fault->outcome == KERN_OUTCOME_BUILD_FAILED)
		fail(result, KERN_OUTCOME_BUILD_FAILED, DEFAULT_BUILD_LOG);
	else
		open_cached(script, plan, O_CREAT | O_WRONLY);
}

static void candidate_init(struct fake_candidate *candidate, struct fake_worker *worker,
			   const struct worker_request *request, const struct kern_plan *plan)
{
	const struct fake_fault *fault = fake_model_fault(&worker->script, plan);
	struct kern_result *result = &candidate->result;

	candidate->worker = worker;
	candidate->time_ns = fake_model_time_ns(&worker->script, &request->problem, plan);
	fake_clock_next(&worker->clock, plan);
	build(worker, plan, fault, result);
	if (result->outcome != KERN_OUTCOME_OK)
		return;
	phase(worker, "verify", &result->verify_ns, result);
	result->relative_error = VERIFIED_ERROR;
	if (fault != NULL)
		meet_fault(fault, result);
}

static int time_model(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	struct fake_candidate *candidate = context;

	(void)error; /* a model does not fail */
	fake_clock_time(&candidate->worker->clock, candidate->time_ns, repeats, out);
	return 0;
}

static struct worker_timer timer_of(struct fake_candidate *candidate)
{
	return (struct worker_timer){time_model, NULL, candidate, &candidate->worker->judged};
}

/* The anchor as a candidate that is never built or verified; time_ns 0: there is none. */
static struct fake_candidate anchor_of(struct fake_worker *worker, const struct worker_request *request)
{
	struct fake_candidate anchor = {.worker = worker};
	struct kern_plan plan;

	if (request->anchor != NULL && kern_plan_from_json(request->anchor, &plan, NULL) == 0) {
		anchor.time_ns = fake_model_time_ns(&worker->script, &request->problem, &plan);
		kern_plan_finish(&plan);
	}
	return anchor;
}

static void run_trial(struct fake_candidate *candidate, const struct worker_request *request)
{
	struct kern_result *result = &candidate->result;
	struct fake_candidate anchor = anchor_of(candidate->worker, request);
	struct worker_timer timer = timer_of(candidate), anchor_timer = timer_of(&anchor);
	struct worker_anchor_timing pace = {.expected_ns = request->anchor_ns};
	struct mmt_error error = {0};

	pace.timer = anchor.time_ns > 0 ? &anchor_timer : NULL;
	phase(candidate->worker, "measure", &result->measure_ns, result);
	if (worker_measure_at_pace(&candidate->measurement, &timer, request->give_up_ns, &pace, &error) != 0)
		fail(result, KERN_OUTCOME_LAUNCH_FAILED, error.message);
	worker_pace_result(&pace, result);
}

/* For worker_compare. */
static const struct worker_measurement *sample(void *context, size_t index)
{
	struct fake_candidate *candidate = (struct fake_candidate *)context + index;
	struct worker_timer timer = timer_of(candidate);
	struct kern_result *result = &candidate->result;
	struct mmt_error error = {0};

	if (result->outcome != KERN_OUTCOME_OK)
		return NULL;
	phase(candidate->worker, "measure", &result->measure_ns, result);
	if (worker_measure_once(&candidate->measurement, &timer, &error) == 0)
		return &candidate->measurement;
	fail(result, KERN_OUTCOME_LAUNCH_FAILED, error.message);
	return NULL;
}

static void rank(void *context, size_t index, double ratio, double error)
{
	struct kern_result *result = &((struct fake_candidate *)context)[index].result;

	result->ratio = ratio;
	result->ratio_error = error;
}

static int run_candidates(struct fake_candidate *candidates, struct fake_worker *worker,
			  const struct worker_request *request, struct mmt_error *error)
{
	const struct worker_comparison comparison = {request->n_plans, request->rounds, request->limit_ns, sample, rank,
						     candidates};
	size_t n = request->n_plans;
	int status = 0;

	for (size_t i = 0; i < n; i++)
		candidate_init(&candidates[i], worker, request, &request->plans[i]);
	if (request->operation == WORKER_COMPARE)
		status = worker_compare(&comparison, error);
	else if (candidates[0].result.outcome == KERN_OUTCOME_OK)
		run_trial(&candidates[0], request);
	for (size_t i = 0; i < n; i++) {
		if (candidates[i].result.outcome == KERN_OUTCOME_OK)
			worker_measurement_result(&candidates[i].measurement, &candidates[i].result);
	}
	return status;
}

/* *lost: a result said so, and the process is to end. */
static int serve_plans(struct fake_worker *worker, const struct worker_request *request, bool *lost,
		       struct mmt_error *error)
{
	struct fake_candidate *candidates = calloc(request->n_plans, sizeof *candidates);
	struct kern_result *results = calloc(request->n_plans, sizeof *results);
	int status = -1;

	if (candidates == NULL || results == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu candidates", request->n_plans);
		goto out;
	}
	worker->request_id = request->id;
	if (run_candidates(candidates, worker, request, error) != 0)
		goto out;
	for (size_t i = 0; i < request->n_plans; i++) {
		results[i] = candidates[i].result;
		*lost = *lost || results[i].device_lost;
	}
	status = worker_send_results(request->id, results, request->n_plans, error);
out:
	free(results);
	free(candidates);
	return status;
}

static int serve_build(struct fake_worker *worker, const struct worker_request *request, struct mmt_error *error)
{
	const struct kern_plan *plan = &request->plans[0];
	struct kern_result result = {0};

	worker->request_id = request->id;
	build(worker, plan, fake_model_fault(&worker->script, plan), &result);
	return worker_send_results(request->id, &result, result.outcome == KERN_OUTCOME_OK ? 0 : 1, error);
}

static int serve_rehearsal(struct fake_worker *worker, const struct worker_request *request, bool *lost,
			   struct mmt_error *error)
{
	struct fake_candidate candidate = {0};

	worker->request_id = request->id;
	candidate_init(&candidate, worker, request, &request->plans[0]);
	*lost = *lost || candidate.result.device_lost;
	return worker_send_results(request->id, &candidate.result, candidate.result.outcome == KERN_OUTCOME_OK ? 0 : 1,
				   error);
}

static json_t *list_references(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof references / sizeof *references; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", references[i].name, "summary",
						      "a fake", "kind", references[i].kind));
	return list;
}

static int serve_reference(struct fake_worker *worker, const struct worker_request *request, struct mmt_error *error)
{
	const struct mmt_problem *problem = &request->problem;
	const double operations = 2.0 * (double)problem->m * (double)problem->n * (double)problem->k;
	struct kern_result result = {.outcome = KERN_OUTCOME_SKIPPED};

	worker_message_set(&result, "not installed");
	for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
		if (strcmp(references[i].name, request->reference) == 0 && references[i].share > 0)
			result = (struct kern_result){
				.outcome = KERN_OUTCOME_OK,
				.time_ns = operations / (worker->script.rate_gflops * references[i].share),
				.runs = 1,
				.host_clock = true,
				.relative_error = VERIFIED_ERROR,
			};
	}
	return worker_send_results(request->id, &result, 1, error);
}

static int serve(struct fake_worker *worker, struct mmt_error *error)
{
	struct wire_reader reader;
	json_t *message = NULL;
	bool lost = false;
	int status;

	wire_reader_init(&reader, WIRE_REPLY_LIMIT_BYTES);
	while (!lost && (status = wire_receive(KERN_WORKER_FD, &reader, -1, &message, error)) == 0 && message != NULL) {
		struct worker_request request;

		status = worker_request_init(&request, message, error);
		if (status == 0 && request.operation == WORKER_REFERENCE)
			status = serve_reference(worker, &request, error);
		else if (status == 0 && request.operation == WORKER_BUILD)
			status = serve_build(worker, &request, error);
		else if (status == 0 && request.operation == WORKER_REHEARSE)
			status = serve_rehearsal(worker, &request, &lost, error);
		else if (status == 0 && request.operation != WORKER_IDLE)
			status = serve_plans(worker, &request, &lost, error);
		json_decref(message);
		worker_request_finish(&request);
		if (status != 0)
			break;
	}
	wire_reader_finish(&reader);
	return status;
}

static int enumerate(const struct fake_script *script, struct mmt_error *error)
{
	const char *const hints[] = {script->hint[0] != '\0' ? script->hint : NULL, NULL};

	begin(script->enumerate, STDOUT_FILENO);
	return worker_print_devices(STDOUT_FILENO, script->devices, script->n_devices, hints, error);
}

static int open_and_serve(struct fake_worker *worker, const char *fingerprint, struct mmt_error *error)
{
	const struct fake_script *script = &worker->script;

	begin(script->hello, KERN_WORKER_FD);
	for (size_t i = 0; i < script->n_devices; i++) {
		if (strcmp(script->devices[i].fingerprint, fingerprint) != 0)
			continue;
		fake_clock_init(&worker->clock, script);
		worker_clock_init(&worker->judged, script->devices[i].timer_resolution_ns);
		if (worker_send_hello(&script->devices[i], list_references(), error) != 0)
			return -1;
		return serve(worker, error);
	}
	return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "no fake device has the fingerprint %s", fingerprint);
}

int main(int argc, char **argv)
{
	const char *text = getenv("MMTUNE_FAKE");
	struct fake_worker *worker = calloc(1, sizeof *worker);
	struct mmt_error error = {0};
	int status = -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	if (worker == NULL || fake_script_init(&worker->script, text != NULL ? text : "", &error) != 0) {
		status = -1;
	} else if (argc == 2 && strcmp(argv[1], "--enumerate") == 0) {
		status = enumerate(&worker->script, &error);
	} else if (argc == 3 && strcmp(argv[1], "--fingerprint") == 0) {
		status = open_and_serve(worker, argv[2], &error);
	} else {
		fputs("usage: fake-worker --enumerate | --fingerprint HEX\n", stderr);
		free(worker);
		return EXIT_USAGE;
	}
	if (status != 0)
		fprintf(stderr, "fake-worker: %s\n", error.message);
	free(worker);
	return status != 0;
}
