/* runner_trial.c: see runner_state.h: one candidate from the search's ask to its tell. Thread: the loop's. */
#include "runner_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "problem_json.h"

/* Refused plans in one go, before the loop has its turn: each costs some 10 microseconds and a row to store. */
#define PLANS_A_TURN 16
/* A candidate this much slower than the best after one run is done (design, section 5) */
#define GIVE_UP_FACTOR 1.5

void runner_candidate_finish(struct runner_candidate *candidate)
{
	if (candidate->planned)
		kern_plan_finish(&candidate->plan);
	candidate->planned = false;
}

/* ---- the best so far ---- */

static void update_best(struct runner *runner)
{
	struct svc_job *job = runner->job;
	const struct runner_top *top = &runner->top[0];
	if (runner->n_top == 0) {
		json_decref(job->best);
		job->best = NULL;
		return;
	}
	const struct runner_variant *variant = &runner->variants[top->point.space];
	double gflops = kern_family_find(job->problem.family)->operations(&job->problem) / top->comparable_ns;
	double peak = svc_answers_peak_gflops(runner->service->answers, job->device, job->problem.type);
	json_t *best = json_pack(
		"{s:s, s:o, s:f, s:f, s:o}", "variant", variant->variant->name, "parameters",
		kern_configuration_to_json(variant->variant, search_space_get(variant->space, top->point.point)),
		"time_ns", top->comparable_ns, "gflops", gflops, "fraction_of_peak",
		peak > 0 && gflops > 0 ? json_real(gflops / peak) : json_null());
	if (best) {
		json_decref(job->best);
		job->best = best;
	}
}

static bool same_point(struct search_point a, struct search_point b)
{
	return a.space == b.space && a.point == b.point;
}

/* Sorts the entry in; the last one falls out where the list is full. */
static void insert(struct runner *runner, const struct runner_top *entry)
{
	size_t at = runner->n_top;
	while (at > 0 && runner->top[at - 1].comparable_ns > entry->comparable_ns)
		at--;
	if (at == RUNNER_TOP)
		return;
	size_t moved = (runner->n_top < RUNNER_TOP ? runner->n_top : RUNNER_TOP - 1) - at;
	memmove(&runner->top[at + 1], &runner->top[at], moved * sizeof runner->top[0]);
	runner->top[at] = *entry;
	runner->n_top = at + moved + 1;
}

void runner_note_result(struct runner *runner, const struct runner_top *entry)
{
	struct runner_top first = runner->top[0];
	size_t kept = 0, before = runner->n_top;
	for (size_t i = 0; i < before; i++)
		if (!same_point(runner->top[i].point, entry->point))
			runner->top[kept++] = runner->top[i];
	runner->n_top = kept;
	if (entry->result.outcome == KERN_OUTCOME_OK)
		insert(runner, entry);
	bool changed = before == 0 || runner->n_top == 0 || !same_point(first.point, runner->top[0].point) ||
		       first.comparable_ns != runner->top[0].comparable_ns;
	if (changed && before + runner->n_top > 0)
		update_best(runner);
}

/* ---- what came of it ---- */

void runner_account(struct runner *runner, const struct kern_result *result)
{
	runner->driver_ns += result->driver_ns;
	runner->build_ns += result->build_ns;
	runner->verify_ns += result->verify_ns;
	runner->measure_ns += result->measure_ns;
}

void runner_conclude(struct runner *runner, struct runner_candidate *candidate, const struct kern_result *result)
{
	candidate->result = *result;
	if (result->outcome == KERN_OUTCOME_OK && !(isfinite(result->time_ns) && result->time_ns > 0)) {
		candidate->result.outcome = KERN_OUTCOME_LAUNCH_FAILED;
		snprintf(candidate->result.message, sizeof candidate->result.message, "the clock gave no time: %g ns",
			 result->time_ns);
	}
	bool ok = candidate->result.outcome == KERN_OUTCOME_OK;
	if (!ok && runner->first_failure[0] == '\0')
		memcpy(runner->first_failure, candidate->result.message, sizeof runner->first_failure);
	if (ok && !result->gave_up) {
		runner->ok_total_ns += result->total_ns;
		runner->n_ok++;
	}
	if (candidate->result.outcome != KERN_OUTCOME_SKIPPED)
		runner->tried++;
	double comparable_ns = runner_anchor_take(runner, &candidate->result);
	search_tell(runner->search, candidate->point, ok ? SEARCH_OK : SEARCH_INVALID, comparable_ns);
	struct runner_top entry = {
		.point = candidate->point, .comparable_ns = comparable_ns, .result = candidate->result};
	runner_note_result(runner, &entry);
	runner_record(runner, candidate);
	runner_candidate_finish(candidate);
}

void runner_trial_results(struct runner *runner, const json_t *results)
{
	struct kern_result result;
	struct mmt_error error = {0};
	double took_ns = (double)(uv_hrtime() - runner->sent_ns);
	runner->wait_ns += took_ns;
	runner->worker_trials++;
	if (json_array_size(results) != 1 || kern_result_from_json(json_array_get(results, 0), &result, &error) != 0) {
		svc_worker_kill(runner->worker);
		runner->worker_ready = false;
		runner_trial_gone(runner, SVC_WORKER_CRASHED, "the worker's result cannot be read");
		return;
	}
	runner_account(runner, &result);
	runner_ahead_measured(runner, runner->candidate.built_ns, &result, took_ns);
	if (result.device_lost) { /* its context is broken: it would blame the next candidate */
		svc_worker_kill(runner->worker);
		runner->worker_ready = false;
	}
	runner_conclude(runner, &runner->candidate, &result);
}

void runner_trial_gone(struct runner *runner, enum svc_worker_end end, const char *explanation)
{
	struct kern_result result = svc_worker_lost_result(end, explanation);
	result.total_ns = result.driver_ns = (double)(uv_hrtime() - runner->sent_ns);
	runner_account(runner, &result);
	runner_conclude(runner, &runner->candidate, &result);
	runner_count_crash(runner, end, explanation);
}

/* ---- the next one ---- */

static json_t *trial_request(struct runner *runner)
{
	double best_ns = runner->n_top > 0 ? runner->top[0].comparable_ns * runner->anchor.pace : 0;
	json_t *request = json_pack(
		"{s:s, s:o, s:o, s:f, s:b}", "op", "trial", "problem", problem_to_json(&runner->job->problem), "plan",
		kern_plan_to_json(&runner->candidate.plan, true), "give_up_ns", GIVE_UP_FACTOR * best_ns, "general", 0);
	if (!request || runner_anchor_add(runner, request) == 0)
		return request;
	json_decref(request);
	return NULL;
}

static void send_candidate(struct runner *runner)
{
	struct mmt_error error = {0};
	json_t *request = trial_request(runner);
	if (!request) {
		runner_end(runner, RUNNER_FAILED, "no memory for a candidate");
	} else if (svc_worker_send(runner->worker, request, &error) == 0) {
		runner->in_flight = true;
		runner->sent_ns = uv_hrtime();
		runner->job->phase = "build";
	} else { /* it is going; the candidate stays in hand for the next worker */
		svc_worker_kill(runner->worker);
		runner->worker_ready = false;
	}
	json_decref(request);
}

/* Plans a point; false when the plan is refused, which is an outcome like others. */
static bool take(struct runner *runner, struct search_point point, struct runner_candidate *candidate)
{
	const struct runner_variant *variant = &runner->variants[point.space];
	const struct svc_job *job = runner->job;
	struct mmt_error error = {0};
	*candidate = (struct runner_candidate){.point = point, .variant = variant->variant, .variant_id = variant->id};
	memcpy(candidate->indices, search_space_get(variant->space, point.point),
	       variant->variant->n_parameters * sizeof candidate->indices[0]);
	candidate->planned = kern_plan_init(&candidate->plan, candidate->variant, &job->problem, candidate->indices,
					    &job->device->properties, &error) == 0;
	if (candidate->planned)
		return true;
	struct kern_result refused = {.outcome = KERN_OUTCOME_SKIPPED};
	memcpy(refused.message, error.message, sizeof refused.message);
	runner_conclude(runner, candidate, &refused);
	return false;
}

size_t runner_in_hand(const struct runner *runner)
{
	return runner_ahead_count(runner) + runner->candidate.planned;
}

bool runner_may_ask(const struct runner *runner)
{
	int64_t most = runner->job->max_evaluations;
	return !runner->exhausted && (most == 0 || runner->tried + (int64_t)runner_in_hand(runner) < most);
}

bool runner_next(struct runner *runner, struct runner_candidate *candidate)
{
	for (int i = 0; i < PLANS_A_TURN; i++) {
		struct search_point point;
		if (search_ask(runner->search, &point) != SEARCH_POINT) {
			runner->exhausted = true;
			return false;
		}
		if (take(runner, point, candidate))
			return true;
		if (runner->phase == RUNNER_ENDING) /* no memory to record the refusal */
			return false;
	}
	return false;
}

/* Puts a candidate into the hand, unless there is one that is to be sent again. */
static bool have_candidate(struct runner *runner)
{
	if (runner->candidate.planned)
		return true;
	if (!runner_ahead_is_on(runner))
		return runner_may_ask(runner) && runner_next(runner, &runner->candidate);
	return runner_ahead_take(runner);
}

void runner_search(struct runner *runner)
{
	if (have_candidate(runner))
		send_candidate(runner);
	else if (runner_in_hand(runner) == 0)
		runner_step_later(runner); /* else a builder will tell */
}
