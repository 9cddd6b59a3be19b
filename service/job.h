/* job.h: one job, as jobs.c and the runner share it.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_JOB_H
#define MMT_SERVICE_JOB_H

#include "db.h"
#include "jobs.h"
#include "trial.h"

struct svc_job_waiter {
	svc_job_queued *on_queued;
	void *context;
};

struct svc_job_watcher {
	svc_job_watch *watch;
	void *context;
};

struct svc_job {
	struct svc_jobs *jobs;
	int64_t id;        /* 0: not stored yet */
	uint64_t sequence; /* order of arrival */
	struct svc_device *device;
	struct mmt_problem problem;
	enum svc_job_state state;
	enum svc_job_origin origin;
	char *strategy, *variant; /* variant NULL: all */
	uint64_t seed;            /* 0: the id */
	double budget_s, until;
	bool until_best;
	int64_t max_evaluations;
	int64_t asks;         /* queries that wanted it so far */
	bool ending;          /* its last state is being stored */
	bool posted, changed; /* as queued: being stored; to be stored again after that */
	/* Progress; kept by the runner, and over restarts where the database has a column for it */
	double spent_before_ns;  /* in earlier runs */
	uint64_t run_started_ns; /* uv_hrtime; 0: not running */
	int64_t evaluations;     /* stored trials but for the skipped */
	unsigned outcomes[KERN_OUTCOME_COUNT];
	const char *phase; /* static text, or NULL */
	json_t *best, *accounting;
	char message[MMT_MESSAGE_BYTES];
	int64_t created_at, started_at, finished_at;
	struct svc_job_waiter *waiters;
	struct svc_job_watcher *watchers;
	size_t n_waiters, n_watchers;
	uint64_t told_at_ms; /* when the watchers last heard */
};

const char *job_state_name(enum svc_job_state state);
const char *job_origin_name(enum svc_job_origin origin);

/* Wall time of all runs so far. */
double job_spent_ns(const struct svc_job *job);
json_t *job_progress(const struct svc_job *job);

struct svc_job *job_create(struct svc_jobs *jobs, const struct svc_job_request *request);
void job_destroy(struct svc_job *job); /* NULL is allowed */

/* The job as a record (strings are copies: db_job_finish), and back; -1: memory, or a record that cannot be read. */
int job_to_record(const struct svc_job *job, struct db_job *out);
struct svc_job *job_from_record(struct svc_jobs *jobs, struct svc_devices *devices, const struct db_job *record);

/* Between candidates: must the running job give way (a pause; a client's job that is waiting)? In jobs.c. */
bool jobs_must_yield(const struct svc_jobs *jobs, const struct svc_job *job);

#endif
