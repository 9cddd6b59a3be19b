/* wire.h: Varlink's framing: JSON messages, each ended by a NUL byte.
 *
 * The reader is fed bytes as they come and hands out whole messages. It never
 * holds more than its limit: a peer that sends more without a NUL is an error,
 * found after at most `limit` bytes. Used by the client, the service and the
 * pipe between service and worker.
 *
 * Thread: one reader belongs to one thread. */
#ifndef MMT_WIRE_H
#define MMT_WIRE_H

#include <jansson.h>
#include <stddef.h>

#include "mmtune/error.h"

#define WIRE_CALL_LIMIT_BYTES  ((size_t)1 << 20)  /* a call to the service */
#define WIRE_REPLY_LIMIT_BYTES ((size_t)64 << 20) /* a reply (export, source) */

struct wire_reader {
	char *data;
	size_t capacity, used, start; /* unread bytes: data[start ... used) */
	size_t scanned;               /* no NUL in data[start ... scanned) */
	size_t limit;
};

void wire_reader_init(struct wire_reader *reader, size_t limit_bytes);
void wire_reader_finish(struct wire_reader *reader);

/* Space of at least `want` bytes to read into; tell how many came with
 * wire_reader_commit. NULL and *error (MMT_PROTOCOL over the limit,
 * MMT_NO_MEMORY). Borrowed until the next call on the reader. */
char *wire_reader_reserve(struct wire_reader *reader, size_t want, struct mmt_error *error);
void wire_reader_commit(struct wire_reader *reader, size_t came);

/* The next whole message, NUL-terminated, its length without the NUL in
 * *length; NULL when there is none yet. Borrowed until the next reserve. */
char *wire_reader_next(struct wire_reader *reader, size_t *length);

/* The message's bytes with the final NUL (caller frees), its length with the
 * NUL in *length; NULL when memory ran out. Compact, keys in insertion order. */
char *wire_encode(const json_t *message, size_t *length);

/* Parses one message: an object, no duplicate keys, nesting at most 64.
 * NULL with MMT_PROTOCOL and the position on anything else. */
json_t *wire_decode(const char *message, size_t length, struct mmt_error *error);

/* Blocking, for the client and the worker: one whole message to or from a
 * descriptor. timeout_ms -1 waits for ever. wire_receive gives 0 with *out
 * NULL at a clean end of stream. Errors: MMT_UNREACHABLE (peer gone),
 * MMT_TIMED_OUT, MMT_PROTOCOL, MMT_SYSTEM. */
int wire_send(int fd, const json_t *message, struct mmt_error *error);
int wire_receive(int fd, struct wire_reader *reader, int timeout_ms, json_t **out, struct mmt_error *error);

#endif
