/* history.c: what became the best and when, or every candidate that was tried. */
#include <stdio.h>

#include "fields.h"
#include "format.h"
#include "problem_options.h"
#include "table.h"
#include "values.h"
#include "verb.h"

#define PARAMETERS_BYTES 160

static const struct cli_option options[] = {
	{"trials", NULL, false, NULL, "every candidate that was tried, not the promotions only"},
	{"job", "JOB", false, NULL, "what this job did"},
	{"limit", "N", false, NULL, "at most so many, newest first; 0: all; default: the service's"},
	{NULL, NULL, false, NULL, NULL},
};

static void add_entry(struct cli_table *table, const json_t *entry)
{
	char text[MMT_MESSAGE_BYTES], parameters[PARAMETERS_BYTES];
	double time_ns = cli_field_number(entry, "time_ns"), gflops = cli_field_number(entry, "gflops");
	const char *promoted_at = cli_field_text(entry, "promoted_at");
	const char *reason = cli_field_text(entry, "reason");
	cli_table_cell(table, "%s", promoted_at[0] != '\0' ? promoted_at : cli_field_text(entry, "measured_at"));
	cli_table_cell(table, "%s", cli_field_text(entry, "device"));
	cli_table_cell(table, "%s", cli_field_problem(entry, "problem", text));
	cli_table_cell(table, "%lld", (long long)cli_field_integer(entry, "job"));
	cli_table_cell(table, "%s", cli_field_text(entry, "outcome"));
	cli_table_cell(table, "%s", time_ns > 0 ? cli_format_time(text, time_ns) : "");
	cli_table_cell(table, "%s", gflops > 0 ? cli_format_amount(text, gflops) : "");
	cli_table_cell(table, "%s", cli_field_text(entry, "variant"));
	cli_table_cell(table, "%s", cli_field_parameters(entry, "parameters", parameters, sizeof parameters));
	cli_table_cell(table, "%.80s", reason[0] != '\0' ? reason : cli_field_text(entry, "message"));
}

static int show(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	(void)context;
	static const struct cli_column columns[] = {
		{"WHEN", false}, {"DEVICE", false}, {"PROBLEM", false}, {"JOB", true},         {"OUTCOME", false},
		{"TIME", true},  {"GFLOP/S", true}, {"VARIANT", false}, {"PARAMETERS", false}, {"REASON", false}};
	const json_t *entries = json_object_get(reply, "entries");
	struct cli_table table;
	cli_table_init(&table, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < json_array_size(entries); i++)
		add_entry(&table, json_array_get(entries, i));
	int status = table.n_cells > 0 ? cli_table_print(&table, stdout, error) : 0;
	cli_table_finish(&table);
	if (json_array_size(entries) == 0)
		fputs("mmtune: nothing was recorded that matches\n", stderr);
	return status;
}

static int add_filters(struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	static const struct {
		const char *option, *what;
		int64_t minimum;
	} integers[] = {{"job", "--job", 1}, {"limit", "--limit", 0}};
	for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
		const char *text = cli_value(context, integers[i].option);
		int64_t value;
		if (text == NULL)
			continue;
		if (cli_parse_integer(integers[i].what, text, integers[i].minimum, INT32_MAX, &value, error) != 0)
			return -1;
		json_object_set_new(parameters, integers[i].option, json_integer(value));
	}
	if (cli_is_given(context, "trials"))
		json_object_set_new(parameters, "what", json_string("trials"));
	return cli_is_given(context, "device") ? cli_add_device(context, parameters, error) : 0;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	json_t *parameters = cli_problem_parameters(context, false, error);
	if (parameters == NULL)
		return -1;
	if (add_filters(context, parameters, error) != 0) {
		json_decref(parameters);
		return -1;
	}
	return cli_call_and_show(context, "History", parameters, show, error);
}

const struct cli_verb cli_verb_history = {
	.name = "history",
	.summary = "List what became the best, or every trial",
	.details = "The device and problem options choose what is listed; without them, everything is.",
	.groups = {cli_device_options, cli_problem_options, options},
	.run = run,
};
