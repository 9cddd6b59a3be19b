/* table.c: see table.h. */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define GAP "  "

void cli_table_init(struct cli_table *table, const struct cli_column *columns, size_t n_columns)
{
	*table = (struct cli_table){.columns = columns, .n_columns = n_columns};
}

void cli_table_finish(struct cli_table *table)
{
	for (size_t i = 0; i < table->n_cells; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->n_cells = table->capacity = 0;
}

/* Columns that a terminal gives a character: Unicode 15, East Asian Width W
 * and F are 2, combining and invisible ones 0; the ranges in common use. */
static size_t character_width(uint32_t code)
{
	static const struct {
		uint32_t first, last;
		size_t width;
	} ranges[] = {{0x0300, 0x036f, 0},   {0x1100, 0x115f, 2},  {0x200b, 0x200f, 0}, {0x2e80, 0x303e, 2},
		      {0x3041, 0xa4cf, 2},   {0xac00, 0xd7a3, 2},  {0xf900, 0xfaff, 2}, {0xfe00, 0xfe0f, 0},
		      {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},  {0xffe0, 0xffe6, 2}, {0x1f300, 0x1f64f, 2},
		      {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2}};
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

static size_t text_width(const char *text)
{
	size_t width = 0;
	uint32_t code;
	for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
		length = utf8_decode(text, &code);
		width += length > 0 ? character_width(code) : 1;
	}
	return width;
}

/* In place: what would move the cursor, or is no UTF-8, becomes '?'. */
static void make_printable(char *text)
{
	uint32_t code;
	for (size_t length; *text != '\0'; text += length) {
		length = utf8_decode(text, &code);
		bool control = length > 0 && (code < 0x20 || code == 0x7f || (code >= 0x80 && code < 0xa0));
		if (length == 0 || control) {
			length = length == 0 ? 1 : length;
			memset(text, '?', length);
		}
	}
}

static bool grow(struct cli_table *table)
{
	if (table->n_cells < table->capacity)
		return true;
	size_t capacity = table->capacity > 0 ? 2 * table->capacity : 64;
	char **cells = realloc(table->cells, capacity * sizeof *cells);
	if (cells == NULL)
		return false;
	table->cells = cells;
	table->capacity = capacity;
	return true;
}

void cli_table_cell(struct cli_table *table, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		table->failed = true;
		return;
	}
	if (table->failed || !grow(table)) {
		table->failed = true;
		free(text);
		return;
	}
	make_printable(text);
	table->cells[table->n_cells++] = text;
}

void cli_table_line(struct cli_table *table, const char *label, const char *text)
{
	if (text[0] == '\0')
		return;
	cli_table_cell(table, "%s", label);
	cli_table_cell(table, "%s", text);
}

/* Prints one line; blanks are held back until something follows them. */
static void print_row(const struct cli_table *table, const char *const *cells, const size_t *widths, FILE *out)
{
	size_t pending = 0;
	for (size_t column = 0; column < table->n_columns; column++) {
		size_t padding = widths[column] - text_width(cells[column]);
		bool right = table->columns[column].right;
		if (cells[column][0] != '\0') {
			fprintf(out, "%*s%s", (int)(pending + (right ? padding : 0)), "", cells[column]);
			pending = right ? 0 : padding;
		} else {
			pending += padding;
		}
		pending += strlen(GAP);
	}
	putc('\n', out);
}

int cli_table_print(const struct cli_table *table, FILE *out, struct mmt_error *error)
{
	size_t n_rows = table->n_cells / table->n_columns;
	size_t *widths = calloc(table->n_columns, sizeof *widths);
	const char **titles = calloc(table->n_columns, sizeof *titles);
	if (widths == NULL || titles == NULL || table->failed) {
		free(widths);
		free(titles);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a table");
	}
	bool titled = table->columns[0].title != NULL;
	for (size_t column = 0; column < table->n_columns; column++) {
		titles[column] = titled ? table->columns[column].title : "";
		widths[column] = text_width(titles[column]);
		for (size_t row = 0; row < n_rows; row++) {
			size_t width = text_width(table->cells[row * table->n_columns + column]);
			widths[column] = width > widths[column] ? width : widths[column];
		}
	}
	if (titled)
		print_row(table, titles, widths, out);
	for (size_t row = 0; row < n_rows; row++)
		print_row(table, (const char *const *)table->cells + row * table->n_columns, widths, out);
	free(widths);
	free(titles);
	return 0;
}
