/* trial_record.c: see trial_record.h. */
#include "trial_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rates.h"

static double finite_or_0(double value)
{
	return isfinite(value) ? value : 0;
}

static void fill_numbers(struct db_trial *trial, const struct trial_facts *facts)
{
	const struct kern_result *result = facts->result;
	bool ok = result->outcome == KERN_OUTCOME_OK;
	struct svc_rates rates = {0};
	if (ok && facts->plan)
		rates = svc_rates(kern_family_find(facts->problem->family), facts->problem, facts->plan,
				  result->time_ns);
	trial->time_ns = ok ? finite_or_0(result->time_ns) : 0;
	trial->minimum_ns = ok ? finite_or_0(result->minimum_ns) : 0;
	trial->spread = finite_or_0(result->spread);
	trial->gflops = rates.gflops;
	trial->effective_gbps = rates.effective_gbps;
	trial->compulsory_gbps = rates.compulsory_gbps;
	trial->relative_error = finite_or_0(result->relative_error);
	trial->runs = (int)result->runs;
	trial->build_ns = finite_or_0(result->build_ns);
	trial->verify_ns = finite_or_0(result->verify_ns);
	trial->measure_ns = finite_or_0(result->measure_ns);
	trial->driver_ns = finite_or_0(result->driver_ns);
	trial->total_ns = finite_or_0(result->total_ns);
}

static char *configuration_text(const struct kern_variant *variant, const uint16_t *indices)
{
	json_t *object = kern_configuration_to_json(variant, indices);
	char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return text;
}

int trial_record(struct db_trial *out, const struct trial_facts *facts)
{
	const struct kern_device *device = &facts->device->properties;
	const char *message = facts->result->message;
	*out = (struct db_trial){
		.job_id = facts->job_id,
		.device_id = facts->device->id,
		.environment_id = facts->environment_id,
		.problem_id = facts->problem_id,
		.variant_id = facts->variant_id,
		.configuration = configuration_text(facts->variant, facts->indices),
		.outcome = strdup(kern_outcome_name(facts->result->outcome)),
		.message = message[0] ? strdup(message) : NULL,
		.measured_at = (int64_t)time(NULL),
		.device = strdup(facts->device->name),
		.problem = strdup(facts->problem_text),
		.family = strdup(facts->variant->family),
		.variant = strdup(facts->variant->name),
		.spec_sha256 = strdup(facts->variant->spec_sha256),
		.source_sha256 = strdup(facts->variant->source_sha256),
		.driver = strdup(device->driver),
		.platform_version = strdup(device->platform_version),
	};
	fill_numbers(out, facts);
	bool whole = out->configuration && out->outcome && out->device && out->problem && out->family && out->variant &&
		     out->spec_sha256 && out->source_sha256 && out->driver && out->platform_version &&
		     (out->message || !message[0]);
	return whole ? 0 : -1;
}
