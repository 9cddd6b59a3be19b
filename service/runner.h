/* runner.h: one running job.
 *
 *	preparing --spaces, earlier trials--> searching --budget, exhausted--> comparing --stored--> ending
 *		any --stop, failure--> ending --worker gone, all stored--> ended (terminal)
 *
 * preparing: the spaces are expanded in the thread pool, the earlier trials of
 * this device, driver and problem come from the store and are told to the
 * search, so that nothing is measured twice. searching: ask, plan, trial, tell;
 * a plan that is refused is an outcome that needs no worker. comparing: the
 * best few and the incumbent, head to head; the fastest is promoted.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_RUNNER_H
#define MMT_SERVICE_RUNNER_H

#include "job.h"

struct runner;

enum runner_end { RUNNER_DONE, RUNNER_FAILED, RUNNER_CANCELLED, RUNNER_SUSPENDED };

struct runner_events {
	void (*changed)(void *context, bool urgent); /* the job's progress; stored already */
	/* Last event; the runner frees itself after it. Why it failed, or how it ended, is in the job's message. */
	void (*ended)(void *context, enum runner_end end);
};

/* The job must outlive the runner. NULL: memory. */
struct runner *runner_create(struct service *service, struct svc_job *job, const struct runner_events *events,
			     void *context);
/* RUNNER_CANCELLED or RUNNER_SUSPENDED; the candidate in flight is lost, ended follows. */
void runner_stop(struct runner *runner, enum runner_end how);

#endif
