/* store_reply.c: see store_reply.h.
 *
 * The call registers no `gone`: it stays valid without its client, and its
 * reply then goes nowhere. */
#include "store_reply.h"

#include <stdlib.h>

struct pending {
	struct svc_call *call;
	svc_store_read *read;
	void *context;
	void (*release)(void *context);
	json_t *parameters;
};

static int run(struct db *db, void *context, struct mmt_error *error)
{
	struct pending *pending = context;
	pending->parameters = pending->read(db, pending->context, error);
	return pending->parameters != NULL ? 0 : -1;
}

static void done(void *context, int status, const struct mmt_error *error)
{
	struct pending *pending = context;
	if (pending->release != NULL)
		pending->release(pending->context);
	if (status == 0)
		svc_call_reply(pending->call, pending->parameters, false);
	else
		svc_call_error(pending->call, error);
	free(pending);
}

void svc_store_reply(struct svc_call *call, svc_store_read *read, void *context, void (*release)(void *context))
{
	struct pending *pending = malloc(sizeof *pending);
	if (pending == NULL) {
		struct mmt_error error;
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to read the database");
		if (release != NULL)
			release(context);
		svc_call_error(call, &error);
		return;
	}
	*pending = (struct pending){call, read, context, release, NULL};
	svc_store_post_read(svc_call_service(call)->store, run, done, pending);
}
