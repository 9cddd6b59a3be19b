/* records.c: see records.h. */
#include "records.h"

#include <math.h>
#include <time.h>

json_t *svc_time_to_json(int64_t unix_s)
{
	char text[32];
	struct tm parts;
	time_t seconds = (time_t)unix_s;
	if (unix_s == 0 || gmtime_r(&seconds, &parts) == NULL ||
	    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		return json_null();
	return json_string(text);
}

/* JSON that was stored as text; null where it is absent or damaged. */
static json_t *stored(const char *text)
{
	json_t *value = text != NULL ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
	return value != NULL ? value : json_null();
}

/* A string that may be absent, or no UTF-8 in a damaged database. */
static json_t *string(const char *text)
{
	json_t *value = text != NULL ? json_string(text) : NULL;
	return value != NULL ? value : json_null();
}

/* 0 is "not measured". */
static json_t *measured(double value)
{
	return isfinite(value) && value > 0 ? json_real(value) : json_null();
}

static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *svc_trial_to_json(const struct db_trial *trial)
{
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o}",
			 "trial", (json_int_t)trial->id, "job", (json_int_t)trial->job_id, "device",
			 string(trial->device), "problem", stored(trial->problem), "variant", string(trial->variant),
			 "parameters", stored(trial->configuration), "outcome", string(trial->outcome), "time_ns",
			 measured(trial->time_ns), "minimum_ns", measured(trial->minimum_ns), "spread",
			 real(trial->spread), "runs", trial->runs, "gflops", measured(trial->gflops),
			 "effective_bandwidth_gbps", measured(trial->effective_gbps), "compulsory_bandwidth_gbps",
			 measured(trial->compulsory_gbps), "relative_error", real(trial->relative_error), "total_ns",
			 real(trial->total_ns), "driver", string(trial->driver), "source_sha256",
			 string(trial->source_sha256), "message", string(trial->message), "measured_at",
			 svc_time_to_json(trial->measured_at));
}

json_t *svc_job_to_json(const struct db_job *job)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:n, s:o, s:o, s:o, s:o, s:o}", "job",
			 (json_int_t)job->id, "device", string(job->device), "problem", stored(job->problem), "state",
			 string(job->state), "origin", string(job->origin), "strategy", string(job->strategy),
			 "evaluations", (json_int_t)job->evaluations, "elapsed_s", real(job->spent_ns / 1e9),
			 "budget_s", measured(job->budget_ns / 1e9), "max_evaluations",
			 job->max_evaluations > 0 ? json_integer(job->max_evaluations) : json_null(), "best",
			 "accounting", stored(job->accounting), "message", string(job->message), "created_at",
			 svc_time_to_json(job->created_at), "started_at", svc_time_to_json(job->started_at),
			 "finished_at", svc_time_to_json(job->finished_at));
}
