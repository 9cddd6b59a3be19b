/* measure.c: see measure.h. */
#include "measure.h"

#include <math.h>
#include <string.h>

#define MOST_REPEATS   10000
#define REPEATS_MARGIN 1.25
#define MOST_GROWTH    32 /* at a time: one wrong timing must not ask for ten thousand runs */
#define MOST_ATTEMPTS  16 /* timings for one sample */
#define TELL_AFTER_NS  1e8
#define LONG_TIMING_NS 1e8 /* not taken again, disturbed or not */
#define CERTAINLY_SLOW 2.0 /* times the limit: no disturbance does that to a sample */
#define CLEARLY_SLOW   0.8 /* of the limit: 1.2 times the best */
/* A CPU device's timing in which threads waited for a core this part of it is taken again, but on a machine that is
 * always busy only so often: then all are alike. */
#define MOST_WAITING   0.02
#define MOST_DISTURBED 8

void worker_measurement_init(struct worker_measurement *measurement)
{
	memset(measurement, 0, sizeof *measurement);
}

void worker_measurement_restart(struct worker_measurement *measurement)
{
	measurement->n_samples = 0;
	measurement->spent_ns = 0;
	measurement->gave_up = false;
}

/* Samples of another clock, or taken before this one was known to be so coarse, are no samples. */
static void judge_earlier(struct worker_measurement *measurement, bool host_clock, double shortest_ns)
{
	if (measurement->host_clock != host_clock || shortest_ns > measurement->shortest_ns)
		measurement->n_samples = 0;
	measurement->host_clock = host_clock;
	measurement->shortest_ns = shortest_ns;
}

static bool is_disturbed(struct worker_measurement *measurement, const struct worker_timing *timing)
{
	if (timing->waited_ns <= MOST_WAITING * timing->host_ns || timing->host_ns > LONG_TIMING_NS ||
	    measurement->disturbed == MOST_DISTURBED)
		return false;
	measurement->disturbed++;
	measurement->spent_ns -= timing->host_ns;
	return true;
}

/* How many runs make one timing long enough, seen that `repeats` took length_ns. */
static unsigned grown(unsigned repeats, double length_ns, double shortest_ns)
{
	double growth = length_ns > 0 ? REPEATS_MARGIN * shortest_ns / length_ns : MOST_GROWTH;
	double wanted = ceil((double)repeats * fmin(growth, MOST_GROWTH));

	return wanted < MOST_REPEATS ? (unsigned)wanted : MOST_REPEATS;
}

static int take_timing(struct worker_measurement *measurement, const struct worker_timer *timer,
		       struct worker_timing *timing, struct mmt_error *error)
{
	if (measurement->untold_ns > TELL_AFTER_NS && timer->alive != NULL) {
		timer->alive(timer->context);
		measurement->untold_ns = 0;
	}
	memset(timing, 0, sizeof *timing);
	if (timer->time(timer->context, measurement->repeats, timing, error) != 0)
		return -1;
	measurement->untold_ns += timing->host_ns;
	measurement->spent_ns += timing->host_ns;
	return 0;
}

static void add_sample(struct worker_measurement *measurement, double sample_ns)
{
	if (measurement->n_samples == WORKER_MAX_SAMPLES) {
		measurement->n_samples--;
		memmove(measurement->samples_ns, measurement->samples_ns + 1,
			measurement->n_samples * sizeof *measurement->samples_ns);
	}
	measurement->samples_ns[measurement->n_samples++] = sample_ns;
}

int worker_measure_once(struct worker_measurement *measurement, const struct worker_timer *timer,
			struct mmt_error *error)
{
	struct worker_clock *clock = timer->clock;
	double shortest_ns;

	if (measurement->repeats == 0)
		measurement->repeats = 1;
	for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
		struct worker_timing timing;
		double length_ns;

		if (take_timing(measurement, timer, &timing, error) != 0)
			return -1;
		if (!worker_clock_accept(clock, &timing))
			continue;
		shortest_ns = worker_clock_shortest(clock);
		judge_earlier(measurement, clock->host, shortest_ns);
		length_ns = worker_clock_length(clock, &timing);
		if (length_ns < shortest_ns && measurement->repeats < MOST_REPEATS) {
			measurement->repeats = grown(measurement->repeats, length_ns, shortest_ns);
			continue;
		}
		if (!(length_ns > 0) || is_disturbed(measurement, &timing))
			continue;
		add_sample(measurement, length_ns / measurement->repeats);
		return 0;
	}
	return mmt_error_set(error, MMT_FAILED, 0, "no timing of the launch could be trusted in %d attempts",
			     MOST_ATTEMPTS);
}

/* One sample may be disturbed: it takes two that are too slow, or one that is by far. */
static bool is_too_slow(const struct worker_measurement *measurement, double give_up_ns)
{
	const double *samples_ns = measurement->samples_ns;

	if (give_up_ns <= 0 || samples_ns[0] <= give_up_ns)
		return false;
	if (measurement->n_samples == 1)
		return samples_ns[0] > CERTAINLY_SLOW * give_up_ns;
	return measurement->n_samples == 2 && samples_ns[1] > give_up_ns;
}

int worker_measure(struct worker_measurement *measurement, const struct worker_timer *timer, double give_up_ns,
		   struct mmt_error *error)
{
	do {
		if (worker_measure_once(measurement, timer, error) != 0)
			return -1;
		if (is_too_slow(measurement, give_up_ns)) {
			measurement->gave_up = true;
			return 0;
		}
	} while (!worker_enough(measurement->samples_ns, measurement->n_samples, measurement->spent_ns,
				CLEARLY_SLOW * give_up_ns));
	return 0;
}

void worker_measurement_give_up(struct worker_measurement *measurement, double run_ns)
{
	add_sample(measurement, run_ns);
	measurement->gave_up = true;
}

void worker_measurement_result(const struct worker_measurement *measurement, struct kern_result *result)
{
	struct worker_summary summary = worker_summarise(measurement->samples_ns, measurement->n_samples);

	result->time_ns = summary.median;
	result->minimum_ns = summary.minimum;
	result->spread = summary.spread;
	result->runs = (unsigned)measurement->n_samples;
	result->gave_up = measurement->gave_up;
	result->host_clock = measurement->host_clock;
}
