/* drive.h: a worker, real or fake, driven as the service does: for tests.
 *
 * Thread: a drive belongs to one thread. */
#ifndef MMT_TEST_DRIVE_H
#define MMT_TEST_DRIVE_H

#include <sys/types.h>

#include "device.h"
#include "plan.h"
#include "trial.h"
#include "wire.h"

struct drive {
	pid_t pid; /* 0: none */
	int fd;
	struct wire_reader reader;
	struct kern_device device; /* as its hello said */
	char phases[256];          /* of the last request: "build verify measure " */
	int status;                /* as of waitpid, once it has ended */
};

/* The output of PROGRAM --enumerate, or NULL; caller owns the reference. */
json_t *drive_enumerate(const char *program);

/* Starts PROGRAM --fingerprint and takes its hello in. -1 when none comes within ten seconds. */
int drive_start(struct drive *drive, const char *program, const char *fingerprint);

/* Kills it if it is still there, and waits for it. */
void drive_stop(struct drive *drive);

/* Sends a request (the reference is taken over). */
int drive_send(struct drive *drive, json_t *request);

/* Sends and waits for n results. -1 when the worker ended (drive->status tells how) or did not answer within
 * timeout_ms (it is then killed). */
int drive_run(struct drive *drive, json_t *request, int timeout_ms, struct kern_result *results, size_t n);

/* Requests over plans; plan's reference is taken over. */
json_t *drive_trial(const struct mmt_problem *problem, json_t *plan, double give_up_ns, bool general);
json_t *drive_compare(const struct mmt_problem *problem, json_t *plans, int rounds);

/* The plan of a built-in variant in its default configuration, with source. NULL where there is none. */
json_t *drive_plan(const char *variant, const struct mmt_problem *problem, const struct kern_device *device);

/* The plan `element` has for the problem, with another source and other build options (NULL: its own). */
json_t *drive_plan_of_source(const char *source, const char *options, const struct mmt_problem *problem,
			     const struct kern_device *device);

#endif
