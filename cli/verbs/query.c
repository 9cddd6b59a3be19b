/* query.c: what should be launched? The contract is the design's section 8. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "problem_options.h"
#include "values.h"
#include "verb.h"
#include "wire.h"

/* `--wait` alone: as long as a job can take. */
#define WAIT_S (7.0 * 24 * 3600)

static const struct cli_option options[] = {
	{"shell", NULL, false, NULL, "print shell assignments, safe to eval"},
	{"options", NULL, false, NULL, "print the build options, one line a step"},
	{"source", NULL, false, NULL, "print the OpenCL source; with --json, put it in the steps"},
	{"wait", "SECONDS", true, NULL, "wait for a job on this problem first, at most so long"},
	{NULL, NULL, false, NULL, NULL},
};

static int check_output(const struct cli_context *context, struct mmt_error *error)
{
	bool shell = cli_is_given(context, "shell"), build_options = cli_is_given(context, "options");
	bool source = cli_is_given(context, "source"), json = cli_is_given(context, "json");
	if (shell + build_options + (source || json) <= 1)
		return 0;
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
			     "--json, --shell, --options and --source exclude each other, but for --json --source");
}

static int add_wait(const struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	const char *text = cli_value(context, "wait");
	double seconds = WAIT_S;
	if (text == NULL)
		return 0;
	if (text[0] != '\0' && cli_parse_duration_s("--wait", text, &seconds, error) != 0)
		return -1;
	if (json_object_set_new(parameters, "wait_s", json_real(seconds)) == 0)
		return 0;
	return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
}

static int show(struct cli_context *context, const json_t *answer, struct mmt_error *error)
{
	if (cli_is_given(context, "shell"))
		return cli_print_shell(answer, error);
	if (cli_is_given(context, "options"))
		return cli_print_build_options(answer, error);
	if (cli_is_given(context, "source"))
		return cli_print_source(answer, error);
	return cli_print_answer(answer, error);
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	if (check_output(context, error) != 0)
		return -1;
	json_t *parameters = cli_problem_parameters(context, true, error);
	if (parameters == NULL)
		return -1;
	if (add_wait(context, parameters, error) != 0 || cli_add_device(context, parameters, error) != 0) {
		json_decref(parameters);
		return -1;
	}
	if (cli_is_given(context, "source"))
		json_object_set_new(parameters, "source", json_true());
	return cli_call_and_show(context, "Query", parameters, show, error);
}

const struct cli_verb cli_verb_query = {
	.name = "query",
	.summary = "Print what to launch for a problem on a device",
	.details = "Answers at once. The match is exact (tuned here), near (a tuned neighbour's plan,\n"
		   "re-derived for this size) or default (nothing known yet); after the last two the\n"
		   "service tunes the problem in the background, and --wait waits for that.",
	.groups = {cli_device_options, cli_problem_options, options},
	.run = run,
};
