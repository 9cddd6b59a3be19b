/* Tune: queues a job for a client. With `more` its progress is streamed until
 * its end; the job does not depend on the client, which may go at any time.
 *
 *	queueing --stored--> streaming --the job's end--> answered
 *
 * Progress comes as fast as candidates do; a client gets it at most every
 * PROGRESS_INTERVAL_MS, and none while it leaves earlier ones unread. */
#include <stdlib.h>

#include "jobs.h"
#include "parameters.h"
#include "plan.h"
#include "server.h"
#include "strategy.h"

#define PROGRESS_INTERVAL_MS 200
#define SLOW_CLIENT_BYTES    ((size_t)16 << 10)
#define LONGEST_BUDGET_S     604800.0 /* a week, as in config/keys.h */

struct stream {
	uv_timer_t timer;      /* runs while a progress is put off; its close frees all this */
	struct svc_call *call; /* NULL: its client is gone */
	struct service *service;
	bool queueing;
	int64_t job_id; /* being watched; 0: none */
	uint64_t sent_at_ms;
};

static void on_progress(void *context, const json_t *progress, bool last);

static void on_timer_closed(uv_handle_t *handle)
{
	free(handle->data);
}

/* Lets go of job and timer. While the job is being queued its callback still comes: that then frees. */
static void finish(struct stream *stream)
{
	if (stream->job_id != 0)
		svc_jobs_unwatch(stream->service->jobs, on_progress, stream);
	stream->job_id = 0;
	stream->call = NULL;
	if (!stream->queueing)
		uv_close((uv_handle_t *)&stream->timer, on_timer_closed);
}

static void on_gone(void *context)
{
	finish(context);
}

static void fail(struct stream *stream, const struct mmt_error *error)
{
	struct svc_call *call = stream->call;
	finish(stream);
	svc_call_error(call, error);
}

/* Takes the reference. */
static void send_last(struct stream *stream, json_t *progress)
{
	struct svc_call *call = stream->call;
	finish(stream);
	svc_call_reply(call, json_pack("{s:o}", "progress", progress), false);
}

static void send_now(struct stream *stream)
{
	json_t *progress = svc_job_progress(stream->service->jobs, stream->job_id);
	stream->sent_at_ms = uv_now(stream->service->loop);
	if (progress != NULL && svc_call_waiting_bytes(stream->call) <= SLOW_CLIENT_BYTES)
		svc_call_reply(stream->call, json_pack("{s:O}", "progress", progress), true);
	json_decref(progress);
}

static void on_interval(uv_timer_t *timer)
{
	send_now(timer->data);
}

static void on_progress(void *context, const json_t *progress, bool last)
{
	struct stream *stream = context;
	if (last) {
		stream->job_id = 0;
		send_last(stream, json_deep_copy(progress));
		return;
	}
	if (uv_is_active((const uv_handle_t *)&stream->timer))
		return;
	uint64_t since_ms = uv_now(stream->service->loop) - stream->sent_at_ms;
	if (since_ms >= PROGRESS_INTERVAL_MS)
		send_now(stream);
	else
		uv_timer_start(&stream->timer, on_interval, PROGRESS_INTERVAL_MS - since_ms, 0);
}

static void start_stream(struct stream *stream, int64_t job_id)
{
	struct mmt_error error;
	if (svc_jobs_watch(stream->service->jobs, job_id, on_progress, stream, &error) != 0) {
		fail(stream, &error);
		return;
	}
	stream->job_id = job_id;
	send_now(stream);
}

static void on_queued(void *context, int64_t job_id, const struct mmt_error *error)
{
	struct stream *stream = context;
	stream->queueing = false;
	if (stream->call == NULL)
		finish(stream);
	else if (error != NULL)
		fail(stream, error);
	else if (svc_call_more(stream->call))
		start_stream(stream, job_id);
	else
		send_last(stream, svc_job_progress(stream->service->jobs, job_id));
}

static int check_names(const struct service *service, const struct svc_job_request *request, struct mmt_error *error)
{
	if (request->strategy != NULL && svc_strategy_check(request->strategy, error) != 0)
		return -1;
	if (request->variant != NULL &&
	    kern_registry_find(&service->kernels, request->problem.family, request->variant) == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "variant: the family %s has none called '%.200s'",
				     request->problem.family, request->variant);
	return 0;
}

static int check_limits(const struct svc_job_request *request, struct mmt_error *error)
{
	if (request->until > 1)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "until: %g is more than 1, the whole of the measured peak", request->until);
	if (request->budget_s > LONGEST_BUDGET_S)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "budget_s: %g is more than %.0f, a week",
				     request->budget_s, LONGEST_BUDGET_S);
	return kern_problem_fits(&request->problem, &request->device->properties, error);
}

static int read_request(struct service *service, const json_t *parameters, struct svc_job_request *request,
			struct mmt_error *error)
{
	const char *device_name = NULL;
	int64_t seed = 0;
	*request = (struct svc_job_request){.origin = SVC_JOB_CLIENT};
	const struct svc_parameter table[] = {
		{"device", SVC_STRING, SVC_REQUIRED, &device_name},
		{"strategy", SVC_STRING, SVC_OPTIONAL, &request->strategy},
		{"variant", SVC_STRING, SVC_OPTIONAL, &request->variant},
		{"seed", SVC_INTEGER, SVC_OPTIONAL, &seed},
		{"budget_s", SVC_REAL, SVC_OPTIONAL, &request->budget_s},
		{"evaluations", SVC_INTEGER, SVC_OPTIONAL, &request->max_evaluations},
		{"until", SVC_REAL, SVC_OPTIONAL, &request->until},
		{"until_best", SVC_BOOLEAN, SVC_OPTIONAL, &request->until_best},
		{0},
	};
	if (svc_parameters_read(parameters, table, SVC_WITH_PROBLEM, error) != 0 ||
	    svc_parameters_problem(parameters, &request->problem, error) != 0)
		return -1;
	request->seed = (uint64_t)seed;
	request->device = svc_devices_find(service->devices, device_name, error);
	if (request->device == NULL || check_names(service, request, error) != 0)
		return -1;
	return check_limits(request, error);
}

static void handle(struct service *service, struct svc_call *call)
{
	struct svc_job_request request;
	struct mmt_error error;
	if (read_request(service, svc_call_parameters(call), &request, &error) != 0) {
		svc_call_error(call, &error);
		return;
	}
	struct stream *stream = calloc(1, sizeof *stream);
	if (stream == NULL) {
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for a job");
		svc_call_error(call, &error);
		return;
	}
	stream->call = call;
	stream->service = service;
	stream->queueing = true;
	uv_timer_init(service->loop, &stream->timer);
	stream->timer.data = stream;
	svc_call_on_gone(call, on_gone, stream);
	svc_jobs_add(service->jobs, &request, on_queued, stream);
}

const struct svc_verb svc_verb_tune = {
	.method = "org.mmtune.Tuner.Tune",
	.admin = true,
	.needs_devices = true,
	.handle = handle,
};
