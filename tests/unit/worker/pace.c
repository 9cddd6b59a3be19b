/* A device that becomes slower while candidates are measured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pace.h"

#define RUN_NS 1e6

/* A device whose timings take 1 / speed of the true time, times a noise that goes round; slower from a timing on. */
struct device {
	double speed_after;
	unsigned drop_at, timings; /* drop_at 0: never */
	double scatter;            /* the noise's half width */
	double now_ns;
};

struct plan {
	struct device *device;
	double run_ns;
	unsigned timings;
};

static int time_plan(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	struct plan *plan = context;
	struct device *device = plan->device;
	double noise = 1 + device->scatter * (((double)(device->timings * 7 % 11)) / 5 - 1);
	double length_ns = plan->run_ns * repeats * noise;

	(void)error;
	plan->timings++;
	if (device->drop_at > 0 && device->timings >= device->drop_at)
		length_ns /= device->speed_after;
	device->timings++;
	out->has_events = true;
	out->start_ns = (uint64_t)(device->now_ns += 12347);
	out->end_ns = (uint64_t)(device->now_ns += length_ns);
	out->host_ns = length_ns + 1000;
	return 0;
}

struct measured {
	struct worker_anchor_timing anchor;
	struct kern_result result;
	unsigned anchor_timings;
};

/* A candidate as fast as the anchor, which took RUN_NS. */
static struct measured measure(struct device *device, double give_up_ns)
{
	struct plan candidate = {device, RUN_NS, 0}, best = {device, RUN_NS, 0};
	struct worker_clock clock;
	struct worker_timer timer = {time_plan, NULL, &candidate, &clock},
			    best_timer = {time_plan, NULL, &best, &clock};
	struct measured measured = {.anchor = {.timer = &best_timer, .expected_ns = RUN_NS}};
	struct worker_measurement measurement;

	worker_clock_init(&clock, 1);
	worker_measurement_init(&measurement);
	assert_int_equal(worker_measure_at_pace(&measurement, &timer, give_up_ns, &measured.anchor, NULL), 0);
	worker_measurement_result(&measurement, &measured.result);
	measured.anchor_timings = best.timings;
	return measured;
}

static void test_steady_device_costs_two_timings(void **state)
{
	struct device device = {.speed_after = 1, .scatter = 0.01};
	struct measured measured = measure(&device, 1.5 * RUN_NS);

	(void)state;
	assert_int_equal(measured.anchor_timings, 2);
	assert_int_equal(measured.anchor.runs, 2);
	assert_false(measured.anchor.drifted);
}

static void test_noise_is_no_drift(void **state)
{
	(void)state;
	for (unsigned start = 0; start < 11; start++) {
		struct device device = {.speed_after = 1, .scatter = 0.1, .timings = start};
		struct measured measured = measure(&device, 1.5 * RUN_NS);

		assert_false(measured.anchor.drifted);
		assert_false(measured.result.gave_up);
	}
}

static void test_drop_is_told_and_the_candidate_measured_after_it(void **state)
{
	(void)state;
	/* before the candidate, among its samples, and before the anchor's */
	for (unsigned drop_at = 1; drop_at <= 12; drop_at++) {
		struct device device = {.speed_after = 0.8, .drop_at = drop_at, .scatter = 0.03};
		struct measured measured = measure(&device, 1.5 * RUN_NS);

		assert_true(measured.anchor.drifted);
		assert_float_equal(measured.anchor.time_ns / RUN_NS, 1.25, 0.03);
		assert_false(measured.result.gave_up);
		assert_float_equal(measured.result.time_ns / measured.anchor.time_ns, 1, 0.03);
	}
}

/* At half the speed an equal of the best takes longer than the limit. */
static void test_slow_device_gives_nobody_up(void **state)
{
	struct device device = {.speed_after = 0.5, .drop_at = 1, .scatter = 0.01};
	struct measured measured = measure(&device, 1.5 * RUN_NS);

	(void)state;
	assert_true(measured.anchor.drifted);
	assert_false(measured.result.gave_up);
	assert_float_equal(measured.result.time_ns / measured.anchor.time_ns, 1, 0.02);
}

static void test_without_an_anchor_nothing_is_watched(void **state)
{
	struct device device = {.speed_after = 1};
	struct plan candidate = {&device, RUN_NS, 0};
	struct worker_clock clock;
	struct worker_timer timer = {time_plan, NULL, &candidate, &clock};
	struct worker_anchor_timing anchor = {.timer = NULL};
	struct worker_measurement measurement;

	(void)state;
	worker_clock_init(&clock, 1);
	worker_measurement_init(&measurement);
	assert_int_equal(worker_measure_at_pace(&measurement, &timer, 0, &anchor, NULL), 0);
	assert_int_equal(anchor.runs, 0);
	assert_int_equal(measurement.n_samples, candidate.timings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady_device_costs_two_timings),
		cmocka_unit_test(test_noise_is_no_drift),
		cmocka_unit_test(test_drop_is_told_and_the_candidate_measured_after_it),
		cmocka_unit_test(test_slow_device_gives_nobody_up),
		cmocka_unit_test(test_without_an_anchor_nothing_is_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
