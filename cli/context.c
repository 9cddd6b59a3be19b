/* context.c: see context.h. */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verb.h"
#include "wire.h"

const char *cli_value(const struct cli_context *context, const char *name)
{
	for (size_t i = 0; i < context->n_given; i++)
		if (strcmp(context->given[i].option->name, name) == 0)
			return context->given[i].value;
	return NULL;
}

bool cli_is_given(const struct cli_context *context, const char *name)
{
	return cli_value(context, name) != NULL;
}

struct mmt_client *cli_client(struct cli_context *context, struct mmt_error *error)
{
	if (context->client == NULL)
		context->client = mmt_connect(cli_value(context, "socket"), error);
	return context->client;
}

char *cli_call_text(struct cli_context *context, const char *method, json_t *parameters, struct mmt_error *error)
{
	size_t length;
	char *text = parameters != NULL ? wire_encode(parameters, &length) : NULL;
	json_decref(parameters);
	if (text == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
		return NULL;
	}
	struct mmt_client *client = cli_client(context, error);
	char *reply = client != NULL ? mmt_call(client, method, text, error) : NULL;
	free(text);
	return reply;
}

json_t *cli_call(struct cli_context *context, const char *method, json_t *parameters, struct mmt_error *error)
{
	char *text = cli_call_text(context, method, parameters, error);
	if (text == NULL)
		return NULL;
	json_t *reply = wire_decode(text, strlen(text), error);
	free(text);
	return reply;
}

int cli_call_and_show(struct cli_context *context, const char *method, json_t *parameters, cli_show_fn *show,
		      struct mmt_error *error)
{
	char *text = cli_call_text(context, method, parameters, error);
	if (text == NULL)
		return -1;
	int status = -1;
	json_t *reply = NULL;
	if (cli_is_given(context, "json")) {
		puts(text);
		status = 0;
	} else if ((reply = wire_decode(text, strlen(text), error)) != NULL) {
		status = show(context, reply, error);
	}
	json_decref(reply);
	free(text);
	return status;
}

void cli_context_finish(struct cli_context *context)
{
	mmt_disconnect(context->client);
	context->client = NULL;
}
