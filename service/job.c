/* job.c: see job.h. Thread: the loop's. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "demand.h"
#include "jobs_queue.h"
#include "problem_json.h"

static const char *const state_names[] = {"queued", "running", "done", "failed", "cancelled"};
static const char *const origin_names[] = {"client", "query", "auto", "peak"};

const char *job_state_name(enum svc_job_state state)
{
	return state_names[state];
}

const char *job_origin_name(enum svc_job_origin origin)
{
	return origin_names[origin];
}

double job_spent_ns(const struct svc_job *job)
{
	return job->spent_before_ns + (job->run_started_ns ? (double)(uv_hrtime() - job->run_started_ns) : 0);
}

static json_t *outcomes(const struct svc_job *job)
{
	json_t *object = json_object();
	for (int i = 0; i < KERN_OUTCOME_COUNT; i++)
		if (job->outcomes[i] > 0)
			json_object_set_new(object, kern_outcome_name((enum kern_outcome)i),
					    json_integer(job->outcomes[i]));
	return object;
}

static json_t *message(const struct svc_job *job)
{
	if (job->message[0])
		return json_string(job->message);
	if (job->state == SVC_JOB_QUEUED && jobs_is_quarantined(job->device))
		return json_sprintf("the device is in quarantine: %s", job->device->quarantine_reason);
	return json_null();
}

json_t *job_progress(const struct svc_job *job)
{
	json_t *object =
		json_pack("{s:I, s:s, s:o, s:s, s:s, s:s, s:I, s:f}", "job", (json_int_t)job->id, "device",
			  job->device->name, "problem", problem_to_json(&job->problem), "state",
			  job_state_name(job->state), "origin", job_origin_name(job->origin), "strategy", job->strategy,
			  "evaluations", (json_int_t)job->evaluations, "elapsed_s", job_spent_ns(job) * 1e-9);
	if (!object)
		return NULL;
	json_object_set_new(object, "budget_s", job->budget_s > 0 ? json_real(job->budget_s) : json_null());
	json_object_set_new(object, "max_evaluations",
			    job->max_evaluations > 0 ? json_integer(job->max_evaluations) : json_null());
	json_object_set_new(object, "until_best", json_boolean(job->until_best));
	json_object_set_new(object, "asks", json_integer(job->asks));
	const char *phase = jobs_waits_for_peaks(job) ? "peaks" : job->phase;
	json_object_set_new(object, "phase", phase ? json_string(phase) : json_null());
	json_object_set(object, "best", job->best ? job->best : json_null());
	json_object_set(object, "accounting", job->accounting ? job->accounting : json_null());
	json_object_set_new(object, "outcomes", outcomes(job));
	json_object_set_new(object, "message", message(job));
	return object;
}

struct svc_job *job_create(struct svc_jobs *jobs, const struct svc_job_request *request)
{
	struct svc_job *job = calloc(1, sizeof *job);
	if (!job)
		return NULL;
	job->jobs = jobs;
	job->device = request->device;
	job->problem = request->problem;
	job->origin = request->origin;
	job->strategy = strdup(request->strategy);
	job->variant = request->variant ? strdup(request->variant) : NULL;
	job->asks = request->asks;
	job->seed = request->seed;
	job->budget_s = request->budget_s;
	job->max_evaluations = request->max_evaluations;
	job->until = request->until;
	job->until_best = request->until_best;
	job->created_at = (int64_t)time(NULL);
	if (!job->strategy || (request->variant && !job->variant)) {
		job_destroy(job);
		return NULL;
	}
	return job;
}

void job_destroy(struct svc_job *job)
{
	if (!job)
		return;
	free(job->strategy);
	free(job->variant);
	free(job->waiters);
	free(job->watchers);
	json_decref(job->best);
	json_decref(job->accounting);
	free(job);
}

/* The accounting, with what was asked for and has no column of its own. */
static char *accounting_text(const struct svc_job *job)
{
	json_t *object = job->accounting ? json_copy(job->accounting) : json_object();
	if (object && job->variant)
		json_object_set_new(object, "variant", json_string(job->variant));
	if (object && job->until_best)
		json_object_set_new(object, "until_best", json_true());
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return text;
}

static char *problem_text(const struct mmt_problem *problem)
{
	json_t *object = problem_to_json(problem);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return text;
}

int job_to_record(const struct svc_job *job, struct db_job *out)
{
	*out = (struct db_job){
		.id = job->id,
		.device_id = job->device->id,
		.state = strdup(job_state_name(job->state)),
		.strategy = strdup(job->strategy),
		.origin = strdup(job_origin_name(job->origin)),
		.seed = (int64_t)job->seed,
		.budget_ns = job->budget_s * 1e9,
		.until = job->until,
		.max_evaluations = job->max_evaluations,
		.spent_ns = job_spent_ns(job),
		.evaluations = job->evaluations,
		.accounting = accounting_text(job),
		.message = job->message[0] ? strdup(job->message) : NULL,
		.created_at = job->created_at,
		.started_at = job->started_at,
		.finished_at = job->finished_at,
		.problem = problem_text(&job->problem),
	};
	if (out->state && out->strategy && out->origin && out->accounting && out->problem)
		return 0;
	db_job_finish(out);
	return -1;
}

struct svc_job *job_from_record(struct svc_jobs *jobs, struct svc_devices *devices, const struct db_job *record)
{
	struct svc_job_request request = {
		.device = svc_devices_by_id(devices, record->device_id),
		.origin = SVC_JOB_QUERY,
		.strategy = record->strategy,
		.seed = (uint64_t)record->seed,
		.budget_s = record->budget_ns * 1e-9,
		.max_evaluations = record->max_evaluations,
		.until = record->until,
	};
	json_t *problem = record->problem ? json_loads(record->problem, JSON_REJECT_DUPLICATES, NULL) : NULL;
	json_t *accounting = record->accounting ? json_loads(record->accounting, 0, NULL) : NULL;
	struct svc_job *job = NULL;
	if (request.device && problem && record->strategy && problem_from_json(problem, &request.problem, NULL) == 0) {
		request.variant = json_string_value(json_object_get(accounting, "variant"));
		request.until_best = json_is_true(json_object_get(accounting, "until_best"));
		for (int origin = SVC_JOB_CLIENT; origin <= SVC_JOB_PEAK; origin++)
			if (record->origin && strcmp(record->origin, origin_names[origin]) == 0)
				request.origin = (enum svc_job_origin)origin;
		request.asks = svc_demand_asks(jobs->service->demand, record->device_id, &request.problem);
		job = job_create(jobs, &request);
	}
	json_decref(problem);
	json_decref(accounting);
	if (!job)
		return NULL;
	job->id = record->id;
	job->spent_before_ns = record->spent_ns;
	job->evaluations = record->evaluations;
	job->created_at = record->created_at;
	job->started_at = record->started_at;
	return job;
}
