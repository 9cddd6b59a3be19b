/* jobs.c: what is being tuned, what waits, and what was. */
#include <stdio.h>

#include "fields.h"
#include "format.h"
#include "table.h"
#include "values.h"
#include "verb.h"

static const struct cli_option options[] = {
	{"limit", "N", false, NULL, "at most so many; 0: all; default: the service's"},
	{NULL, NULL, false, NULL, NULL},
};

static void add_job(struct cli_table *table, const json_t *job)
{
	char problem[MMT_MESSAGE_BYTES], elapsed[CLI_FORMAT_BYTES], best[CLI_FORMAT_BYTES] = "";
	int64_t asks = cli_field_integer(job, "asks");
	double time_ns = cli_field_number(json_object_get(job, "best"), "time_ns");
	cli_table_cell(table, "%lld", (long long)cli_field_integer(job, "job"));
	cli_table_cell(table, "%s", cli_field_text(job, "state"));
	cli_table_cell(table, "%s", cli_field_text(job, "device"));
	cli_table_cell(table, "%s", cli_field_problem(job, "problem", problem));
	cli_table_cell(table, "%s", cli_field_text(job, "origin"));
	if (asks > 0)
		cli_table_cell(table, "%lld", (long long)asks);
	else
		cli_table_cell(table, "%s", "");
	cli_table_cell(table, "%s", cli_field_text(job, "strategy"));
	cli_table_cell(table, "%lld", (long long)cli_field_integer(job, "evaluations"));
	cli_table_cell(table, "%s", cli_format_seconds(elapsed, cli_field_number(job, "elapsed_s")));
	cli_table_cell(table, "%s", time_ns > 0 ? cli_format_time(best, time_ns) : "");
	cli_table_cell(table, "%.200s", cli_field_text(job, "message"));
}

static int show(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	(void)context;
	static const struct cli_column columns[] = {{"JOB", true},       {"STATE", false},    {"DEVICE", false},
						    {"PROBLEM", false},  {"ORIGIN", false},   {"ASKS", true},
						    {"STRATEGY", false}, {"EVALUATED", true}, {"TIME", true},
						    {"BEST", true},      {"MESSAGE", false}};
	const json_t *jobs = json_object_get(reply, "jobs");
	struct cli_table table;
	cli_table_init(&table, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < json_array_size(jobs); i++)
		add_job(&table, json_array_get(jobs, i));
	int status = table.n_cells > 0 ? cli_table_print(&table, stdout, error) : 0;
	cli_table_finish(&table);
	if (json_array_size(jobs) == 0)
		fputs("mmtune: there are no jobs\n", stderr);
	return status;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	const char *limit_text = cli_value(context, "limit");
	int64_t limit;
	if (limit_text != NULL && cli_parse_integer("--limit", limit_text, 0, INT32_MAX, &limit, error) != 0)
		return -1;
	json_t *parameters = limit_text != NULL ? json_pack("{s:I}", "limit", (json_int_t)limit) : json_object();
	return cli_call_and_show(context, "Jobs", parameters, show, error);
}

const struct cli_verb cli_verb_jobs = {
	.name = "jobs",
	.summary = "List the tuning jobs: unfinished ones, then the latest",
	.groups = {options},
	.run = run,
};
