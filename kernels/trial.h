/* trial.h: the words between service and worker.
 *
 * The worker is `mmtune-worker --fingerprint HEX`, with one end of a socket
 * pair as descriptor 3; `mmtune-worker --enumerate` prints
 * {"devices":[...],"hints":["..."]} (kern_device_to_json) and exits. Messages
 * are framed as on the service's own socket (wire.h).
 *
 * service -> worker
 *	{"op":"trial","id":7,"problem":{},"plan":{},"give_up_ns":0,"general":false,
 *	 "anchor":{},"anchor_ns":0}	the plan of the best so far and what it took last, where there is one
 *	{"op":"compare","id":8,"problem":{},"plans":[{},{}],"rounds":7,"limit_ns":0}
 *					at least so many rounds; more while it is undecided, until the limit
 *	{"op":"reference","id":9,"problem":{},"name":"host_ikj","give_up_ns":0}
 *	{"op":"build","id":10,"plan":{}}	builds only: into the driver's own cache, for another worker
 *	{"op":"rehearse","id":11,"problem":{},"plan":{}}	builds, runs once and verifies: the same for a driver
 *					that goes on compiling at the first launch (PoCL)
 *	{"op":"idle"}			gives device memory back
 * worker -> service
 *	{"hello":1,"device":{},"references":[{"name":"host_ikj","summary":"","kind":"host"}]}
 *					first, once the device is open
 *	{"id":7,"phase":"build"}	build, verify, measure: the service's deadlines restart
 *	{"id":7,"results":[{}]}		one result a plan (trial: one; build, rehearse: none
 *					where it went well, else one that says why not)
 *
 * A reference is what kernels are held against, not a kernel: the host's own
 * loops, compilers' directives, libraries. It is verified and timed as a trial
 * is, by the host's clock; the message of an `ok` says how it ran, where that
 * matters ("host fallback"). kinds: naive, host (one optimised core), parallel,
 * directives, library, device_library.
 *
 * The anchor is timed beside each candidate, so that a clock that drops is noticed: its time now and
 * whether that differs from what was expected come with the candidate's result.
 *
 * end of stream means: exit. The worker never writes anything else to 3; its
 * stderr is kept by the service as the explanation of a crash.
 *
 * Thread: plain data; no state. */
#ifndef MMT_KERNELS_TRIAL_H
#define MMT_KERNELS_TRIAL_H

#include <jansson.h>

#include "mmtune/error.h"
#include "plan.h"

#define KERN_WORKER_FD 3

/* X(code, name): the name is stored in the database and shown */
#define KERN_OUTCOME_TABLE(X)             \
	X(OK, "ok")                       \
	X(BUILD_FAILED, "build_failed")   \
	X(LAUNCH_FAILED, "launch_failed") \
	X(WRONG_RESULT, "wrong_result")   \
	X(TIMEOUT, "timeout")             \
	X(CRASHED, "crashed")             \
	X(OUT_OF_MEMORY, "out_of_memory") \
	X(SKIPPED, "skipped")

enum kern_outcome {
#define KERN_OUTCOME(code, name) KERN_OUTCOME_##code,
	KERN_OUTCOME_TABLE(KERN_OUTCOME)
#undef KERN_OUTCOME
		KERN_OUTCOME_COUNT
};

struct kern_result {
	enum kern_outcome outcome;
	double time_ns; /* median of one whole plan, device time; 0 unless ok */
	double minimum_ns;
	double spread;         /* (third quartile - first) / median; 0 with one run */
	unsigned runs;         /* timings behind the median */
	bool gave_up;          /* slower than give_up_ns: one run only, or two */
	bool host_clock;       /* the driver's events were not to be trusted */
	double relative_error; /* as verified */
	/* Of a trial with an anchor: its median beside this candidate, of so many timings (0: none) */
	double anchor_ns;
	unsigned anchor_runs;
	bool drifted; /* and it differs from what was expected by more than noise */
	/* Of a comparison, else 0: the time over the fastest plan's, round by round, and half the interval of that */
	double ratio, ratio_error;
	/* Where the trial's wall time went */
	double build_ns, verify_ns, measure_ns, driver_ns, total_ns; /* driver: inside OpenCL calls */
	bool device_lost;                /* the worker's context is broken: replace the worker */
	char message[MMT_MESSAGE_BYTES]; /* why not, build log's first lines */
};

const char *kern_outcome_name(enum kern_outcome outcome);
int kern_outcome_parse(const char *name, enum kern_outcome *out, struct mmt_error *error);

json_t *kern_result_to_json(const struct kern_result *result);
int kern_result_from_json(const json_t *object, struct kern_result *out, struct mmt_error *error);

#endif
