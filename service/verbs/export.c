/* Export: trials as a T4 document, a page at a time; oldest first. */
#include <stdlib.h>

#include "parameters.h"
#include "record_filter.h"
#include "store_reply.h"
#include "t4.h"

/* Some 5 MB: a reply stays far below what a client takes, and other replies wait no longer than a moment. */
#define PAGE 5000

struct exporting {
	struct svc_record_filter filter;
	int64_t after, last; /* trials: those behind it; the last that was looked at */
	size_t limit;
	json_t *results;
	bool full;
};

static void release(void *context)
{
	struct exporting *exporting = context;
	json_decref(exporting->results);
	free(exporting);
}

/* A damaged record is left out. */
static int on_trial(void *context, const struct db_trial *trial)
{
	struct exporting *exporting = context;
	if (json_array_size(exporting->results) == exporting->limit) {
		exporting->full = true;
		return 1;
	}
	exporting->last = trial->id;
	json_t *result = svc_record_filter_matches(&exporting->filter, trial) ? t4_result(trial) : NULL;
	if (result != NULL)
		json_array_append_new(exporting->results, result);
	return 0;
}

static json_t *read_page(struct db *db, void *context, struct mmt_error *error)
{
	struct exporting *exporting = context;
	struct db_trial_filter filter = {.device_id = exporting->filter.device_id, .after_id = exporting->after};
	json_array_clear(exporting->results); /* the store repeats what met a lock */
	exporting->full = false;
	if (db_trials(db, &filter, on_trial, exporting, error) != 0)
		return NULL;
	json_t *document = t4_document(db, exporting->results, error);
	if (document == NULL)
		return NULL;
	return json_pack("{s:o, s:o}", "document", document, "next",
			 exporting->full ? json_integer(exporting->last) : json_null());
}

static int read_parameters(struct svc_call *call, struct exporting *exporting, struct mmt_error *error)
{
	const json_t *parameters = svc_call_parameters(call);
	const char *device_name = NULL;
	int64_t limit = 0;
	const struct svc_parameter table[] = {
		{"device", SVC_STRING, SVC_OPTIONAL, &device_name},
		{"after", SVC_INTEGER, SVC_OPTIONAL, &exporting->after},
		{"limit", SVC_INTEGER, SVC_OPTIONAL, &limit},
		{0},
	};
	if (svc_parameters_read(parameters, table, SVC_WITH_PROBLEM, error) != 0)
		return -1;
	exporting->limit = limit == 0 || limit > PAGE ? PAGE : (size_t)limit;
	return svc_record_filter_init(&exporting->filter, svc_call_service(call), parameters, device_name, 0, error);
}

static void handle(struct service *service, struct svc_call *call)
{
	(void)service;
	struct mmt_error error;
	struct exporting *exporting = calloc(1, sizeof *exporting);
	if (exporting == NULL) {
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to export");
		svc_call_error(call, &error);
		return;
	}
	exporting->results = json_array();
	if (read_parameters(call, exporting, &error) != 0) {
		release(exporting);
		svc_call_error(call, &error);
		return;
	}
	svc_store_reply(call, read_page, exporting, release);
}

const struct svc_verb svc_verb_export = {
	.method = "org.mmtune.Tuner.Export",
	.needs_devices = true,
	.handle = handle,
};
