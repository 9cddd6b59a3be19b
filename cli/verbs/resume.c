/* resume.c: goes on with the queue. */
#include <stdio.h>

#include "fields.h"
#include "verb.h"

static int show(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	(void)context, (void)error;
	puts(cli_field_true(reply, "paused") ? "paused" : "running");
	return 0;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	return cli_call_and_show(context, "Resume", json_object(), show, error);
}

const struct cli_verb cli_verb_resume = {
	.name = "resume",
	.summary = "Go on tuning after 'mmtune pause'",
	.run = run,
};
