/* connection.h: one client: its bytes in, its bytes out, and their bounds.
 *
 *	open --end of stream, or end()--> ended: no more is read; what was asked is still answered
 *	open, ended --all answered and sent; drop()--> closing --uv's close--> gone (freed)
 *
 * One call at a time is answered; while it is, the next ones wait in the
 * reader, so replies are in the order of the calls. Reading stops while the
 * client leaves more than SVC_PAUSE_BYTES of replies unread, and it is dropped
 * when another reply comes on top of SVC_UNREAD_BYTES. Half a message may
 * stand for client_timeout_s.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_CONNECTION_H
#define MMT_SERVICE_CONNECTION_H

#include "peer.h"
#include "service.h"
#include "wire.h"

#define SVC_PAUSE_BYTES  ((size_t)256 << 10)
#define SVC_UNREAD_BYTES ((size_t)8 << 20)
#define SVC_HELD_BYTES   ((size_t)64 << 10) /* of further calls, while one is answered */

struct svc_call;
struct svc_connection;

/* The connection's memory goes right after this. */
typedef void svc_connection_closed(void *owner, struct svc_connection *connection);

struct svc_connection {
	uv_pipe_t pipe;
	uv_timer_t half_sent; /* runs while half a message stands */
	unsigned open_handles;
	struct service *service;
	struct svc_connection *previous, *next; /* the owner's list */
	svc_connection_closed *closed;
	void *owner;
	struct wire_reader reader;
	struct svc_call *call; /* being answered; NULL: none */
	struct svc_peer peer;
	bool reading, serving, stopped, ended, closing;
};

/* Accepts; NULL when that fails (nothing to be done about it: the client went, or memory did). */
struct svc_connection *svc_connection_create(struct service *service, uv_stream_t *listener);
/* Serves it; closed is called at its end. One that is not started is dropped, and frees itself. */
void svc_connection_start(struct svc_connection *connection, svc_connection_closed *closed, void *owner);
void svc_connection_end(struct svc_connection *connection);     /* closes when all is sent; reads no more */
void svc_connection_stop(struct svc_connection *connection);    /* takes no more calls; closes now if none is open */
void svc_connection_drop(struct svc_connection *connection);    /* closes now; a call's gone is called from the loop */
void svc_connection_abandon(struct svc_connection *connection); /* closes now; a call's gone is called at once */

/* Sends a whole message. owned: the block that holds the bytes, freed when sent; NULL: bytes are
 * copied where they cannot be sent at once. */
void svc_connection_send(struct svc_connection *connection, const char *bytes, size_t length, char *owned);
size_t svc_connection_waiting_bytes(const struct svc_connection *connection);
/* The call is answered: goes on with the next one. */
void svc_connection_answered(struct svc_connection *connection);
bool svc_connection_is_admin(struct svc_connection *connection);

#endif
