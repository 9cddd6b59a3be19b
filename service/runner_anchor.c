/* runner_anchor.c: see runner_state.h: the best so far, timed beside each candidate. Thread: the loop's.
 *
 * A device's clock may drop in mid-run, for a while or for good. The worker
 * says when the anchor does not take what it took before (tuner/worker/pace.h);
 * from then on times are divided by the device's pace, so that candidates from
 * before and after are compared as if measured at the start. What is stored is
 * the time as it was measured.
 *
 * While nothing drifts, every timing makes the anchor's own time better known:
 * one that was the best by luck loses that place. */
#include "runner_state.h"

#include <math.h>

/* No average of so many timings is better known than devices are steady */
#define MOST_WEIGHT 200

void runner_anchor_init(struct runner_anchor *anchor)
{
	*anchor = (struct runner_anchor){.pace = 1, .pace_weight = INFINITY};
}

static bool is_anchor(const struct runner_anchor *anchor, const struct runner_top *top)
{
	return anchor->time_ns > 0 && anchor->point.space == top->point.space &&
	       anchor->point.point == top->point.point;
}

int runner_anchor_add(struct runner *runner, json_t *request)
{
	struct runner_anchor *anchor = &runner->anchor;
	const struct runner_top *top = &runner->top[0];
	if (runner->n_top == 0)
		return 0;
	if (!is_anchor(anchor, top)) {
		anchor->point = top->point;
		anchor->time_ns = top->comparable_ns;
		anchor->time_weight = fmin(fmax(top->result.runs, 1), MOST_WEIGHT);
	}
	struct runner_candidate candidate = runner_candidate_of(runner, top);
	if (!runner_candidate_plan(runner, &candidate))
		return 0; /* it was planned once: memory */
	int status = json_object_set_new(request, "anchor", kern_plan_to_json(&candidate.plan, true));
	runner_candidate_finish(&candidate);
	return status || json_object_set_new(request, "anchor_ns", json_real(anchor->time_ns * anchor->pace)) ? -1 : 0;
}

/* A difference that is no drift: the time and the pace are both somewhat wrong, the less the better they are known. */
static void refine(struct runner_anchor *anchor, double difference, double runs)
{
	double time_doubt = 1 / anchor->time_weight, pace_doubt = 1 / anchor->pace_weight;
	double gain = difference / (time_doubt + pace_doubt + 1 / runs);
	anchor->time_ns *= exp(gain * time_doubt);
	anchor->pace *= exp(gain * pace_doubt);
	anchor->time_weight = fmin(anchor->time_weight + runs, MOST_WEIGHT);
	anchor->pace_weight += runs;
}

/* The list of the best goes by what is known of the anchor now. */
static void sort_in(struct runner *runner)
{
	for (size_t i = 0; i < runner->n_top; i++)
		if (is_anchor(&runner->anchor, &runner->top[i])) {
			struct runner_top entry = runner->top[i];
			entry.comparable_ns = runner->anchor.time_ns;
			runner_note_result(runner, &entry);
			return;
		}
}

double runner_anchor_take(struct runner *runner, const struct kern_result *result)
{
	struct runner_anchor *anchor = &runner->anchor;
	if (result->anchor_runs > 0 && result->anchor_ns > 0 && anchor->time_ns > 0) {
		double pace = result->anchor_ns / anchor->time_ns, runs = result->anchor_runs;
		if (result->drifted) {
			svc_log(6, "%s runs at %.2f times the time of the job's start", runner->job->device->name,
				pace);
			anchor->pace = pace;
			anchor->pace_weight = runs;
		} else {
			refine(anchor, log(pace / anchor->pace), runs);
			sort_in(runner);
		}
	}
	return result->time_ns / anchor->pace;
}
