/* ladder.c: every variant at one problem beside the host's loops and libraries.
 *
 * The service measures row by row and tells each on the way; the table is
 * printed at the end, when the bars are known that all are held against. A
 * client that goes, as by Ctrl-C, ends the measuring. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "fields.h"
#include "format.h"
#include "problem_options.h"
#include "table.h"
#include "values.h"
#include "verb.h"
#include "wire.h"

#define PARAMETERS_BYTES 256

static const struct cli_option options[] = {
	{"variant", "NAME", false, NULL, "this variant only, beside the references; default: all"},
	{"budget", "TIME", false, NULL, "tune each variant not tuned yet for so long first: 10s, 2m; default: none"},
	{"csv", NULL, false, NULL, "print comma-separated values (RFC 4180), one row a line"},
	{"verbose", NULL, false, NULL, "tell of each row on stderr, terminal or not"},
	{NULL, NULL, false, NULL, NULL},
};

struct climb {
	bool tells;
	json_t *ladder; /* of the last reply */
};

/* ---- while it goes on ---- */

static void tell(const json_t *reply, const json_t *row)
{
	char parameters[PARAMETERS_BYTES], time[CLI_FORMAT_BYTES];
	double time_ns = cli_field_number(row, "time_ns");
	cli_field_parameters(row, "parameters", parameters, sizeof parameters);
	fprintf(stderr, "%lld of %lld: %s%s%s: %s\n", (long long)cli_field_integer(reply, "done"),
		(long long)cli_field_integer(reply, "count"), cli_field_text(row, "name"),
		parameters[0] != '\0' ? " " : "", parameters,
		time_ns > 0 ? cli_format_time(time, time_ns) : cli_field_text(row, "outcome"));
}

static int on_reply(void *argument, const char *text, bool continues)
{
	struct climb *climb = argument;
	json_t *reply = wire_decode(text, strlen(text), NULL);
	const json_t *row = json_object_get(reply, "row");
	if (climb->tells && json_is_object(row))
		tell(reply, row);
	if (!continues)
		climb->ladder = json_incref(json_object_get(reply, "ladder"));
	json_decref(reply);
	return 0;
}

/* ---- the table ---- */

static void add_amount(struct cli_table *table, const json_t *row, const char *key)
{
	char text[CLI_FORMAT_BYTES];
	double amount = cli_field_number(row, key);
	cli_table_cell(table, "%s", amount > 0 ? cli_format_amount(text, amount) : "");
}

static void add_percent(struct cli_table *table, const json_t *row, const char *key)
{
	char text[CLI_FORMAT_BYTES];
	double fraction = cli_field_number(row, key);
	cli_table_cell(table, "%s", fraction > 0 ? cli_format_percent(text, fraction, 1) : "");
}

/* What is special about a row: why it did not run, or how it did. */
static void add_note(struct cli_table *table, const json_t *row)
{
	const char *outcome = cli_field_text(row, "outcome"), *message = cli_field_text(row, "message");
	bool ok = strcmp(outcome, "ok") == 0;
	cli_table_cell(table, "%s%s%.*s", ok ? "" : outcome, !ok && message[0] != '\0' ? ": " : "",
		       (int)strcspn(message, "\n"), message);
}

static void add_row(struct cli_table *table, const json_t *row)
{
	char parameters[PARAMETERS_BYTES], time[CLI_FORMAT_BYTES];
	const char *from = cli_field_text(row, "from");
	double time_ns = cli_field_number(row, "time_ns");
	cli_table_cell(table, "%s", cli_field_text(row, "name"));
	cli_table_cell(table, "%s", from[0] != '\0' ? from : cli_field_text(row, "kind"));
	cli_table_cell(table, "%s", cli_field_parameters(row, "parameters", parameters, sizeof parameters));
	cli_table_cell(table, "%s", time_ns > 0 ? cli_format_time(time, time_ns) : "");
	add_amount(table, row, "gflops");
	add_percent(table, row, "fraction_of_peak");
	add_amount(table, row, "effective_bandwidth_gbps");
	add_amount(table, row, "compulsory_bandwidth_gbps");
	add_percent(table, row, "fraction_of_peak_bandwidth");
	add_amount(table, row, "speedup_honest");
	add_amount(table, row, "speedup_naive");
	add_percent(table, row, "parallel_efficiency");
	add_note(table, row);
}

static void print_heading(const json_t *ladder)
{
	char problem[MMT_MESSAGE_BYTES], gflops[CLI_FORMAT_BYTES], gbps[CLI_FORMAT_BYTES];
	double peak_gflops = cli_field_number(ladder, "peak_gflops");
	double peak_gbps = cli_field_number(ladder, "peak_bandwidth_gbps");
	const char *honest = cli_field_text(ladder, "honest"), *naive = cli_field_text(ladder, "naive");
	printf("%s on %s (%s)\n", cli_field_problem(ladder, "problem", problem), cli_field_text(ladder, "device"),
	       cli_field_text(ladder, "device_name"));
	printf("peaks: %s GFLOP/s, %s GB/s; honest: %s, naive: %s; cores: %lld, compute units: %lld\n\n",
	       peak_gflops > 0 ? cli_format_amount(gflops, peak_gflops) : "?",
	       peak_gbps > 0 ? cli_format_amount(gbps, peak_gbps) : "?", honest[0] != '\0' ? honest : "none",
	       naive[0] != '\0' ? naive : "none", (long long)cli_field_integer(ladder, "cores"),
	       (long long)cli_field_integer(ladder, "compute_units"));
}

static int print_table(const json_t *ladder, struct mmt_error *error)
{
	static const struct cli_column columns[] = {
		{"NAME", false},   {"FROM", false},    {"PARAMETERS", false}, {"TIME", true},    {"GFLOP/S", true},
		{"OF PEAK", true}, {"EFF GB/S", true}, {"COMP GB/S", true},   {"OF PEAK", true}, {"X HONEST", true},
		{"X NAIVE", true}, {"PAR EFF", true},  {"NOTE", false},
	};
	const json_t *rows = json_object_get(ladder, "rows");
	struct cli_table table;
	print_heading(ladder);
	cli_table_init(&table, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < json_array_size(rows); i++)
		add_row(&table, json_array_get(rows, i));
	int status = cli_table_print(&table, stdout, error);
	cli_table_finish(&table);
	return status;
}

/* ---- comma-separated values ---- */

static const char *const csv_texts[] = {"name", "kind", "from"};
static const char *const csv_numbers[] = {"time_ns",
					  "minimum_ns",
					  "spread",
					  "runs",
					  "relative_error",
					  "gflops",
					  "fraction_of_peak",
					  "effective_bandwidth_gbps",
					  "compulsory_bandwidth_gbps",
					  "fraction_of_peak_bandwidth",
					  "speedup_honest",
					  "speedup_naive",
					  "parallel_efficiency"};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void print_csv_row(const json_t *row)
{
	char parameters[PARAMETERS_BYTES];
	for (size_t i = 0; i < COUNT(csv_texts); i++)
		printf("%s,", cli_field_text(row, csv_texts[i]));
	printf("%d,", cli_field_true(row, "textbook"));
	cli_csv_quoted(stdout, cli_field_parameters(row, "parameters", parameters, sizeof parameters));
	printf(",%s,", cli_field_text(row, "outcome"));
	for (size_t i = 0; i < COUNT(csv_numbers); i++) {
		const json_t *value = json_object_get(row, csv_numbers[i]);
		if (json_is_number(value))
			printf("%.17g", json_number_value(value));
		putchar(',');
	}
	cli_csv_quoted(stdout, cli_field_text(row, "message"));
	fputs("\r\n", stdout);
}

static void print_csv(const json_t *ladder)
{
	const json_t *rows = json_object_get(ladder, "rows");
	for (size_t i = 0; i < COUNT(csv_texts); i++)
		printf("%s,", csv_texts[i]);
	fputs("textbook,parameters,outcome,", stdout);
	for (size_t i = 0; i < COUNT(csv_numbers); i++)
		printf("%s,", csv_numbers[i]);
	fputs("message\r\n", stdout);
	for (size_t i = 0; i < json_array_size(rows); i++)
		print_csv_row(json_array_get(rows, i));
}

/* ---- the call ---- */

static int print_ladder(const struct cli_context *context, const json_t *ladder, struct mmt_error *error)
{
	if (cli_is_given(context, "json")) {
		if (json_dumpf(ladder, stdout, JSON_COMPACT) != 0)
			return mmt_error_errno(error, "cannot write the output");
		putchar('\n');
		return 0;
	}
	if (!cli_is_given(context, "csv"))
		return print_table(ladder, error);
	print_csv(ladder);
	return 0;
}

static int add_choices(const struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	const char *budget = cli_value(context, "budget"), *variant = cli_value(context, "variant");
	double budget_s;
	if (cli_is_given(context, "csv") && cli_is_given(context, "json"))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "give either --csv or --json, not both");
	if (variant != NULL && json_object_set_new(parameters, "variant", json_string(variant)) != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--variant is not UTF-8");
	if (budget == NULL)
		return 0;
	if (cli_parse_duration_s("--budget", budget, &budget_s, error) != 0)
		return -1;
	if (json_object_set_new(parameters, "budget_s", json_real(budget_s)) != 0)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
	return 0;
}

static int climb(struct cli_context *context, const json_t *parameters, struct mmt_error *error)
{
	struct climb climb = {.tells = cli_is_given(context, "verbose") || isatty(STDERR_FILENO)};
	size_t length;
	char *text = wire_encode(parameters, &length);
	struct mmt_client *client = NULL;
	int status = -1;
	if (text == NULL)
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
	else if ((client = cli_client(context, error)) != NULL)
		status = mmt_call_more(client, "Ladder", text, on_reply, &climb, error);
	free(text);
	if (status == 0)
		status = print_ladder(context, climb.ladder, error);
	json_decref(climb.ladder);
	return status;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	int status = -1;
	json_t *parameters = cli_problem_parameters(context, true, error);
	if (parameters == NULL)
		return -1;
	if (add_choices(context, parameters, error) == 0 && cli_add_device(context, parameters, error) == 0)
		status = climb(context, parameters, error);
	json_decref(parameters);
	return status;
}

const struct cli_verb cli_verb_ladder = {
	.name = "ladder",
	.summary = "Measure every variant at one problem beside the host's loops and libraries",
	.details = "References come first: the host's loops in three orders (X HONEST holds against\n"
		   "the fastest of the optimised ones on one core, X NAIVE against the one that is\n"
		   "not optimised), OpenMP, OpenACC, OpenBLAS and CLBlast where they are there. Then\n"
		   "each variant at its best known configuration, else its default, and the points\n"
		   "of the teaching material. Takes what tuning takes, and gives nothing up to it\n"
		   "meanwhile. Ctrl-C ends it; the rows measured so far are kept as trials.",
	.groups = {cli_device_options, cli_problem_options, options},
	.run = run,
};
