/* query_wait.c: see query_wait.h. */
#include "query_wait.h"

#include <math.h>
#include <stdlib.h>

#include "answers.h"

#define LONGEST_WAIT_S 604800.0 /* a week, as the longest budget */

struct waiting {
	uv_timer_t timer;      /* its close frees all this */
	struct svc_call *call; /* NULL: replied to, or its client is gone */
	struct service *service;
	int64_t device_id;
	struct mmt_problem problem;
	bool with_source, queueing;
	double wait_s;
	int64_t job_id; /* being watched; 0: none */
};

static void on_timer_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_progress(void *context, const json_t *progress, bool last);

/* Lets go of job and timer. While the job is being queued its callback still comes: that then frees. */
static void finish(struct waiting *waiting)
{
	if (waiting->job_id != 0)
		svc_jobs_unwatch(waiting->service->jobs, on_progress, waiting);
	waiting->job_id = 0;
	waiting->call = NULL;
	if (waiting->queueing)
		uv_timer_stop(&waiting->timer);
	else
		uv_close((uv_handle_t *)&waiting->timer, on_timer_closed);
}

static void on_gone(void *context)
{
	finish(context);
}

static void fail(struct waiting *waiting, const struct mmt_error *error)
{
	struct svc_call *call = waiting->call;
	finish(waiting);
	svc_call_error(call, error);
}

static void answer_anew(struct waiting *waiting)
{
	struct service *service = waiting->service;
	struct mmt_error error;
	bool untuned;
	struct svc_device *device = svc_devices_by_id(service->devices, waiting->device_id);
	json_t *answer = NULL;
	if (device == NULL)
		mmt_error_set(&error, MMT_NO_SUCH_DEVICE, 0, "the device is gone");
	else
		answer = svc_answers_query(service->answers, device, &waiting->problem, waiting->with_source, &untuned,
					   &error);
	if (answer == NULL) {
		fail(waiting, &error);
		return;
	}
	struct svc_call *call = waiting->call;
	finish(waiting);
	svc_call_reply(call, answer, false);
}

static void on_progress(void *context, const json_t *progress, bool last)
{
	(void)progress;
	struct waiting *waiting = context;
	if (!last)
		return;
	waiting->job_id = 0;
	answer_anew(waiting);
}

static void on_time_up(uv_timer_t *timer)
{
	struct waiting *waiting = timer->data;
	struct mmt_error error;
	mmt_error_set(&error, MMT_TIMED_OUT, 0, "the job on this problem did not end within %g s; it goes on",
		      waiting->wait_s);
	fail(waiting, &error);
}

/* A job that ended meanwhile is no error: what it found is the answer. */
static void watch(struct waiting *waiting, int64_t job_id)
{
	if (svc_jobs_watch(waiting->service->jobs, job_id, on_progress, waiting, NULL) == 0)
		waiting->job_id = job_id;
	else
		answer_anew(waiting);
}

static void on_queued(void *context, int64_t job_id, const struct mmt_error *error)
{
	struct waiting *waiting = context;
	waiting->queueing = false;
	if (waiting->call == NULL)
		finish(waiting);
	else if (error != NULL)
		fail(waiting, error);
	else
		watch(waiting, job_id);
}

static struct waiting *create(struct svc_call *call, const struct svc_query_wait *wait)
{
	struct waiting *waiting = calloc(1, sizeof *waiting);
	if (waiting == NULL)
		return NULL;
	waiting->call = call;
	waiting->service = svc_call_service(call);
	waiting->device_id = wait->request->device->id;
	waiting->problem = wait->request->problem;
	waiting->with_source = wait->with_source;
	waiting->wait_s = fmin(wait->wait_s, LONGEST_WAIT_S);
	uv_timer_init(waiting->service->loop, &waiting->timer);
	waiting->timer.data = waiting;
	uv_timer_start(&waiting->timer, on_time_up, (uint64_t)ceil(waiting->wait_s * 1000), 0);
	svc_call_on_gone(call, on_gone, waiting);
	return waiting;
}

void svc_query_wait(struct svc_call *call, const struct svc_query_wait *wait, json_t *answer)
{
	struct service *service = svc_call_service(call);
	const struct svc_job_request *request = wait->request;
	int64_t job_id = wait->queue ? 0 : svc_jobs_find(service->jobs, request->device, &request->problem);
	struct waiting *waiting = wait->queue || job_id != 0 ? create(call, wait) : NULL;
	if (waiting == NULL) {
		svc_call_reply(call, answer, false);
		return;
	}
	json_decref(answer);
	if (!wait->queue) {
		watch(waiting, job_id);
		return;
	}
	waiting->queueing = true;
	svc_jobs_add(service->jobs, request, on_queued, waiting);
}
