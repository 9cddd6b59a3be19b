/* protocol.h: the worker's side of kernels/trial.h: requests in, phases and results out.
 *
 * Shared by mmtune-worker and the fake worker of the tests.
 *
 * Thread: no state. */
#ifndef MMT_WORKER_PROTOCOL_H
#define MMT_WORKER_PROTOCOL_H

#include "device.h"
#include "plan.h"
#include "trial.h"

enum worker_operation { WORKER_TRIAL, WORKER_COMPARE, WORKER_IDLE, WORKER_REFERENCE, WORKER_BUILD, WORKER_REHEARSE };

struct worker_request {
	enum worker_operation operation;
	int64_t id;
	struct mmt_problem problem;
	struct kern_plan *plans; /* one, but for a comparison */
	size_t n_plans;
	size_t n_results;     /* that the service waits for: n_plans, unless the plans could not be read */
	double give_up_ns;    /* 0: none */
	const json_t *anchor; /* a trial's: a plan; NULL: none; borrowed from the message */
	double anchor_ns;
	bool general;
	unsigned rounds;
	double limit_ns;       /* of a comparison's timings */
	const char *reference; /* its name; borrowed from the message */
};

/* Fills *request. On -1 its id and n_results are still right as far as they
 * could be read (id 0: not at all). Finish it in either case. */
int worker_request_init(struct worker_request *request, const json_t *message, struct mmt_error *error);
void worker_request_finish(struct worker_request *request);

/* Takes references, an array (NULL: memory ran out). */
int worker_send_hello(const struct kern_device *device, json_t *references, struct mmt_error *error);
int worker_send_phase(int64_t id, const char *phase, struct mmt_error *error);
int worker_send_results(int64_t id, const struct kern_result *results, size_t n, struct mmt_error *error);

/* The text as a result's message: valid UTF-8, lines kept, no other control characters. */
void worker_message_set(struct kern_result *result, const char *text);

/* Prints the answer of --enumerate to a descriptor. hints: NULL-terminated. */
int worker_print_devices(int fd, const struct kern_device *devices, size_t n, const char *const *hints,
			 struct mmt_error *error);

#endif
