/* prepared.h: replies kept as bytes, found by the bytes of the call.
 *
 * A hot query is the same bytes again and again: one hash and one comparison
 * answer it. Bounded in entries and bytes; when full, it starts afresh.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_PREPARED_H
#define MMT_SERVICE_PREPARED_H

#include <stddef.h>
#include <stdint.h>

#define PREPARED_ENTRIES     1024
#define PREPARED_SLOTS       2048 /* a power of two, at least twice the entries */
#define PREPARED_LIMIT_BYTES ((size_t)8 << 20)

struct prepared_entry {
	uint64_t hash;
	char *bytes; /* the call, then the reply; NULL: a free slot */
	size_t call_length, reply_length;
};

struct prepared {
	struct prepared_entry slots[PREPARED_SLOTS];
	size_t entries, bytes;
};

void prepared_init(struct prepared *prepared);
void prepared_clear(struct prepared *prepared); /* drops all; also how to finish it */
/* Borrowed until the next put or clear; NULL: unknown. */
const char *prepared_get(const struct prepared *prepared, const char *call, size_t call_length, size_t *length);
/* Copies both; without memory nothing is kept. */
void prepared_put(struct prepared *prepared, const char *call, size_t call_length, const char *reply, size_t length);

#endif
