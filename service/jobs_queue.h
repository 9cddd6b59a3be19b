/* jobs_queue.h: the queue itself, as jobs.c and jobs_add.c share it.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_JOBS_QUEUE_H
#define MMT_SERVICE_JOBS_QUEUE_H

#include "job.h"
#include "runner.h"

struct svc_jobs {
	struct service *service;
	struct svc_job **list; /* unfinished, in order of arrival */
	size_t count;
	uint64_t next_sequence;
	struct svc_job *running;
	struct runner *runner;
	struct svc_jobs_guest *guests; /* in order of arrival */
	uv_timer_t retry;              /* a quarantine ends */
	size_t storing;                /* posts to the store that are not done */
	bool started, paused, draining;
	bool filling;                             /* a job for what is asked most is on its way into the queue */
	uint64_t fill_after_ms;                   /* of the loop's clock: not before, since the last one failed */
	void (*stopped)(struct service *service); /* while a drain goes on */
	void (*idle)(struct service *service);    /* to be called when nothing runs; NULL: nothing asked for */
};

int jobs_append(struct svc_jobs *jobs, struct svc_job *job); /* -1: memory */
/* Stores a job that was added or changed, tells who waits for it, and schedules. */
void jobs_store_queued(struct svc_job *job);
/* A job of a client or a query that is queued behind the peaks of its device. */
bool jobs_waits_for_peaks(const struct svc_job *job);
/* After a job: its best is over the measured peak rate, so that the peak is measured again, once a run. */
void jobs_recheck_peak(struct svc_jobs *jobs, const struct svc_job *job);
bool jobs_is_quarantined(const struct svc_device *device);

/* jobs_order.c */
bool jobs_is_waiting(const struct svc_job *job);        /* stored, and queued */
struct svc_job *jobs_next(const struct svc_jobs *jobs); /* to be run; NULL: none waits that could */
/* 0: clients' jobs, and what goes with them; 1: what queries asked for; 2: what the configuration lists. */
int jobs_rank(const struct svc_jobs *jobs, const struct svc_job *job);

/* jobs.c, for the guests */
void jobs_schedule(struct svc_jobs *jobs);
void jobs_check_stopped(struct svc_jobs *jobs); /* a drain may be over */

/* jobs_idle.c: the queue is empty: a job for what is asked most, if there is anything. */
void jobs_fill(struct svc_jobs *jobs);

/* jobs_guest.c */
bool jobs_guest_wants(const struct svc_jobs *jobs, const struct svc_device *device); /* one of this device is there */
bool jobs_guest_is_waiting(const struct svc_jobs *jobs); /* for its turn, or for the end of a pause */
bool jobs_guest_goes_before(const struct svc_jobs *jobs, const struct svc_job *job);
/* Nothing runs: lets the first guest go where it is its turn; true: one is inside now. */
bool jobs_guest_go(struct svc_jobs *jobs);
void jobs_guest_stop_all(struct svc_jobs *jobs);

#endif
