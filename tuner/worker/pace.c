/* pace.c: see pace.h. */
#include "pace.h"

#include <math.h>

#define FEWEST_SAMPLES   2
#define DOUBTFUL_SAMPLES 9 /* after which a deviation may be noise no longer */
#define CERTAIN_SAMPLES  31
#define LEAST_JUDGED     5     /* fewer, of a long launch, do not tell their spread */
#define DOUBTFUL_NS      100e6 /* no further samples after so long, but for those that a judgement needs */
#define CERTAIN_NS       250e6
#define DOUBTFUL         0.04 /* difference of the logarithms that is looked into */
#define LEAST_DRIFT      0.03
#define DRIFT_ERRORS     3.0 /* standard errors */
#define MOST_DRIFTS      2   /* for one candidate */

static int sample_anchor(struct worker_measurement *samples, const struct worker_timer *timer, size_t wanted,
			 double limit_ns)
{
	while (samples->n_samples < wanted && (samples->spent_ns < limit_ns || samples->n_samples < FEWEST_SAMPLES ||
					       (wanted > FEWEST_SAMPLES && samples->n_samples < LEAST_JUDGED))) {
		if (worker_measure_once(samples, timer, NULL) != 0)
			return -1;
	}
	return 0;
}

static double deviation(const struct worker_measurement *samples, double expected_ns)
{
	return fabs(log(worker_summarise(samples->samples_ns, samples->n_samples).median / expected_ns));
}

static bool has_drifted(const struct worker_measurement *samples, double expected_ns)
{
	double error = worker_summarise(samples->samples_ns, samples->n_samples).error;

	return samples->n_samples >= LEAST_JUDGED &&
	       deviation(samples, expected_ns) > fmax(LEAST_DRIFT, DRIFT_ERRORS * error);
}

/* Whether the anchor takes another time than expected_ns. An anchor that cannot be timed says nothing. */
static bool watch(struct worker_measurement *samples, const struct worker_timer *timer, double expected_ns)
{
	if (sample_anchor(samples, timer, FEWEST_SAMPLES, DOUBTFUL_NS) != 0 ||
	    deviation(samples, expected_ns) <= DOUBTFUL ||
	    sample_anchor(samples, timer, DOUBTFUL_SAMPLES, DOUBTFUL_NS) != 0 || !has_drifted(samples, expected_ns) ||
	    sample_anchor(samples, timer, CERTAIN_SAMPLES, CERTAIN_NS) != 0)
		return false;
	return has_drifted(samples, expected_ns);
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
		struct worker_measurement samples;

		if (worker_measure(measurement, timer, pace * give_up_ns, error) != 0)
			return -1;
		if (anchor->timer == NULL || drifts == MOST_DRIFTS)
			return 0;
		worker_measurement_init(&samples);
		drifted = watch(&samples, anchor->timer, pace * anchor->expected_ns);
		if (!note(anchor, &samples, drifted))
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
