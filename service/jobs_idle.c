/* jobs_idle.c: what the service tunes of itself: what the configuration lists, and what clients ask for most.
 *
 * The list (`auto_tune`) is queued as a whole and runs when nothing else waits. A query queues its own problem; those
 * for which the queue had no room come one by one, when it is empty.
 *
 * Thread: the loop's. */
#include "jobs_queue.h"

#include <stdio.h>
#include <stdlib.h>

#include "answers.h"
#include "demand.h"
#include "problem_list.h"

#define FILL_AGAIN_MS 60000 /* after a failure that is not the problem's, with the next thing that happens */

/* ---- what clients ask for ---- */

struct filling {
	struct svc_jobs *jobs;
	int64_t device_id;
	struct mmt_problem problem;
};

static bool takes(void *context, int64_t device_id, const struct mmt_problem *problem)
{
	struct svc_jobs *jobs = context;
	const struct svc_device *device = svc_devices_by_id(jobs->service->devices, device_id);
	if (!device || !device->present || jobs_is_quarantined(device))
		return false;
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->list[i]->device == device && mmt_problem_equal(&jobs->list[i]->problem, problem))
			return false;
	/* what is tuned is still in the list where a kill came before it was forgotten */
	return !svc_answers_is_tuned(jobs->service->answers, device, problem);
}

/* That the problem is at fault, and not the disk or the memory. */
static bool is_of_the_problem(const struct mmt_error *error)
{
	return error->code == MMT_INVALID_ARGUMENT || error->code == MMT_NOT_SUPPORTED ||
	       error->code == MMT_TOO_LARGE || error->code == MMT_NO_VALID_CONFIGURATION;
}

/* What can never be queued is forgotten, else it would be the most asked for ever. */
static void on_filled(void *context, int64_t job_id, const struct mmt_error *error)
{
	struct filling *filling = context;
	struct svc_jobs *jobs = filling->jobs;
	(void)job_id;
	jobs->filling = false;
	if (error && is_of_the_problem(error))
		svc_demand_forget(jobs->service->demand, filling->device_id, &filling->problem);
	else if (error)
		jobs->fill_after_ms = uv_now(jobs->service->loop) + FILL_AGAIN_MS;
	free(filling);
}

void jobs_fill(struct svc_jobs *jobs)
{
	struct service *service = jobs->service;
	while (!jobs->filling && service->config.background_budget_s > 0 && !service->in_memory &&
	       uv_now(service->loop) >= jobs->fill_after_ms) {
		struct filling *filling = calloc(1, sizeof *filling);
		if (!filling ||
		    !svc_demand_most_asked(service->demand, takes, jobs, &filling->device_id, &filling->problem)) {
			free(filling);
			return;
		}
		filling->jobs = jobs;
		jobs->filling = true;
		const struct svc_job_request request = {
			.device = svc_devices_by_id(service->devices, filling->device_id),
			.problem = filling->problem,
			.origin = SVC_JOB_QUERY,
			.asks = svc_demand_asks(service->demand, filling->device_id, &filling->problem),
		};
		svc_jobs_add(jobs, &request, on_filled, filling);
	}
}

/* ---- what the configuration lists ---- */

/* context: the problem and the device, as text. */
static void on_listed(void *context, int64_t job_id, const struct mmt_error *error)
{
	char *what = context;
	(void)job_id;
	if (error)
		svc_log(is_of_the_problem(error) ? 4 : 6, "auto_tune: %s: %s", what, error->message);
	free(what);
}

static void add_listed(struct svc_jobs *jobs, struct svc_device *device, const struct mmt_problem *problem)
{
	const struct svc_job_request request = {.device = device, .problem = *problem, .origin = SVC_JOB_AUTO};
	char text[MMT_MESSAGE_BYTES], *what;
	if (!device->present || svc_answers_is_tuned(jobs->service->answers, device, problem))
		return;
	mmt_problem_text(problem, text, sizeof text);
	if (asprintf(&what, "%s on %s", text, device->name) >= 0)
		svc_jobs_add(jobs, &request, on_listed, what);
}

static void add_entry(struct svc_jobs *jobs, const struct config_problem *entry)
{
	struct svc_devices *devices = jobs->service->devices;
	struct mmt_error error;
	if (entry->device[0] != '\0') {
		struct svc_device *device = svc_devices_find(devices, entry->device, &error);
		if (device)
			add_listed(jobs, device, &entry->problem);
		else
			svc_log(4, "auto_tune: %s", error.message);
		return;
	}
	for (size_t i = 0; i < svc_devices_count(devices); i++)
		add_listed(jobs, svc_devices_at(devices, i), &entry->problem);
}

void svc_jobs_add_listed(struct svc_jobs *jobs)
{
	struct config_problem *list = NULL;
	size_t count = 0;
	struct mmt_error error;
	if (jobs->service->in_memory)
		return;
	if (config_problems_parse(jobs->service->config.auto_tune, &list, &count, &error) != 0) {
		svc_log(4, "auto_tune: %s", error.message); /* memory: it was checked when it was read */
		return;
	}
	for (size_t i = 0; i < count; i++)
		add_entry(jobs, &list[i]);
	free(list);
}
