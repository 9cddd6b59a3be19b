/* enumerate.c: svc_worker_enumerate of worker.h: what devices are there?
 *
 * A driver may hang or crash in as little as a list of its devices, so a
 * process of its own asks. Thread: the loop's. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

#include "process.h"

#define ENUMERATE_DEADLINE_S  30.0
#define ENUMERATE_LIMIT_BYTES ((size_t)4 << 20)

struct svc_enumeration {
	struct svc_process process;
	svc_enumerated *done;
	void *context;
	char *output;
	size_t bytes, capacity;
	bool timed_out, too_long;
};

static void on_received(void *context, const char *bytes, size_t count)
{
	struct svc_enumeration *enumeration = context;
	if (enumeration->too_long)
		return;
	if (enumeration->bytes + count > enumeration->capacity) {
		size_t capacity = 2 * (enumeration->bytes + count);
		char *output = capacity <= 2 * ENUMERATE_LIMIT_BYTES ? realloc(enumeration->output, capacity) : NULL;
		if (!output) {
			enumeration->too_long = true;
			svc_process_kill(&enumeration->process);
			return;
		}
		enumeration->output = output;
		enumeration->capacity = capacity;
	}
	memcpy(enumeration->output + enumeration->bytes, bytes, count);
	enumeration->bytes += count;
}

static void on_expired(void *context)
{
	struct svc_enumeration *enumeration = context;
	enumeration->timed_out = true;
	svc_process_kill(&enumeration->process);
}

static json_t *parse(const struct svc_enumeration *enumeration, struct mmt_error *error)
{
	const struct svc_process *process = &enumeration->process;
	char text[MMT_MESSAGE_BYTES - 64];
	svc_process_explain(process, text, sizeof text);
	if (enumeration->timed_out) {
		mmt_error_set(error, MMT_TIMED_OUT, 0, "listing the devices took over %g s; a driver hangs",
			      ENUMERATE_DEADLINE_S);
	} else if (enumeration->too_long) {
		mmt_error_set(error, MMT_PROTOCOL, 0, "the list of devices is over %zu bytes", ENUMERATE_LIMIT_BYTES);
	} else if (process->start_error || process->signal || process->exit_status) {
		mmt_error_set(error, MMT_SYSTEM, 0, "the worker that lists the devices %s", text);
	} else {
		json_error_t json_error;
		json_t *output = json_loadb(enumeration->output ? enumeration->output : "", enumeration->bytes,
					    JSON_REJECT_DUPLICATES, &json_error);
		if (json_is_object(output))
			return output;
		json_decref(output);
		mmt_error_set(error, MMT_PROTOCOL, 0, "the list of devices is not JSON: %s", json_error.text);
	}
	return NULL;
}

static void on_ended(void *context)
{
	struct svc_enumeration *enumeration = context;
	struct mmt_error error = {0};
	json_t *output = parse(enumeration, &error);
	enumeration->done(enumeration->context, output, output ? NULL : &error);
	json_decref(output);
	free(enumeration->output);
	free(enumeration);
}

static const struct svc_process_events process_events = {on_received, on_expired, on_ended};

struct svc_enumeration *svc_worker_enumerate(struct service *service, svc_enumerated *done, void *context)
{
	struct svc_enumeration *enumeration = calloc(1, sizeof *enumeration);
	if (!enumeration) {
		struct mmt_error error = {0};
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to list the devices");
		done(context, NULL, &error);
		return NULL;
	}
	enumeration->done = done;
	enumeration->context = context;
	const char *arguments[] = {"mmtune-worker", "--enumerate", NULL};
	struct svc_process_spec spec = {
		.program = service->config.worker,
		.arguments = arguments,
		.channel_fd = 1,
	};
	svc_process_start(&enumeration->process, service->loop, &spec, &process_events, enumeration);
	svc_process_deadline(&enumeration->process, ENUMERATE_DEADLINE_S);
	return enumeration;
}

void svc_worker_enumerate_stop(struct svc_enumeration *enumeration)
{
	svc_process_kill(&enumeration->process);
}
