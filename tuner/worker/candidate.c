/* candidate.c: see candidate.h. */
#include "candidate.h"

#include <string.h>

#include "pace.h"

/* Cold caches and pages not yet there make a first launch slower, but not this much */
#define WARM_UP_MARGIN 2.0

/* Where the wall time of a piece of work goes, and how much of it was the driver's. */
struct stopwatch {
	double wall_ns, driver_ns;
};

static struct stopwatch stopwatch_start(const struct worker_bench *bench)
{
	return (struct stopwatch){worker_now_ns(), bench->session.meter.driver_ns};
}

static void stopwatch_stop(const struct stopwatch *watch, const struct worker_bench *bench, struct kern_result *result,
			   double *part_ns)
{
	double wall_ns = worker_now_ns() - watch->wall_ns;

	*part_ns += wall_ns;
	result->total_ns += wall_ns;
	result->driver_ns += bench->session.meter.driver_ns - watch->driver_ns;
}

static const struct {
	enum mmt_code code;
	enum kern_outcome outcome;
} outcomes[] = {
	{MMT_SKIPPED, KERN_OUTCOME_SKIPPED},         {MMT_INVALID_ARGUMENT, KERN_OUTCOME_SKIPPED},
	{MMT_NOT_SUPPORTED, KERN_OUTCOME_SKIPPED},   {MMT_TOO_LARGE, KERN_OUTCOME_SKIPPED},
	{MMT_NO_MEMORY, KERN_OUTCOME_OUT_OF_MEMORY}, {MMT_WRONG_RESULT, KERN_OUTCOME_WRONG_RESULT},
};

void worker_result_fail(struct kern_result *result, const struct mmt_error *error, enum kern_outcome otherwise)
{
	result->outcome = otherwise;
	for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
		if (outcomes[i].code == error->code)
			result->outcome = outcomes[i].outcome;
	}
	worker_message_set(result, error->message);
}

/* A service that is gone is noticed at the next receive; a phase lost on the way harms nobody. */
static void tell_phase(const struct worker_bench *bench, const char *phase)
{
	worker_send_phase(bench->request_id, phase, NULL);
}

static int verify_once(struct worker_candidate *candidate, struct worker_bench *bench, enum kern_check_mode mode,
		       struct mmt_error *error)
{
	struct worker_session *session = &bench->session;
	struct worker_operands *operands = &bench->operands;
	struct worker_timing timing = {0};
	double relative_error;

	if (worker_operands_fill(operands, session, mode, error) != 0 ||
	    worker_run_poison(&candidate->run, session, error) != 0 ||
	    worker_run_set_scalars(&candidate->run, session, operands, mode, error) != 0 ||
	    worker_run_time(&candidate->run, session, 1, &timing, error) != 0 ||
	    worker_run_check(&candidate->run, session, error) != 0 ||
	    worker_operands_check(operands, session, mode, candidate->quick, &relative_error, error) != 0)
		return -1;
	candidate->warm_up_ns = 0;
	/* Of one launch only: a driver that compiles at the first launch does it before START, and so between the
	 * launches of a longer plan (PoCL: 0.3 s between two kernels of 5 ms) */
	if (!session->clock.host && timing.has_events && timing.end_ns > timing.start_ns &&
	    candidate->run.plan->n_launches == 1)
		candidate->warm_up_ns = (double)(timing.end_ns - timing.start_ns);
	if (relative_error > candidate->result.relative_error)
		candidate->result.relative_error = relative_error;
	return 0;
}

/* A wrong result may be an earlier candidate's doing, who wrote into the inputs while it was measured: it counts only
 * over inputs just uploaded. After any failure nothing on the device is trusted. */
static int verify(struct worker_candidate *candidate, struct worker_bench *bench, enum kern_check_mode mode,
		  struct mmt_error *error)
{
	bool fresh = !bench->operands.trusted;
	int status;

	tell_phase(bench, "verify");
	status = verify_once(candidate, bench, mode, error);
	if (status != 0)
		worker_operands_distrust(&bench->operands);
	if (status != 0 && error->code == MMT_WRONG_RESULT && !fresh && !bench->session.damaged) {
		status = verify_once(candidate, bench, mode, error);
		if (status != 0)
			worker_operands_distrust(&bench->operands);
	}
	return status;
}

static int build(struct worker_candidate *candidate, struct worker_bench *bench, const struct kern_plan *plan,
		 struct mmt_error *error)
{
	tell_phase(bench, "build");
	return worker_run_build(&candidate->run, &bench->session, &bench->programs, plan, error);
}

static int bind_and_verify(struct worker_candidate *candidate, struct worker_bench *bench, bool general,
			   struct mmt_error *error)
{
	if (worker_run_bind(&candidate->run, &bench->session, &bench->operands, error) != 0)
		return -1;
	if (general && verify(candidate, bench, KERN_CHECK_GENERAL, error) != 0)
		return -1;
	/* Last, because its scalars are those of the measurement */
	return verify(candidate, bench, KERN_CHECK_PLAIN, error);
}

void worker_candidate_init(struct worker_candidate *candidate, struct worker_bench *bench, const struct kern_plan *plan,
			   bool general)
{
	struct kern_result *result = &candidate->result;
	struct mmt_error error = {0};
	struct stopwatch watch;
	int status;

	memset(candidate, 0, sizeof *candidate);
	candidate->quick = !general;
	worker_measurement_init(&candidate->measurement);
	watch = stopwatch_start(bench);
	status = build(candidate, bench, plan, &error);
	stopwatch_stop(&watch, bench, result, &result->build_ns);
	if (status != 0) {
		worker_result_fail(result, &error, KERN_OUTCOME_BUILD_FAILED);
		return;
	}
	watch = stopwatch_start(bench);
	status = bind_and_verify(candidate, bench, general, &error);
	stopwatch_stop(&watch, bench, result, &result->verify_ns);
	if (status != 0)
		worker_result_fail(result, &error, KERN_OUTCOME_LAUNCH_FAILED);
}

/* The timer of measure.h over this candidate's launches. */
struct timer_context {
	struct worker_candidate *candidate;
	struct worker_bench *bench;
};

static int time_run(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	struct timer_context *timer = context;

	return worker_run_time(&timer->candidate->run, &timer->bench->session, repeats, out, error);
}

static void tell_alive(void *context)
{
	struct timer_context *timer = context;

	tell_phase(timer->bench, "measure");
}

static void conclude(struct worker_candidate *candidate, struct worker_bench *bench, const struct stopwatch *watch,
		     int status, const struct mmt_error *error)
{
	struct kern_result *result = &candidate->result;

	stopwatch_stop(watch, bench, result, &result->measure_ns);
	if (status != 0) {
		worker_result_fail(result, error, KERN_OUTCOME_LAUNCH_FAILED);
		worker_operands_distrust(&bench->operands);
	}
}

/* The timer over the anchor's launches. */
static int time_anchor(void *context, unsigned repeats, struct worker_timing *out, struct mmt_error *error)
{
	struct worker_bench *bench = ((struct timer_context *)context)->bench;

	return worker_run_time(&bench->anchor.run, &bench->session, repeats, out, error);
}

static void measure_at_pace(struct worker_candidate *candidate, struct worker_bench *bench,
			    const struct worker_request *request)
{
	struct timer_context context = {candidate, bench};
	const struct worker_timer timer = {time_run, tell_alive, &context, &bench->session.clock};
	const struct worker_timer anchor_timer = {time_anchor, tell_alive, &context, &bench->session.clock};
	struct worker_anchor_timing anchor = {.expected_ns = request->anchor_ns};
	struct stopwatch watch = stopwatch_start(bench);
	struct mmt_error error = {0};
	int status;

	if (worker_anchor_select(&bench->anchor, &bench->session, &bench->programs, &bench->operands, request->anchor))
		anchor.timer = &anchor_timer;
	tell_phase(bench, "measure");
	status = worker_measure_at_pace(&candidate->measurement, &timer, request->give_up_ns, &anchor, &error);
	worker_pace_result(&anchor, &candidate->result);
	conclude(candidate, bench, &watch, status, &error);
}

void worker_candidate_measure(struct worker_candidate *candidate, struct worker_bench *bench,
			      const struct worker_request *request)
{
	/* A kernel of seconds need not run again to be known as slow */
	if (request->give_up_ns > 0 && candidate->warm_up_ns > WARM_UP_MARGIN * request->give_up_ns) {
		worker_measurement_give_up(&candidate->measurement, candidate->warm_up_ns);
		return;
	}
	measure_at_pace(candidate, bench, request);
}

void worker_candidate_sample(struct worker_candidate *candidate, struct worker_bench *bench)
{
	struct timer_context context = {candidate, bench};
	const struct worker_timer timer = {time_run, tell_alive, &context, &bench->session.clock};
	struct stopwatch watch = stopwatch_start(bench);
	struct mmt_error error = {0};
	int status;

	tell_phase(bench, "measure");
	status = worker_measure_once(&candidate->measurement, &timer, &error);
	conclude(candidate, bench, &watch, status, &error);
}

void worker_candidate_finish(struct worker_candidate *candidate, struct worker_bench *bench)
{
	struct worker_session *session = &bench->session;
	struct kern_result *result = &candidate->result;

	if (result->outcome == KERN_OUTCOME_OK && candidate->measurement.n_samples > 0)
		worker_measurement_result(&candidate->measurement, result);
	/* On a CPU the memory outside a buffer is this process's own */
	if (session->damaged && session->device.type == KERN_CPU)
		session->lost = true;
	session->damaged = false;
	result->device_lost = session->lost;
	if (!session->lost)
		worker_run_finish(&candidate->run);
}
