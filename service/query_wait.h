/* query_wait.h: a query that waits for the job on its problem.
 *
 *	waiting for the job to be queued --> watching it --its end--> answered anew
 *	either --the time is up--> MMT_TIMED_OUT, and the job goes on
 *	either --the client goes--> forgotten, and the job goes on
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_QUERY_WAIT_H
#define MMT_SERVICE_QUERY_WAIT_H

#include <jansson.h>

#include "jobs.h"
#include "server.h"

struct svc_query_wait {
	const struct svc_job_request *request; /* borrowed for the call */
	bool queue;                            /* queue the request; else wait only for a job that is there */
	bool with_source;
	double wait_s;
};

/* Replies to the call, now or later. answer (its reference is taken) is for when there is nothing to wait for. */
void svc_query_wait(struct svc_call *call, const struct svc_query_wait *wait, json_t *answer);

#endif
