/* store_reply.h: a reply that is read from the database.
 *
 * The read runs on the store's thread and makes the reply's parameters; the
 * reply goes out on the loop. The client may go meanwhile.
 *
 * Thread: call it on the loop's; read runs on the store's. */
#ifndef MMT_SERVICE_STORE_REPLY_H
#define MMT_SERVICE_STORE_REPLY_H

#include <jansson.h>

#include "server.h"
#include "store.h"

/* Returns the reply's parameters (a new reference), or NULL and *error. */
typedef json_t *svc_store_read(struct db *db, void *context, struct mmt_error *error);

/* release frees the context, on the loop, when the read is done; NULL: nothing to free. */
void svc_store_reply(struct svc_call *call, svc_store_read *read, void *context, void (*release)(void *context));

#endif
