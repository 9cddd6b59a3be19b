/* pace.c: see pace.h. */
#include "pace.h"

#include <math.h>

#define FEWEST_SAMPLES   2
#define DOUBTFUL_SAMPLES 9 /* after which a deviation may be noise no longer */
#define CERTAIN_SAMPLES  31
#define LEAST_JUDGED     5     /* fewer, of a long launch, do not tell their spread */
#define DOUBTFUL_NS      500e6 /* no further samples after so long, but for those that a judgement needs */
#define CERTAIN_NS       1e9
#define DOUBTFUL         0.04 /* difference of the logarithms that is looked into ... */
#define DOUBTFUL_ERRORS  1.5  /* ... where it is so many standard errors, ... */
#define DOUBTFUL_MOST    0.1  /* ... or as much as this */
#define LEAST_DRIFT      0.03
#define MOST_DRIFTS      2 /* for one candidate */

/* The anchor's samples beside a candidate, whose own samples tell how much timings scatter. */
struct watch {
	const struct worker_timer *timer;
	struct worker_measurement samples;
	double expected_ns;
	double spread; /* of the candidate */
};

static int sample_anchor(struct watch *watch, size_t wanted, double limit_ns)
{
	struct worker_measurement *samples = &watch->samples;

	while (samples->n_samples < wanted && (samples->spent_ns < limit_ns || samples->n_samples < FEWEST_SAMPLES ||
					       (wanted > FEWEST_SAMPLES && samples->n_samples < LEAST_JUDGED))) {
		if (worker_measure_once(samples, watch->timer, NULL) != 0)
			return -1;
	}
	return 0;
}

static double deviation(const struct watch *watch)
{
	double median = worker_summarise(watch->samples.samples_ns, watch->samples.n_samples).median;

	return fabs(log(median / watch->expected_ns));
}

/* Two samples do not tell their spread; nor does the candidate's, where the device became slower among its samples. */
static bool is_doubtful(const struct watch *watch)
{
	double error = worker_median_error(watch->spread, watch->samples.n_samples);

	return deviation(watch) > fmin(fmax(DOUBTFUL, DOUBTFUL_ERRORS * error), DOUBTFUL_MOST);
}

static bool has_drifted(const struct watch *watch)
{
	size_t n = watch->samples.n_samples;
	double spread = worker_summarise(watch->samples.samples_ns, n).spread;

	if (n < DOUBTFUL_SAMPLES)
		spread = fmax(spread, watch->spread);
	return n >= LEAST_JUDGED &&
	       deviation(watch) > fmax(LEAST_DRIFT, worker_interval_errors(n) * worker_median_error(spread, n));
}

/* Whether the anchor takes another time than expected. An anchor that cannot be timed says nothing. */
static bool watch_anchor(struct watch *watch)
{
	if (sample_anchor(watch, FEWEST_SAMPLES, DOUBTFUL_NS) != 0 || !is_doubtful(watch) ||
	    sample_anchor(watch, DOUBTFUL_SAMPLES, DOUBTFUL_NS) != 0 || !has_drifted(watch) ||
	    sample_anchor(watch, CERTAIN_SAMPLES, CERTAIN_NS) != 0)
		return false;
	return has_drifted(watch);
}

/* Notes the samples in the anchor, unless a drift seen before says it better. */
static bool note(struct worker_anchor_timing *anchor, const struct worker_measurement *samples, bool drifted)
{
	if (samples->n_samples == 0 || (anchor->drifted && !drifted))
		return false;
	anchor->time_ns = worker_summarise(samples->samples_ns, samples->n_samples).median;
	anchor->runs = (unsigned)samples->n_samples;
	anchor->drifted = drifted;
	return drifted;
}

int worker_measure_at_pace(struct worker_measurement *measurement, const struct worker_timer *timer, double give_up_ns,
			   struct worker_anchor_timing *anchor, struct mmt_error *error)
{
	double pace = 1; /* the anchor's time now, over the one expected */
	bool drifted;

	anchor->runs = 0;
	anchor->drifted = false;
	for (int drifts = 0;; drifts++) {
		struct watch watch = {.timer = anchor->timer, .expected_ns = pace * anchor->expected_ns};

		if (worker_measure(measurement, timer, pace * give_up_ns, error) != 0)
			return -1;
		if (anchor->timer == NULL || drifts == MOST_DRIFTS)
			return 0;
		watch.spread = worker_summarise(measurement->samples_ns, measurement->n_samples).spread;
		drifted = watch_anchor(&watch);
		if (!note(anchor, &watch.samples, drifted))
			return 0;
		pace = anchor->time_ns / anchor->expected_ns;
		worker_measurement_restart(measurement);
	}
}

void worker_pace_result(const struct worker_anchor_timing *anchor, struct kern_result *result)
{
	result->anchor_runs = anchor->runs;
	result->anchor_ns = anchor->runs > 0 ? anchor->time_ns : 0;
	result->drifted = anchor->drifted;
}
