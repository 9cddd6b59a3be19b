/* script.h: MMTUNE_FAKE, parsed: the devices and the faults of a fake worker.
 *
 * The language is described at the top of fake_worker.c. Parsing is strict: an
 * unknown name, a value out of range or a doubled setting is an error.
 *
 * Thread: plain data. */
#ifndef MMT_FAKE_SCRIPT_H
#define MMT_FAKE_SCRIPT_H

#include "device.h"
#include "trial.h"

#define FAKE_MAX_DEVICES 8
#define FAKE_MAX_FAULTS  16
#define FAKE_MAX_BEST    16
#define FAKE_TEXT_BYTES  128

enum fake_events { FAKE_EVENTS_TRUE, FAKE_EVENTS_ZERO, FAKE_EVENTS_REVERSED };
enum fake_start { FAKE_START_OK, FAKE_START_CRASH, FAKE_START_HANG, FAKE_START_GARBAGE };

/* X(code, name): beside these, a fault may be any failed outcome of trial.h that a worker reports */
#define FAKE_FAULT_TABLE(X)           \
	X(CRASH, "crash")             \
	X(HANG, "hang")               \
	X(LOST, "lost")               \
	X(GARBAGE, "garbage")         \
	X(SLOW_BUILD, "slow_build")   \
	X(BUILD_CRASH, "build_crash") \
	X(BUILD_HANG, "build_hang")

enum fake_fault_kind {
#define FAKE_FAULT(code, name) FAKE_##code,
	FAKE_FAULT_TABLE(FAKE_FAULT)
#undef FAKE_FAULT
		FAKE_OUTCOME /* reported as outcome */
};

struct fake_fault {
	enum fake_fault_kind kind;
	enum kern_outcome outcome;
	double probability;
	char match[FAKE_TEXT_BYTES]; /* part of the build options; "": every candidate */
};

struct fake_best {
	char name[FAKE_TEXT_BYTES];
	double value;
};

struct fake_script {
	struct kern_device devices[FAKE_MAX_DEVICES];
	size_t n_devices;
	struct fake_fault faults[FAKE_MAX_FAULTS];
	size_t n_faults;
	struct fake_best best[FAKE_MAX_BEST];
	size_t n_best;
	char hint[FAKE_TEXT_BYTES];
	char cache[FAKE_TEXT_BYTES]; /* a folder; "": builds are not kept */
	enum fake_events events;
	enum fake_start enumerate, hello;
	double drop_fraction, drop_from, drop_to; /* the clock's, in candidates */
	double seed, rate_gflops, noise, spread, timer_ns, delay_ms;
};

int fake_script_init(struct fake_script *script, const char *text, struct mmt_error *error);

#endif
