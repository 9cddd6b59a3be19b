/* devices.c: the OpenCL devices of this machine, by the names they keep. */
#include <stdio.h>

#include "fields.h"
#include "format.h"
#include "table.h"
#include "verb.h"

static const struct cli_option options[] = {
	{"rescan", NULL, false, NULL, "look for devices again first"},
	{"names", NULL, false, NULL, "print the names only, one a line"},
	{NULL, NULL, false, NULL, NULL},
};

static const char *state_text(const json_t *device, char *out)
{
	const json_t *quarantine = json_object_get(device, "quarantine");
	const json_t *present = json_object_get(device, "present");
	if (json_is_object(quarantine))
		snprintf(out, MMT_MESSAGE_BYTES, "quarantined until %s: %s", cli_field_text(quarantine, "until"),
			 cli_field_text(quarantine, "reason"));
	else
		snprintf(out, MMT_MESSAGE_BYTES, "%s", json_is_false(present) ? "absent" : "ready");
	return out;
}

static int show(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	static const struct cli_column columns[] = {{"NAME", false},   {"STATE", false},  {"UNITS", true},
						    {"MEMORY", true},  {"LOCAL", true},   {"TYPES", false},
						    {"DEVICE", false}, {"DRIVER", false}, {"PLATFORM", false}};
	const json_t *devices = json_object_get(reply, "devices"), *hints = json_object_get(reply, "hints");
	bool names_only = cli_is_given(context, "names");
	struct cli_table table;
	cli_table_init(&table, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < json_array_size(devices); i++) {
		const json_t *device = json_array_get(devices, i);
		char state[MMT_MESSAGE_BYTES], memory[CLI_FORMAT_BYTES], local[CLI_FORMAT_BYTES];
		if (names_only) {
			puts(cli_field_text(device, "name"));
			continue;
		}
		cli_table_cell(&table, "%s", cli_field_text(device, "name"));
		cli_table_cell(&table, "%s", state_text(device, state));
		cli_table_cell(&table, "%lld", (long long)cli_field_integer(device, "compute_units"));
		cli_table_cell(&table, "%s", cli_format_bytes(memory, cli_field_number(device, "global_memory_bytes")));
		cli_table_cell(&table, "%s", cli_format_bytes(local, cli_field_number(device, "local_memory_bytes")));
		cli_table_cell(&table, "f32%s%s", cli_field_true(device, "fp64") ? " f64" : "",
			       cli_field_true(device, "fp16") ? " f16" : "");
		cli_table_cell(&table, "%s", cli_field_text(device, "device_name"));
		cli_table_cell(&table, "%s", cli_field_text(device, "driver"));
		cli_table_cell(&table, "%s", cli_field_text(device, "platform"));
	}
	int status = table.n_cells > 0 ? cli_table_print(&table, stdout, error) : 0;
	cli_table_finish(&table);
	if (json_array_size(devices) == 0)
		fputs("mmtune: this machine has no OpenCL device\n", stderr);
	for (size_t i = 0; i < json_array_size(hints); i++)
		fprintf(stderr, "mmtune: %s\n", json_string_value(json_array_get(hints, i)));
	return status;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	json_t *parameters = json_object();
	if (parameters != NULL && cli_is_given(context, "rescan"))
		json_object_set_new(parameters, "rescan", json_true());
	return cli_call_and_show(context, "Devices", parameters, show, error);
}

const struct cli_verb cli_verb_devices = {
	.name = "devices",
	.summary = "List the OpenCL devices of this machine",
	.groups = {options},
	.run = run,
};
