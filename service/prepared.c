/* prepared.c: see prepared.h. An open hash table that is never more than half full. Thread: the loop's. */
#include "prepared.h"

#include <stdlib.h>
#include <string.h>

void prepared_init(struct prepared *prepared)
{
	memset(prepared, 0, sizeof *prepared);
}

void prepared_clear(struct prepared *prepared)
{
	for (size_t i = 0; i < PREPARED_SLOTS; i++)
		free(prepared->slots[i].bytes);
	prepared_init(prepared);
}

/* FNV-1a, Fowler, Noll and Vo: the calls are short, and at most PREPARED_ENTRIES are compared in the worst case */
static uint64_t hash_of(const char *bytes, size_t count)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return hash;
}

static size_t slot_of(const struct prepared *prepared, uint64_t hash, const char *call, size_t call_length)
{
	size_t slot = hash & (PREPARED_SLOTS - 1);
	for (;; slot = (slot + 1) & (PREPARED_SLOTS - 1)) {
		const struct prepared_entry *entry = &prepared->slots[slot];
		if (!entry->bytes || (entry->hash == hash && entry->call_length == call_length &&
				      memcmp(entry->bytes, call, call_length) == 0))
			return slot;
	}
}

const char *prepared_get(const struct prepared *prepared, const char *call, size_t call_length, size_t *length)
{
	const struct prepared_entry *entry =
		&prepared->slots[slot_of(prepared, hash_of(call, call_length), call, call_length)];
	if (!entry->bytes)
		return NULL;
	*length = entry->reply_length;
	return entry->bytes + entry->call_length;
}

void prepared_put(struct prepared *prepared, const char *call, size_t call_length, const char *reply, size_t length)
{
	size_t bytes = call_length + length;
	if (bytes > PREPARED_LIMIT_BYTES / 8)
		return;
	if (prepared->entries >= PREPARED_ENTRIES || prepared->bytes + bytes > PREPARED_LIMIT_BYTES)
		prepared_clear(prepared);
	char *copy = malloc(bytes + 1); /* never of size 0 */
	if (!copy)
		return;
	memcpy(copy, call, call_length);
	memcpy(copy + call_length, reply, length);
	uint64_t hash = hash_of(call, call_length);
	struct prepared_entry *entry = &prepared->slots[slot_of(prepared, hash, call, call_length)];
	if (entry->bytes) {
		prepared->bytes -= entry->call_length + entry->reply_length;
		free(entry->bytes);
	} else {
		prepared->entries++;
	}
	*entry = (struct prepared_entry){hash, copy, call_length, length};
	prepared->bytes += bytes;
}
