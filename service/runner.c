/* runner.c: see runner.h and runner_state.h: the life of a run. Thread: the loop's. */
#include "runner_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"
#include "problem_json.h"

/* A worker is replaced after so many candidates: each leaves memory and mappings behind in the driver (PoCL 3.1:
 * some 40 KB and three). A new one costs about a second. */
#define WORKER_TRIALS 500
/* Workers that die in a row without having done anything */
#define IDLE_DEATHS 3
/* Store posts under way before the search waits for the disk */
#define POSTS_LIMIT          64

#define QUARANTINE_S         60
#define QUARANTINE_LONGEST_S 3600

/* ---- ending ---- */

static json_t *accounting(const struct runner *runner)
{
	const struct svc_job *job = runner->job;
	double wall_ns = (double)(uv_hrtime() - job->run_started_ns);
	double share = wall_ns > 0 ? (runner->driver_ns + runner->spawn_ns) / wall_ns : 0;
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I}", "wall_s", wall_ns * 1e-9, "driver_s",
			 (runner->driver_ns + runner->spawn_ns) * 1e-9, "spawn_s", runner->spawn_ns * 1e-9, "build_s",
			 runner->build_ns * 1e-9, "verify_s", runner->verify_ns * 1e-9, "measure_s",
			 runner->measure_ns * 1e-9, "worker_s", runner->wait_ns * 1e-9, "driver_share",
			 share < 1 ? share : 1, "evaluations", (json_int_t)job->evaluations);
}

static void free_runner(struct runner *runner)
{
	search_destroy(runner->search);
	for (size_t i = 0; i < runner->n_variants; i++)
		search_space_destroy(runner->variants[i].space);
	free(runner->variants);
	free(runner->spaces);
	free(runner->promises);
	free(runner->problem_text);
	free(runner->earlier);
	runner_candidate_finish(&runner->candidate);
	for (size_t i = 0; i < runner->n_finalists; i++)
		runner_candidate_finish(&runner->finalists[i]);
	free(runner->finalists);
	runner_ahead_finish(runner);
	free(runner);
}

static void on_closed(uv_handle_t *handle)
{
	struct runner *runner = handle->data;
	struct svc_job *job = runner->job;
	json_decref(job->accounting);
	job->accounting = accounting(runner);
	job->phase = NULL;
	const struct runner_events *events = runner->events;
	void *context = runner->context;
	enum runner_end end = runner->end;
	free_runner(runner);
	events->ended(context, end);
}

static void settle(struct runner *runner)
{
	if (!runner->worker && runner_ahead_is_gone(runner) && runner->posts == 0 &&
	    !uv_is_closing((uv_handle_t *)&runner->again))
		uv_close((uv_handle_t *)&runner->again, on_closed);
}

void runner_end(struct runner *runner, enum runner_end end, const char *format, ...)
{
	if (runner->phase == RUNNER_ENDING)
		return;
	runner->phase = RUNNER_ENDING;
	runner->end = end;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(runner->job->message, sizeof runner->job->message, format, arguments);
	va_end(arguments);
	runner_close_worker(runner);
	runner_ahead_stop(runner);
	runner_step_later(runner);
}

void runner_stop(struct runner *runner, enum runner_end how)
{
	if (runner->phase == RUNNER_ENDING || runner->stop_asked)
		return;
	runner->stop_asked = true;
	runner->end = how;
	/* waits for what is under way, so that every result that came is kept */
	if (runner->worker && runner->in_flight)
		svc_worker_kill(runner->worker);
	runner_step_later(runner);
}

/* Acts on runner_stop once nothing is in flight. */
static void stop_now(struct runner *runner)
{
	const struct db_trial *incumbent =
		svc_answers_best(runner->service->answers, runner->job->device->id, &runner->job->problem);
	if (runner->end == RUNNER_SUSPENDED)
		runner_end(runner, RUNNER_SUSPENDED, "%s", "");
	else if (!incumbent && runner->n_top > 0 && runner->phase == RUNNER_SEARCHING)
		runner_promote_best(runner, "cancelled; not compared");
	else
		runner_end(runner, RUNNER_CANCELLED, "cancelled");
}

/* ---- the worker ---- */

/* The wait for a worker's start is over, one way or the other. */
static void count_start(struct runner *runner)
{
	if (runner->worker_started_ns > 0)
		runner->spawn_ns += (double)(uv_hrtime() - runner->worker_started_ns);
	runner->worker_started_ns = 0;
}

static void on_ready(void *context)
{
	struct runner *runner = context;
	runner->worker_ready = true;
	count_start(runner);
	runner_step(runner);
}

static void on_phase(void *context, const char *phase)
{
	static const char *const phases[] = {"build", "verify", "measure"};
	struct runner *runner = context;
	const struct config *config = &runner->service->config;
	double deadline_s = (double)config->launch_deadline_s, best_ns = 0;
	for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
		if (strcmp(phase, phases[i]) == 0 && runner->phase == RUNNER_SEARCHING)
			runner->job->phase = phases[i];
	/* Verification has the first launch, where drivers compile once more: only a measurement is held against
	 * the best. */
	if (runner->phase == RUNNER_SEARCHING && strcmp(phase, "measure") == 0 &&
	    search_best(runner->search, &(struct search_point){0}, &best_ns)) {
		double wanted_s = 50 * best_ns * 1e-9;
		wanted_s = wanted_s > 2 ? wanted_s : 2;
		deadline_s = wanted_s < deadline_s ? wanted_s : deadline_s;
	}
	if (runner->phase == RUNNER_COMPARING)
		runner_finals_phase(runner, phase);
	svc_worker_set_launch_deadline(runner->worker, deadline_s);
}

static void on_results(void *context, const json_t *results)
{
	struct runner *runner = context;
	runner->in_flight = false;
	runner->idle_deaths = 0;
	runner->job->device->crashes = 0;
	runner->job->device->quarantines = 0;
	if (runner->phase == RUNNER_SEARCHING)
		runner_trial_results(runner, results);
	else if (runner->phase == RUNNER_COMPARING)
		runner_finals_results(runner, results);
	runner_step(runner);
}

static void on_gone(void *context, enum svc_worker_end end, const char *explanation)
{
	struct runner *runner = context;
	bool in_flight = runner->in_flight;
	runner->worker = NULL;
	runner->worker_ready = runner->in_flight = false;
	runner->worker_trials = 0;
	count_start(runner);
	if (runner->phase != RUNNER_ENDING && !runner->stop_asked) {
		if (end == SVC_WORKER_CANNOT_START || (!in_flight && end != SVC_WORKER_EXITED))
			runner->idle_deaths++;
		if (runner->idle_deaths >= IDLE_DEATHS)
			runner_end(runner, RUNNER_FAILED, "the device cannot be used: %s", explanation);
		else if (in_flight && runner->phase == RUNNER_SEARCHING)
			runner_trial_gone(runner, end, explanation);
		else if (in_flight && runner->phase == RUNNER_COMPARING)
			runner_finals_gone(runner, end, explanation);
	}
	runner_step(runner);
}

static const struct svc_worker_events worker_events = {on_ready, on_phase, on_results, on_gone};

static void start_worker(struct runner *runner)
{
	runner->worker_ready = false;
	runner->worker_started_ns = uv_hrtime();
	runner->worker =
		svc_worker_create(runner->service, runner->job->device->properties.fingerprint, &worker_events, runner);
	if (!runner->worker)
		runner_end(runner, RUNNER_FAILED, "no memory for a worker");
}

void runner_close_worker(struct runner *runner)
{
	if (!runner->worker)
		return;
	if (runner->in_flight)
		svc_worker_kill(runner->worker);
	else
		svc_worker_close(runner->worker);
	runner->worker_ready = false;
}

bool runner_count_crash(struct runner *runner, enum svc_worker_end end, const char *explanation)
{
	struct svc_device *device = runner->job->device;
	/* slow candidates, however many, are no fault of the device */
	if (end != SVC_WORKER_CRASHED || ++device->crashes < (unsigned)runner->service->config.crash_limit)
		return false;
	unsigned doublings = device->quarantines < 6 ? device->quarantines : 6;
	int64_t seconds = (int64_t)QUARANTINE_S << doublings;
	if (seconds > QUARANTINE_LONGEST_S)
		seconds = QUARANTINE_LONGEST_S;
	device->quarantines++;
	device->quarantined_until = (int64_t)time(NULL) + seconds;
	struct mmt_error reason; /* valid text wherever it is cut */
	mmt_error_set(&reason, MMT_FAILED, 0, "%u crashes in a row, the last: %.200s", device->crashes, explanation);
	snprintf(device->quarantine_reason, sizeof device->quarantine_reason, "%.255s", reason.message);
	svc_log(4, "%s is put in quarantine for %lld s: %s", device->name, (long long)seconds,
		device->quarantine_reason);
	runner_end(runner, RUNNER_FAILED, "%s is put in quarantine: %s", device->name, device->quarantine_reason);
	device->crashes = 0;
	return true;
}

/* ---- the step ---- */

double runner_spent_s(const struct runner *runner)
{
	return job_spent_ns(runner->job) * 1e-9;
}

static bool reached_until(const struct runner *runner)
{
	const struct svc_job *job = runner->job;
	double fraction = json_real_value(json_object_get(job->best, "fraction_of_peak"));
	return job->until > 0 && fraction >= job->until;
}

/* Whether the search is over. While nothing was valid, the time for the finals is the search's too. */
static bool is_enough(const struct runner *runner)
{
	const struct svc_job *job = runner->job;
	if ((runner->exhausted && runner_in_hand(runner) == 0) ||
	    (job->max_evaluations > 0 && runner->tried >= job->max_evaluations))
		return true;
	double left_s = job->budget_s - runner_spent_s(runner);
	if (job->until_best && search_settled(runner->search))
		return true;
	return reached_until(runner) || (job->budget_s > 0 && left_s <= runner_finals_estimate_s(runner));
}

static void search_on(struct runner *runner)
{
	runner_search(runner);
	if (runner->in_flight)
		runner_ahead_fill(runner); /* the place that the candidate left */
}

static void work_on(struct runner *runner)
{
	if (runner->phase == RUNNER_SEARCHING && jobs_must_yield(runner->job->jobs, runner->job)) {
		runner_end(runner, RUNNER_SUSPENDED, "%s", "");
		return;
	}
	if (runner->phase == RUNNER_SEARCHING && is_enough(runner)) {
		runner->phase = RUNNER_COMPARING;
		runner->job->phase = "compare";
		runner_candidate_finish(&runner->candidate);
		runner_ahead_stop(runner);
	}
	if (runner->phase == RUNNER_SEARCHING && runner->posts < POSTS_LIMIT)
		runner_ahead_fill(runner);
	if (runner->phase == RUNNER_ENDING)
		return;
	if (runner->worker_trials >= WORKER_TRIALS)
		runner_close_worker(runner);
	if (!runner->worker)
		start_worker(runner);
	else if (runner->worker_ready && runner->phase == RUNNER_SEARCHING && runner->posts < POSTS_LIMIT)
		search_on(runner);
	else if (runner->worker_ready && runner->phase == RUNNER_COMPARING)
		runner_finals(runner);
}

void runner_step(struct runner *runner)
{
	if (runner->phase == RUNNER_ENDING) {
		settle(runner);
	} else if (runner->stop_asked) {
		if (!runner->in_flight && runner->posts == 0)
			stop_now(runner);
	} else if (runner->phase != RUNNER_PREPARING && !runner->in_flight) {
		work_on(runner);
	} else if (runner->phase == RUNNER_SEARCHING && runner->posts < POSTS_LIMIT) {
		runner_ahead_fill(runner);
	}
}

static void on_again(uv_timer_t *timer)
{
	runner_step(timer->data);
}

void runner_step_later(struct runner *runner)
{
	if (!uv_is_closing((uv_handle_t *)&runner->again))
		uv_timer_start(&runner->again, on_again, 0, 0);
}

struct runner *runner_create(struct service *service, struct svc_job *job, const struct runner_events *events,
			     void *context)
{
	struct runner *runner = calloc(1, sizeof *runner);
	json_t *problem = problem_to_json(&job->problem);
	char *text = problem ? json_dumps(problem, JSON_COMPACT) : NULL;
	json_decref(problem);
	if (!runner || !text) {
		free(runner);
		free(text);
		return NULL;
	}
	runner->service = service;
	runner->job = job;
	runner->events = events;
	runner->context = context;
	runner->problem_text = text;
	runner->environment_id = job->device->environment_id;
	runner->tried = job->evaluations;
	runner_anchor_init(&runner->anchor);
	if (runner_ahead_init(runner) != 0) {
		free(runner);
		free(text);
		return NULL;
	}
	uv_timer_init(service->loop, &runner->again);
	runner->again.data = runner;
	job->phase = "prepare";
	job->message[0] = '\0';
	start_worker(runner); /* it opens the device while the spaces are expanded */
	runner_prepare(runner);
	return runner;
}
