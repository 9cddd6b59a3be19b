/* Tables, as a terminal shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "table.h"

static void expect_print(struct cli_table *table, const char *expected)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	assert_int_equal(cli_table_print(table, out, NULL), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	cli_table_finish(table);
}

static void columns_line_up_without_trailing_blanks(void **state)
{
	(void)state;
	static const struct cli_column columns[] = {{"NAME", false}, {"N", true}, {"WHAT", false}};
	struct cli_table table;
	cli_table_init(&table, columns, 3);
	const char *const cells[] = {"a", "1", "", "long name", "12345", "x y"};
	for (size_t i = 0; i < 6; i++)
		cli_table_cell(&table, "%s", cells[i]);
	expect_print(&table, "NAME           N  WHAT\n"
			     "a              1\n"
			     "long name  12345  x y\n");
}

static void widths_are_what_a_terminal_shows(void **state)
{
	(void)state;
	static const struct cli_column columns[] = {{NULL, false}, {NULL, false}};
	struct cli_table table;
	cli_table_init(&table, columns, 2);
	cli_table_line(&table, "\xc3\xa9", "one column");
	cli_table_line(&table, "\xe6\xbc\xa2", "two columns");
	cli_table_line(&table, "e\xcc\x81", "one: a combining accent");
	cli_table_line(&table, "left out", "");
	expect_print(&table, "\xc3\xa9   one column\n"
			     "\xe6\xbc\xa2  two columns\n"
			     "e\xcc\x81   one: a combining accent\n");
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
	(void)state;
	static const struct cli_column columns[] = {{NULL, false}};
	struct cli_table table;
	cli_table_init(&table, columns, 1);
	cli_table_cell(&table, "a\033[2Jb\nc\x7f\xc2\x9b"
			       "d\xff");
	expect_print(&table, "a?[2Jb?c???d?\n");
}

static void many_rows_are_kept(void **state)
{
	(void)state;
	static const struct cli_column columns[] = {{NULL, true}};
	struct cli_table table;
	cli_table_init(&table, columns, 1);
	for (int i = 0; i < 1000; i++)
		cli_table_cell(&table, "%d", i);
	assert_int_equal(table.n_cells, 1000);
	assert_string_equal(table.cells[999], "999");
	cli_table_finish(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_line_up_without_trailing_blanks),
		cmocka_unit_test(widths_are_what_a_terminal_shows),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(many_rows_are_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
