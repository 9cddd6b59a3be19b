/* Ladder: every variant of a family at one problem beside the host's loops and
 * the libraries. With `more` a reply a row; the last one has them all. */
#include "jobs.h"
#include "ladder.h"
#include "parameters.h"
#include "plan.h"

#define LONGEST_BUDGET_S 604800.0 /* a week, as for Tune */

static int read_request(struct service *service, const json_t *parameters, struct svc_ladder_request *request,
			struct mmt_error *error)
{
	const char *device_name = NULL;
	*request = (struct svc_ladder_request){0};
	const struct svc_parameter table[] = {
		{"device", SVC_STRING, SVC_REQUIRED, &device_name},
		{"variant", SVC_STRING, SVC_OPTIONAL, &request->variant},
		{"budget_s", SVC_REAL, SVC_OPTIONAL, &request->budget_s},
		{0},
	};
	if (svc_parameters_read(parameters, table, SVC_WITH_PROBLEM, error) != 0 ||
	    svc_parameters_problem(parameters, &request->problem, error) != 0)
		return -1;
	request->device = svc_devices_find(service->devices, device_name, error);
	if (request->device == NULL)
		return -1;
	if (!request->device->present)
		return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "the device %s is not there now",
				     request->device->name);
	if (request->variant != NULL &&
	    kern_registry_find(&service->kernels, request->problem.family, request->variant) == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "variant: the family %s has none called '%.200s'",
				     request->problem.family, request->variant);
	if (request->budget_s > LONGEST_BUDGET_S)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "budget_s: %g is more than %.0f, a week",
				     request->budget_s, LONGEST_BUDGET_S);
	if (svc_jobs_paused(service->jobs))
		return mmt_error_set(error, MMT_BUSY, 0, "tuning is paused, and so is measuring: resume it first");
	return kern_problem_fits(&request->problem, &request->device->properties, error);
}

static void handle(struct service *service, struct svc_call *call)
{
	struct svc_ladder_request request;
	struct mmt_error error;
	if (read_request(service, svc_call_parameters(call), &request, &error) != 0)
		svc_call_error(call, &error);
	else
		svc_ladder_start(call, &request);
}

const struct svc_verb svc_verb_ladder = {
	.method = "org.mmtune.Tuner.Ladder",
	.admin = true,
	.needs_devices = true,
	.handle = handle,
};
