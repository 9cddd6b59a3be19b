/* connection.c: see connection.h.
 *
 * The hot path is on_read, serve, svc_answers_recall, uv_try_write: one hash
 * look-up between two system calls, and no allocation. */
#include "connection.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "call.h"

#define FIRST_READ_BYTES ((size_t)4096)     /* most calls fit; an idle connection holds no more */
#define LONG_READ_BYTES  ((size_t)64 << 10) /* once a message proves long */

struct written { /* a write that the socket did not take at once */
	uv_write_t request;
	char *owned;
	char copy[];
};

static void settle(struct svc_connection *connection);

static int descriptor_of(const struct svc_connection *connection)
{
	uv_os_fd_t descriptor = -1;
	uv_fileno((const uv_handle_t *)&connection->pipe, &descriptor);
	return descriptor;
}

static size_t unread_bytes(const struct svc_connection *connection)
{
	return connection->reader.used - connection->reader.start;
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct svc_connection *connection = handle->data;
	if (--connection->open_handles > 0)
		return;
	svc_connection_abandon(connection);
	if (connection->closed != NULL)
		connection->closed(connection->owner, connection);
	wire_reader_finish(&connection->reader);
	free(connection);
}

void svc_connection_drop(struct svc_connection *connection)
{
	if (connection->closing)
		return;
	connection->closing = true;
	uv_close((uv_handle_t *)&connection->pipe, on_handle_closed);
	uv_close((uv_handle_t *)&connection->half_sent, on_handle_closed);
}

void svc_connection_abandon(struct svc_connection *connection)
{
	svc_connection_drop(connection);
	struct svc_call *call = connection->call;
	connection->call = NULL;
	if (call != NULL)
		svc_call_client_gone(call);
}

void svc_connection_end(struct svc_connection *connection)
{
	connection->ended = true;
	wire_reader_finish(&connection->reader);
	settle(connection);
}

void svc_connection_stop(struct svc_connection *connection)
{
	connection->stopped = true;
	settle(connection);
}

size_t svc_connection_waiting_bytes(const struct svc_connection *connection)
{
	return uv_stream_get_write_queue_size((const uv_stream_t *)&connection->pipe);
}

bool svc_connection_is_admin(struct svc_connection *connection)
{
	return !connection->closing &&
	       svc_peer_is_admin(&connection->peer, descriptor_of(connection), connection->service->config.admin_group);
}

/* ---- out ---- */

static void serve(struct svc_connection *connection);

static void on_written(uv_write_t *request, int status)
{
	struct written *written = (struct written *)request;
	struct svc_connection *connection = request->handle->data;
	free(written->owned);
	free(written);
	if (status < 0)
		svc_connection_drop(connection);
	else
		serve(connection);
}

/* Leaves the bytes to the loop. Takes owned; without it the bytes are copied. */
static void send_later(struct svc_connection *connection, const char *bytes, size_t length, char *owned)
{
	struct written *written = malloc(sizeof *written + (owned == NULL ? length : 0));
	if (written == NULL) {
		free(owned);
		svc_connection_drop(connection);
		return;
	}
	written->owned = owned;
	if (owned == NULL)
		bytes = memcpy(written->copy, bytes, length);
	uv_buf_t buffer = {.base = (char *)bytes, .len = length};
	if (uv_write(&written->request, (uv_stream_t *)&connection->pipe, &buffer, 1, on_written) != 0) {
		free(owned);
		free(written);
		svc_connection_drop(connection);
	}
}

void svc_connection_send(struct svc_connection *connection, const char *bytes, size_t length, char *owned)
{
	bool refused = connection->closing;
	if (!refused && svc_connection_waiting_bytes(connection) > SVC_UNREAD_BYTES) {
		svc_log(5, "a client of user %ld does not read its replies: dropped", (long)connection->peer.user);
		refused = true;
	}
	int sent = 0;
	if (!refused) {
		uv_buf_t buffer = {.base = (char *)bytes, .len = length};
		sent = uv_try_write((uv_stream_t *)&connection->pipe, &buffer, 1);
		if (sent == UV_EAGAIN)
			sent = 0;
		refused = sent < 0;
	}
	if (refused) {
		free(owned);
		svc_connection_drop(connection);
	} else if ((size_t)sent < length) {
		send_later(connection, bytes + sent, length - (size_t)sent, owned);
	} else {
		free(owned);
	}
}

/* ---- in ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)suggested;
	struct svc_connection *connection = handle->data;
	size_t want = unread_bytes(connection) < FIRST_READ_BYTES ? FIRST_READ_BYTES : LONG_READ_BYTES;
	buffer->base = wire_reader_reserve(&connection->reader, want, NULL);
	buffer->len = buffer->base != NULL ? want : 0; /* over the limit, or no memory: on_read gets UV_ENOBUFS */
}

/* The reader gave no space: asks it again for the reason. */
static void refuse_more(struct svc_connection *connection)
{
	struct mmt_error error;
	if (wire_reader_reserve(&connection->reader, FIRST_READ_BYTES, &error) == NULL)
		svc_connection_refuse(connection, &error);
}

/* The other end is closed, not only its sending half: nobody is left to answer. */
static bool is_hung_up(const struct svc_connection *connection)
{
	struct pollfd polled = {.fd = descriptor_of(connection), .events = POLLIN};
	return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLHUP | POLLERR)) != 0;
}

static void on_read(uv_stream_t *stream, ssize_t came, const uv_buf_t *buffer)
{
	(void)buffer;
	struct svc_connection *connection = stream->data;
	if (came > 0) {
		wire_reader_commit(&connection->reader, (size_t)came);
		serve(connection);
	} else if (came == UV_EOF && !is_hung_up(connection)) {
		connection->ended = true;
		serve(connection);
	} else if (came == UV_ENOBUFS) {
		refuse_more(connection);
	} else if (came < 0) {
		svc_connection_drop(connection);
	}
}

static void on_half_sent_too_long(uv_timer_t *timer)
{
	struct svc_connection *connection = timer->data;
	struct mmt_error error;
	mmt_error_set(&error, MMT_TIMED_OUT, 0, "a call was left half sent for %lld seconds",
		      (long long)connection->service->config.client_timeout_s);
	svc_connection_refuse(connection, &error);
}

/* Starts or stops reading and the timer for half a message as the state asks; closes what is finished. */
static void settle(struct svc_connection *connection)
{
	if (connection->closing || connection->serving)
		return;
	size_t waiting = svc_connection_waiting_bytes(connection);
	bool paused = waiting > SVC_PAUSE_BYTES;
	bool idle = connection->call == NULL;
	if (idle && waiting == 0 && (connection->ended || connection->stopped)) {
		svc_connection_drop(connection);
		return;
	}
	bool full = !idle && unread_bytes(connection) > SVC_HELD_BYTES;
	bool reads = !paused && !full && !connection->ended && !connection->stopped;
	if (reads != connection->reading) {
		connection->reading = reads;
		if (reads)
			uv_read_start((uv_stream_t *)&connection->pipe, on_alloc, on_read);
		else
			uv_read_stop((uv_stream_t *)&connection->pipe);
	}
	bool half = reads && idle && unread_bytes(connection) > 0;
	if (half != (uv_is_active((const uv_handle_t *)&connection->half_sent) != 0)) {
		if (half)
			uv_timer_start(&connection->half_sent, on_half_sent_too_long,
				       (uint64_t)connection->service->config.client_timeout_s * 1000, 0);
		else
			uv_timer_stop(&connection->half_sent);
	}
}

/* One message: from the prepared replies if it was asked before, else as a call. */
static void serve_message(struct svc_connection *connection, char *message, size_t length)
{
	struct svc_answers *answers = connection->service->answers;
	size_t reply_length = 0;
	const char *reply = answers != NULL ? svc_answers_recall(answers, message, length, &reply_length) : NULL;
	if (reply != NULL) {
		svc_connection_send(connection, reply, reply_length, NULL);
		return;
	}
	struct mmt_error error;
	if (length > connection->reader.limit) {
		mmt_error_set(&error, MMT_PROTOCOL, 0, "a message is longer than %zu bytes", connection->reader.limit);
		svc_connection_refuse(connection, &error);
	} else if (svc_call_begin(connection, message, length, &error) != 0) {
		svc_connection_refuse(connection, &error);
	}
}

static void serve(struct svc_connection *connection)
{
	if (connection->serving)
		return;
	connection->serving = true;
	while (connection->call == NULL && !connection->closing && !connection->stopped &&
	       svc_connection_waiting_bytes(connection) <= SVC_PAUSE_BYTES) {
		size_t length;
		char *message = wire_reader_next(&connection->reader, &length);
		if (message == NULL)
			break;
		if (uv_is_active((const uv_handle_t *)&connection->half_sent)) /* the next half has its own time */
			uv_timer_stop(&connection->half_sent);
		serve_message(connection, message, length);
	}
	connection->serving = false;
	if (unread_bytes(connection) == 0 && connection->reader.capacity > LONG_READ_BYTES)
		wire_reader_finish(&connection->reader);
	settle(connection);
}

void svc_connection_answered(struct svc_connection *connection)
{
	connection->call = NULL;
	serve(connection);
}

/* ---- life ---- */

struct svc_connection *svc_connection_create(struct service *service, uv_stream_t *listener)
{
	struct svc_connection *connection = calloc(1, sizeof *connection);
	if (connection == NULL)
		return NULL;
	connection->service = service;
	wire_reader_init(&connection->reader, (size_t)service->config.max_message_bytes);
	uv_pipe_init(service->loop, &connection->pipe, 0);
	uv_timer_init(service->loop, &connection->half_sent);
	connection->pipe.data = connection->half_sent.data = connection;
	connection->open_handles = 2;
	if (uv_accept(listener, (uv_stream_t *)&connection->pipe) != 0) {
		svc_connection_drop(connection);
		return NULL;
	}
	svc_peer_init(&connection->peer, descriptor_of(connection));
	return connection;
}

void svc_connection_start(struct svc_connection *connection, svc_connection_closed *closed, void *owner)
{
	connection->closed = closed;
	connection->owner = owner;
	settle(connection);
}
