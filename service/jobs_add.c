/* jobs_add.c: svc_jobs_add of jobs.h: joining, lifting, and the peaks that come first. Thread: the loop's. */
#include "jobs_queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answers.h"
#include "strategy.h"

static int add_waiter(struct svc_job *job, svc_job_queued *on_queued, void *context)
{
	struct svc_job_waiter *waiters = realloc(job->waiters, (job->n_waiters + 1) * sizeof *waiters);
	if (!waiters)
		return -1;
	job->waiters = waiters;
	waiters[job->n_waiters++] = (struct svc_job_waiter){on_queued, context};
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static struct svc_job *equal_job(const struct svc_jobs *jobs, const struct svc_job_request *request)
{
	for (size_t i = 0; i < jobs->count; i++) {
		struct svc_job *job = jobs->list[i];
		if (!job->ending && job->device == request->device && same_text(job->variant, request->variant) &&
		    mmt_problem_equal(&job->problem, &request->problem))
			return job;
	}
	return NULL;
}

bool svc_jobs_would_join(const struct svc_jobs *jobs, const struct svc_job_request *request)
{
	return equal_job(jobs, request) != NULL;
}

/* A client wants what the background was going to do, or is doing: on its terms. */
static int lift(struct svc_job *job, const struct svc_job_request *request)
{
	if (job->state == SVC_JOB_QUEUED) {
		char *strategy = strdup(request->strategy);
		if (!strategy)
			return -1;
		free(job->strategy);
		job->strategy = strategy;
		job->seed = request->seed;
	}
	if (job->origin != SVC_JOB_PEAK)
		job->origin = SVC_JOB_CLIENT;
	if (job->state == SVC_JOB_RUNNING) /* as if it began now */
		job->budget_s = request->budget_s + job_spent_ns(job) * 1e-9;
	else
		job->budget_s = request->budget_s + job->spent_before_ns * 1e-9;
	/* so many from now on, as the budget; a number that large is no limit */
	job->max_evaluations = 0;
	if (request->max_evaluations > 0 && request->max_evaluations <= INT64_MAX - job->evaluations)
		job->max_evaluations = request->max_evaluations + job->evaluations;
	job->until = request->until;
	job->until_best = request->until_best;
	return 0;
}

/* Joins or makes the job of a request whose defaults are filled in; NULL: memory. */
static struct svc_job *join_or_make(struct svc_jobs *jobs, const struct svc_job_request *request, bool *store)
{
	struct svc_job *job = equal_job(jobs, request);
	*store = true;
	if (job) {
		job->asks = request->asks > job->asks ? request->asks : job->asks;
		*store = request->origin == SVC_JOB_CLIENT && job->origin != SVC_JOB_CLIENT;
		return *store && lift(job, request) != 0 ? NULL : job;
	}
	job = job_create(jobs, request);
	if (job && jobs_append(jobs, job) != 0) {
		job_destroy(job);
		job = NULL;
	}
	return job;
}

static int check_request(struct svc_jobs *jobs, const struct svc_job_request *request, struct mmt_error *error)
{
	const struct mmt_problem *problem = &request->problem;
	const struct svc_device *device = request->device;
	const struct kern_family *family = kern_family_find(problem->family);
	if (!device->present)
		return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "the device %s is not there now", device->name);
	if (jobs_is_quarantined(device))
		return mmt_error_set(error, MMT_BUSY, 0, "the device %s is in quarantine for %lld s more: %s",
				     device->name, (long long)(device->quarantined_until - (int64_t)time(NULL)),
				     device->quarantine_reason);
	if (!family)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "no family of kernels is called '%s'",
				     problem->family);
	if (family->check(problem, error) != 0 || kern_problem_fits(problem, &device->properties, error) != 0)
		return -1;
	if (request->variant && !kern_registry_find(&jobs->service->kernels, problem->family, request->variant))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s has no variant '%s'", problem->family,
				     request->variant);
	return svc_strategy_check(request->strategy, error);
}

static bool measures_a_peak(const struct svc_job_request *request)
{
	const struct kern_family *family = kern_family_find(request->problem.family);
	const char *which;
	struct mmt_problem problem;
	return kern_family_peak(family, request->problem.type, request->device->properties.global_memory_bytes, &which,
				&problem);
}

static void queue_peak(struct svc_jobs *jobs, struct svc_device *device, const struct mmt_problem *problem)
{
	const struct svc_job_request request = {
		.device = device,
		.problem = *problem,
		.origin = SVC_JOB_PEAK,
		.strategy = jobs->service->config.strategy,
		.budget_s = (double)jobs->service->config.peak_budget_s,
	};
	bool store = false;
	struct svc_job *job = NULL;
	if (kern_problem_fits(problem, &device->properties, NULL) == 0)
		job = join_or_make(jobs, &request, &store);
	if (job && store)
		jobs_store_queued(job);
}

void svc_jobs_add_peaks(struct svc_jobs *jobs, struct svc_device *device, enum mmt_type type)
{
	for (const struct kern_family *const *family = kern_families(); *family; family++) {
		const char *which;
		struct mmt_problem problem;
		if (!kern_family_peak(*family, type, device->properties.global_memory_bytes, &which, &problem))
			continue;
		const struct db_trial *known = svc_answers_best(jobs->service->answers, device->id, &problem);
		if (!known || known->environment_id != device->environment_id)
			queue_peak(jobs, device, &problem);
	}
}

/* A result over the peak: the peak was measured while others used the device. Once a run of the service, since an
 * arithmetic of lower accuracy may pass it rightly. */
void jobs_recheck_peak(struct svc_jobs *jobs, const struct svc_job *job)
{
	struct svc_device *device = job->device;
	const enum mmt_type type = job->problem.type;
	const struct db_trial *best = svc_answers_best(jobs->service->answers, device->id, &job->problem);
	const double peak_gflops = svc_answers_peak_gflops(jobs->service->answers, device, type);
	if (job->origin == SVC_JOB_PEAK || !best || !(peak_gflops > 0) || best->gflops <= peak_gflops ||
	    (device->peaks_rechecked & 1u << type))
		return;
	device->peaks_rechecked |= 1u << type;
	for (const struct kern_family *const *family = kern_families(); *family; family++) {
		const char *which;
		struct mmt_problem problem;
		if (kern_family_peak(*family, type, device->properties.global_memory_bytes, &which, &problem) &&
		    strcmp(which, "rate") == 0)
			queue_peak(jobs, device, &problem);
	}
}

static int64_t default_budget_s(const struct config *config, enum svc_job_origin origin)
{
	switch (origin) {
	case SVC_JOB_QUERY:
		return config->background_budget_s;
	case SVC_JOB_PEAK:
		return config->peak_budget_s;
	case SVC_JOB_CLIENT:
	case SVC_JOB_AUTO:
		break;
	}
	return config->budget_s;
}

void svc_jobs_add(struct svc_jobs *jobs, const struct svc_job_request *request, svc_job_queued *on_queued,
		  void *context)
{
	struct mmt_error error = {0};
	struct svc_job_request full = *request;
	if (!full.strategy)
		full.strategy = jobs->service->config.strategy;
	if (full.budget_s <= 0)
		full.budget_s = (double)default_budget_s(&jobs->service->config, full.origin);
	if (check_request(jobs, &full, &error) != 0) {
		on_queued(context, 0, &error);
		return;
	}
	if (!measures_a_peak(&full))
		svc_jobs_add_peaks(jobs, full.device, full.problem.type);
	bool store;
	struct svc_job *job = join_or_make(jobs, &full, &store);
	if (!job) {
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for a job");
		on_queued(context, 0, &error);
	} else if (!store && job->id != 0) {
		on_queued(context, job->id, NULL);
	} else if (add_waiter(job, on_queued, context) != 0) {
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for a job");
		on_queued(context, 0, &error);
	} else if (store) {
		jobs_store_queued(job);
	}
}
