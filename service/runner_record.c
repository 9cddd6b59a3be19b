/* runner_record.c: see runner_state.h: results on their way into the database.
 *
 * The job's spent time goes with every result, so that a kill loses at most
 * the candidate in flight. Watchers hear of a result when it is stored. */
#include "runner_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "store.h"
#include "trial_record.h"

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

static int fill_trial(struct db_trial *trial, const struct runner *runner, const struct runner_candidate *candidate)
{
	const struct trial_facts facts = {
		.job_id = runner->job->id,
		.device = runner->job->device,
		.environment_id = runner->environment_id,
		.problem = &runner->job->problem,
		.problem_text = runner->problem_text,
		.problem_id = runner->problem_id,
		.variant = candidate->variant,
		.variant_id = candidate->variant_id,
		.indices = candidate->indices,
		.plan = candidate->planned ? &candidate->plan : NULL,
		.result = &candidate->result,
	};
	return trial_record(trial, &facts);
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

static int write_all(struct db *db, struct recording *recording, struct mmt_error *error)
{
	if (recording->trial.id == 0 && db_trial_add(db, &recording->trial, error) != 0)
		return -1;
	if (db_job_put(db, &recording->job, error) != 0)
		return -1;
	return recording->promote ? db_promote(db, recording->trial.id, recording->reason, error) : 0;
}

/* All or nothing: a trial that its job has not counted would be one too many when the job goes on after a kill. */
static int record_work(struct db *db, void *context, struct mmt_error *error)
{
	struct recording *recording = context;
	const int64_t stored = recording->trial.id;
	if (db_begin(db, error) != 0)
		return -1;
	if (write_all(db, recording, error) == 0 && db_commit(db, error) == 0)
		return 0;
	db_rollback(db);
	recording->trial.id = stored; /* what met a lock is tried again */
	return -1;
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
