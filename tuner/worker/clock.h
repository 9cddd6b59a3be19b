/* clock.h: whether a device's event times can be believed, and how fine they are.
 *
 * Drivers exist whose events are all 0 with success (Mesa's rusticl), end
 * before they start, or count in coarse steps while they claim 1 ns. Each
 * timing is therefore judged against the host's clock around it, and the
 * true step of the device's clock is found as the greatest common divisor of
 * all its timestamps' differences: with a few of them it is the tick itself or
 * a multiple, never less, so that an error only costs repetitions. A clock
 * that counts in steps longer than a launch and its wait take on the host says less
 * than the host's clock does.
 *
 * Once a clock was caught lying, or is so coarse, the session stays with the host's:
 * times of the two kinds must not be compared with each other.
 *
 * Pure: no OpenCL. Thread: a clock belongs to one thread. */
#ifndef MMT_WORKER_CLOCK_H
#define MMT_WORKER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* One timing of `repeats` runs in a row. */
struct worker_timing {
	uint64_t start_ns, end_ns; /* the device's: START of the first launch, END of the last */
	bool has_events;           /* false: the driver gave no times */
	double host_ns;            /* the host's, from before the first enqueue to the end of the last launch */
	double waited_ns;          /* by threads of a CPU device that had no core meanwhile */
};

struct worker_clock {
	uint32_t claimed_ns; /* the driver's timer resolution */
	uint64_t tick_ns;    /* greatest common divisor so far; 0: none yet */
	uint64_t last_start_ns;
	unsigned timestamps; /* differences that went into it */
	unsigned doubts;     /* timings in a row that are far too short for the time they took */
	bool host;           /* the device's clock is not to be trusted */
};

void worker_clock_init(struct worker_clock *clock, uint32_t claimed_resolution_ns);

/* Takes a timing in. Returns false where it must be thrown away and repeated:
 * the device's times are wrong (clock->host is then set, or soon will be). */
bool worker_clock_accept(struct worker_clock *clock, const struct worker_timing *timing);

/* The timing's length by the clock in use. */
double worker_clock_length(const struct worker_clock *clock, const struct worker_timing *timing);

/* A timing shorter than this says too little about a launch: 100 steps. */
double worker_clock_shortest(const struct worker_clock *clock);

#endif
