/* export.c: trials as a T4 document or as comma-separated values, to a file or standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "fields.h"
#include "problem_options.h"
#include "values.h"
#include "verb.h"

static const struct cli_option options[] = {
	{"csv", NULL, false, NULL, "comma-separated values (RFC 4180) instead of T4 JSON, one trial a line"},
	{"output", "FILE", false, CLI_CHOICES_FILES, "write there; default: standard output"},
	{NULL, NULL, false, NULL, NULL},
};

static const char *const csv_header =
	"measured_at,device,driver,family,m,n,k,trans,type,accuracy,variant,parameters,outcome,time_ms,minimum_ms,"
	"spread,gflops,relative_error,message\r\n";

struct exporting {
	const char *path; /* NULL: standard output */
	FILE *out;        /* NULL: not begun */
	bool csv;
	size_t written;
};

static void write_csv_row(FILE *out, const json_t *result)
{
	static const char *const sizes[] = {"m", "n", "k"}, *const names[] = {"trans", "type"};
	static const char *const measurements[] = {"time", "minimum_time", "spread", "GFLOP/s", "relative_error"};
	const json_t *own = json_object_get(result, "Mmtune"), *problem = json_object_get(own, "problem");
	char *parameters = json_dumps(json_object_get(result, "configuration"), JSON_COMPACT);
	fprintf(out, "%s,%s,", cli_field_text(result, "timestamp"), cli_field_text(own, "device"));
	cli_csv_quoted(out, cli_field_text(own, "driver"));
	fprintf(out, ",%s", cli_field_text(problem, "family"));
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		fprintf(out, ",%lld", (long long)cli_field_integer(problem, sizes[i]));
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		fprintf(out, ",%s", cli_field_text(problem, names[i]));
	const char *accuracy = cli_field_text(problem, "accuracy"); /* absent: native */
	fprintf(out, ",%s,%s,", accuracy[0] != '\0' ? accuracy : "native", cli_field_text(own, "variant"));
	cli_csv_quoted(out, parameters != NULL ? parameters : "");
	fprintf(out, ",%s", cli_field_text(own, "outcome"));
	for (size_t i = 0; i < sizeof measurements / sizeof measurements[0]; i++) {
		size_t at;
		const json_t *measurement;
		fputc(',', out);
		json_array_foreach (json_object_get(result, "measurements"), at, measurement)
			if (strcmp(cli_field_text(measurement, "name"), measurements[i]) == 0)
				fprintf(out, "%.17g", cli_field_number(measurement, "value"));
	}
	fputc(',', out);
	cli_csv_quoted(out, cli_field_text(own, "message"));
	fputs("\r\n", out);
	free(parameters);
}

/* One result a line: the file is read and compared by line, and a large one needs no memory to write. */
static void write_page(struct exporting *exporting, const json_t *results)
{
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);
		if (exporting->csv) {
			write_csv_row(exporting->out, result);
		} else {
			fputs(exporting->written > 0 ? ",\n" : "\n", exporting->out);
			json_dumpf(result, exporting->out, JSON_COMPACT);
		}
		exporting->written++;
	}
}

/* Nothing is written before the service has answered: an error leaves a file as it was. */
static int begin(struct exporting *exporting, struct mmt_error *error)
{
	exporting->out = exporting->path != NULL ? fopen(exporting->path, "we") : stdout;
	if (exporting->out == NULL)
		return mmt_error_errno(error, "cannot write '%s'", exporting->path);
	fputs(exporting->csv ? csv_header : "{\"schema_version\":\"1.0.0\",\"results\":[", exporting->out);
	return 0;
}

/* own: the document's own object beside the results. Standard output is main's to flush, and to complain of. */
static int end(struct exporting *exporting, const json_t *own, struct mmt_error *error)
{
	FILE *out = exporting->out;
	bool failed;
	if (!exporting->csv) {
		fputs("\n],\"Mmtune\":", out);
		json_dumpf(own, out, JSON_COMPACT);
		fputs("}\n", out);
	}
	exporting->out = NULL;
	if (exporting->path == NULL)
		return 0;
	failed = ferror(out) != 0;
	failed = fclose(out) != 0 || failed;
	return failed ? mmt_error_errno(error, "cannot write '%s'", exporting->path) : 0;
}

/* Page after page, with one call each; the next call begins behind this one's last trial. */
static int write_all(struct cli_context *context, struct exporting *exporting, json_t *parameters,
		     struct mmt_error *error)
{
	bool more = true;
	int status = 0;
	while (more) {
		json_t *reply = cli_call(context, "Export", json_incref(parameters), error);
		const json_t *document = json_object_get(reply, "document");
		if (reply == NULL || (exporting->out == NULL && begin(exporting, error) != 0)) {
			json_decref(reply);
			return -1;
		}
		write_page(exporting, json_object_get(document, "results"));
		more = json_is_integer(json_object_get(reply, "next")) && !ferror(exporting->out);
		json_object_set(parameters, "after", json_object_get(reply, "next"));
		if (!more)
			status = end(exporting, json_object_get(document, "Mmtune"), error);
		json_decref(reply);
	}
	if (status == 0 && exporting->written == 0)
		fputs("mmtune: nothing was recorded that matches\n", stderr);
	return status;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	struct exporting exporting = {.path = cli_value(context, "output"), .csv = cli_is_given(context, "csv")};
	json_t *parameters;
	int status = -1;
	if (cli_is_given(context, "csv") && cli_is_given(context, "json"))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "give either --csv or --json, not both");
	parameters = cli_problem_parameters(context, false, error);
	if (parameters == NULL)
		return -1;
	if (!cli_is_given(context, "device") || cli_add_device(context, parameters, error) == 0)
		status = write_all(context, &exporting, parameters, error);
	if (exporting.out != NULL && exporting.path != NULL)
		fclose(exporting.out);
	json_decref(parameters);
	return status;
}

const struct cli_verb cli_verb_export = {
	.name = "export",
	.summary = "Write the trials as T4 JSON (schema 1.0.0) or as CSV",
	.details = "The device and problem options choose what is written; without them, everything is.\n"
		   "T4 is the result format that Kernel Tuner and KTT read.",
	.groups = {cli_device_options, cli_problem_options, options},
	.run = run,
};
