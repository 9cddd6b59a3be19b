/* status.c: the service itself: where it is, what it holds, what it does. */
#include <stdio.h>

#include "fields.h"
#include "format.h"
#include "table.h"
#include "verb.h"

static void add_count(struct cli_table *table, const char *label, const json_t *reply, const char *key)
{
	char text[CLI_FORMAT_BYTES];
	cli_table_line(table, label, cli_scalar_text(json_object_get(reply, key), text, sizeof text));
}

static int show(struct cli_context *context, const json_t *reply, struct mmt_error *error)
{
	(void)context;
	static const struct cli_column columns[] = {{NULL, false}, {NULL, false}};
	struct cli_table table;
	char text[CLI_FORMAT_BYTES];
	cli_table_init(&table, columns, 2);
	cli_table_line(&table, "version", cli_field_text(reply, "version"));
	add_count(&table, "process", reply, "pid");
	cli_table_line(&table, "started", cli_field_text(reply, "started_at"));
	cli_table_line(&table, "socket", cli_field_text(reply, "socket"));
	cli_table_line(&table, "database", cli_field_text(reply, "database"));
	cli_table_line(&table, "note", cli_field_text(reply, "database_note"));
	add_count(&table, "schema", reply, "schema_version");
	add_count(&table, "devices", reply, "devices");
	add_count(&table, "clients", reply, "clients");
	add_count(&table, "answers", reply, "answers");
	add_count(&table, "trials", reply, "trials");
	add_count(&table, "jobs pending", reply, "jobs_pending");
	cli_table_line(&table, "tuning", cli_field_true(reply, "paused") ? "paused" : "allowed");
	cli_table_line(&table, "resident", cli_format_bytes(text, cli_field_number(reply, "resident_bytes")));
	int status = cli_table_print(&table, stdout, error);
	cli_table_finish(&table);
	return status;
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	return cli_call_and_show(context, "Status", json_object(), show, error);
}

const struct cli_verb cli_verb_status = {
	.name = "status",
	.summary = "Tell how the service is",
	.run = run,
};
