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
	uv_timer_t retry; /* a quarantine ends */
	size_t storing;   /* posts to the store that are not done */
	bool started, paused, draining;
	void (*stopped)(struct service *service); /* while a drain goes on */
};

int jobs_append(struct svc_jobs *jobs, struct svc_job *job); /* -1: memory */
/* Stores a job that was added or changed, tells who waits for it, and schedules. */
void jobs_store_queued(struct svc_job *job);
bool jobs_is_quarantined(const struct svc_device *device);

#endif
