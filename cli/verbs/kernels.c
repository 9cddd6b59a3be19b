/* kernels.c: the kernel variants, and where they can run. */
#include <stdio.h>

#include "fields.h"
#include "problem_options.h"
#include "table.h"
#include "verb.h"

#define TYPES_BYTES 64

static const struct cli_option options[] = {
	{"family", "NAME", false, CLI_CHOICES_FAMILIES, "the variants of this family only"},
	{NULL, NULL, false, NULL, NULL},
};

static const char *types_text(const json_t *types, char *out)
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(types) && used < TYPES_BYTES; i++)
		used += (size_t)snprintf(out + used, TYPES_BYTES - used, "%s%.15s", i > 0 ? " " : "",
					 json_string_value(json_array_get(types, i)));
	return out;
}

/* Configurations before conditions. */
static double product_of_values(const json_t *parameters)
{
	double product = 1;
	for (size_t i = 0; i < json_array_size(parameters); i++)
		product *= (double)json_array_size(json_object_get(json_array_get(parameters, i), "values"));
	return product;
}

static void add_kernel(struct cli_table *table, const json_t *kernel, bool with_device)
{
	char types[TYPES_BYTES];
	bool runs = cli_field_true(kernel, "runs");
	const json_t *parameters = json_object_get(kernel, "parameters");
	cli_table_cell(table, "%s", cli_field_text(kernel, "family"));
	cli_table_cell(table, "%s", cli_field_text(kernel, "name"));
	cli_table_cell(table, "%s", types_text(json_object_get(kernel, "types"), types));
	cli_table_cell(table, "%s", cli_field_text(kernel, "accuracy"));
	cli_table_cell(table, "%zu", json_array_size(parameters));
	cli_table_cell(table, "%.0f", product_of_values(parameters));
	if (with_device)
		cli_table_cell(table, "%s", runs ? "yes" : "no");
	else
		cli_table_cell(table, "%s", cli_field_true(kernel, "built_in") ? "built in" : "dropped in");
	/* the last column may be as long as it is: why not is worth more there than what it would do */
	if (with_device && !runs)
		cli_table_cell(table, "does not run: %s", cli_field_text(kernel, "why_not"));
	else
		cli_table_cell(table, "%s", cli_field_text(kernel, "summary"));
}

static int show(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	bool with_device = cli_is_given(context, "device");
	const struct cli_column columns[] = {{"FAMILY", false},
					     {"VARIANT", false},
					     {"TYPES", false},
					     {"ACCURACY", false},
					     {"PARAMETERS", true},
					     {"PRODUCT", true},
					     {with_device ? "RUNS" : "FROM", false},
					     {"WHAT", false}};
	const json_t *kernels = json_object_get(reply, "kernels"), *warnings = json_object_get(reply, "warnings");
	struct cli_table table;
	cli_table_init(&table, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < json_array_size(kernels); i++)
		add_kernel(&table, json_array_get(kernels, i), with_device);
	int status = table.n_cells > 0 ? cli_table_print(&table, stdout, error) : 0;
	cli_table_finish(&table);
	for (size_t i = 0; i < json_array_size(warnings); i++)
		fprintf(stderr, "mmtune: %s\n", json_string_value(json_array_get(warnings, i)));
	return status;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	const char *family = cli_value(context, "family");
	json_t *parameters = json_object();
	if (family != NULL && json_object_set_new(parameters, "family", json_string(family)) != 0) {
		json_decref(parameters);
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--family is not UTF-8");
	}
	if (cli_is_given(context, "device") && cli_add_device(context, parameters, error) != 0) {
		json_decref(parameters);
		return -1;
	}
	return cli_call_and_show(context, "Kernels", parameters, show, error);
}

const struct cli_verb cli_verb_kernels = {
	.name = "kernels",
	.summary = "List the kernel variants, and with --device whether each can run there",
	.groups = {cli_device_options, options},
	.run = run,
};
