/* worker.c: see worker.h; process.h does the work below it. Thread: the loop's. */
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "wire.h"

#define HELLO_DEADLINE_S  60.0
#define CLOSE_DEADLINE_S  2.0
#define NICEST            19
#define EXPLANATION_BYTES (SVC_PROCESS_TAIL_BYTES + 256)

enum worker_state { STARTING, IDLE, BUSY };

struct svc_worker {
	struct svc_process process;
	const struct svc_worker_events *events;
	void *context;
	enum worker_state state;
	struct wire_reader reader;
	int64_t request_id;
	double build_deadline_s, launch_deadline_s;
	json_t *references;
	bool greeted, closing, killed, timed_out;
	char broken[MMT_MESSAGE_BYTES]; /* how it broke the protocol, or "" */
	char overdue[64];               /* what it was late with, or "" */
};

static void set_state(struct svc_worker *worker, enum worker_state state, double deadline_s)
{
	worker->state = state;
	snprintf(worker->overdue, sizeof worker->overdue, "%s",
		 state == STARTING ? "opening the device" : "building the candidate");
	if (!worker->closing)
		svc_process_deadline(&worker->process, deadline_s);
}

static void broke(struct svc_worker *worker, const char *how)
{
	if (worker->broken[0] == '\0')
		snprintf(worker->broken, sizeof worker->broken, "%s", how);
	svc_process_kill(&worker->process);
}

static void on_hello(struct svc_worker *worker, const json_t *message)
{
	if (worker->state != STARTING) {
		broke(worker, "a second hello");
		return;
	}
	worker->greeted = true;
	worker->references = json_incref(json_object_get(message, "references"));
	set_state(worker, IDLE, 0);
	worker->events->ready(worker->context);
}

/* The owner hears of the phase first, so that it can set the deadline that the phase begins with. */
static void on_phase(struct svc_worker *worker, const char *phase)
{
	if (worker->events->phase)
		worker->events->phase(worker->context, phase);
	if (worker->state != BUSY || worker->closing)
		return;
	bool build = strcmp(phase, "build") == 0;
	snprintf(worker->overdue, sizeof worker->overdue, "in phase %.32s", phase);
	svc_process_deadline(&worker->process, build ? worker->build_deadline_s : worker->launch_deadline_s);
}

static void on_message(struct svc_worker *worker, const json_t *message)
{
	if (json_object_get(message, "hello")) {
		on_hello(worker, message);
		return;
	}
	const json_t *phase = json_object_get(message, "phase"), *results = json_object_get(message, "results");
	if (worker->state != BUSY || json_integer_value(json_object_get(message, "id")) != worker->request_id) {
		broke(worker, "a reply to no request");
	} else if (json_is_string(phase)) {
		on_phase(worker, json_string_value(phase));
	} else if (json_is_array(results)) {
		set_state(worker, IDLE, 0);
		worker->events->results(worker->context, results);
	} else {
		broke(worker, "a message that is neither a phase nor results");
	}
}

static void on_received(void *context, const char *bytes, size_t count)
{
	struct svc_worker *worker = context;
	if (worker->broken[0] != '\0')
		return;
	struct mmt_error error = {0};
	char *space = wire_reader_reserve(&worker->reader, count, &error);
	if (!space) {
		broke(worker, error.message);
		return;
	}
	memcpy(space, bytes, count);
	wire_reader_commit(&worker->reader, count);
	size_t length;
	const char *text;
	while (worker->broken[0] == '\0' && (text = wire_reader_next(&worker->reader, &length))) {
		json_t *message = wire_decode(text, length, &error);
		if (message)
			on_message(worker, message);
		else
			broke(worker, error.message);
		json_decref(message);
	}
}

static void on_expired(void *context)
{
	struct svc_worker *worker = context;
	worker->timed_out = !worker->closing;
	svc_process_kill(&worker->process);
}

static enum svc_worker_end how_it_ended(const struct svc_worker *worker)
{
	const struct svc_process *process = &worker->process;
	if (worker->closing || worker->killed)
		return SVC_WORKER_EXITED;
	if (!worker->greeted)
		return SVC_WORKER_CANNOT_START;
	if (worker->timed_out)
		return SVC_WORKER_TIMED_OUT;
	bool clean = process->signal == 0 && process->exit_status == 0 && worker->state == IDLE;
	return clean && worker->broken[0] == '\0' ? SVC_WORKER_EXITED : SVC_WORKER_CRASHED;
}

static void on_ended(void *context)
{
	struct svc_worker *worker = context;
	char process_text[EXPLANATION_BYTES], text[EXPLANATION_BYTES + MMT_MESSAGE_BYTES];
	svc_process_explain(&worker->process, process_text, sizeof process_text);
	if (worker->timed_out)
		snprintf(text, sizeof text, "the worker was killed at its deadline, %s", worker->overdue);
	else if (worker->broken[0] != '\0')
		snprintf(text, sizeof text, "the worker broke the protocol: %s", worker->broken);
	else
		snprintf(text, sizeof text, "the worker %s", process_text);
	worker->events->gone(worker->context, how_it_ended(worker), text);
	wire_reader_finish(&worker->reader);
	json_decref(worker->references);
	free(worker);
}

static const struct svc_process_events process_events = {on_received, on_expired, on_ended};

static struct svc_worker *create(struct service *service, const char *fingerprint, int nice,
				 const struct svc_worker_events *events, void *context)
{
	struct svc_worker *worker = calloc(1, sizeof *worker);
	if (!worker)
		return NULL;
	worker->events = events;
	worker->context = context;
	worker->build_deadline_s = (double)service->config.build_deadline_s;
	worker->launch_deadline_s = (double)service->config.launch_deadline_s;
	wire_reader_init(&worker->reader, WIRE_CALL_LIMIT_BYTES);
	const char *arguments[] = {"mmtune-worker", "--fingerprint", fingerprint, NULL};
	struct svc_process_spec spec = {
		.program = service->config.worker,
		.arguments = arguments,
		.channel_fd = KERN_WORKER_FD,
		.nice = nice,
	};
	svc_process_start(&worker->process, service->loop, &spec, &process_events, worker);
	set_state(worker, STARTING, HELLO_DEADLINE_S);
	return worker;
}

struct svc_worker *svc_worker_create(struct service *service, const char *fingerprint,
				     const struct svc_worker_events *events, void *context)
{
	return create(service, fingerprint, (int)service->config.worker_nice, events, context);
}

struct svc_worker *svc_worker_create_builder(struct service *service, const char *fingerprint,
					     const struct svc_worker_events *events, void *context)
{
	return create(service, fingerprint, NICEST, events, context);
}

int svc_worker_send(struct svc_worker *worker, json_t *request, struct mmt_error *error)
{
	if (worker->state != IDLE || worker->closing)
		return mmt_error_set(error, MMT_BUSY, 0, "the worker is not idle");
	size_t length = 0;
	char *bytes = NULL;
	if (json_object_set_new(request, "id", json_integer(++worker->request_id)) == 0)
		bytes = wire_encode(request, &length);
	if (!bytes)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a request to the worker");
	if (svc_process_write(&worker->process, bytes, length, error) != 0)
		return -1;
	set_state(worker, BUSY, worker->build_deadline_s);
	return 0;
}

void svc_worker_set_launch_deadline(struct svc_worker *worker, double seconds)
{
	worker->launch_deadline_s = seconds;
}

void svc_worker_kill(struct svc_worker *worker)
{
	worker->killed = true;
	svc_process_kill(&worker->process);
}

void svc_worker_close(struct svc_worker *worker)
{
	if (worker->closing)
		return;
	worker->closing = true;
	svc_process_hang_up(&worker->process);
	svc_process_deadline(&worker->process, CLOSE_DEADLINE_S);
}

struct kern_result svc_worker_lost_result(enum svc_worker_end end, const char *explanation)
{
	struct kern_result result = {0};
	result.outcome = end == SVC_WORKER_TIMED_OUT ? KERN_OUTCOME_TIMEOUT : KERN_OUTCOME_CRASHED;
	struct mmt_error error;
	mmt_error_set(&error, MMT_FAILED, 0, "%s", explanation); /* cut where a character ends */
	memcpy(result.message, error.message, sizeof result.message);
	return result;
}

const json_t *svc_worker_references(const struct svc_worker *worker)
{
	return worker->references;
}
