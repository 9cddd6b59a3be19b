/* Jobs: the unfinished ones from memory, then the finished ones from the
 * database, newest first; limit counts both (0: all). */
#include "jobs.h"

#include <stdlib.h>
#include <string.h>

#include "parameters.h"
#include "records.h"
#include "store_reply.h"

#define DEFAULT_LIMIT 50
#define LARGEST_LIMIT 100000

struct reading {
	json_t *jobs; /* the unfinished ones, then all */
	size_t unfinished, limit;
};

static void release(void *context)
{
	struct reading *reading = context;
	json_decref(reading->jobs);
	free(reading);
}

/* Between the loop's look and the store's a job may have ended: it is listed once. */
static bool is_listed(const struct reading *reading, int64_t id)
{
	for (size_t i = 0; i < reading->unfinished; i++)
		if (json_integer_value(json_object_get(json_array_get(reading->jobs, i), "job")) == id)
			return true;
	return false;
}

static bool is_finished(const struct db_job *job)
{
	return strcmp(job->state, "queued") != 0 && strcmp(job->state, "running") != 0;
}

static json_t *read_jobs(struct db *db, void *context, struct mmt_error *error)
{
	struct reading *reading = context;
	struct db_job *jobs = NULL;
	size_t count = 0;
	/* The newest in the database may be unfinished ones, which are listed already: so many more are read. */
	if (db_jobs(db, false, (int)(reading->limit + reading->unfinished), &jobs, &count, error) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (json_array_size(reading->jobs) < reading->limit && is_finished(&jobs[i]) &&
		    !is_listed(reading, jobs[i].id))
			json_array_append_new(reading->jobs, svc_job_to_json(&jobs[i]));
		db_job_finish(&jobs[i]);
	}
	free(jobs);
	return json_pack("{s:O}", "jobs", reading->jobs);
}

static void handle(struct service *service, struct svc_call *call)
{
	int64_t limit = DEFAULT_LIMIT;
	const struct svc_parameter table[] = {{"limit", SVC_INTEGER, SVC_OPTIONAL, &limit}, {0}};
	struct mmt_error error;
	if (svc_parameters_read(svc_call_parameters(call), table, SVC_NO_PROBLEM, &error) != 0) {
		svc_call_error(call, &error);
		return;
	}
	size_t most = limit == 0 || limit > LARGEST_LIMIT ? LARGEST_LIMIT : (size_t)limit;
	struct reading *reading = calloc(1, sizeof *reading);
	json_t *jobs = reading != NULL ? svc_jobs_progress(service->jobs, most) : NULL;
	if (jobs == NULL) {
		free(reading);
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to list jobs");
		svc_call_error(call, &error);
		return;
	}
	reading->limit = most;
	reading->jobs = jobs;
	reading->unfinished = json_array_size(reading->jobs);
	svc_store_reply(call, read_jobs, reading, release);
}

const struct svc_verb svc_verb_jobs = {
	.method = "org.mmtune.Tuner.Jobs",
	.handle = handle,
};
