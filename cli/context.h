/* context.h: one run of `mmtune`: what was asked, and the line to the service.
 *
 * Nothing connects before the command line was checked as far as it can be
 * checked here: a usage error is the same with and without a service.
 *
 * Thread: the main thread. */
#ifndef MMT_CLI_CONTEXT_H
#define MMT_CLI_CONTEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "mmtune/mmtune.h"

#define CLI_MAX_GIVEN 32

struct cli_option;
struct cli_verb;

struct cli_context {
	const struct cli_verb *verb; /* NULL: none was named */
	struct {
		const struct cli_option *option;
		const char *value; /* "" for a flag, or an optional value left out */
	} given[CLI_MAX_GIVEN];
	size_t n_given;
	const char *operand; /* NULL: none */
	struct mmt_client *client;
};

/* The value of an option ("" for a flag); NULL when it was not given. Borrowed from argv. */
const char *cli_value(const struct cli_context *context, const char *name);
bool cli_is_given(const struct cli_context *context, const char *name);

/* Connects at the first call; borrowed from the context. NULL with *error. */
struct mmt_client *cli_client(struct cli_context *context, struct mmt_error *error);

/* One call. Takes the reference to parameters; NULL there means that memory ran out. The reply's
 * parameters as text: caller frees; NULL with *error. */
char *cli_call_text(struct cli_context *context, const char *method, json_t *parameters, struct mmt_error *error);
/* The same as JSON: caller owns the reference. */
json_t *cli_call(struct cli_context *context, const char *method, json_t *parameters, struct mmt_error *error);

/* What most listings do: the call, then with --json its reply as one line, else show(). */
typedef int cli_show_fn(struct cli_context *context, const json_t *reply, struct mmt_error *error);
int cli_call_and_show(struct cli_context *context, const char *method, json_t *parameters, cli_show_fn *show,
		      struct mmt_error *error);

void cli_context_finish(struct cli_context *context);

#endif
