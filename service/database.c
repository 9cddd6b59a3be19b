/* database.c: see database.h. */
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "paths.h"
#include "store.h"

#define DATABASE_FILE "mmtune.db"

/* Logged where it is news, and shown by Status. */
static void note(struct service *service, const char *text)
{
	if (service->database_note && strcmp(service->database_note, text) == 0)
		return;
	svc_log(4, "%s", text);
	free(service->database_note);
	service->database_note = strdup(text);
}

static void tell_opened(struct service *service, const struct db_opened *opened)
{
	char text[1024];
	if (opened->set_aside[0] == '\0')
		return;
	snprintf(text, sizeof text, "the database was damaged: set aside as %s, %llu rows salvaged", opened->set_aside,
		 (unsigned long long)opened->salvaged_rows);
	note(service, text);
}

int svc_database_open(struct service *service, struct mmt_error *error)
{
	struct db_opened opened = {0};
	struct mmt_error problem;
	char text[MMT_MESSAGE_BYTES + 64];
	free(service->database_path);
	free(service->database_note);
	service->database_note = NULL;
	service->in_memory = service->was_locked = service->out_of_place = false;
	service->database_path = svc_paths_join(service->config.state_directory, DATABASE_FILE, error);
	if (service->database_path == NULL)
		return -1;
	service->store = svc_store_create(service->loop, service->database_path, &opened, &problem);
	if (service->store != NULL) {
		tell_opened(service, &opened);
		return 0;
	}
	snprintf(text, sizeof text, "what is found now will not last: %s", problem.message);
	note(service, text);
	service->in_memory = true;
	service->was_locked = problem.code == MMT_BUSY;
	service->store = svc_store_create_in_memory(service->loop, service->database_path, &opened, error);
	return service->store != NULL ? 0 : -1;
}

bool svc_database_is_free(const struct service *service)
{
	return service->in_memory && service->was_locked && !db_is_locked(service->database_path);
}

/* ---- a file that goes ---- */

struct keeping {
	struct service *service;
	bool restored;
};

static int keep_work(struct db *db, void *context, struct mmt_error *error)
{
	struct keeping *keeping = context;
	return db_keep_place(db, &keeping->restored, error);
}

/* The file is where it was before the note: moved away, and back. */
static void take_note_back(struct service *service)
{
	svc_log(6, "the database is in its place again");
	free(service->database_note);
	service->database_note = NULL;
}

static void on_kept(void *context, int status, const struct mmt_error *error)
{
	struct keeping *keeping = context;
	struct service *service = keeping->service;
	if (status != 0)
		note(service, error->message);
	else if (keeping->restored)
		note(service, "the database was deleted while the service ran: it was written anew, whole");
	else if (service->out_of_place)
		take_note_back(service);
	service->out_of_place = status != 0;
	free(keeping);
}

void svc_database_keep(struct service *service)
{
	struct keeping *keeping = calloc(1, sizeof *keeping);
	if (!keeping)
		return;
	keeping->service = service;
	svc_store_post(service->store, keep_work, on_kept, keeping);
}
