/* answer_json.c: see answer.h: the object of the query's contract. Thread: the loop's. */
#include "answer.h"

#include <time.h>

#include "problem_json.h"
#include "rates.h"

static json_t *measured(bool exact, double value)
{
	json_t *real = exact ? json_real(value) : NULL; /* NULL too for what is not finite */
	return real ? real : json_null();
}

static json_t *known(double value)
{
	return measured(value > 0, value);
}

static json_t *performance(const struct answer *answer, const struct mmt_problem *problem)
{
	bool exact = answer->match == ANSWER_EXACT;
	const struct db_trial *trial = exact ? &answer->best->trial : NULL;
	struct svc_rates rates =
		svc_rates(kern_family_find(problem->family), problem, &answer->plan, exact ? trial->time_ns : 0);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time_ns",
			 measured(exact, exact ? trial->time_ns : 0), "gflops", measured(exact, rates.gflops),
			 "peak_gflops", known(answer->peak_gflops), "effective_bandwidth_gbps",
			 measured(exact, rates.effective_gbps), "compulsory_bandwidth_gbps",
			 measured(exact, rates.compulsory_gbps), "peak_bandwidth_gbps", known(answer->peak_gbps),
			 "relative_error", measured(exact, exact ? trial->relative_error : 0), "spread",
			 measured(exact, exact ? trial->spread : 0));
}

static json_t *time_text(int64_t seconds)
{
	time_t when = (time_t)seconds;
	struct tm tm;
	char text[32];
	if (!gmtime_r(&when, &tm) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return json_null();
	return json_string(text);
}

static json_t *neighbour(const struct answer *answer)
{
	return json_pack("{s:o, s:o, s:f, s:f, s:o}", "problem", problem_to_json(&answer->best->problem), "gflops",
			 known(answer->best->trial.gflops), "doublings", answer->doublings, "confidence",
			 answer->efficiency, "expected_gflops", known(answer->expected_gflops));
}

json_t *answer_to_json(const struct answer *answer, const struct svc_device *device, const struct mmt_problem *problem,
		       bool with_source)
{
	static const char *const matches[] = {"exact", "near", "default"};
	const struct db_trial *trial = answer->best ? &answer->best->trial : NULL;
	bool exact = answer->match == ANSWER_EXACT;
	const char *driver = exact && trial->driver ? trial->driver : device->properties.driver;
	json_t *plan = kern_plan_to_json(&answer->plan, with_source);
	json_t *object = json_pack(
		"{s:s, s:s, s:o, s:s, s:b, s:o, s:s, s:s, s:o, s:O, s:O, s:o}", "device", device->name, "device_name",
		device->properties.name, "problem", problem_to_json(problem), "match", matches[answer->match], "stale",
		answer->stale, "measured_at", exact ? time_text(trial->measured_at) : json_null(), "driver", driver,
		"variant", answer->variant->name, "parameters",
		kern_configuration_to_json(answer->variant, answer->indices), "steps", json_object_get(plan, "steps"),
		"temporaries", json_object_get(plan, "temporaries"), "performance", performance(answer, problem));
	json_decref(plan);
	if (object && answer->match == ANSWER_NEAR)
		json_object_set_new(object, "neighbour", neighbour(answer));
	return object;
}
