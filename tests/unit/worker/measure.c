/* Clocks that are judged, launches that are repeated, over a timer made of a script. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure.h"

#define FINISH_NS 20000.0

/* A device on which every run takes run_ns. */
struct device {
	double run_ns, factor; /* event times are the true ones times factor */
	double step_ns;        /* of its clock */
	double now_ns;
	double held_up_ns; /* the host loses this much, once */
	bool zero, reversed, silent, fails;
	unsigned timings, most_repeats, alive;
};

static int time_device(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	struct device *device = context;
	double length_ns = device->run_ns * repeats;
	double start_ns = device->now_ns + 1000;
	double end_ns = start_ns + length_ns * device->factor;

	if (device->fails)
		return mmt_error_set(error, MMT_OPENCL, -36, "as the test wants");
	device->timings++;
	device->most_repeats = repeats > device->most_repeats ? repeats : device->most_repeats;
	out->has_events = !device->silent;
	out->host_ns = length_ns + FINISH_NS + device->held_up_ns;
	device->held_up_ns = 0;
	out->start_ns = device->zero ? 0 : (uint64_t)(floor(start_ns / device->step_ns) * device->step_ns);
	out->end_ns = device->zero ? 0 : (uint64_t)(floor(end_ns / device->step_ns) * device->step_ns);
	if (device->reversed) {
		uint64_t start = out->start_ns;

		out->start_ns = out->end_ns;
		out->end_ns = start;
	}
	device->now_ns = end_ns + 12347;
	return 0;
}

static void count_alive(void *context)
{
	struct device *device = context;

	device->alive++;
}

static struct kern_result measured(struct device *device, struct worker_clock *clock, double give_up_ns)
{
	struct worker_timer timer = {time_device, count_alive, device, clock};
	struct worker_measurement measurement;
	struct kern_result result = {0};
	struct mmt_error error = {0};

	worker_measurement_init(&measurement);
	if (worker_measure(&measurement, &timer, give_up_ns, &error) != 0)
		fail_msg("%s", error.message);
	worker_measurement_result(&measurement, &result);
	return result;
}

static struct kern_result measured_alone(struct device *device)
{
	struct worker_clock clock;

	worker_clock_init(&clock, 1);
	return measured(device, &clock, 0);
}

static void test_truthful_events_are_taken(void **state)
{
	struct device device = {.run_ns = 1e6, .factor = 1, .step_ns = 1};
	struct kern_result result = measured_alone(&device);

	(void)state;
	assert_false(result.host_clock);
	assert_float_equal(result.time_ns, 1e6, 10);
	assert_int_equal(result.runs, 5);
	assert_int_equal(device.most_repeats, 1);
}

static void test_short_launch_is_repeated(void **state)
{
	struct device device = {.run_ns = 500, .factor = 1, .step_ns = 1};
	struct kern_result result = measured_alone(&device);

	(void)state;
	assert_float_equal(result.time_ns, 500, 5);
	assert_true(device.most_repeats >= 200);
}

static void test_events_that_lie_give_way_to_the_host(void **state)
{
	const struct device liars[] = {
		{.run_ns = 5e6, .factor = 1, .step_ns = 1, .zero = true},
		{.run_ns = 5e6, .factor = 1, .step_ns = 1, .reversed = true},
		{.run_ns = 5e6, .factor = 1, .step_ns = 1, .silent = true},
		{.run_ns = 5e6, .factor = 3, .step_ns = 1},
		{.run_ns = 5e7, .factor = 0.001, .step_ns = 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof liars / sizeof *liars; i++) {
		struct device device = liars[i];
		struct kern_result result = measured_alone(&device);

		assert_true(result.host_clock);
		assert_true(result.time_ns >= device.run_ns && result.time_ns <= 1.02 * device.run_ns);
	}
}

static void test_host_held_up_once_is_no_lie(void **state)
{
	struct device device = {.run_ns = 1e6, .factor = 1, .step_ns = 1, .held_up_ns = 5e8};
	struct kern_result result = measured_alone(&device);

	(void)state;
	assert_false(result.host_clock);
	assert_float_equal(result.time_ns, 1e6, 10);
}

static void test_coarse_clock_never_gives_nothing_or_a_step(void **state)
{
	(void)state;
	for (double run_ns = 1e4; run_ns < 1e8; run_ns *= 7) {
		struct device device = {.run_ns = run_ns, .factor = 1, .step_ns = 1e6};
		struct kern_result result = measured_alone(&device);

		assert_true(result.time_ns > 0.95 * run_ns && result.time_ns < 1.05 * run_ns);
	}
}

static void test_session_stays_with_the_host_clock(void **state)
{
	struct device liar = {.run_ns = 5e6, .factor = 1, .step_ns = 1, .zero = true};
	struct device honest = {.run_ns = 5e6, .factor = 1, .step_ns = 1};
	struct worker_clock clock;

	(void)state;
	worker_clock_init(&clock, 1);
	assert_true(measured(&liar, &clock, 0).host_clock);
	assert_true(measured(&honest, &clock, 0).host_clock);
}

static void test_slow_candidate_runs_once_or_twice(void **state)
{
	struct device device = {.run_ns = 4e6, .factor = 1, .step_ns = 1};
	struct worker_clock clock;
	struct kern_result result;

	(void)state;
	worker_clock_init(&clock, 1);
	result = measured(&device, &clock, 1.5e6);
	assert_true(result.gave_up);
	assert_int_equal(result.runs, 1);
	result = measured(&device, &clock, 3e6);
	assert_true(result.gave_up);
	assert_int_equal(result.runs, 2);
	result = measured(&device, &clock, 5e6);
	assert_false(result.gave_up);
}

static void test_long_timings_tell_that_they_live(void **state)
{
	struct device device = {.run_ns = 3e9, .factor = 1, .step_ns = 1};

	(void)state;
	assert_int_equal(measured_alone(&device).runs, 2);
	assert_int_equal(device.alive, 1);
}

static void test_many_short_timings_tell_that_they_live(void **state)
{
	struct device device = {.run_ns = 30e6, .factor = 1, .step_ns = 1};
	struct worker_clock clock;
	struct worker_timer timer = {time_device, count_alive, &device, &clock};
	struct worker_measurement measurement;

	(void)state;
	worker_clock_init(&clock, 1);
	worker_measurement_init(&measurement);
	for (int i = 0; i < 40; i++)
		assert_int_equal(worker_measure_once(&measurement, &timer, NULL), 0);
	assert_int_equal(device.alive, 9); /* after each four of them */
}

static void test_failure_is_passed_on(void **state)
{
	struct device device = {.fails = true};
	struct worker_clock clock;
	struct worker_timer timer = {time_device, NULL, &device, &clock};
	struct worker_measurement measurement;
	struct mmt_error error = {0};

	(void)state;
	worker_clock_init(&clock, 1);
	worker_measurement_init(&measurement);
	assert_int_equal(worker_measure(&measurement, &timer, 0, &error), -1);
	assert_int_equal(error.foreign, -36);
}

static void test_rounds_keep_their_samples(void **state)
{
	struct device device = {.run_ns = 90e3, .factor = 1, .step_ns = 1};
	struct worker_clock clock;
	struct worker_timer timer = {time_device, NULL, &device, &clock};
	struct worker_measurement measurement;

	(void)state;
	worker_clock_init(&clock, 1);
	worker_measurement_init(&measurement);
	for (size_t round = 1; round <= 7; round++) {
		/* Now and then disturbed: long enough once, too short the next time */
		device.run_ns = round % 2 == 1 ? 150e3 : 30e3;
		assert_int_equal(worker_measure_once(&measurement, &timer, NULL), 0);
		assert_int_equal(measurement.n_samples, round);
	}
}

/* Every third timing is twice as long, because threads waited for a core. */
static int time_busy(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	unsigned *calls = context;
	bool waits = ++*calls % 3 == 1;
	uint64_t length_ns = (uint64_t)repeats * (waits ? 2000000 : 1000000);

	(void)error;
	*out = (struct worker_timing){.start_ns = 1000000 + 7 * *calls, .has_events = true};
	out->end_ns = out->start_ns + length_ns;
	out->host_ns = (double)length_ns + 1000;
	out->waited_ns = waits ? (double)length_ns / 2 : 0;
	return 0;
}

static void test_disturbed_timings_are_taken_again(void **state)
{
	unsigned calls = 0;
	struct worker_clock clock;
	struct worker_timer timer = {time_busy, NULL, &calls, &clock};
	struct worker_measurement measurement;
	struct kern_result result = {0};

	(void)state;
	worker_clock_init(&clock, 1);
	worker_measurement_init(&measurement);
	/* the first timing waits: it must not look like a candidate twice as slow as the best */
	assert_int_equal(worker_measure(&measurement, &timer, 1.5e6, NULL), 0);
	worker_measurement_result(&measurement, &result);
	assert_false(result.gave_up);
	assert_float_equal(result.time_ns, 1e6, 1);
	assert_float_equal(result.spread, 0, 1e-9);
}

/* Where every timing waits, all are alike, and one must be had all the same. */
static int time_always_busy(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	unsigned calls = 0;
	time_busy(&calls, repeats, out, error);
	out->start_ns += 7 * ++*(unsigned *)context;
	out->end_ns += 7 * *(unsigned *)context;
	return 0;
}

static void test_a_busy_machine_is_measured_as_it_is(void **state)
{
	unsigned calls = 0;
	struct worker_clock clock;
	struct worker_timer timer = {time_always_busy, NULL, &calls, &clock};
	struct worker_measurement measurement;

	(void)state;
	worker_clock_init(&clock, 1);
	worker_measurement_init(&measurement);
	assert_int_equal(worker_measure(&measurement, &timer, 0, NULL), 0);
	assert_true(measurement.n_samples >= 2);
	assert_true(calls < 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truthful_events_are_taken),
		cmocka_unit_test(test_short_launch_is_repeated),
		cmocka_unit_test(test_events_that_lie_give_way_to_the_host),
		cmocka_unit_test(test_host_held_up_once_is_no_lie),
		cmocka_unit_test(test_coarse_clock_never_gives_nothing_or_a_step),
		cmocka_unit_test(test_session_stays_with_the_host_clock),
		cmocka_unit_test(test_slow_candidate_runs_once_or_twice),
		cmocka_unit_test(test_long_timings_tell_that_they_live),
		cmocka_unit_test(test_many_short_timings_tell_that_they_live),
		cmocka_unit_test(test_failure_is_passed_on),
		cmocka_unit_test(test_rounds_keep_their_samples),
		cmocka_unit_test(test_disturbed_timings_are_taken_again),
		cmocka_unit_test(test_a_busy_machine_is_measured_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
