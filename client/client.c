/* client.c: the connection and its calls; see mmtune/mmtune.h, connection.h. */
#include "connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define INTERFACE "org.mmtune.Tuner."

const char *mmt_version(void)
{
	return MMTUNE_VERSION;
}

int mmt_socket_path(char *out, size_t bytes, struct mmt_error *error)
{
	const char *chosen = secure_getenv("MMTUNE_SOCKET");
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
	int length = -1;
	if (chosen != NULL && chosen[0] != '\0') {
		length = snprintf(out, bytes, "%s", chosen);
	} else {
		if (runtime != NULL && runtime[0] == '/')
			length = snprintf(out, bytes, "%s/mmtune/socket", runtime);
		if (length < 0 || (size_t)length >= bytes || access(out, F_OK) != 0)
			length = snprintf(out, bytes, "/run/mmtune/socket");
	}
	if (length < 0 || (size_t)length >= bytes)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "the socket path in MMTUNE_SOCKET is too long: %d bytes", length);
	return 0;
}

static int connect_failed(const char *path, int number, struct mmt_error *error)
{
	static const char remedy[] = "start mmtuned, or name its socket with --socket or MMTUNE_SOCKET";
	if (number == ENOENT || number == ENOTDIR)
		return mmt_error_set(error, MMT_UNREACHABLE, number,
				     "no service at %.256s: there is no such socket; %s", path, remedy);
	if (number == ECONNREFUSED)
		return mmt_error_set(error, MMT_UNREACHABLE, number,
				     "no service at %.256s: nothing listens on that socket; %s", path, remedy);
	mmt_error_errno(error, "cannot connect to the service at %.256s", path);
	if (error != NULL)
		error->code = MMT_UNREACHABLE;
	return -1;
}

static int open_socket(const char *path, struct mmt_error *error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	if (length == 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "the socket path is empty");
	if (length >= sizeof address.sun_path)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "the socket path has %zu bytes, a Unix socket's has at most %zu: %.256s", length,
				     sizeof address.sun_path - 1, path);
	memcpy(address.sun_path, path, length + 1);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return mmt_error_errno(error, "cannot make a socket");
	int status;
	do
		status = connect(fd, (const struct sockaddr *)&address, sizeof address);
	while (status != 0 && errno == EINTR);
	if (status != 0) {
		connect_failed(path, errno, error);
		close(fd);
		return -1;
	}
	return fd;
}

struct mmt_client *mmt_connect(const char *socket_path, struct mmt_error *error)
{
	char path[4096];
	if (socket_path == NULL) {
		if (mmt_socket_path(path, sizeof path, error) != 0)
			return NULL;
		socket_path = path;
	}
	int fd = open_socket(socket_path, error);
	if (fd < 0)
		return NULL;
	struct mmt_client *client = calloc(1, sizeof *client);
	char *copy = strdup(socket_path);
	if (client == NULL || copy == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a connection");
		free(client);
		free(copy);
		close(fd);
		return NULL;
	}
	*client = (struct mmt_client){.fd = fd, .timeout_ms = -1, .path = copy};
	wire_reader_init(&client->reader, WIRE_REPLY_LIMIT_BYTES);
	return client;
}

static void hang_up(struct mmt_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

void mmt_disconnect(struct mmt_client *client)
{
	if (client == NULL)
		return;
	hang_up(client);
	wire_reader_finish(&client->reader);
	free(client->path);
	free(client);
}

void mmt_set_timeout(struct mmt_client *client, int timeout_ms)
{
	client->timeout_ms = timeout_ms;
}

/* Sends a call. Takes the reference to parameters. */
static int send_call(struct mmt_client *client, const char *method, json_t *parameters, bool more,
		     struct mmt_error *error)
{
	if (client->fd < 0) {
		json_decref(parameters);
		return mmt_error_set(error, MMT_UNREACHABLE, 0,
				     "the connection to %.256s was given up after a failed call", client->path);
	}
	const char *interface = strchr(method, '.') != NULL ? "" : INTERFACE;
	json_t *call = json_pack("{s:s+, s:o}", "method", interface, method, "parameters", parameters);
	if (call == NULL || (more && json_object_set_new(call, "more", json_true()) != 0)) {
		json_decref(call);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
	}
	int status = wire_send(client->fd, call, error);
	json_decref(call);
	return status;
}

/* The service's own sentence where it gave one, else the error's name. */
static int service_error(const char *name, const json_t *parameters, struct mmt_error *error)
{
	const char *message = json_string_value(json_object_get(parameters, "message"));
	if (strcmp(name, "org.varlink.service.InvalidParameter") == 0) {
		const char *parameter = json_string_value(json_object_get(parameters, "parameter"));
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "the service does not accept the parameter '%s'",
				     parameter != NULL ? parameter : "?");
	}
	if (strncmp(name, "org.varlink.service.", strlen("org.varlink.service.")) == 0)
		return mmt_error_set(error, MMT_FAILED, 0, "the service does not know this call (%s): is it older?",
				     name);
	enum mmt_code code = mmt_code_from_wire_name(name);
	if (message != NULL)
		return mmt_error_set(error, code, 0, "%s", message);
	return mmt_error_set(error, code, 0, "%s (%s)", mmt_code_text(code), name);
}

/* One reply's parameters in *out (caller owns the reference), and whether
 * more follow. *broken: the connection cannot be used any more. */
static int receive_reply(struct mmt_client *client, json_t **out, bool *continues, bool *broken,
			 struct mmt_error *error)
{
	json_t *reply = NULL;
	*broken = true;
	if (wire_receive(client->fd, &client->reader, client->timeout_ms, &reply, error) != 0)
		return -1;
	if (reply == NULL)
		return mmt_error_set(error, MMT_UNREACHABLE, 0, "the service at %.256s closed the connection",
				     client->path);
	json_t *name = json_object_get(reply, "error"), *parameters = json_object_get(reply, "parameters");
	bool absent = parameters == NULL || json_is_null(parameters);
	*continues = json_is_true(json_object_get(reply, "continues"));
	int status = -1;
	if ((name != NULL && !json_is_string(name)) || (!absent && !json_is_object(parameters))) {
		mmt_error_set(error, MMT_PROTOCOL, 0, "the service sent a reply that is not Varlink");
	} else if (name != NULL) {
		*broken = false;
		service_error(json_string_value(name), parameters, error);
	} else if ((*out = absent ? json_object() : json_incref(parameters)) == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a reply");
	} else {
		*broken = false;
		status = 0;
	}
	json_decref(reply);
	return status;
}

json_t *client_call(struct mmt_client *client, const char *method, json_t *parameters, struct mmt_error *error)
{
	json_t *reply = NULL;
	bool continues = false, broken = true;
	if (send_call(client, method, parameters, false, error) != 0 ||
	    receive_reply(client, &reply, &continues, &broken, error) != 0) {
		if (broken)
			hang_up(client);
		return NULL;
	}
	if (continues) {
		hang_up(client);
		json_decref(reply);
		mmt_error_set(error, MMT_PROTOCOL, 0, "the service sent a stream where one reply was asked for");
		return NULL;
	}
	return reply;
}

/* The caller's text as an object; NULL with MMT_INVALID_ARGUMENT. */
static json_t *parse_parameters(const char *text, struct mmt_error *error)
{
	if (text == NULL)
		text = "{}";
	json_t *parameters = wire_decode(text, strlen(text), error);
	if (parameters == NULL && error != NULL && error->code == MMT_PROTOCOL)
		error->code = MMT_INVALID_ARGUMENT;
	return parameters;
}

static char *to_text(const json_t *reply, struct mmt_error *error)
{
	size_t length;
	char *text = wire_encode(reply, &length);
	if (text == NULL)
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a reply");
	return text;
}

char *mmt_call(struct mmt_client *client, const char *method, const char *parameters, struct mmt_error *error)
{
	json_t *object = parse_parameters(parameters, error);
	if (object == NULL)
		return NULL;
	json_t *reply = client_call(client, method, object, error);
	if (reply == NULL)
		return NULL;
	char *text = to_text(reply, error);
	json_decref(reply);
	return text;
}

int mmt_call_more(struct mmt_client *client, const char *method, const char *parameters, mmt_reply_fn *on_reply,
		  void *context, struct mmt_error *error)
{
	json_t *object = parse_parameters(parameters, error);
	if (object == NULL)
		return -1;
	bool continues = true, broken = true, stop = false;
	int status = send_call(client, method, object, true, error);
	while (status == 0 && continues && !stop) {
		json_t *reply = NULL;
		status = receive_reply(client, &reply, &continues, &broken, error);
		if (status != 0)
			break;
		char *text = to_text(reply, error);
		json_decref(reply);
		broken = text == NULL && continues;
		status = text != NULL ? 0 : -1;
		stop = text != NULL && on_reply(context, text, continues) != 0;
		free(text);
	}
	if ((status != 0 && broken) || (stop && continues))
		hang_up(client);
	return status;
}
