/* trial.c: results as JSON, outcomes by name. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "fields.h"

static const char *const outcome_names[KERN_OUTCOME_COUNT] = {
#define KERN_OUTCOME_NAME(code, name) name,
	KERN_OUTCOME_TABLE(KERN_OUTCOME_NAME)
#undef KERN_OUTCOME_NAME
};

#define FIELD(member, kind)    KERN_FIELD(kern_result, member, KERN_FIELD_##kind, true)
#define OPTIONAL(member, kind) KERN_FIELD(kern_result, member, KERN_FIELD_##kind, false)

static const struct kern_field result_fields[] = {
	FIELD(time_ns, REAL),    FIELD(minimum_ns, REAL),     FIELD(spread, REAL),         FIELD(runs, UINT),
	FIELD(gave_up, BOOL),    FIELD(host_clock, BOOL),     FIELD(build_ns, REAL),       FIELD(verify_ns, REAL),
	FIELD(measure_ns, REAL), FIELD(driver_ns, REAL),      FIELD(total_ns, REAL),       FIELD(device_lost, BOOL),
	FIELD(message, TEXT),    OPTIONAL(anchor_ns, REAL),   OPTIONAL(anchor_runs, UINT), OPTIONAL(drifted, BOOL),
	OPTIONAL(ratio, REAL),   OPTIONAL(ratio_error, REAL),
};

#define N_RESULT_FIELDS (sizeof(result_fields) / sizeof(result_fields[0]))

const char *kern_outcome_name(enum kern_outcome outcome)
{
	return outcome_names[outcome];
}

int kern_outcome_parse(const char *name, enum kern_outcome *out, struct mmt_error *error)
{
	for (size_t i = 0; i < KERN_OUTCOME_COUNT; i++) {
		if (strcmp(name, outcome_names[i]) == 0) {
			*out = (enum kern_outcome)i;
			return 0;
		}
	}
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown outcome '%.64s'", name);
}

json_t *kern_result_to_json(const struct kern_result *result)
{
	json_t *object = json_object();
	json_t *relative_error = isfinite(result->relative_error) ? json_real(result->relative_error) : json_null();
	if (json_object_set_new(object, "outcome", json_string(kern_outcome_name(result->outcome))) ||
	    json_object_set_new(object, "relative_error", relative_error) ||
	    kern_fields_to_json(result_fields, N_RESULT_FIELDS, result, object)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/* A wrong result may be wrong without bound: null stands for an error that is not finite. */
static int read_relative_error(const json_t *object, double *out, struct mmt_error *error)
{
	const json_t *value = json_object_get(object, "relative_error");
	if (!json_is_null(value) && !(json_is_number(value) && json_number_value(value) >= 0))
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a result needs 'relative_error', a number or null");
	*out = json_is_null(value) ? INFINITY : json_number_value(value);
	return 0;
}

int kern_result_from_json(const json_t *object, struct kern_result *out, struct mmt_error *error)
{
	memset(out, 0, sizeof(*out));
	if (!json_is_object(object))
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a result is an object");
	const char *outcome = json_string_value(json_object_get(object, "outcome"));
	if (!outcome)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a result needs 'outcome'");
	if (kern_outcome_parse(outcome, &out->outcome, error) ||
	    kern_fields_from_json(result_fields, N_RESULT_FIELDS, object, out, error) ||
	    read_relative_error(object, &out->relative_error, error))
		return -1;
	/* Nothing is infinitely fast, and nothing that was not measured has a time. */
	if ((out->outcome == KERN_OUTCOME_OK) != (out->time_ns > 0))
		return mmt_error_set(error, MMT_PROTOCOL, 0, "outcome '%s' with a time of %g ns", outcome,
				     out->time_ns);
	if (out->outcome == KERN_OUTCOME_OK && (out->runs == 0 || !isfinite(out->relative_error)))
		return mmt_error_set(error, MMT_PROTOCOL, 0, "outcome 'ok' without runs or with an infinite error");
	return 0;
}
