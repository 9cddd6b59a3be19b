/* stats.c: see stats.h. */
#include "stats.h"

#include <string.h>

#define ENOUGH_SAMPLES  5
#define ENOUGH_SPREAD   0.01
#define CANDIDATE_NS    250e6 /* measuring one candidate may take this long, unless two runs take longer */
#define FEWEST_SAMPLES  2
#define MEDIAN_FRACTION 0.5
#define QUARTILE_1      0.25
#define QUARTILE_3      0.75

double worker_quantile(const double *sorted, size_t n, double fraction)
{
	double position = fraction * (double)(n - 1);
	size_t below = (size_t)position;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* Insertion: there are at most fifteen. */
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
	return summary;
}

bool worker_enough(const double *samples, size_t n, double spent_ns)
{
	if (n >= WORKER_MAX_SAMPLES || (n >= FEWEST_SAMPLES && spent_ns >= CANDIDATE_NS))
		return true;
	return n >= ENOUGH_SAMPLES && worker_summarise(samples, n).spread < ENOUGH_SPREAD;
}
