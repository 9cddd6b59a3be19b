/* call.h: one call: read, checked, handed to its method. The methods' side of
 * it is server.h; this is the connection's.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_CALL_H
#define MMT_SERVICE_CALL_H

#include "connection.h"
#include "server.h"

/* Reads a call and runs its method; what is wrong with the call is replied. -1 where the bytes
 * are no call at all: the connection has to end. */
int svc_call_begin(struct svc_connection *connection, const char *bytes, size_t length, struct mmt_error *error);
bool svc_call_is_held(const struct svc_call *call);
void svc_call_run_again(struct svc_call *call); /* a held one */
void svc_call_client_gone(struct svc_call *call);

/* Tells why, and ends the connection: what came cannot be told apart from what follows it. */
void svc_connection_refuse(struct svc_connection *connection, const struct mmt_error *error);

#endif
