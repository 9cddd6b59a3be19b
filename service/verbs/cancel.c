/* Cancel: ends a job; what it found is kept. */
#include "jobs.h"
#include "parameters.h"
#include "server.h"

static void handle(struct service *service, struct svc_call *call)
{
	int64_t job = 0;
	const struct svc_parameter table[] = {{"job", SVC_INTEGER, SVC_REQUIRED, &job}, {0}};
	struct mmt_error error;
	if (svc_parameters_read(svc_call_parameters(call), table, SVC_NO_PROBLEM, &error) != 0 ||
	    svc_jobs_cancel(service->jobs, job, &error) != 0) {
		svc_call_error(call, &error);
		return;
	}
	svc_call_reply(call, json_pack("{s:I, s:s}", "job", (json_int_t)job, "state", "cancelled"), false);
}

const struct svc_verb svc_verb_cancel = {
	.method = "org.mmtune.Tuner.Cancel",
	.admin = true,
	.handle = handle,
};
