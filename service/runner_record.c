/* runner_record.c: see runner_state.h: results on their way into the database.
 *
 * The job's spent time goes with every result, so that a kill loses at most
 * the candidate in flight. Watchers hear of a result when it is stored. */
#include "runner_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"
#include "rates.h"
#include "store.h"

struct recording {
	struct runner *runner;
	struct db_trial trial;
	struct db_job job;
	struct search_point point;
	enum kern_outcome outcome;
	bool counts;  /* an evaluation of the search, not of the finals */
	bool promote; /* and end the job */
	enum runner_end end;
	char reason[MMT_MESSAGE_BYTES];
};

static void free_recording(struct recording *recording)
{
	if (!recording)
		return;
	db_trial_finish(&recording->trial);
	db_job_finish(&recording->job);
	free(recording);
}

static double finite_or_0(double value)
{
	return isfinite(value) ? value : 0;
}

static void fill_numbers(struct db_trial *trial, const struct runner *runner, const struct runner_candidate *candidate)
{
	const struct kern_result *result = &candidate->result;
	const struct mmt_problem *problem = &runner->job->problem;
	bool ok = result->outcome == KERN_OUTCOME_OK;
	struct svc_rates rates = {0};
	if (ok && candidate->planned)
		rates = svc_rates(kern_family_find(problem->family), problem, &candidate->plan, result->time_ns);
	trial->time_ns = ok ? finite_or_0(result->time_ns) : 0;
	trial->minimum_ns = ok ? finite_or_0(result->minimum_ns) : 0;
	trial->spread = finite_or_0(result->spread);
	trial->gflops = rates.gflops;
	trial->effective_gbps = rates.effective_gbps;
	trial->compulsory_gbps = rates.compulsory_gbps;
	trial->relative_error = finite_or_0(result->relative_error);
	trial->runs = (int)result->runs;
	trial->build_ns = finite_or_0(result->build_ns);
	trial->verify_ns = finite_or_0(result->verify_ns);
	trial->measure_ns = finite_or_0(result->measure_ns);
	trial->driver_ns = finite_or_0(result->driver_ns);
	trial->total_ns = finite_or_0(result->total_ns);
}

static char *configuration_text(const struct runner_candidate *candidate)
{
	json_t *object = kern_configuration_to_json(candidate->variant, candidate->indices);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return text;
}

static int fill_trial(struct db_trial *trial, const struct runner *runner, const struct runner_candidate *candidate)
{
	const struct svc_job *job = runner->job;
	const struct kern_device *device = &job->device->properties;
	*trial = (struct db_trial){
		.job_id = job->id,
		.device_id = job->device->id,
		.environment_id = runner->environment_id,
		.problem_id = runner->problem_id,
		.variant_id = candidate->variant_id,
		.configuration = configuration_text(candidate),
		.outcome = strdup(kern_outcome_name(candidate->result.outcome)),
		.message = candidate->result.message[0] ? strdup(candidate->result.message) : NULL,
		.measured_at = (int64_t)time(NULL),
		.device = strdup(job->device->name),
		.problem = strdup(runner->problem_text),
		.family = strdup(candidate->variant->family),
		.variant = strdup(candidate->variant->name),
		.spec_sha256 = strdup(candidate->variant->spec_sha256),
		.source_sha256 = strdup(candidate->variant->source_sha256),
		.driver = strdup(device->driver),
		.platform_version = strdup(device->platform_version),
	};
	fill_numbers(trial, runner, candidate);
	bool whole = trial->configuration && trial->outcome && trial->device && trial->problem && trial->family &&
		     trial->variant && trial->spec_sha256 && trial->source_sha256 && trial->driver &&
		     trial->platform_version && (trial->message || !candidate->result.message[0]);
	return whole ? 0 : -1;
}

/* NULL: no memory, and the job ends. */
static struct recording *create_recording(struct runner *runner, const struct runner_candidate *candidate)
{
	struct recording *recording = calloc(1, sizeof *recording);
	if (!recording || fill_trial(&recording->trial, runner, candidate) != 0 ||
	    job_to_record(runner->job, &recording->job) != 0) {
		free_recording(recording);
		runner_end(runner, RUNNER_FAILED, "no memory to record a result");
		return NULL;
	}
	recording->runner = runner;
	recording->point = candidate->point;
	recording->outcome = candidate->result.outcome;
	recording->job.problem_id = runner->problem_id;
	recording->job.evaluations = runner->tried;
	return recording;
}

static int record_work(struct db *db, void *context, struct mmt_error *error)
{
	struct recording *recording = context;
	if (recording->trial.id == 0 && db_trial_add(db, &recording->trial, error) != 0)
		return -1;
	if (db_job_put(db, &recording->job, error) != 0)
		return -1;
	return recording->promote ? db_promote(db, recording->trial.id, recording->reason, error) : 0;
}

static void note_stored(struct runner *runner, const struct recording *recording)
{
	struct svc_job *job = runner->job;
	job->outcomes[recording->outcome]++;
	if (recording->counts && recording->outcome != KERN_OUTCOME_SKIPPED)
		job->evaluations++;
	for (size_t i = 0; i < runner->n_top; i++) {
		struct runner_top *top = &runner->top[i];
		if (top->point.space == recording->point.space && top->point.point == recording->point.point &&
		    recording->counts) {
			top->trial_id = recording->trial.id;
			top->measured_at = recording->trial.measured_at;
		}
	}
}

static void on_recorded(void *context, int status, const struct mmt_error *store_error)
{
	struct recording *recording = context;
	struct runner *runner = recording->runner;
	struct mmt_error error = {0};
	runner->posts--;
	if (status != 0) {
		runner_end(runner, RUNNER_FAILED, "a result cannot be stored: %s", store_error->message);
	} else {
		if (!recording->promote || recording->counts)
			note_stored(runner, recording);
		if (recording->promote &&
		    svc_answers_promoted(runner->service->answers, &recording->trial, &error) != 0)
			svc_log(3, "%s", error.message);
		runner->events->changed(runner->context, recording->promote);
	}
	if (recording->promote)
		runner_end(runner, recording->end, "%s", recording->reason);
	free_recording(recording);
	runner_step(runner);
}

static void post(struct runner *runner, struct recording *recording)
{
	runner->posts++;
	svc_store_post_patiently(runner->service->store, record_work, on_recorded, recording);
}

void runner_record(struct runner *runner, const struct runner_candidate *candidate)
{
	struct recording *recording = create_recording(runner, candidate);
	if (!recording)
		return;
	recording->counts = runner->phase == RUNNER_SEARCHING;
	post(runner, recording);
}

void runner_record_winner(struct runner *runner, const struct runner_candidate *candidate,
			  const struct runner_top *stored, enum runner_end end, const char *reason)
{
	struct recording *recording = create_recording(runner, candidate);
	if (!recording)
		return;
	if (stored) {
		recording->trial.id = stored->trial_id;
		recording->trial.measured_at = stored->measured_at;
	}
	recording->promote = true;
	recording->end = end;
	snprintf(recording->reason, sizeof recording->reason, "%s", reason);
	runner->phase = RUNNER_STORING;
	post(runner, recording);
}
