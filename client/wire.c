/* wire.c: see wire.h. */
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SMALLEST_BUFFER_BYTES ((size_t)4096)
#define KEPT_BUFFER_BYTES     ((size_t)64 << 10) /* an empty reader gives back more than this */
#define READ_BYTES            ((size_t)64 << 10)
#define NESTING_LIMIT         64

void wire_reader_init(struct wire_reader *reader, size_t limit_bytes)
{
	*reader = (struct wire_reader){.limit = limit_bytes};
}

void wire_reader_finish(struct wire_reader *reader)
{
	free(reader->data);
	*reader = (struct wire_reader){.limit = reader->limit};
}

/* Moves the unread bytes to the front of the buffer. */
static void compact(struct wire_reader *reader)
{
	if (reader->start == 0)
		return;
	memmove(reader->data, reader->data + reader->start, reader->used - reader->start);
	reader->used -= reader->start;
	reader->scanned -= reader->start;
	reader->start = 0;
}

char *wire_reader_reserve(struct wire_reader *reader, size_t want, struct mmt_error *error)
{
	compact(reader);
	if (reader->used >= reader->limit && reader->scanned == reader->used) {
		mmt_error_set(error, MMT_PROTOCOL, 0, "a message is longer than %zu bytes", reader->limit);
		return NULL;
	}
	if (want > SIZE_MAX / 4 - reader->used) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a message of %zu bytes", want);
		return NULL;
	}
	size_t need = reader->used + want;
	bool idle = reader->used == 0 && reader->capacity > KEPT_BUFFER_BYTES && need <= KEPT_BUFFER_BYTES;
	if (need <= reader->capacity && !idle)
		return reader->data + reader->used;
	size_t capacity = idle ? KEPT_BUFFER_BYTES : SMALLEST_BUFFER_BYTES;
	while (capacity < need)
		capacity *= 2;
	char *data = realloc(reader->data, capacity);
	if (data == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a message of %zu bytes", need);
		return NULL;
	}
	reader->data = data;
	reader->capacity = capacity;
	return data + reader->used;
}

void wire_reader_commit(struct wire_reader *reader, size_t came)
{
	reader->used += came;
}

char *wire_reader_next(struct wire_reader *reader, size_t *length)
{
	if (reader->scanned == reader->used)
		return NULL;
	char *message = reader->data + reader->start;
	char *end = memchr(reader->data + reader->scanned, '\0', reader->used - reader->scanned);
	if (end == NULL) {
		reader->scanned = reader->used;
		return NULL;
	}
	*length = (size_t)(end - message);
	reader->start = reader->scanned = (size_t)(end + 1 - reader->data);
	return message;
}

char *wire_encode(const json_t *message, size_t *length)
{
	/* A NUL within a string is written as \u0000: the only NUL is the last. */
	char *text = json_dumps(message, JSON_COMPACT);
	if (text != NULL)
		*length = strlen(text) + 1;
	return text;
}

/* Whether brackets nest deeper than the limit, strings skipped. */
static bool nests_too_deep(const char *message, size_t length)
{
	int depth = 0;
	bool in_string = false;
	for (size_t i = 0; i < length; i++) {
		char c = message[i];
		if (in_string) {
			i += c == '\\';
			in_string = c != '"';
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			if (++depth > NESTING_LIMIT)
				return true;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return false;
}

json_t *wire_decode(const char *message, size_t length, struct mmt_error *error)
{
	if (nests_too_deep(message, length)) {
		mmt_error_set(error, MMT_PROTOCOL, 0, "a message nests deeper than %d", NESTING_LIMIT);
		return NULL;
	}
	json_error_t where;
	json_t *object = json_loadb(message, length, JSON_REJECT_DUPLICATES, &where);
	if (object == NULL) {
		mmt_error_set(error, json_error_code(&where) == json_error_out_of_memory ? MMT_NO_MEMORY : MMT_PROTOCOL,
			      0, "a message is not JSON: byte %d: %s", where.position, where.text);
		return NULL;
	}
	if (!json_is_object(object)) {
		json_decref(object);
		mmt_error_set(error, MMT_PROTOCOL, 0, "a message is not a JSON object");
		return NULL;
	}
	return object;
}

static bool peer_is_gone(int number)
{
	return number == EPIPE || number == ECONNRESET;
}

int wire_send(int fd, const json_t *message, struct mmt_error *error)
{
	size_t length = 0;
	char *text = wire_encode(message, &length);
	if (text == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory to encode a message");
	int status = 0;
	for (size_t sent = 0; sent < length;) {
		ssize_t wrote = send(fd, text + sent, length - sent, MSG_NOSIGNAL);
		if (wrote >= 0) {
			sent += (size_t)wrote;
		} else if (peer_is_gone(errno)) {
			status = mmt_error_set(error, MMT_UNREACHABLE, errno, "the peer closed the connection");
			break;
		} else if (errno != EINTR) {
			status = mmt_error_errno(error, "cannot send a message");
			break;
		}
	}
	free(text);
	return status;
}

static int64_t now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Waits until fd is readable; deadline_ms is a time of now_ms. */
static int wait_readable(int fd, int64_t deadline_ms, struct mmt_error *error)
{
	struct pollfd waited = {.fd = fd, .events = POLLIN};
	for (;;) {
		int64_t left = deadline_ms - now_ms();
		int ready = poll(&waited, 1, left > 0 ? (int)left : 0);
		if (ready > 0)
			return 0;
		if (ready == 0)
			return mmt_error_set(error, MMT_TIMED_OUT, 0, "no message came in time");
		if (errno != EINTR)
			return mmt_error_errno(error, "cannot wait for a message");
	}
}

/* Reads once. 1: bytes came; 0: end of stream; -1. */
static int fill(int fd, struct wire_reader *reader, struct mmt_error *error)
{
	char *space = wire_reader_reserve(reader, READ_BYTES, error);
	if (space == NULL)
		return -1;
	ssize_t came;
	do
		came = read(fd, space, READ_BYTES);
	while (came < 0 && errno == EINTR);
	if (came < 0 && peer_is_gone(errno))
		return mmt_error_set(error, MMT_UNREACHABLE, errno, "the peer closed the connection");
	if (came < 0)
		return mmt_error_errno(error, "cannot receive a message");
	wire_reader_commit(reader, (size_t)came);
	return came > 0;
}

int wire_receive(int fd, struct wire_reader *reader, int timeout_ms, json_t **out, struct mmt_error *error)
{
	*out = NULL;
	int64_t deadline_ms = timeout_ms < 0 ? 0 : now_ms() + timeout_ms;
	for (;;) {
		size_t length;
		char *message = wire_reader_next(reader, &length);
		if (message != NULL) {
			*out = wire_decode(message, length, error);
			return *out != NULL ? 0 : -1;
		}
		if (timeout_ms >= 0 && wait_readable(fd, deadline_ms, error) != 0)
			return -1;
		int came = fill(fd, reader, error);
		if (came < 0)
			return -1;
		if (came == 0 && reader->used > reader->start)
			return mmt_error_set(error, MMT_PROTOCOL, 0, "the stream ended within a message");
		if (came == 0)
			return 0;
	}
}
