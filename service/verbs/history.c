/* History: what became the best and when, or every trial; newest first. */
#include <stdlib.h>
#include <string.h>

#include "parameters.h"
#include "record_filter.h"
#include "records.h"
#include "store_reply.h"

#define DEFAULT_LIMIT 50
#define LARGEST_LIMIT 100000

struct reading {
	json_t *entries;
	struct svc_record_filter filter;
	size_t limit;
};

static void release(void *context)
{
	struct reading *reading = context;
	json_decref(reading->entries);
	free(reading);
}

/* Takes the reference; non-zero when there are enough. */
static int append(struct reading *reading, json_t *entry)
{
	json_array_append_new(reading->entries, entry);
	return json_array_size(reading->entries) >= reading->limit;
}

static int on_trial(void *context, const struct db_trial *trial)
{
	struct reading *reading = context;
	return svc_record_filter_matches(&reading->filter, trial) ? append(reading, svc_trial_to_json(trial)) : 0;
}

static int on_promotion(void *context, const struct db_promotion *promotion)
{
	struct reading *reading = context;
	if (!svc_record_filter_matches(&reading->filter, promotion->trial))
		return 0;
	json_t *entry = svc_trial_to_json(promotion->trial);
	json_object_set_new(entry, "promoted_at", svc_time_to_json(promotion->promoted_at));
	json_object_set_new(entry, "withdrawn_at", svc_time_to_json(promotion->withdrawn_at));
	json_object_set_new(entry, "reason", json_string(promotion->reason));
	return append(reading, entry);
}

static json_t *read_trials(struct db *db, void *context, struct mmt_error *error)
{
	struct reading *reading = context;
	struct db_trial_filter filter = {
		.device_id = reading->filter.device_id,
		.job_id = reading->filter.job_id,
		.newest_first = true,
	};
	if (db_trials(db, &filter, on_trial, reading, error) != 0)
		return NULL;
	return json_pack("{s:O}", "entries", reading->entries);
}

static json_t *read_promotions(struct db *db, void *context, struct mmt_error *error)
{
	struct reading *reading = context;
	if (db_history(db, reading->filter.device_id, 0, 0, on_promotion, reading, error) != 0)
		return NULL;
	return json_pack("{s:O}", "entries", reading->entries);
}

static int read_parameters(struct svc_call *call, struct reading *reading, svc_store_read **read,
			   struct mmt_error *error)
{
	const json_t *parameters = svc_call_parameters(call);
	const char *device_name = NULL, *what = "promotions";
	int64_t limit = DEFAULT_LIMIT, job_id = 0;
	const struct svc_parameter table[] = {
		{"device", SVC_STRING, SVC_OPTIONAL, &device_name},
		{"what", SVC_STRING, SVC_OPTIONAL, &what},
		{"job", SVC_INTEGER, SVC_OPTIONAL, &job_id},
		{"limit", SVC_INTEGER, SVC_OPTIONAL, &limit},
		{0},
	};
	if (svc_parameters_read(parameters, table, SVC_WITH_PROBLEM, error) != 0)
		return -1;
	if (strcmp(what, "promotions") != 0 && strcmp(what, "trials") != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "what: '%.200s' is neither promotions nor trials",
				     what);
	*read = strcmp(what, "trials") == 0 ? read_trials : read_promotions;
	reading->limit = limit == 0 || limit > LARGEST_LIMIT ? LARGEST_LIMIT : (size_t)limit;
	return svc_record_filter_init(&reading->filter, svc_call_service(call), parameters, device_name, job_id, error);
}

static void handle(struct service *service, struct svc_call *call)
{
	(void)service;
	struct mmt_error error;
	svc_store_read *read = NULL;
	struct reading *reading = calloc(1, sizeof *reading);
	if (reading == NULL) {
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to read the history");
		svc_call_error(call, &error);
		return;
	}
	reading->entries = json_array();
	if (read_parameters(call, reading, &read, &error) != 0) {
		release(reading);
		svc_call_error(call, &error);
		return;
	}
	svc_store_reply(call, read, reading, release);
}

const struct svc_verb svc_verb_history = {
	.method = "org.mmtune.Tuner.History",
	.needs_devices = true,
	.handle = handle,
};
