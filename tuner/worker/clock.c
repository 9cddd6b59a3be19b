/* clock.c: see clock.h. */
#include "clock.h"

#include <string.h>

#define STEPS_A_TIMING      100
#define LEAST_RESOLUTION_NS 1000  /* no driver is believed to be finer: NVIDIA's says 1 us, PoCL's 1 ns */
#define HOST_RESOLUTION_NS  20000 /* an empty launch and finish: 17 to 24 us on PoCL */
#define ENOUGH_TIMESTAMPS   8
#define HOST_SLACK          1.02 /* the two clocks may run apart this much */
#define HOST_SLACK_NS       2000.0
#define LONG_NS             10e6 /* a launch this long by the host ... */
#define LEAST_SHARE         0.01 /* ... took at least this share of it on the device */
#define DOUBTS_UNTIL_HOST   2    /* once may be a host that was held up */

void worker_clock_init(struct worker_clock *clock, uint32_t claimed_resolution_ns)
{
	memset(clock, 0, sizeof *clock);
	clock->claimed_ns = claimed_resolution_ns;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void note_timestamps(struct worker_clock *clock, const struct worker_timing *timing)
{
	clock->tick_ns = greatest_common_divisor(clock->tick_ns, timing->end_ns - timing->start_ns);
	if (clock->last_start_ns != 0 && timing->start_ns > clock->last_start_ns)
		clock->tick_ns = greatest_common_divisor(clock->tick_ns, timing->start_ns - clock->last_start_ns);
	clock->last_start_ns = timing->start_ns;
	clock->timestamps += 2;
}

bool worker_clock_accept(struct worker_clock *clock, const struct worker_timing *timing)
{
	double device_ns;
	double tick_ns;

	if (clock->host)
		return true;
	if (!timing->has_events || timing->end_ns <= timing->start_ns) {
		clock->host = true;
		return false;
	}
	device_ns = (double)(timing->end_ns - timing->start_ns);
	note_timestamps(clock, timing);
	/* One step may reach beyond the host's interval */
	tick_ns = clock->timestamps >= ENOUGH_TIMESTAMPS ? (double)clock->tick_ns : 0;
	if (tick_ns > HOST_RESOLUTION_NS) {
		clock->host = true;
		return false;
	}
	if (device_ns > timing->host_ns * HOST_SLACK + HOST_SLACK_NS + tick_ns ||
	    (timing->host_ns > LONG_NS && device_ns < timing->host_ns * LEAST_SHARE)) {
		clock->host = ++clock->doubts >= DOUBTS_UNTIL_HOST;
		return false;
	}
	clock->doubts = 0;
	return true;
}

double worker_clock_length(const struct worker_clock *clock, const struct worker_timing *timing)
{
	return clock->host ? timing->host_ns : (double)(timing->end_ns - timing->start_ns);
}

double worker_clock_shortest(const struct worker_clock *clock)
{
	double resolution_ns = clock->claimed_ns > LEAST_RESOLUTION_NS ? clock->claimed_ns : LEAST_RESOLUTION_NS;

	if (clock->host)
		return (double)STEPS_A_TIMING * HOST_RESOLUTION_NS;
	if (clock->timestamps >= ENOUGH_TIMESTAMPS && (double)clock->tick_ns > resolution_ns)
		resolution_ns = (double)clock->tick_ns;
	return STEPS_A_TIMING * resolution_ns;
}
