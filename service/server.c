/* server.c: the listening socket and the list of connections. See server.h. */
#include "server.h"

#include <stdlib.h>

#include "call.h"
#include "connection.h"
#include "listen.h"

#define BACKLOG 512 /* clients that connect in the same moment; the kernel's limit may be lower */

struct svc_server {
	uv_pipe_t listener;
	struct service *service;
	struct svc_lock lock;
	struct svc_connection *first;
	size_t clients; /* being served, without those that are refused */
	bool stopped, destroyed, listener_open;
};

/* When everything that belongs to the server is closed: the last one out frees it. */
static void free_when_closed(struct svc_server *server)
{
	if (server->destroyed && !server->listener_open && server->first == NULL)
		free(server);
}

static void on_connection_closed(void *owner, struct svc_connection *connection)
{
	struct svc_server *server = owner;
	if (connection->previous != NULL)
		connection->previous->next = connection->next;
	else
		server->first = connection->next;
	if (connection->next != NULL)
		connection->next->previous = connection->previous;
	server->clients--;
	free_when_closed(server);
}

static void link_connection(struct svc_server *server, struct svc_connection *connection)
{
	connection->next = server->first;
	if (server->first != NULL)
		server->first->previous = connection;
	server->first = connection;
	server->clients++;
}

/* How many connections one user has who is no administrator. */
static size_t clients_of(const struct svc_server *server, uid_t user)
{
	size_t count = 0;
	for (const struct svc_connection *each = server->first; each != NULL; each = each->next)
		count += each->peer.user == user;
	return count;
}

/* Whether there is room for one more: in all, and, so that no user can shut out the others, half
 * of it for one who may only ask. */
static bool has_room(const struct svc_server *server, struct svc_connection *connection)
{
	size_t limit = (size_t)server->service->config.max_clients;
	if (server->clients >= limit)
		return false;
	return server->clients < (limit + 1) / 2 || clients_of(server, connection->peer.user) < (limit + 1) / 2 ||
	       svc_connection_is_admin(connection);
}

static void refuse(struct svc_connection *connection)
{
	struct mmt_error error;
	mmt_error_set(&error, MMT_BUSY, 0, "too many connections: the limit is %lld (max_clients)",
		      (long long)connection->service->config.max_clients);
	svc_connection_refuse(connection, &error);
	svc_connection_drop(connection);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct svc_server *server = listener->data;
	if (status != 0) {
		svc_log(4, "cannot accept a connection: %s", uv_strerror(status));
		return;
	}
	struct svc_connection *connection = svc_connection_create(server->service, listener);
	if (connection == NULL)
		return;
	if (!has_room(server, connection)) {
		refuse(connection);
		return;
	}
	link_connection(server, connection);
	svc_connection_start(connection, on_connection_closed, server);
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct svc_server *server = handle->data;
	server->listener_open = false;
	free_when_closed(server);
}

static void close_listener(struct svc_server *server)
{
	if (!uv_is_closing((const uv_handle_t *)&server->listener))
		uv_close((uv_handle_t *)&server->listener, on_listener_closed); /* removes the socket, if it is ours */
}

struct svc_server *svc_server_create(struct service *service, struct mmt_error *error)
{
	struct svc_server *server = calloc(1, sizeof *server);
	if (server == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the server");
		return NULL;
	}
	server->service = service;
	uv_pipe_init(service->loop, &server->listener, 0);
	server->listener.data = server;
	server->listener_open = true;

	struct svc_socket socket = {service->config.socket, service->user_instance};
	if (svc_socket_open(&server->listener, &socket, &server->lock, error) != 0)
		goto out;
	int status = uv_listen((uv_stream_t *)&server->listener, BACKLOG, on_connection);
	if (status == 0)
		return server;
	mmt_error_set(error, MMT_SYSTEM, -status, "cannot listen on %s: %s", service->config.socket,
		      uv_strerror(status));
out:
	svc_server_destroy(server);
	return NULL;
}

void svc_server_stop(struct svc_server *server)
{
	if (server->stopped)
		return;
	server->stopped = true;
	close_listener(server);
	for (struct svc_connection *each = server->first; each != NULL; each = each->next)
		svc_connection_stop(each);
}

void svc_server_destroy(struct svc_server *server)
{
	if (server == NULL)
		return;
	server->destroyed = server->stopped = true;
	close_listener(server);
	for (struct svc_connection *each = server->first; each != NULL; each = each->next)
		svc_connection_abandon(each);
	svc_lock_release(&server->lock);
	free_when_closed(server);
}

void svc_server_resume(struct svc_server *server)
{
	for (struct svc_connection *each = server->first; each != NULL; each = each->next)
		if (!each->closing && each->call != NULL && svc_call_is_held(each->call))
			svc_call_run_again(each->call);
}

size_t svc_server_clients(const struct svc_server *server)
{
	return server->clients;
}
