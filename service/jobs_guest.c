/* jobs_guest.c: the guests of jobs.h: those who need the devices and are no job. Thread: the loop's. */
#include "jobs_queue.h"

bool jobs_guest_wants(const struct svc_jobs *jobs, const struct svc_device *device)
{
	for (const struct svc_jobs_guest *guest = jobs->guests; guest; guest = guest->next)
		if (guest->device == device)
			return true;
	return false;
}

bool jobs_guest_is_waiting(const struct svc_jobs *jobs)
{
	for (const struct svc_jobs_guest *guest = jobs->guests; guest; guest = guest->next)
		if (guest->waiting)
			return true;
	return false;
}

static bool has_devices(const struct svc_jobs *jobs)
{
	/* the first: none overtakes another */
	return jobs->guests && jobs->guests->inside;
}

static bool goes_before_guest(const struct svc_jobs *jobs, const struct svc_job *job,
			      const struct svc_jobs_guest *guest)
{
	return job->sequence < guest->sequence && jobs_rank(jobs, job) == 0 && !jobs_is_quarantined(job->device);
}

bool jobs_guest_goes_before(const struct svc_jobs *jobs, const struct svc_job *job)
{
	return jobs->guests && !goes_before_guest(jobs, job, jobs->guests);
}

/* Some that came earlier are only being stored, or wait for their last state to be: they count. */
static bool is_its_turn(const struct svc_jobs *jobs, const struct svc_jobs_guest *guest)
{
	for (size_t i = 0; i < jobs->count; i++)
		if (goes_before_guest(jobs, jobs->list[i], guest))
			return false;
	return true;
}

bool jobs_guest_go(struct svc_jobs *jobs)
{
	struct svc_jobs_guest *guest = jobs->guests;
	if (!guest || (!guest->inside && !is_its_turn(jobs, guest)))
		return false;
	guest->inside = true;
	if (guest->waiting) {
		guest->waiting = false;
		guest->go(guest->context);
	}
	return has_devices(jobs);
}

void jobs_guest_stop_all(struct svc_jobs *jobs)
{
	struct svc_jobs_guest *next;
	for (struct svc_jobs_guest *guest = jobs->guests; guest; guest = next) {
		next = guest->next; /* it may leave at once */
		guest->stop(guest->context);
	}
}

void svc_jobs_enter(struct svc_jobs *jobs, struct svc_jobs_guest *guest)
{
	struct svc_jobs_guest **place = &jobs->guests;
	while (*place)
		place = &(*place)->next;
	*place = guest;
	guest->next = NULL;
	guest->sequence = jobs->next_sequence++;
	guest->inside = false;
	guest->waiting = true;
	jobs_schedule(jobs);
}

bool svc_jobs_must_wait(struct svc_jobs *jobs, struct svc_jobs_guest *guest)
{
	guest->waiting = jobs->paused;
	return guest->waiting;
}

void svc_jobs_leave(struct svc_jobs *jobs, struct svc_jobs_guest *guest)
{
	for (struct svc_jobs_guest **place = &jobs->guests; *place; place = &(*place)->next) {
		if (*place == guest) {
			*place = guest->next;
			break;
		}
	}
	jobs_check_stopped(jobs);
	jobs_schedule(jobs);
}
