/* worker.h: one worker process: started, spoken to, watched, killed, replaced.
 *
 * States:	starting --hello--> idle --send--> busy --results--> idle
 *		any --exit, deadline, broken protocol--> gone (terminal)
 * The owner of the worker starts another when it is gone. Deadlines are
 * enforced with SIGKILL on the worker's process group; its stderr tail explains a crash.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_WORKER_H
#define MMT_SERVICE_WORKER_H

#include <jansson.h>

#include "service.h"
#include "trial.h"

struct svc_worker;

enum svc_worker_end { SVC_WORKER_EXITED, SVC_WORKER_CRASHED, SVC_WORKER_TIMED_OUT, SVC_WORKER_CANNOT_START };

struct svc_worker_events {
	void (*ready)(void *context); /* hello came */
	void (*phase)(void *context, const char *phase);
	void (*results)(void *context, const json_t *results); /* array of kern_result */
	/* The last event, always comes; the worker frees itself after it. explanation: signal, exit code, stderr tail
	 */
	void (*gone)(void *context, enum svc_worker_end end, const char *explanation);
};

/* Starts `mmtune-worker --fingerprint HEX`. Never fails at once, gone tells; NULL only when memory ran out. */
struct svc_worker *svc_worker_create(struct service *service, const char *fingerprint,
				     const struct svc_worker_events *events, void *context);
/* The same for builds ahead: as nice as can be, since the worker that measures goes first. */
struct svc_worker *svc_worker_create_builder(struct service *service, const char *fingerprint,
					     const struct svc_worker_events *events, void *context);
/* Sends a request (an id is added). The first deadline runs until the first phase message. */
int svc_worker_send(struct svc_worker *worker, json_t *request, struct mmt_error *error);
/* Deadline for the phases that follow, from the configuration by default; in the phase event: for that phase. */
void svc_worker_set_launch_deadline(struct svc_worker *worker, double seconds);
void svc_worker_kill(struct svc_worker *worker);  /* gone follows, from the loop */
void svc_worker_close(struct svc_worker *worker); /* asks it to exit (end of stream), kills after 2 s; gone follows */

/* [{"name","summary","kind"}] as its hello gave it (trial.h); NULL: not greeted yet. Borrowed from the worker. */
const json_t *svc_worker_references(const struct svc_worker *worker);
/* The result of what a worker had in hand when it ended. */
struct kern_result svc_worker_lost_result(enum svc_worker_end end, const char *explanation);

/* The enumerating worker: prints JSON and exits; done gets it or an error. 30 s at most. What is returned is good until
 * done is called; NULL: it was, with an error. */
typedef void svc_enumerated(void *context, const json_t *output, const struct mmt_error *error);
struct svc_enumeration;
struct svc_enumeration *svc_worker_enumerate(struct service *service, svc_enumerated *done, void *context);
void svc_worker_enumerate_stop(struct svc_enumeration *enumeration); /* done comes soon, with an error */

#endif
