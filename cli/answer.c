/* answer.c: see answer.h. */
#include "answer.h"

#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "format.h"
#include "table.h"

#define LINE_BYTES 2048

/* "the plan of 512x512x512 nn f32, 97 % of a tuned one expected, 30.1 GFLOP/s" */
static void append_neighbour(const json_t *answer, char *out)
{
	char problem[MMT_MESSAGE_BYTES], percent[CLI_FORMAT_BYTES], amount[CLI_FORMAT_BYTES];
	const json_t *neighbour = json_object_get(answer, "neighbour");
	double confidence = cli_field_number(neighbour, "confidence");
	double expected = cli_field_number(neighbour, "expected_gflops");
	size_t used = strlen(out);
	used += (size_t)snprintf(out + used, LINE_BYTES - used, "; the plan of %.200s",
				 cli_field_problem(neighbour, "problem", problem));
	if (confidence > 0)
		used += (size_t)snprintf(out + used, LINE_BYTES - used, ", %s of a tuned one expected",
					 cli_format_percent(percent, confidence, 1));
	if (expected > 0)
		snprintf(out + used, LINE_BYTES - used, ", %s GFLOP/s", cli_format_amount(amount, expected));
}

static const char *match_text(const json_t *answer, char *out)
{
	const char *match = cli_field_text(answer, "match"), *measured_at = cli_field_text(answer, "measured_at");
	snprintf(out, LINE_BYTES, "%s%s%s%s", match, measured_at[0] != '\0' ? ", measured " : "", measured_at,
		 cli_field_true(answer, "stale") ? ", stale: the driver or the kernel has changed since" : "");
	if (strcmp(match, "near") == 0)
		append_neighbour(answer, out);
	if (strcmp(match, "default") == 0)
		snprintf(out + strlen(out), LINE_BYTES - strlen(out), "; nothing is tuned yet");
	return out;
}

static void add_steps(struct cli_table *table, const json_t *steps)
{
	size_t index;
	json_t *step;
	json_array_foreach ((json_t *)steps, index, step) {
		char line[LINE_BYTES], global[CLI_FORMAT_BYTES], local[CLI_FORMAT_BYTES], memory[CLI_FORMAT_BYTES];
		double local_memory_bytes = cli_field_number(step, "local_memory_bytes");
		cli_format_sizes(local, json_object_get(step, "local_size"), "x");
		snprintf(line, sizeof line, "%s, global %s, local %s, local memory %s", cli_field_text(step, "entry"),
			 cli_format_sizes(global, json_object_get(step, "global_size"), "x"),
			 local[0] != '\0' && local[0] != '0' ? local : "as the driver likes",
			 cli_format_bytes(memory, local_memory_bytes));
		cli_table_line(table, index == 0 ? "launch" : "then", line);
	}
}

/* "12.5 GB/s, 40 % of the peak 31.2 GB/s", the last part where a peak is known. */
static void add_rate(struct cli_table *table, const char *label, double rate, double peak, const char *unit)
{
	char line[LINE_BYTES], amount[CLI_FORMAT_BYTES], percent[CLI_FORMAT_BYTES], of[CLI_FORMAT_BYTES];
	if (!(rate > 0))
		return;
	snprintf(line, sizeof line, "%s %s", cli_format_amount(amount, rate), unit);
	if (peak > 0)
		snprintf(line + strlen(line), sizeof line - strlen(line), ", %s of the peak %s",
			 cli_format_percent(percent, rate, peak), cli_format_amount(of, peak));
	cli_table_line(table, label, line);
}

static void add_performance(struct cli_table *table, const json_t *performance)
{
	char line[LINE_BYTES], text[CLI_FORMAT_BYTES], spread[CLI_FORMAT_BYTES];
	double time_ns = cli_field_number(performance, "time_ns");
	double peak_gbps = cli_field_number(performance, "peak_bandwidth_gbps");
	if (!(time_ns > 0))
		return;
	snprintf(line, sizeof line, "%s, spread %s", cli_format_time(text, time_ns),
		 cli_format_percent(spread, cli_field_number(performance, "spread"), 1));
	cli_table_line(table, "time", line);
	add_rate(table, "rate", cli_field_number(performance, "gflops"), cli_field_number(performance, "peak_gflops"),
		 "GFLOP/s");
	add_rate(table, "bandwidth", cli_field_number(performance, "effective_bandwidth_gbps"), peak_gbps, "GB/s");
	add_rate(table, "compulsory", cli_field_number(performance, "compulsory_bandwidth_gbps"), peak_gbps, "GB/s");
	snprintf(line, sizeof line, "%.2g, relative", cli_field_number(performance, "relative_error"));
	cli_table_line(table, "error", line);
}

int cli_print_answer(const json_t *answer, struct mmt_error *error)
{
	static const struct cli_column columns[] = {{NULL, false}, {NULL, false}};
	struct cli_table table;
	cli_table_init(&table, columns, 2);
	char line[LINE_BYTES], parameters[LINE_BYTES / 2], text[MMT_MESSAGE_BYTES];

	snprintf(line, sizeof line, "%s  %s", cli_field_text(answer, "device"), cli_field_text(answer, "device_name"));
	cli_table_line(&table, "device", line);
	cli_table_line(&table, "driver", cli_field_text(answer, "driver"));
	cli_table_line(&table, "problem", cli_field_problem(answer, "problem", text));
	cli_table_line(&table, "match", match_text(answer, line));
	snprintf(line, sizeof line, "%s  %s", cli_field_text(answer, "variant"),
		 cli_field_parameters(answer, "parameters", parameters, sizeof parameters));
	cli_table_line(&table, "variant", line);
	add_steps(&table, json_object_get(answer, "steps"));

	size_t index;
	json_t *temporary;
	json_array_foreach (json_object_get(answer, "temporaries"), index, temporary) {
		snprintf(line, sizeof line, "%s, %s", cli_field_text(temporary, "name"),
			 cli_format_bytes(text, cli_field_number(temporary, "bytes")));
		cli_table_line(&table, "temporary", line);
	}
	add_performance(&table, json_object_get(answer, "performance"));
	int status = cli_table_print(&table, stdout, error);
	cli_table_finish(&table);
	return status;
}

/* NAME='value', with suffix -1 for none; a name's foreign characters become '_'. */
static void assign(const char *prefix, const char *name, int suffix, const char *value)
{
	fputs(prefix, stdout);
	for (const char *c = name; *c != '\0'; c++) {
		bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
		putchar(letter ? *c : '_');
	}
	if (suffix >= 0)
		printf("_%d", suffix);
	fputs("='", stdout);
	for (const char *c = value; *c != '\0'; c++) {
		if (*c == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*c);
	}
	fputs("'\n", stdout);
}

static void assign_step(const json_t *step, int suffix)
{
	char sizes[CLI_FORMAT_BYTES], number[CLI_FORMAT_BYTES];
	assign("MMTUNE_", "ENTRY", suffix, cli_field_text(step, "entry"));
	assign("MMTUNE_", "GLOBAL_SIZE", suffix, cli_format_sizes(sizes, json_object_get(step, "global_size"), " "));
	assign("MMTUNE_", "LOCAL_SIZE", suffix, cli_format_sizes(sizes, json_object_get(step, "local_size"), " "));
	assign("MMTUNE_", "LOCAL_MEMORY_BYTES", suffix,
	       cli_scalar_text(json_object_get(step, "local_memory_bytes"), number, sizeof number));
	assign("MMTUNE_", "BUILD_OPTIONS", suffix, cli_field_text(step, "build_options"));
}

int cli_print_shell(const json_t *answer, struct mmt_error *error)
{
	const json_t *steps = json_object_get(answer, "steps");
	if (json_array_size(steps) == 0)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "the service sent an answer without steps");
	char number[CLI_FORMAT_BYTES];
	assign("MMTUNE_", "DEVICE", -1, cli_field_text(answer, "device"));
	assign("MMTUNE_", "MATCH", -1, cli_field_text(answer, "match"));
	assign("MMTUNE_", "STALE", -1, cli_field_true(answer, "stale") ? "1" : "0");
	assign("MMTUNE_", "VARIANT", -1, cli_field_text(answer, "variant"));
	const char *name;
	json_t *value;
	json_object_foreach (json_object_get(answer, "parameters"), name, value) {
		char text[1024];
		assign("MMTUNE_PARAMETER_", name, -1, cli_scalar_text(value, text, sizeof text));
	}
	snprintf(number, sizeof number, "%zu", json_array_size(steps));
	assign("MMTUNE_", "STEPS", -1, number);
	assign_step(json_array_get(steps, 0), -1);
	for (size_t i = 0; i < json_array_size(steps); i++)
		assign_step(json_array_get(steps, i), (int)i);
	return 0;
}

int cli_print_build_options(const json_t *answer, struct mmt_error *error)
{
	const json_t *steps = json_object_get(answer, "steps");
	if (json_array_size(steps) == 0)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "the service sent an answer without steps");
	for (size_t i = 0; i < json_array_size(steps); i++)
		puts(cli_field_text(json_array_get(steps, i), "build_options"));
	return 0;
}

static bool printed_before(const json_t *steps, size_t index, const char *source)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(cli_field_text(json_array_get(steps, i), "source"), source) == 0)
			return true;
	return false;
}

int cli_print_source(const json_t *answer, struct mmt_error *error)
{
	const json_t *steps = json_object_get(answer, "steps");
	for (size_t i = 0; i < json_array_size(steps); i++) {
		const char *source = cli_field_text(json_array_get(steps, i), "source");
		if (source[0] == '\0')
			return mmt_error_set(error, MMT_PROTOCOL, 0, "the service sent a step without its source");
		if (printed_before(steps, i, source))
			continue;
		fputs(source, stdout);
		if (source[strlen(source) - 1] != '\n')
			putchar('\n');
	}
	return 0;
}
