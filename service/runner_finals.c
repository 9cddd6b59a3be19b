/* runner_finals.c: see runner_state.h: the best few and the incumbent, measured head to head. Thread: the loop's.
 *
 * Only what was verified in both modes and re-measured in this comparison is
 * ever promoted, but for a cancelled job that had nothing before it. */
#include "runner_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "problem_json.h"

/* Half a percent is within what repeated medians differ by on a quiet machine (anchors: the minimum of two runs
 * picks a winner 4.6 % off, the median of seven 1.6 %); a tenth is the most that noise may claim. */
#define TIE_LEAST 0.005
#define TIE_MOST  0.1
/* Where the default may have been kept out of the finals by noise; and as much is given up for it at most */
#define DEFAULT_NEAR 0.25
#define DEFAULT_MOST 0.03

/* Rounds for an interval of 1 % about a ratio: an interval's half is 3.1 * 0.81 interquartile ranges over the root of
 * the rounds (tuner/worker/stats.h), those of a ratio being 1.41 times those of a time. */
#define ROUNDS_INTERVAL 0.01
#define ROUNDS_FACTOR   3.55
#define ROUNDS_MOST     200
#define ROUNDS_MARGIN   1.3 /* launches, and what is measured again */
#define TIMING_LEAST_NS 2e6 /* shorter runs are repeated inside a timing: tuner/worker/clock.c */
/* The comparison's part of a job's time; that of building finalists beyond those of the configuration */
#define FINALS_SHARE 0.3
#define EXTRA_SHARE  0.1
/* Standard errors by which a candidate may seem slower than the best and be the best all the same */
#define OPEN_ERRORS  3.0
#define MEDIAN_ERROR 0.929 /* in interquartile ranges over the root of the runs: tuner/worker/stats.h */

/* Comparisons that may fail without a finalist to blame */
#define COMPARE_ATTEMPTS 3

/* ---- what it will take ---- */

/* To build and verify a finalist; its program is mostly there already. */
static double build_estimate_ns(const struct runner *runner)
{
	return runner->n_ok > 0 ? 0.3 * runner->ok_total_ns / (double)runner->n_ok : 0;
}

/* The timings that tell the best from the next, as noisy as they are. */
static double timings_estimate_ns(const struct runner *runner)
{
	const struct config *config = &runner->service->config;
	const struct kern_result *best = &runner->top[0].result;
	double rounds = ROUNDS_FACTOR * best->spread / ROUNDS_INTERVAL;
	rounds = fmin(fmax(rounds * rounds, (double)config->finalist_rounds), ROUNDS_MOST);
	return ROUNDS_MARGIN * rounds * ((double)config->finalists + 1) * fmax(best->time_ns, TIMING_LEAST_NS);
}

double runner_finals_estimate_s(const struct runner *runner)
{
	const struct config *config = &runner->service->config;
	if (runner->n_top == 0)
		return 0;
	size_t count = runner->n_top < (size_t)config->finalists ? runner->n_top : (size_t)config->finalists;
	double estimate_ns = (double)(count + 1) * build_estimate_ns(runner) + timings_estimate_ns(runner);
	return fmin(estimate_ns * 1e-9, FINALS_SHARE * runner->job->budget_s);
}

/* For the timings of the comparison: what building the finalists will leave of the job's time. */
static double limit_ns(const struct runner *runner)
{
	double budget_ns = runner->job->budget_s * 1e9, limit_ns = timings_estimate_ns(runner);
	if (budget_ns <= 0)
		return limit_ns;
	double left_ns =
		budget_ns - runner_spent_s(runner) * 1e9 - (double)runner->n_finalists * build_estimate_ns(runner);
	return fmax(fmin(limit_ns, fmin(left_ns, FINALS_SHARE * budget_ns)), 0);
}

/* ---- who takes part ---- */

struct runner_candidate runner_candidate_of(const struct runner *runner, const struct runner_top *top)
{
	const struct runner_variant *variant = &runner->variants[top->point.space];
	struct runner_candidate candidate = {
		.point = top->point,
		.variant = variant->variant,
		.variant_id = variant->id,
		.result = top->result,
	};
	memcpy(candidate.indices, search_space_get(variant->space, top->point.point),
	       variant->variant->n_parameters * sizeof candidate.indices[0]);
	return candidate;
}

bool runner_candidate_plan(const struct runner *runner, struct runner_candidate *candidate)
{
	candidate->planned = kern_plan_init(&candidate->plan, candidate->variant, &runner->job->problem,
					    candidate->indices, &runner->job->device->properties, NULL) == 0;
	return candidate->planned;
}

/* The stored best, where its very kernel is still there. */
static bool incumbent_of(const struct runner *runner, struct runner_candidate *candidate)
{
	const struct svc_job *job = runner->job;
	const struct db_trial *trial = svc_answers_best(runner->service->answers, job->device->id, &job->problem);
	const struct kern_variant *variant =
		trial ? kern_registry_find(&runner->service->kernels, job->problem.family, trial->variant) : NULL;
	if (!variant || !answer_variant_unchanged(variant, trial))
		return false;
	*candidate = (struct runner_candidate){.variant = variant, .variant_id = trial->variant_id, .incumbent = true};
	candidate->point.space = UINT32_MAX; /* none of the job's */
	json_t *configuration = json_loads(trial->configuration, 0, NULL);
	bool known =
		configuration && kern_configuration_from_json(variant, configuration, candidate->indices, NULL) == 0;
	json_decref(configuration);
	return known;
}

static bool same_configuration(const struct runner_candidate *a, const struct runner_candidate *b)
{
	return a->variant == b->variant &&
	       memcmp(a->indices, b->indices, a->variant->n_parameters * sizeof a->indices[0]) == 0;
}

/* Behind the best: where the device has not the memory for all at once, those that are prepared last lack it. */
static void put_second(struct runner *runner, size_t index)
{
	if (index < 2)
		return;
	struct runner_candidate candidate = runner->finalists[index];
	runner->finalists[index] = runner->finalists[1];
	runner->finalists[1] = candidate;
}

static void add_incumbent(struct runner *runner)
{
	struct runner_candidate incumbent;
	size_t at = 0;
	if (!incumbent_of(runner, &incumbent))
		return;
	while (at < runner->n_finalists && !same_configuration(&runner->finalists[at], &incumbent))
		at++;
	if (at < runner->n_finalists)
		runner->finalists[at].incumbent = true;
	else if (runner_candidate_plan(runner, &incumbent))
		runner->finalists[runner->n_finalists++] = incumbent;
	else
		return;
	put_second(runner, at);
}

static double relative_error(const struct runner_top *top)
{
	return top->result.runs > 0 ? MEDIAN_ERROR * top->result.spread / sqrt(top->result.runs) : 0;
}

/* Whether it may be faster than the best, for all that noisy timings tell. */
static bool is_open(const struct runner *runner, const struct runner_top *top)
{
	const struct runner_top *best = &runner->top[0];
	double pace_error = MEDIAN_ERROR * best->result.spread / sqrt(runner->anchor.pace_weight);
	double error = hypot(hypot(relative_error(best), relative_error(top)), pace_error);
	return top->comparable_ns < best->comparable_ns * (1 + OPEN_ERRORS * error);
}

/* As many as the configuration says; more where it is open which are the best, and there is time to build them. */
static size_t count_wanted(const struct runner *runner)
{
	size_t least = (size_t)runner->service->config.finalists, wanted = 0;
	double extra_ns = runner->job->budget_s > 0 ? EXTRA_SHARE * runner->job->budget_s * 1e9 : INFINITY;
	for (; wanted < runner->n_top; wanted++)
		if (wanted >= least && (!is_open(runner, &runner->top[wanted]) ||
					(double)(wanted - least) * build_estimate_ns(runner) > extra_ns))
			break;
	return wanted;
}

static void add_top(struct runner *runner, const struct runner_top *top)
{
	runner->finalists[runner->n_finalists] = runner_candidate_of(runner, top);
	runner->n_finalists += runner_candidate_plan(runner, &runner->finalists[runner->n_finalists]);
}

/* The default of the best one's variant, where noise may have kept it out: it has the longest record, and was measured
 * first, when least was known of the device's pace. */
static void add_default(struct runner *runner, size_t n_seen)
{
	const struct runner_top *best = &runner->top[0];
	size_t point = search_space_default(runner->spaces[best->point.space]);
	for (size_t i = n_seen; i < runner->n_top; i++) {
		const struct runner_top *top = &runner->top[i];
		if (top->point.space == best->point.space && top->point.point == point &&
		    top->comparable_ns < best->comparable_ns * (1 + DEFAULT_NEAR))
			add_top(runner, top);
	}
}

static int gather(struct runner *runner)
{
	size_t wanted = count_wanted(runner);
	if (!runner->finalists)
		runner->finalists = calloc(RUNNER_TOP + 1, sizeof *runner->finalists);
	if (!runner->finalists)
		return -1;
	size_t seen = 0;
	for (; seen < runner->n_top && runner->n_finalists < wanted; seen++)
		add_top(runner, &runner->top[seen]);
	if (seen > 0)
		add_default(runner, seen);
	if (runner->n_finalists > 0)
		add_incumbent(runner);
	return 0;
}

/* ---- the comparison ---- */

static json_t *compare_request(const struct runner *runner)
{
	json_t *plans = json_array();
	for (size_t i = 0; i < runner->n_finalists; i++)
		if (json_array_append_new(plans, kern_plan_to_json(&runner->finalists[i].plan, true)) != 0) {
			json_decref(plans);
			return NULL;
		}
	return json_pack("{s:s, s:o, s:o, s:I, s:f}", "op", "compare", "problem",
			 problem_to_json(&runner->job->problem), "plans", plans, "rounds",
			 (json_int_t)runner->service->config.finalist_rounds, "limit_ns", limit_ns(runner));
}

void runner_finals(struct runner *runner)
{
	if (runner->n_finalists == 0 && gather(runner) != 0) {
		runner_end(runner, RUNNER_FAILED, "no memory for the finals");
		return;
	}
	if (runner->n_finalists == 0) {
		runner_end(runner, RUNNER_FAILED, "no valid configuration: %s",
			   runner->first_failure[0] ? runner->first_failure : "none was tried in the time given");
		return;
	}
	struct mmt_error error = {0};
	json_t *request = compare_request(runner);
	if (!request) {
		runner_end(runner, RUNNER_FAILED, "no memory for the finals");
	} else if (svc_worker_send(runner->worker, request, &error) == 0) {
		runner->in_flight = true;
		runner->sent_ns = uv_hrtime();
		runner->compare_attempts++;
		runner->comparing = SIZE_MAX;
	} else {
		svc_worker_kill(runner->worker);
		runner->worker_ready = false;
	}
	json_decref(request);
}

/* Each finalist is built and verified in turn; the measurements are interleaved. */
void runner_finals_phase(struct runner *runner, const char *phase)
{
	if (strcmp(phase, "build") == 0)
		runner->comparing++; /* SIZE_MAX becomes 0 */
	else if (strcmp(phase, "measure") == 0)
		runner->comparing = SIZE_MAX;
}

static void remove_finalist(struct runner *runner, size_t index)
{
	runner_candidate_finish(&runner->finalists[index]);
	memmove(&runner->finalists[index], &runner->finalists[index + 1],
		(--runner->n_finalists - index) * sizeof runner->finalists[0]);
}

/* The list of the best goes by the new result; one that failed is out of it. */
static void note(struct runner *runner, const struct runner_candidate *finalist)
{
	struct runner_top entry = {
		.point = finalist->point,
		.comparable_ns = finalist->result.time_ns,
		.result = finalist->result,
	};
	if (finalist->point.space != UINT32_MAX)
		runner_note_result(runner, &entry);
	if (finalist->result.outcome != KERN_OUTCOME_OK && runner->first_failure[0] == '\0')
		memcpy(runner->first_failure, finalist->result.message, sizeof runner->first_failure);
}

void runner_finals_gone(struct runner *runner, enum svc_worker_end end, const char *explanation)
{
	runner->driver_ns += (double)(uv_hrtime() - runner->sent_ns);
	if (runner_count_crash(runner, end, explanation))
		return;
	if (runner->comparing < runner->n_finalists) {
		struct runner_candidate *finalist = &runner->finalists[runner->comparing];
		finalist->result = svc_worker_lost_result(end, explanation);
		runner_record(runner, finalist);
		note(runner, finalist);
		remove_finalist(runner, runner->comparing);
	} else if (runner->compare_attempts >= COMPARE_ATTEMPTS) {
		runner_end(runner, RUNNER_FAILED, "the best could not be compared: %.400s", explanation);
	}
}

/* ---- the verdict ---- */

static bool was_compared(const struct runner_candidate *finalist)
{
	return finalist->result.outcome == KERN_OUTCOME_OK && finalist->result.ratio > 0;
}

static bool is_default(const struct runner *runner, const struct runner_candidate *finalist)
{
	size_t space = finalist->point.space;
	return space < runner->n_variants && finalist->point.point == search_space_default(runner->spaces[space]);
}

/* Whether the difference to the fastest says nothing. */
static bool is_tie(const struct runner_candidate *finalist)
{
	double margin = fmin(fmax(finalist->result.ratio_error, TIE_LEAST), TIE_MOST);
	return finalist->result.ratio < 1 + margin;
}

/* The fastest; of several that tie within DEFAULT_MOST the default, so that tuning again gives the same. A peak is what
 * can be reached at best, by whatever. */
static const struct runner_candidate *fastest(const struct runner *runner)
{
	const struct runner_candidate *best = NULL, *preferred = NULL;
	for (size_t i = 0; i < runner->n_finalists; i++) {
		const struct runner_candidate *finalist = &runner->finalists[i];
		if (!was_compared(finalist))
			continue;
		if (!best || finalist->result.ratio < best->result.ratio)
			best = finalist;
		if (is_default(runner, finalist) && is_tie(finalist) && finalist->result.ratio < 1 + DEFAULT_MOST &&
		    (!preferred || finalist->result.ratio < preferred->result.ratio))
			preferred = finalist;
	}
	return preferred && runner->job->origin != SVC_JOB_PEAK ? preferred : best;
}

static const struct runner_candidate *incumbent_in(const struct runner *runner)
{
	for (size_t i = 0; i < runner->n_finalists; i++)
		if (runner->finalists[i].incumbent)
			return &runner->finalists[i];
	return NULL;
}

/* What the history says of those that are as fast. */
static void append_ties(const struct runner *runner, const struct runner_candidate *best, char *reason, size_t bytes)
{
	size_t ties = 0, used = strlen(reason);
	for (size_t i = 0; i < runner->n_finalists; i++) {
		const struct runner_candidate *finalist = &runner->finalists[i];
		ties += finalist != best && was_compared(finalist) && is_tie(finalist);
	}
	if (ties > 0)
		snprintf(reason + used, bytes - used, "; %zu %s with it, head to head", ties,
			 ties == 1 ? "other ties" : "others tie");
}

/* Whom to promote (NULL: the incumbent's record stands), and why. */
static const struct runner_candidate *decide(const struct runner *runner, char *reason, size_t bytes)
{
	const struct svc_job *job = runner->job;
	const struct runner_candidate *best = fastest(runner), *incumbent = incumbent_in(runner);
	const struct db_trial *before = svc_answers_best(runner->service->answers, job->device->id, &job->problem);
	bool stale = before && before->environment_id != runner->environment_id;
	if (!before)
		snprintf(reason, bytes, "the first result");
	else if (!incumbent)
		snprintf(reason, bytes, "the kernel of the one before has changed or is gone");
	else if (!was_compared(incumbent))
		snprintf(reason, bytes, "the one before does not hold any more: %.300s", incumbent->result.message);
	else if (best != incumbent && !is_tie(incumbent))
		snprintf(reason, bytes, "%.3f times the speed of the one before, head to head",
			 incumbent->result.ratio);
	else if (job->origin == SVC_JOB_PEAK && best->result.minimum_ns < before->minimum_ns)
		snprintf(reason, bytes, "a peak measured again: %.3f times the rate that was recorded",
			 before->minimum_ns / best->result.minimum_ns);
	else {
		snprintf(reason, bytes, "%s%s",
			 best == incumbent ? "the one before is still the fastest" : "tie: the one before stays",
			 stale ? ", measured again under this driver" : "");
		best = stale ? incumbent : NULL;
	}
	if (best)
		append_ties(runner, best, reason, bytes);
	return best;
}

static bool read_results(struct runner *runner, const json_t *results)
{
	if (json_array_size(results) != runner->n_finalists)
		return false;
	for (size_t i = 0; i < runner->n_finalists; i++) {
		struct kern_result *result = &runner->finalists[i].result;
		if (kern_result_from_json(json_array_get(results, i), result, NULL) != 0)
			return false;
		if (result->outcome == KERN_OUTCOME_OK && !(isfinite(result->time_ns) && result->time_ns > 0))
			result->outcome = KERN_OUTCOME_LAUNCH_FAILED;
		runner_account(runner, result);
		if (result->device_lost) {
			svc_worker_kill(runner->worker);
			runner->worker_ready = false;
		}
	}
	return true;
}

/* Skipped means here that the device was lost before its turn, and memory that is short beside others that were
 * compared may suffice for the finalist alone: neither is a fact about it. */
static void settle(struct runner *runner, const struct runner_candidate *finalist, bool decided)
{
	if (finalist->result.outcome == KERN_OUTCOME_SKIPPED)
		return;
	note(runner, finalist);
	if (!decided || finalist->result.outcome != KERN_OUTCOME_OUT_OF_MEMORY)
		runner_record(runner, finalist);
}

/* Nobody was measured: those without a fault of their own once more, or the next best. */
static void keep_unmeasured(struct runner *runner)
{
	for (size_t i = runner->n_finalists; i-- > 0;)
		if (runner->finalists[i].result.outcome != KERN_OUTCOME_SKIPPED)
			remove_finalist(runner, i);
	if (runner->n_finalists > 0 && runner->compare_attempts >= COMPARE_ATTEMPTS)
		runner_end(runner, RUNNER_FAILED, "the best could not be compared: %.400s",
			   runner->finalists[0].result.message);
}

void runner_finals_results(struct runner *runner, const json_t *results)
{
	runner->wait_ns += (double)(uv_hrtime() - runner->sent_ns);
	if (!read_results(runner, results)) {
		svc_worker_kill(runner->worker);
		runner->worker_ready = false;
		runner_finals_gone(runner, SVC_WORKER_CRASHED, "the worker's results cannot be read");
		return;
	}
	char reason[MMT_MESSAGE_BYTES] = "";
	const struct runner_candidate *winner = NULL;
	bool decided = fastest(runner) != NULL;
	if (decided)
		winner = decide(runner, reason, sizeof reason);
	for (size_t i = 0; i < runner->n_finalists; i++)
		if (&runner->finalists[i] != winner)
			settle(runner, &runner->finalists[i], decided);
	if (winner) {
		note(runner, winner);
		runner_record_winner(runner, winner, NULL, RUNNER_DONE, reason);
	} else if (decided) {
		runner_end(runner, RUNNER_DONE, "%s", reason);
	} else {
		keep_unmeasured(runner);
	}
}

void runner_promote_best(struct runner *runner, const char *reason)
{
	const struct runner_top *top = &runner->top[0];
	struct runner_candidate candidate = runner_candidate_of(runner, top);
	if (runner_candidate_plan(runner, &candidate) && top->trial_id > 0)
		runner_record_winner(runner, &candidate, top, RUNNER_CANCELLED, reason);
	else
		runner_end(runner, RUNNER_CANCELLED, "cancelled");
	runner_candidate_finish(&candidate);
}
