/* jobs_order.c: in which order the queue's jobs run: by rank; where queries asked for them, by asks; by sequence.
 *
 * Every job's place is found once and then compared: what makes up a place of a peak is spread over the whole queue.
 *
 * Thread: the loop's. */
#include "jobs_queue.h"

#include <stdlib.h>

#define RANK_RUNNING -1
#define RANK_LAST    2

static int own_rank(const struct svc_job *job)
{
	if (job->origin == SVC_JOB_CLIENT)
		return 0;
	return job->origin == SVC_JOB_AUTO && job->asks == 0 ? RANK_LAST : 1;
}

/* Peaks go with the first of those that are judged by them. */
int jobs_rank(const struct svc_jobs *jobs, const struct svc_job *job)
{
	if (job->origin != SVC_JOB_PEAK)
		return own_rank(job);
	int rank = jobs_guest_wants(jobs, job->device) ? 0 : RANK_LAST;
	for (size_t i = 0; i < jobs->count; i++) {
		const struct svc_job *judged = jobs->list[i];
		if (judged->device == job->device && judged->origin != SVC_JOB_PEAK && !judged->ending &&
		    own_rank(judged) < rank)
			rank = own_rank(judged);
	}
	return rank;
}

/* Peaks are wanted as often as the most asked of those that wait for them: none goes before the peaks it waits for. */
static int64_t asks_of(const struct svc_jobs *jobs, const struct svc_job *job)
{
	if (job->origin != SVC_JOB_PEAK)
		return job->asks;
	int64_t most = 0;
	for (size_t i = 0; i < jobs->count; i++) {
		const struct svc_job *judged = jobs->list[i];
		if (judged->device == job->device && judged->origin != SVC_JOB_PEAK && !judged->ending &&
		    judged->sequence > job->sequence && judged->asks > most)
			most = judged->asks;
	}
	return most;
}

struct place {
	struct svc_job *job;
	int rank;
	int64_t asks; /* 0 where they do not count */
};

static struct place place_of(const struct svc_jobs *jobs, struct svc_job *job)
{
	int rank = jobs_rank(jobs, job);
	return (struct place){job, rank, rank == 1 ? asks_of(jobs, job) : 0};
}

/* A strict order of all jobs. */
static bool goes_before(const struct place *a, const struct place *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->asks != b->asks ? a->asks > b->asks : a->job->sequence < b->job->sequence;
}

static int compare_places(const void *a, const void *b)
{
	return goes_before(a, b) ? -1 : goes_before(b, a);
}

bool jobs_is_waiting(const struct svc_job *job)
{
	return job->id != 0 && !job->ending && job->state == SVC_JOB_QUEUED;
}

struct svc_job *jobs_next(const struct svc_jobs *jobs)
{
	struct place next = {0};
	for (size_t i = 0; i < jobs->count; i++) {
		if (!jobs_is_waiting(jobs->list[i]) || jobs_is_quarantined(jobs->list[i]->device))
			continue;
		struct place place = place_of(jobs, jobs->list[i]);
		if (!next.job || goes_before(&place, &next))
			next = place;
	}
	return next.job;
}

json_t *svc_jobs_progress(const struct svc_jobs *jobs, size_t limit)
{
	struct place *places = malloc((jobs->count + 1) * sizeof *places);
	size_t count = 0;
	if (!places)
		return NULL;
	for (size_t i = 0; i < jobs->count; i++) {
		struct svc_job *job = jobs->list[i];
		if (job->id == 0 || job->ending)
			continue;
		places[count] = place_of(jobs, job);
		if (job == jobs->running)
			places[count].rank = RANK_RUNNING;
		count++;
	}
	qsort(places, count, sizeof *places, compare_places);
	json_t *list = json_array();
	for (size_t i = 0; i < count && i < limit; i++)
		json_array_append_new(list, job_progress(places[i].job));
	free(places);
	return list;
}
