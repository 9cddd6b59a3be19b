/* server.h: the socket, its connections, and the calls on them.
 *
 * A connection is a stream of Varlink calls; replies go out in the order of
 * the calls. Slow, silent and hostile clients are bounded: message length,
 * number of connections, time for half a message, bytes waiting to be read.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_SERVER_H
#define MMT_SERVICE_SERVER_H

#include <jansson.h>

#include "service.h"

struct svc_call; /* one call being answered; freed by its last reply */

/* Listens on service->config.socket, or on descriptor 3 under socket activation. Takes the lock file first:
 * MMT_BUSY when another instance serves it. A dead socket file is replaced. */
struct svc_server *svc_server_create(struct service *service, struct mmt_error *error);
void svc_server_stop(struct svc_server *server); /* no new connections or calls */
/* Closes all, removes socket and lock; calls that are open lose their clients. NULL is
 * allowed. The memory is freed from the loop, which must run once more. */
void svc_server_destroy(struct svc_server *server);
void svc_server_resume(struct svc_server *server); /* an enumeration is over: runs held calls again */
size_t svc_server_clients(const struct svc_server *server);

struct service *svc_call_service(const struct svc_call *call);
const json_t *svc_call_parameters(const struct svc_call *call); /* an object; borrowed */
bool svc_call_more(const struct svc_call *call);
bool svc_call_is_oneway(const struct svc_call *call); /* its replies go nowhere */
bool svc_call_is_admin(const struct svc_call *call);
/* The raw bytes, for svc_answers_remember; borrowed for the length of the handler only. */
const char *svc_call_bytes(const struct svc_call *call, size_t *length);
/* Called when the client goes before the last reply, from the loop and never
 * from within another svc_call function; then the call must not be used again.
 * Without it the call stays valid and its replies go nowhere. */
void svc_call_on_gone(struct svc_call *call, void (*gone)(void *context), void *context);

/* Takes the reference. continues: more replies follow (only where the caller asked for more). */
void svc_call_reply(struct svc_call *call, json_t *parameters, bool continues);
void svc_call_reply_bytes(struct svc_call *call, const char *bytes,
			  size_t length);                                  /* a whole encoded message; copied */
void svc_call_error(struct svc_call *call, const struct mmt_error *error); /* org.mmtune.Tuner.NAME {"message": ...} */
/* An error of org.varlink.service with its one parameter: ("InvalidParameter", "parameter", "interface"). */
void svc_call_standard_error(struct svc_call *call, const char *name, const char *key, const char *value);
/* A reply as the bytes of a message (caller frees); takes the reference. NULL: no memory. */
char *svc_reply_encode(json_t *parameters, bool continues, size_t *length);
/* Bytes that the client has not taken yet: what need not be sent is left out above a few. */
size_t svc_call_waiting_bytes(const struct svc_call *call);

/* Runs the handler again when the enumeration under way is over; it returns right after this. */
void svc_call_hold(struct svc_call *call);
bool svc_call_was_held(const struct svc_call *call); /* this is that second run */

/* A method: one file verbs/NAME.c that ends in `const struct svc_verb svc_verb_NAME = {...};`. */
struct svc_verb {
	const char *method; /* "org.mmtune.Tuner.Query" */
	bool admin;         /* root, the service's user, the admin group only */
	bool needs_devices; /* held until the first enumeration is over */
	void (*handle)(struct service *service, struct svc_call *call);
};
extern const struct svc_verb *const svc_verbs[]; /* generated; NULL-terminated; service->verbs is it */

#endif
