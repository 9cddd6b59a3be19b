/* call.c: see call.h and server.h. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#define INTERFACE "org.mmtune.Tuner."
#define STANDARD  "org.varlink.service."

struct svc_call {
	struct svc_connection *connection; /* NULL: the client is gone */
	struct service *service;
	const struct svc_verb *verb;
	json_t *message;    /* owned; parameters is within it */
	json_t *parameters; /* borrowed */
	const char *bytes;  /* within the first run of the handler only */
	size_t length;
	bool more, oneway, held, was_held;
	void (*gone)(void *context);
	void *gone_context;
};

static void destroy(struct svc_call *call)
{
	json_decref(call->message);
	free(call);
}

/* ---- replies ---- */

char *svc_reply_encode(json_t *parameters, bool continues, size_t *length)
{
	json_t *reply = parameters != NULL ? json_pack("{s:o}", "parameters", parameters) : NULL;
	if (reply != NULL && continues)
		json_object_set_new(reply, "continues", json_true());
	char *bytes = reply != NULL ? wire_encode(reply, length) : NULL;
	json_decref(reply);
	return bytes;
}

/* Takes the reference. */
static char *encode_error(const char *prefix, const char *name, json_t *parameters, size_t *length)
{
	json_t *reply = json_pack("{s:s+, s:o}", "error", prefix, name, "parameters", parameters);
	char *bytes = reply != NULL ? wire_encode(reply, length) : NULL;
	json_decref(reply);
	return bytes;
}

static char *encode_failure(const struct mmt_error *error, size_t *length)
{
	json_t *message = json_string(error->message);
	if (message == NULL || error->message[0] == '\0') { /* nothing said, or no UTF-8 */
		json_decref(message);
		message = json_string(mmt_code_text(error->code));
	}
	return encode_error(INTERFACE, mmt_code_wire_name(error->code), json_pack("{s:o}", "message", message), length);
}

/* Takes bytes, which may be NULL when memory ran out: then nothing better is left than to hang up. */
static void send_owned(struct svc_call *call, char *bytes, size_t length)
{
	if (call->connection == NULL || call->oneway)
		free(bytes);
	else if (bytes == NULL)
		svc_connection_drop(call->connection);
	else
		svc_connection_send(call->connection, bytes, length, bytes);
}

static void answered(struct svc_call *call)
{
	struct svc_connection *connection = call->connection;
	destroy(call);
	if (connection != NULL)
		svc_connection_answered(connection);
}

void svc_call_reply(struct svc_call *call, json_t *parameters, bool continues)
{
	if (continues && !call->more) {
		json_decref(parameters);
		return;
	}
	size_t length = 0;
	char *bytes = svc_reply_encode(parameters, continues, &length);
	send_owned(call, bytes, length);
	if (!continues)
		answered(call);
}

void svc_call_reply_bytes(struct svc_call *call, const char *bytes, size_t length)
{
	if (call->connection != NULL && !call->oneway)
		svc_connection_send(call->connection, bytes, length, NULL);
	answered(call);
}

void svc_call_error(struct svc_call *call, const struct mmt_error *error)
{
	size_t length = 0;
	char *bytes = encode_failure(error, &length);
	send_owned(call, bytes, length);
	answered(call);
}

void svc_call_standard_error(struct svc_call *call, const char *name, const char *key, const char *value)
{
	size_t length = 0;
	char *bytes = encode_error(STANDARD, name, json_pack("{s:s}", key, value), &length);
	send_owned(call, bytes, length);
	answered(call);
}

void svc_connection_refuse(struct svc_connection *connection, const struct mmt_error *error)
{
	size_t length = 0;
	char *bytes = encode_failure(error, &length);
	if (bytes != NULL)
		svc_connection_send(connection, bytes, length, bytes);
	svc_connection_end(connection);
}

/* ---- what a handler asks ---- */

struct service *svc_call_service(const struct svc_call *call)
{
	return call->service;
}

const json_t *svc_call_parameters(const struct svc_call *call)
{
	return call->parameters;
}

bool svc_call_more(const struct svc_call *call)
{
	return call->more;
}

bool svc_call_is_oneway(const struct svc_call *call)
{
	return call->oneway;
}

bool svc_call_is_admin(const struct svc_call *call)
{
	return call->connection != NULL && svc_connection_is_admin(call->connection);
}

const char *svc_call_bytes(const struct svc_call *call, size_t *length)
{
	*length = call->length;
	return call->bytes;
}

size_t svc_call_waiting_bytes(const struct svc_call *call)
{
	return call->connection != NULL ? svc_connection_waiting_bytes(call->connection) : 0;
}

void svc_call_on_gone(struct svc_call *call, void (*gone)(void *context), void *context)
{
	call->gone = gone;
	call->gone_context = context;
}

void svc_call_client_gone(struct svc_call *call)
{
	call->connection = NULL;
	if (call->held) {
		destroy(call);
	} else if (call->gone != NULL) {
		call->gone(call->gone_context);
		destroy(call);
	}
}

/* ---- hold and run ---- */

void svc_call_hold(struct svc_call *call)
{
	call->held = true;
}

bool svc_call_is_held(const struct svc_call *call)
{
	return call->held;
}

bool svc_call_was_held(const struct svc_call *call)
{
	return call->was_held;
}

void svc_call_run_again(struct svc_call *call)
{
	call->held = false;
	call->was_held = true;
	call->verb->handle(call->service, call);
}

static void run(struct svc_call *call)
{
	if (call->verb->admin && !svc_call_is_admin(call)) {
		struct mmt_error error;
		mmt_error_set(&error, MMT_PERMISSION, 0, "%s is for root, the service's user and the group '%s'",
			      call->verb->method, call->service->config.admin_group);
		svc_call_error(call, &error);
	} else if (call->verb->needs_devices && !call->service->devices_known) {
		svc_call_hold(call);
	} else {
		call->verb->handle(call->service, call);
	}
}

/* ---- reading ---- */

static void refuse_method(struct svc_call *call, const char *method)
{
	const char *dot = strrchr(method, '.');
	if (dot == NULL) {
		svc_call_standard_error(call, "InvalidParameter", "parameter", "method");
		return;
	}
	size_t interface_length = (size_t)(dot - method);
	for (const struct svc_verb *const *verb = call->service->verbs; *verb != NULL; verb++) {
		if (strncmp((*verb)->method, method, interface_length + 1) == 0 &&
		    strchr((*verb)->method + interface_length + 1, '.') == NULL) {
			svc_call_standard_error(call, "MethodNotFound", "method", method);
			return;
		}
	}
	char *interface = strndup(method, interface_length);
	svc_call_standard_error(call, "InterfaceNotFound", "interface", interface != NULL ? interface : "");
	free(interface);
}

static const struct svc_verb *find_verb(const struct service *service, const char *method)
{
	for (const struct svc_verb *const *verb = service->verbs; *verb != NULL; verb++)
		if (strcmp((*verb)->method, method) == 0)
			return *verb;
	return NULL;
}

/* Takes the members of the message into the call; returns the name of one that is not as Varlink has it, or NULL. */
static const char *read_members(struct svc_call *call, const char **method)
{
	const char *key;
	json_t *value;
	bool upgrade = false;
	json_object_foreach (call->message, key, value) {
		bool *flag = strcmp(key, "more") == 0      ? &call->more
			     : strcmp(key, "oneway") == 0  ? &call->oneway
			     : strcmp(key, "upgrade") == 0 ? &upgrade
							   : NULL;
		if (flag != NULL && json_is_boolean(value))
			*flag = json_is_true(value);
		else if (strcmp(key, "method") == 0 && json_is_string(value))
			*method = json_string_value(value);
		else if (strcmp(key, "parameters") == 0 && json_is_object(value))
			call->parameters = value;
		else if (strcmp(key, "parameters") != 0 || !json_is_null(value))
			return key;
	}
	if (*method == NULL)
		return "method";
	if (upgrade)
		return "upgrade";
	if (call->more && call->oneway)
		return "oneway";
	return NULL;
}

static struct svc_call *create(struct svc_connection *connection, json_t *message)
{
	struct svc_call *call = calloc(1, sizeof *call);
	if (call == NULL)
		return NULL;
	call->connection = connection;
	call->service = connection->service;
	call->message = message;
	return call;
}

/* parameters may be left out: an empty object stands for them. */
static int supply_parameters(struct svc_call *call)
{
	if (call->parameters == NULL) {
		call->parameters = json_object();
		if (json_object_set_new(call->message, "parameters", call->parameters) != 0)
			return -1;
	}
	return 0;
}

int svc_call_begin(struct svc_connection *connection, const char *bytes, size_t length, struct mmt_error *error)
{
	json_t *message = wire_decode(bytes, length, error);
	if (message == NULL)
		return -1;
	struct svc_call *call = create(connection, message);
	const char *method = NULL, *wrong = call != NULL ? read_members(call, &method) : NULL;
	if (call == NULL || supply_parameters(call) != 0) {
		json_decref(message);
		free(call);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
	}
	connection->call = call;
	call->bytes = bytes;
	call->length = length;
	call->verb = wrong == NULL ? find_verb(call->service, method) : NULL;
	if (wrong != NULL)
		svc_call_standard_error(call, "InvalidParameter", "parameter", wrong);
	else if (call->verb == NULL)
		refuse_method(call, method);
	else
		run(call);
	/* Answered or not, the bytes are the reader's again. */
	if (connection->call != NULL) {
		connection->call->bytes = NULL;
		connection->call->length = 0;
	}
	return 0;
}
