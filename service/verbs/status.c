/* Status: the service itself. */
#include <unistd.h>

#include "answers.h"
#include "devices.h"
#include "jobs.h"
#include "embedded.h"
#include "parameters.h"
#include "records.h"
#include "store_reply.h"

extern const struct mmt_embedded db_migrations[]; /* generated from db/migrations/ */

/* Each migration makes one version. */
static int schema_version(void)
{
	int version = 0;
	while (db_migrations[version].path != NULL)
		version++;
	return version;
}

static json_int_t resident_bytes(void)
{
	size_t bytes = 0;
	return uv_resident_set_memory(&bytes) == 0 ? (json_int_t)bytes : 0;
}

static json_int_t present_devices(const struct service *service)
{
	json_int_t present = 0;
	for (size_t i = 0; i < svc_devices_count(service->devices); i++)
		present += svc_devices_at(service->devices, i)->present;
	return present;
}

/* On the store's thread: adds what only the database knows. */
static json_t *add_counts(struct db *db, void *context, struct mmt_error *error)
{
	json_t *status = context;
	int64_t trials = 0;
	if (db_trial_count(db, &trials, error) != 0)
		return NULL;
	json_object_set_new(status, "trials", json_integer(trials));
	return json_incref(status);
}

static void release(void *context)
{
	json_decref(context);
}

static json_t *describe(const struct service *service)
{
	return json_pack("{s:s, s:i, s:o, s:s, s:s, s:s?, s:i, s:I, s:I, s:I, s:i, s:I, s:b, s:I}", "version",
			 MMTUNE_VERSION, "pid", (int)getpid(), "started_at", svc_time_to_json(service->started_at),
			 "socket", service->config.socket, "database", service->database_path, "database_note",
			 service->database_note, "schema_version", schema_version(), "devices",
			 present_devices(service), "clients", (json_int_t)svc_server_clients(service->server),
			 "answers", (json_int_t)svc_answers_count(service->answers), "trials", 0, "jobs_pending",
			 (json_int_t)svc_jobs_pending(service->jobs), "paused", svc_jobs_paused(service->jobs),
			 "resident_bytes", resident_bytes());
}

static void handle(struct service *service, struct svc_call *call)
{
	const struct svc_parameter table[] = {{0}};
	struct mmt_error error;
	json_t *status = NULL;
	if (svc_parameters_read(svc_call_parameters(call), table, SVC_NO_PROBLEM, &error) == 0) {
		status = describe(service);
		if (status == NULL)
			mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for the status");
	}
	if (status == NULL)
		svc_call_error(call, &error);
	else
		svc_store_reply(call, add_counts, status, release);
}

const struct svc_verb svc_verb_status = {
	.method = "org.mmtune.Tuner.Status",
	.handle = handle,
};
