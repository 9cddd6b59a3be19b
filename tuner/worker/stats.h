/* stats.h: what a handful of timings say: median, quartiles, whether they suffice.
 *
 * Pure: no clock, no OpenCL. Times are in nanoseconds.
 *
 * Thread: no state. */
#ifndef MMT_WORKER_STATS_H
#define MMT_WORKER_STATS_H

#include <stdbool.h>
#include <stddef.h>

#define WORKER_MAX_SAMPLES 15

struct worker_summary {
	double median, minimum;
	double spread; /* (third quartile - first) / median; 0 with one sample */
};

/* The value below which `fraction` (0 ... 1) of the sorted values lie, linear
 * between neighbours (Hyndman and Fan 1996, definition 7). n >= 1. */
double worker_quantile(const double *sorted, size_t n, double fraction);

/* samples stay as they are; 1 <= n <= WORKER_MAX_SAMPLES. */
struct worker_summary worker_summarise(const double *samples, size_t n);

/* Whether to stop after these samples, which took spent_ns to collect: the
 * interquartile range is under 1 % of the median from the fifth on, the
 * array is full, or the time for one candidate is used up (two at least). */
bool worker_enough(const double *samples, size_t n, double spent_ns);

#endif
