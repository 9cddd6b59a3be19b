/* Query: what to launch. Answers at once with what is known; what is not tuned
 * here is queued for the background. wait_s waits for that job first.
 *
 * An exact, fresh answer is kept as bytes under the bytes of the call: the next
 * such call is answered by the connection without coming here. */
#include <stdlib.h>

#include "answers.h"
#include "demand.h"
#include "jobs.h"
#include "parameters.h"
#include "query_wait.h"
#include "server.h"

#define BACKGROUND_JOBS_LIMIT \
	256 /* anyone's queries queue no more than this: one client cannot fill the queue for ever */

struct question {
	const char *device_name;
	bool source;
	double wait_s;
	struct mmt_problem problem;
	struct svc_device *device;
};

static int read_question(struct service *service, const json_t *parameters, struct question *question,
			 struct mmt_error *error)
{
	*question = (struct question){0};
	const struct svc_parameter table[] = {
		{"device", SVC_STRING, SVC_REQUIRED, &question->device_name},
		{"source", SVC_BOOLEAN, SVC_OPTIONAL, &question->source},
		{"wait_s", SVC_REAL, SVC_OPTIONAL, &question->wait_s},
		{0},
	};
	if (svc_parameters_read(parameters, table, SVC_WITH_PROBLEM, error) != 0 ||
	    svc_parameters_problem(parameters, &question->problem, error) != 0)
		return -1;
	question->device = svc_devices_find(service->devices, question->device_name, error);
	return question->device != NULL ? 0 : -1;
}

static void on_queued(void *context, int64_t job_id, const struct mmt_error *error)
{
	(void)context;
	(void)job_id;
	if (error != NULL)
		svc_log(4, "cannot queue a background job: %s", error->message);
}

/* Whether what is not tuned is to be tuned in the background. */
static bool is_wanted(const struct service *service)
{
	return service->config.background_budget_s > 0 && !service->in_memory && !service->draining;
}

/* Takes the answer's reference. */
static void reply_and_remember(struct service *service, struct svc_call *call, json_t *answer)
{
	size_t call_length, length = 0;
	const char *call_bytes = svc_call_bytes(call, &call_length);
	char *bytes = NULL;
	if (call_bytes != NULL && !svc_call_is_oneway(call))
		bytes = svc_reply_encode(json_incref(answer), false, &length);
	if (bytes != NULL) {
		svc_answers_remember(service->answers, call_bytes, call_length, bytes, length);
		svc_call_reply_bytes(call, bytes, length);
		json_decref(answer);
	} else {
		svc_call_reply(call, answer, false);
	}
	free(bytes);
}

static void handle(struct service *service, struct svc_call *call)
{
	struct question question;
	struct mmt_error error;
	bool untuned = false;
	json_t *answer = NULL;
	if (read_question(service, svc_call_parameters(call), &question, &error) == 0)
		answer = svc_answers_query(service->answers, question.device, &question.problem, question.source,
					   &untuned, &error);
	if (answer == NULL) {
		svc_call_error(call, &error);
		return;
	}
	struct svc_job_request request = {
		.device = question.device,
		.problem = question.problem,
		.origin = SVC_JOB_QUERY,
	};
	bool queue = false;
	if (untuned && is_wanted(service)) {
		request.asks = svc_demand_ask(service->demand, question.device->id, &question.problem);
		/* else when the queue is empty; an ask more moves what is queued up at any time */
		queue = svc_jobs_count(service->jobs) < BACKGROUND_JOBS_LIMIT ||
			svc_jobs_would_join(service->jobs, &request);
	}
	if (question.wait_s > 0) {
		struct svc_query_wait wait = {&request, queue, question.source, question.wait_s};
		svc_query_wait(call, &wait, answer);
		return;
	}
	if (queue)
		svc_jobs_add(service->jobs, &request, on_queued, NULL);
	if (untuned)
		svc_call_reply(call, answer, false);
	else
		reply_and_remember(service, call, answer);
}

const struct svc_verb svc_verb_query = {
	.method = "org.mmtune.Tuner.Query",
	.needs_devices = true,
	.handle = handle,
};
