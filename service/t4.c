/* t4.c: see t4.h. */
#include "t4.h"

#include <math.h>
#include <stdlib.h>

#include "records.h"
#include "trial.h"

#define NS_PER_MS 1e6

static const char *const invalidities[KERN_OUTCOME_COUNT] = {
	[KERN_OUTCOME_OK] = "correct",
	[KERN_OUTCOME_BUILD_FAILED] = "compile",
	[KERN_OUTCOME_LAUNCH_FAILED] = "runtime",
	[KERN_OUTCOME_WRONG_RESULT] = "correctness",
	[KERN_OUTCOME_TIMEOUT] = "timeout",
	[KERN_OUTCOME_CRASHED] = "runtime",
	[KERN_OUTCOME_OUT_OF_MEMORY] = "runtime",
	[KERN_OUTCOME_SKIPPED] = "constraints",
};

/* What was not measured is 0 in `times`, whose members are numbers. */
static double milliseconds(double ns)
{
	return isfinite(ns) ? ns / NS_PER_MS : 0;
}

static void add_measurement(json_t *measurements, const char *name, double value, const char *unit)
{
	if (isfinite(value))
		json_array_append_new(measurements,
				      json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit));
}

static json_t *measurements_of(const struct db_trial *trial)
{
	json_t *measurements = json_array();
	add_measurement(measurements, "time", trial->time_ns / NS_PER_MS, "ms");
	add_measurement(measurements, "minimum_time", trial->minimum_ns / NS_PER_MS, "ms");
	add_measurement(measurements, "spread", trial->spread, "");
	add_measurement(measurements, "GFLOP/s", trial->gflops, "GFLOP/s");
	add_measurement(measurements, "effective_bandwidth", trial->effective_gbps, "GB/s");
	add_measurement(measurements, "compulsory_bandwidth", trial->compulsory_gbps, "GB/s");
	add_measurement(measurements, "relative_error", trial->relative_error, "");
	return measurements;
}

/* framework: what is left of the whole. Each run is not kept, only their median: it stands for them. */
static json_t *times_of(const struct db_trial *trial)
{
	double build = milliseconds(trial->build_ns), verify = milliseconds(trial->verify_ns);
	double measure = milliseconds(trial->measure_ns), total = milliseconds(trial->total_ns);
	json_t *runtimes = json_array();
	if (isfinite(trial->time_ns) && trial->time_ns > 0)
		json_array_append_new(runtimes, json_real(milliseconds(trial->time_ns)));
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "compilation_time", build, "validation", verify, "benchmark",
			 measure, "framework", fmax(0, total - build - verify - measure), "search_algorithm", 0.0,
			 "runtimes", runtimes);
}

static json_t *extension_of(const struct db_trial *trial)
{
	json_t *problem = json_loads(trial->problem, 0, NULL);
	json_t *object = json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s}", "problem", problem, "variant",
				   trial->variant, "spec_sha256", trial->spec_sha256, "source_sha256",
				   trial->source_sha256, "device", trial->device, "driver", trial->driver,
				   "platform_version", trial->platform_version, "outcome", trial->outcome, "runs",
				   trial->runs, "message", trial->message != NULL ? trial->message : "");
	return object;
}

json_t *t4_result(const struct db_trial *trial)
{
	enum kern_outcome outcome;
	if (kern_outcome_parse(trial->outcome, &outcome, NULL) != 0)
		return NULL;
	return json_pack("{s:o, s:o, s:o, s:s, s:f, s:o, s:[s], s:o}", "timestamp",
			 svc_time_to_json(trial->measured_at), "configuration",
			 json_loads(trial->configuration, 0, NULL), "times", times_of(trial), "invalidity",
			 invalidities[outcome], "correctness", outcome == KERN_OUTCOME_OK ? 1.0 : 0.0, "measurements",
			 measurements_of(trial), "objectives", "time", "Mmtune", extension_of(trial));
}

static json_t *device_of(const struct db_device *device)
{
	json_t *properties = json_loads(device->properties, 0, NULL);
	return json_pack("{s:s, s:s, s:o}", "name", device->name, "fingerprint", device->fingerprint, "properties",
			 properties != NULL ? properties : json_null());
}

json_t *t4_document(struct db *db, json_t *results, struct mmt_error *error)
{
	struct db_device *devices = NULL;
	size_t count = 0;
	json_t *list = json_array();
	int status = db_devices(db, &devices, &count, error);
	for (size_t i = 0; i < count; i++) {
		if (status == 0)
			json_array_append_new(list, device_of(&devices[i]));
		db_device_finish(&devices[i]);
	}
	free(devices);
	if (status == 0)
		return json_pack("{s:s, s:O, s:{s:o}}", "schema_version", T4_SCHEMA_VERSION, "results", results,
				 "Mmtune", "devices", list);
	json_decref(list);
	return NULL;
}
