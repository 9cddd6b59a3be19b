/* stats.h: what a handful of timings say: median, quartiles, whether they suffice.
 *
 * Everything rests on quartiles, so that a few disturbed timings change little.
 * For the normal distribution the interquartile range is 1.349 standard deviations; the
 * standard error of the median of n is then 1.2533 / 1.349 = 0.929 interquartile ranges
 * over the root of n, that of the mean of the middle half, which has 0.84 of the mean's
 * efficiency, 0.81 (Huber, Robust Statistics, 1981, chapter 3.3 on trimmed means).
 *
 * Pure: no clock, no OpenCL. Times are in nanoseconds.
 *
 * Thread: no state. */
#ifndef MMT_WORKER_STATS_H
#define MMT_WORKER_STATS_H

#include <stdbool.h>
#include <stddef.h>

#define WORKER_MAX_SAMPLES 200

struct worker_summary {
	double median, minimum;
	double spread; /* (third quartile - first) / median; 0 with one sample */
	double error;  /* standard error of the median, as a part of it */
};

/* The value below which `fraction` (0 ... 1) of the sorted values lie, linear
 * between neighbours (Hyndman and Fan 1996, definition 7). n >= 1. */
double worker_quantile(const double *sorted, size_t n, double fraction);

/* Of the median of n samples with this spread: its standard error, as a part of it. */
double worker_median_error(double spread, size_t n);

/* samples stay as they are; 1 <= n <= WORKER_MAX_SAMPLES. */
struct worker_summary worker_summarise(const double *samples, size_t n);

/* The mean of the middle half, with half the width of an interval that holds the true one but for one case in
 * some hundreds, wider where few values must tell their own spread. */
struct worker_estimate {
	double value, error;
};
struct worker_estimate worker_estimate(const double *values, size_t n);

/* How many standard errors make half such an interval, for n values. */
double worker_interval_errors(size_t n);

/* Whether to stop after these samples of a candidate, which took spent_ns to collect: from the fifth on when the median
 * is known to 1 % (two standard errors); from the third when all are longer than clearly_ns (0: none is); and when
 * there are 31, or the time for one candidate is used up (two at least). */
bool worker_enough(const double *samples, size_t n, double spent_ns, double clearly_ns);

#endif
