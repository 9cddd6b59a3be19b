/* jobs.h: the queue of tuning jobs and their states.
 *
 *	queued --scheduler--> running --budget spent, space exhausted--> done
 *	queued, running --Cancel--> cancelled		running --nothing valid, no device--> failed
 *	running --service dies--> queued again at the next start (resumed)
 *
 * One job runs at a time on a device, one device at a time; clients' jobs before those that queries queued, of which
 * the most asked is first, and these before what the configuration lists.
 * Every transition is stored before it is told to anyone.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_JOBS_H
#define MMT_SERVICE_JOBS_H

#include <jansson.h>

#include "devices.h"
#include "mmtune/problem.h"
#include "service.h"

enum svc_job_state { SVC_JOB_QUEUED, SVC_JOB_RUNNING, SVC_JOB_DONE, SVC_JOB_FAILED, SVC_JOB_CANCELLED };
/* client: Tune; query: somebody asked for it; auto: the configuration's auto_tune; peak: what others are judged by. */
enum svc_job_origin { SVC_JOB_CLIENT, SVC_JOB_QUERY, SVC_JOB_AUTO, SVC_JOB_PEAK };

struct svc_job_request {
	struct svc_device *device;
	struct mmt_problem problem;
	enum svc_job_origin origin;
	const char *strategy;    /* NULL: the configuration's */
	const char *variant;     /* only this one; NULL: all */
	int64_t asks;            /* queries that wanted it so far */
	uint64_t seed;           /* 0: from the job's id */
	double budget_s;         /* 0: the configuration's for the origin */
	int64_t max_evaluations; /* 0: none */
	double until;            /* stop at this fraction of the measured peak; 0: none */
	bool until_best;         /* stop when the search expects no gain any more (search_settled) */
};

struct svc_jobs *svc_jobs_create(struct service *service, struct mmt_error *error); /* loads the unfinished ones */
void svc_jobs_destroy(struct svc_jobs *jobs);
void svc_jobs_start(struct svc_jobs *jobs); /* devices are known: schedule */
/* Stops the running job (its worker is closed, its state stays running: it resumes); stopped is called once. */
void svc_jobs_drain(struct svc_jobs *jobs, void (*stopped)(struct service *service));

/* Once nothing holds on to the kernels: calls idle, and goes on. The running job is stopped between two candidates for
 * it and resumes afterwards; guests come first. A second call before that replaces the first. */
void svc_jobs_when_idle(struct svc_jobs *jobs, void (*idle)(struct service *service));

/* Queues a job; an equal unfinished one (device, problem) is joined instead, and a client's
 * request lifts a background job. on_queued gets the id once it is stored, or the error. Peak
 * jobs of the device are queued before it where no peak is known. */
typedef void svc_job_queued(void *context, int64_t job_id, const struct mmt_error *error);
void svc_jobs_add(struct svc_jobs *jobs, const struct svc_job_request *request, svc_job_queued *on_queued,
		  void *context);
/* Queues what the configuration's auto_tune lists and is not tuned, for the devices that are there. */
void svc_jobs_add_listed(struct svc_jobs *jobs);
int svc_jobs_cancel(struct svc_jobs *jobs, int64_t job_id, struct mmt_error *error); /* MMT_NO_SUCH_JOB */
void svc_jobs_pause(struct svc_jobs *jobs, bool paused);
bool svc_jobs_paused(const struct svc_jobs *jobs);

/* No job is unfinished, nothing is being stored, and no guest waits. */
bool svc_jobs_idle(const struct svc_jobs *jobs);

/* How many are unfinished and stored; and with those that are on their way into the database or out of the queue. */
size_t svc_jobs_pending(const struct svc_jobs *jobs);
size_t svc_jobs_count(const struct svc_jobs *jobs);
/* Whether a request would join a job that is there, instead of making one. */
bool svc_jobs_would_join(const struct svc_jobs *jobs, const struct svc_job_request *request);
/* An unfinished, stored job on a device and problem; 0: none. */
int64_t svc_jobs_find(const struct svc_jobs *jobs, const struct svc_device *device, const struct mmt_problem *problem);

/* A guest: something that is no job and needs the devices to itself for a while. It waits its turn as a client's job
 * does: behind clients' jobs that came before it, and background jobs give way. */
struct svc_jobs_guest {
	const struct svc_device *device; /* whose peaks go before it, where they are queued */
	void (*go)(void *context);       /* its turn; again when a pause is over that made it wait */
	void (*stop)(void *context);     /* the service ends: it must leave soon */
	void *context;
	/* the queue's own */
	struct svc_jobs_guest *next;
	uint64_t sequence;
	bool inside, waiting;
};
void svc_jobs_enter(struct svc_jobs *jobs, struct svc_jobs_guest *guest); /* go may come at once */
/* Asked between two pieces of its work: true during a pause; go then comes when it is over. */
bool svc_jobs_must_wait(struct svc_jobs *jobs, struct svc_jobs_guest *guest);
void svc_jobs_leave(struct svc_jobs *jobs, struct svc_jobs_guest *guest); /* before its turn too */

/* Queues the peak jobs that a problem of this type is held against, where this driver's are not measured yet. */
void svc_jobs_add_peaks(struct svc_jobs *jobs, struct svc_device *device, enum mmt_type type);

/* The progress object of an unfinished job, as the Tune stream and Jobs give it: {"job","device","problem",
 * "state","origin","strategy","evaluations","elapsed_s","budget_s","best":{...}|null,...}; NULL: not unfinished. */
json_t *svc_job_progress(const struct svc_jobs *jobs, int64_t job_id);
/* An array of them, at most limit: the running one first, then in the order they will run; NULL: memory. */
json_t *svc_jobs_progress(const struct svc_jobs *jobs, size_t limit);

/* Watch one job: called on each change and at its end (last true, then no more). */
typedef void svc_job_watch(void *context, const json_t *progress, bool last);
int svc_jobs_watch(struct svc_jobs *jobs, int64_t job_id, svc_job_watch *watch, void *context, struct mmt_error *error);
void svc_jobs_unwatch(struct svc_jobs *jobs, svc_job_watch *watch, void *context);

#endif
