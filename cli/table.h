/* table.h: aligned columns.
 *
 * Cells are appended row by row; a width is what a terminal shows of a UTF-8
 * text. Control characters in a cell (a driver's strings may hold any) are
 * shown as '?'. Lines have no trailing blanks.
 *
 * Thread: one table belongs to one thread. */
#ifndef MMT_CLI_TABLE_H
#define MMT_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mmtune/error.h"

struct cli_column {
	const char *title; /* NULL in the first column: no line of titles */
	bool right;        /* numbers */
};

struct cli_table {
	const struct cli_column *columns;
	size_t n_columns;
	char **cells;
	size_t n_cells, capacity;
	bool failed; /* memory ran out: print tells */
};

void cli_table_init(struct cli_table *table, const struct cli_column *columns, size_t n_columns);
void cli_table_finish(struct cli_table *table);

/* Appends the next cell of the current row, starting a row after a full one. */
void cli_table_cell(struct cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A row of a table of two columns; nothing where text is empty. */
void cli_table_line(struct cli_table *table, const char *label, const char *text);

int cli_table_print(const struct cli_table *table, FILE *out, struct mmt_error *error);

#endif
