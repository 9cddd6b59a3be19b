/* cancel.c: ends a job; what it measured stays. */
#include <stdio.h>

#include "fields.h"
#include "values.h"
#include "verb.h"

static int show(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	(void)context, (void)error;
	printf("job %lld %s\n", (long long)cli_field_integer(reply, "job"), cli_field_text(reply, "state"));
	return 0;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	int64_t job;
	if (cli_parse_integer("the job", context->operand, 1, INT64_MAX, &job, error) != 0)
		return -1;
	return cli_call_and_show(context, "Cancel", json_pack("{s:I}", "job", (json_int_t)job), show, error);
}

const struct cli_verb cli_verb_cancel = {
	.name = "cancel",
	.summary = "End a job; what it has measured is kept",
	.details = "'mmtune jobs' lists the jobs and their numbers.",
	.operand = "JOB",
	.run = run,
};
