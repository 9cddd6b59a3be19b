/* jobs.c: see jobs.h. job.c is one job, runner.h the running one. Thread: the loop's. */
#include "jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "demand.h"
#include "jobs_queue.h"
#include "store.h"

/* Watchers hear of a change at most this often, but for changes of state. */
#define TELL_INTERVAL_MS 100

/* ---- telling ---- */

static void tell(struct svc_job *job, bool urgent, bool last)
{
	uint64_t now_ms = uv_hrtime() / 1000000;
	if (job->n_watchers == 0 || (!urgent && !last && now_ms - job->told_at_ms < TELL_INTERVAL_MS))
		return;
	job->told_at_ms = now_ms;
	json_t *progress = job_progress(job);
	if (!progress)
		return;
	/* a watcher may leave, or another come, while it is told */
	size_t count = job->n_watchers;
	struct svc_job_watcher *watchers = malloc(count * sizeof *watchers);
	if (watchers) {
		memcpy(watchers, job->watchers, count * sizeof *watchers);
		for (size_t i = 0; i < count; i++)
			for (size_t w = 0; w < job->n_watchers; w++)
				if (job->watchers[w].watch == watchers[i].watch &&
				    job->watchers[w].context == watchers[i].context) {
					watchers[i].watch(watchers[i].context, progress, last);
					break;
				}
		free(watchers);
	}
	json_decref(progress);
}

/* Everyone who waits for the job to be stored hears of it; then they are dropped. */
static void tell_waiters(struct svc_job *job, const struct mmt_error *error)
{
	struct svc_job_waiter *waiters = job->waiters;
	size_t count = job->n_waiters;
	job->waiters = NULL;
	job->n_waiters = 0;
	for (size_t i = 0; i < count; i++)
		waiters[i].on_queued(waiters[i].context, error ? 0 : job->id, error);
	free(waiters);
}

/* ---- the list ---- */

int jobs_append(struct svc_jobs *jobs, struct svc_job *job)
{
	struct svc_job **list = realloc(jobs->list, (jobs->count + 1) * sizeof *list);
	if (!list)
		return -1;
	jobs->list = list;
	job->sequence = jobs->next_sequence++;
	list[jobs->count++] = job;
	return 0;
}

static void remove_job(struct svc_jobs *jobs, struct svc_job *job)
{
	for (size_t i = 0; i < jobs->count; i++) {
		if (jobs->list[i] == job) {
			memmove(&jobs->list[i], &jobs->list[i + 1], (--jobs->count - i) * sizeof jobs->list[0]);
			break;
		}
	}
	job_destroy(job);
}

static struct svc_job *find_job(const struct svc_jobs *jobs, int64_t job_id)
{
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->list[i]->id == job_id && job_id != 0)
			return jobs->list[i];
	return NULL;
}

/* ---- storing ---- */

/* A drain is over when nothing runs and nothing that refers to a job is under way. */
void jobs_check_stopped(struct svc_jobs *jobs)
{
	if (!jobs->stopped || jobs->runner || jobs->guests || jobs->storing > 0)
		return;
	void (*stopped)(struct service * service) = jobs->stopped;
	jobs->stopped = NULL;
	stopped(jobs->service);
}

struct storing {
	struct svc_job *job;
	struct db_job record;
	void (*done)(struct svc_job *job, const struct mmt_error *error);
};

static int store_work(struct db *db, void *context, struct mmt_error *error)
{
	struct storing *storing = context;
	if (db_problem(db, storing->record.problem, &storing->record.problem_id, error) != 0)
		return -1;
	return db_job_put(db, &storing->record, error);
}

static void on_stored(void *context, int status, const struct mmt_error *error)
{
	struct storing *storing = context;
	struct svc_job *job = storing->job;
	struct svc_jobs *jobs = job->jobs;
	if (status == 0)
		job->id = storing->record.id;
	else if (job->id == 0)
		svc_log(3, "a new job cannot be stored: %s", error->message);
	else
		svc_log(3, "job %" PRId64 " cannot be stored: %s", job->id, error->message);
	void (*done)(struct svc_job * job, const struct mmt_error *error) = storing->done;
	db_job_finish(&storing->record);
	free(storing);
	done(job, status == 0 ? NULL : error); /* may end the job */
	jobs->storing--;
	jobs_check_stopped(jobs);
}

/* done always comes, from the loop where it can. */
static void store_job(struct svc_job *job, void (*done)(struct svc_job *job, const struct mmt_error *error))
{
	struct storing *storing = calloc(1, sizeof *storing);
	if (!storing || job_to_record(job, &storing->record) != 0) {
		struct mmt_error error;
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to store a job");
		free(storing);
		done(job, &error);
		return;
	}
	storing->job = job;
	storing->done = done;
	job->jobs->storing++;
	svc_store_post_patiently(job->jobs->service->store, store_work, on_stored, storing);
}

static void on_queued_stored(struct svc_job *job, const struct mmt_error *error);

/* While its first record is under way it has no id, and a second would be another job: it waits. */
void jobs_store_queued(struct svc_job *job)
{
	job->changed = job->posted;
	if (job->posted)
		return;
	job->posted = true;
	store_job(job, on_queued_stored);
}

static void on_queued_stored(struct svc_job *job, const struct mmt_error *error)
{
	struct svc_jobs *jobs = job->jobs;
	job->posted = false;
	if (job->changed && !error) {
		jobs_store_queued(job);
		return;
	}
	tell_waiters(job, error);
	if (error && job->id == 0)
		remove_job(jobs, job);
	else if (!job->ending)
		tell(job, true, false);
	jobs_schedule(jobs);
}

static void on_state_stored(struct svc_job *job, const struct mmt_error *error)
{
	(void)error; /* logged; the run itself stops when a trial cannot be stored */
	if (!job->ending)
		tell(job, true, false);
}

static void on_end_stored(struct svc_job *job, const struct mmt_error *error)
{
	struct svc_jobs *jobs = job->jobs;
	if (error && job->message[0] == '\0')
		snprintf(job->message, sizeof job->message, "%s", error->message);
	tell_waiters(job, NULL);
	tell(job, true, true);
	svc_demand_forget(jobs->service->demand, job->device->id, &job->problem);
	remove_job(jobs, job);
	jobs_schedule(jobs);
}

/* The job's last state: stored, then told, then forgotten here. */
static void end_job(struct svc_job *job, enum svc_job_state state)
{
	job->state = state;
	job->ending = true;
	job->phase = NULL;
	job->finished_at = (int64_t)time(NULL);
	store_job(job, on_end_stored);
}

/* ---- scheduling ---- */

bool jobs_is_quarantined(const struct svc_device *device)
{
	return device->quarantined_until > (int64_t)time(NULL);
}

bool jobs_waits_for_peaks(const struct svc_job *job)
{
	const struct svc_jobs *jobs = job->jobs;
	if (job->state != SVC_JOB_QUEUED || job->origin == SVC_JOB_PEAK)
		return false;
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->list[i]->device == job->device && jobs->list[i]->origin == SVC_JOB_PEAK &&
		    !jobs->list[i]->ending && jobs->list[i]->sequence < job->sequence)
			return true;
	return false;
}

bool jobs_must_yield(const struct svc_jobs *jobs, const struct svc_job *job)
{
	const struct svc_job *next = jobs_next(jobs);
	int rank = jobs_rank(jobs, job);
	return jobs->paused || (next && jobs_rank(jobs, next) < rank) || (rank > 0 && jobs_guest_is_waiting(jobs));
}

static void on_retry(uv_timer_t *timer)
{
	jobs_schedule(timer->data);
}

/* Only quarantined devices have jobs: look again when the first quarantine ends. */
static void wait_for_quarantine(struct svc_jobs *jobs)
{
	int64_t now = (int64_t)time(NULL), soonest = 0;
	for (size_t i = 0; i < jobs->count; i++) {
		int64_t until = jobs->list[i]->device->quarantined_until;
		if (jobs_is_waiting(jobs->list[i]) && until > now && (soonest == 0 || until < soonest))
			soonest = until;
	}
	if (soonest > 0)
		uv_timer_start(&jobs->retry, on_retry, (uint64_t)(soonest - now) * 1000 + 500, 0);
}

static void on_changed(void *context, bool urgent)
{
	struct svc_jobs *jobs = context;
	if (!jobs->running->ending)
		tell(jobs->running, urgent, false);
}

/* Whoever watches a job that waits for the device. */
static void tell_of_quarantine(const struct svc_jobs *jobs, const struct svc_device *device)
{
	for (size_t i = 0; i < jobs->count; i++)
		if (jobs->list[i]->device == device && jobs_is_waiting(jobs->list[i]))
			tell(jobs->list[i], true, false);
}

static void on_run_ended(void *context, enum runner_end end)
{
	struct svc_jobs *jobs = context;
	struct svc_job *job = jobs->running;
	const struct svc_device *device = job->device;
	jobs->running = NULL;
	jobs->runner = NULL;
	job->spent_before_ns = job_spent_ns(job);
	job->run_started_ns = 0;
	if (end == RUNNER_SUSPENDED) {
		/* stopped for a drain, it stays `running` in the database: it goes on at the next start */
		job->phase = NULL;
		if (!jobs->draining)
			job->state = SVC_JOB_QUEUED;
		store_job(job, on_state_stored);
	} else {
		static const enum svc_job_state states[] = {SVC_JOB_DONE, SVC_JOB_FAILED, SVC_JOB_CANCELLED};
		if (end != RUNNER_FAILED)
			jobs_recheck_peak(jobs, job);
		end_job(job, states[end]);
	}
	if (jobs_is_quarantined(device))
		tell_of_quarantine(jobs, device);
	jobs_check_stopped(jobs);
	jobs_schedule(jobs);
}

static const struct runner_events runner_events = {on_changed, on_run_ended};

static void start_job(struct svc_jobs *jobs, struct svc_job *job)
{
	job->state = SVC_JOB_RUNNING;
	job->run_started_ns = uv_hrtime();
	if (job->started_at == 0)
		job->started_at = (int64_t)time(NULL);
	jobs->running = job;
	jobs->runner = runner_create(jobs->service, job, &runner_events, jobs);
	if (jobs->runner) {
		store_job(job, on_state_stored);
		return;
	}
	jobs->running = NULL;
	job->run_started_ns = 0;
	snprintf(job->message, sizeof job->message, "no memory to run the job");
	end_job(job, SVC_JOB_FAILED);
}

static void tell_idle(struct svc_jobs *jobs)
{
	if (!jobs->idle || jobs->running || jobs->guests || jobs->draining)
		return;
	void (*idle)(struct service * service) = jobs->idle;
	jobs->idle = NULL;
	idle(jobs->service);
}

void jobs_schedule(struct svc_jobs *jobs)
{
	tell_idle(jobs);
	if (!jobs->started || jobs->paused || jobs->running || jobs->draining || jobs_guest_go(jobs))
		return;
	struct svc_job *job = jobs_next(jobs);
	if (job && jobs_guest_goes_before(jobs, job))
		return; /* its turn comes when what is before it is stored */
	if (!job) {
		wait_for_quarantine(jobs);
		jobs_fill(jobs);
	} else if (!job->device->present) {
		snprintf(job->message, sizeof job->message, "the device %s is not there any more", job->device->name);
		end_job(job, SVC_JOB_FAILED); /* schedules again when it is stored */
	} else {
		start_job(jobs, job);
	}
}

/* ---- life ---- */

static int load_work(struct db *db, void *context, struct mmt_error *error)
{
	struct svc_jobs *jobs = context;
	struct db_job *records = NULL;
	size_t count = 0;
	int status = db_jobs(db, true, 0, &records, &count, error);
	for (size_t i = 0; i < count; i++) {
		struct svc_job *job = status == 0 ? job_from_record(jobs, jobs->service->devices, &records[i]) : NULL;
		if (job && jobs_append(jobs, job) != 0) {
			job_destroy(job);
			status = mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the unfinished jobs");
		}
		db_job_finish(&records[i]);
	}
	free(records);
	return status;
}

struct svc_jobs *svc_jobs_create(struct service *service, struct mmt_error *error)
{
	struct svc_jobs *jobs = calloc(1, sizeof *jobs);
	if (!jobs) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the jobs");
		return NULL;
	}
	jobs->service = service;
	uv_timer_init(service->loop, &jobs->retry);
	jobs->retry.data = jobs;
	uv_unref((uv_handle_t *)&jobs->retry);
	if (svc_store_run(service->store, load_work, jobs, error) != 0) {
		svc_jobs_destroy(jobs);
		return NULL;
	}
	return jobs;
}

static void on_retry_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void svc_jobs_destroy(struct svc_jobs *jobs)
{
	if (!jobs)
		return;
	for (size_t i = 0; i < jobs->count; i++)
		job_destroy(jobs->list[i]);
	free(jobs->list);
	uv_close((uv_handle_t *)&jobs->retry, on_retry_closed);
}

void svc_jobs_start(struct svc_jobs *jobs)
{
	jobs->started = true;
	jobs_schedule(jobs);
}

void svc_jobs_drain(struct svc_jobs *jobs, void (*stopped)(struct service *service))
{
	jobs->draining = true;
	jobs->stopped = stopped;
	if (jobs->runner)
		runner_stop(jobs->runner, RUNNER_SUSPENDED);
	jobs_guest_stop_all(jobs);
	if (!jobs->runner)
		jobs_check_stopped(jobs);
}

/* ---- the rest of the interface ---- */

void svc_jobs_when_idle(struct svc_jobs *jobs, void (*idle)(struct service *service))
{
	jobs->idle = idle;
	if (jobs->runner)
		runner_stop(jobs->runner, RUNNER_SUSPENDED);
	else
		jobs_schedule(jobs);
}

int svc_jobs_cancel(struct svc_jobs *jobs, int64_t job_id, struct mmt_error *error)
{
	struct svc_job *job = find_job(jobs, job_id);
	if (!job || job->ending)
		return mmt_error_set(error, MMT_NO_SUCH_JOB, 0, "no unfinished job %" PRId64, job_id);
	if (job == jobs->running)
		runner_stop(jobs->runner, RUNNER_CANCELLED);
	else
		end_job(job, SVC_JOB_CANCELLED);
	return 0;
}

void svc_jobs_pause(struct svc_jobs *jobs, bool paused)
{
	jobs->paused = paused; /* the runner asks before each candidate, a guest before each piece of its work */
	jobs_schedule(jobs);
}

bool svc_jobs_paused(const struct svc_jobs *jobs)
{
	return jobs->paused;
}

bool svc_jobs_idle(const struct svc_jobs *jobs)
{
	return jobs->count == 0 && jobs->storing == 0 && !jobs->guests;
}

size_t svc_jobs_pending(const struct svc_jobs *jobs)
{
	size_t count = 0;
	for (size_t i = 0; i < jobs->count; i++)
		count += jobs->list[i]->id != 0 && !jobs->list[i]->ending;
	return count;
}

size_t svc_jobs_count(const struct svc_jobs *jobs)
{
	return jobs->count;
}

int64_t svc_jobs_find(const struct svc_jobs *jobs, const struct svc_device *device, const struct mmt_problem *problem)
{
	for (size_t i = 0; i < jobs->count; i++) {
		const struct svc_job *job = jobs->list[i];
		if (job->id != 0 && !job->ending && job->device == device && mmt_problem_equal(&job->problem, problem))
			return job->id;
	}
	return 0;
}

json_t *svc_job_progress(const struct svc_jobs *jobs, int64_t job_id)
{
	const struct svc_job *job = find_job(jobs, job_id);
	return job ? job_progress(job) : NULL;
}

int svc_jobs_watch(struct svc_jobs *jobs, int64_t job_id, svc_job_watch *watch, void *context, struct mmt_error *error)
{
	struct svc_job *job = find_job(jobs, job_id);
	if (!job)
		return mmt_error_set(error, MMT_NO_SUCH_JOB, 0, "no unfinished job %" PRId64, job_id);
	struct svc_job_watcher *watchers = realloc(job->watchers, (job->n_watchers + 1) * sizeof *watchers);
	if (!watchers)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory to watch a job");
	job->watchers = watchers;
	watchers[job->n_watchers++] = (struct svc_job_watcher){watch, context};
	return 0;
}

void svc_jobs_unwatch(struct svc_jobs *jobs, svc_job_watch *watch, void *context)
{
	for (size_t i = 0; i < jobs->count; i++) {
		struct svc_job *job = jobs->list[i];
		size_t kept = 0;
		for (size_t w = 0; w < job->n_watchers; w++)
			if (job->watchers[w].watch != watch || job->watchers[w].context != context)
				job->watchers[kept++] = job->watchers[w];
		job->n_watchers = kept;
	}
}
