/* Resume: jobs go on after a Pause. */
#include "jobs.h"
#include "parameters.h"
#include "server.h"

static void handle(struct service *service, struct svc_call *call)
{
	const struct svc_parameter table[] = {{0}};
	struct mmt_error error;
	if (svc_parameters_read(svc_call_parameters(call), table, SVC_NO_PROBLEM, &error) != 0) {
		svc_call_error(call, &error);
		return;
	}
	svc_jobs_pause(service->jobs, false);
	svc_call_reply(call, json_pack("{s:b}", "paused", svc_jobs_paused(service->jobs)), false);
}

const struct svc_verb svc_verb_resume = {
	.method = "org.mmtune.Tuner.Resume",
	.admin = true,
	.handle = handle,
};
