/* stats.c: see stats.h. */
#include "stats.h"

#include <math.h>
#include <string.h>

#define ENOUGH_SAMPLES  5
#define ENOUGH_ERROR    0.005 /* a standard error of the median */
#define MOST_SAMPLES    31
#define CLEAR_SAMPLES   3
#define CANDIDATE_NS    250e6 /* measuring one candidate may take this long, unless two runs take longer */
#define FEWEST_SAMPLES  2
#define MEDIAN_FRACTION 0.5
#define QUARTILE_1      0.25
#define QUARTILE_3      0.75
#define MEDIAN_ERROR    0.929 /* in interquartile ranges over the root of n: stats.h */
#define MIDDLE_ERROR    0.81

double worker_quantile(const double *sorted, size_t n, double fraction)
{
	double position = fraction * (double)(n - 1);
	size_t below = (size_t)position;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Insertion: there are mostly few. */
static void sort(double *values, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double value = values[i];
		size_t j = i;

		for (; j > 0 && values[j - 1] > value; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
}

double worker_median_error(double spread, size_t n)
{
	return MEDIAN_ERROR * spread / sqrt((double)n);
}

struct worker_summary worker_summarise(const double *samples, size_t n)
{
	double sorted[WORKER_MAX_SAMPLES];
	struct worker_summary summary;

	memcpy(sorted, samples, n * sizeof *sorted);
	sort(sorted, n);
	summary.median = worker_quantile(sorted, n, MEDIAN_FRACTION);
	summary.minimum = sorted[0];
	summary.spread = worker_quantile(sorted, n, QUARTILE_3) - worker_quantile(sorted, n, QUARTILE_1);
	summary.spread = summary.median > 0 ? summary.spread / summary.median : 0;
	summary.error = worker_median_error(summary.spread, n);
	return summary;
}

/* Three, and more for few values, whose quartiles are uncertain themselves. */
double worker_interval_errors(size_t n)
{
	return 3 + 12 / (double)n;
}

struct worker_estimate worker_estimate(const double *values, size_t n)
{
	double sorted[WORKER_MAX_SAMPLES];
	struct worker_estimate estimate = {0, 0};
	size_t cut = n / 4;

	memcpy(sorted, values, n * sizeof *sorted);
	sort(sorted, n);
	for (size_t i = cut; i < n - cut; i++)
		estimate.value += sorted[i] / (double)(n - 2 * cut);
	estimate.error = worker_quantile(sorted, n, QUARTILE_3) - worker_quantile(sorted, n, QUARTILE_1);
	estimate.error *= worker_interval_errors(n) * MIDDLE_ERROR / sqrt((double)n);
	return estimate;
}

static bool all_longer(const double *samples, size_t n, double clearly_ns)
{
	for (size_t i = 0; i < n; i++) {
		if (samples[i] <= clearly_ns)
			return false;
	}
	return true;
}

bool worker_enough(const double *samples, size_t n, double spent_ns, double clearly_ns)
{
	if (n >= MOST_SAMPLES || (n >= FEWEST_SAMPLES && spent_ns >= CANDIDATE_NS))
		return true;
	if (n >= CLEAR_SAMPLES && clearly_ns > 0 && all_longer(samples, n, clearly_ns))
		return true;
	return n >= ENOUGH_SAMPLES && worker_summarise(samples, n).error < ENOUGH_ERROR;
}
