/* config.c: a mistake in the configuration is found, and said where. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "problem_list.h"

static char path[] = "/tmp/mmtune-config-XXXXXX";

static void write_file(const char *text, size_t bytes)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

/* Reads text as a file over the defaults. */
static int read_text(const char *text, struct config *config, struct mmt_error *error)
{
	*error = (struct mmt_error){0};
	assert_int_equal(config_init(config, error), 0);
	write_file(text, strlen(text));
	return config_read(config, path, error);
}

static void refused(const char *text, int line, const char *words)
{
	struct config config;
	struct mmt_error error;
	char where[128];
	snprintf(where, sizeof(where), "%s:%d: ", path, line);
	assert_int_equal(read_text(text, &config, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	if (strncmp(error.message, where, strlen(where)) != 0 || !strstr(error.message, words))
		fail_msg("'%s' is neither at %s nor about '%s'", error.message, where, words);
	config_finish(&config);
}

static void defaults_and_values(void **state)
{
	(void)state;
	struct config config;
	struct mmt_error error;
	assert_int_equal(read_text("", &config, &error), 0);
	assert_int_equal(config.budget_s, 60);
	assert_string_equal(config.strategy, "auto");
	assert_string_equal(config.socket, "");
	config_finish(&config);
	assert_int_equal(read_text("\xef\xbb\xbf# a comment\n[tuning]\n  budget_s = 90 ; inline\nstrategy=random\r\n\n"
				   "[service]\nsocket = /tmp/a b/s\n[tuning]\nfinalists: 5\n",
				   &config, &error),
			 0);
	assert_int_equal(config.budget_s, 90);
	assert_int_equal(config.finalists, 5);
	assert_string_equal(config.strategy, "random");
	assert_string_equal(config.socket, "/tmp/a b/s");
	config_finish(&config);
	config_finish(&config); /* twice does no harm */
}

static void mistakes_are_located(void **state)
{
	(void)state;
	refused("[tuning]\nbudgets_s = 1\n", 2, "'budgets_s'");
	refused("[tuning]\n\nbudget_s = 1\nbudget_s = 2\n", 4, "in line 3");
	refused("[tuning]\nbudget_s=1\n[service]\n[tuning]\nbudget_s=1\n", 5, "in line 2");
	refused("# x\n[tunning]\nbudget_s = 1\n", 2, "[tunning]");
	refused("[empty]\n", 1, "[empty]");
	refused("budget_s = 1\n", 1, "before the first");
	refused("[tuning]\nbudget_s = 10x\n", 2, "'10x'");
	refused("[tuning]\nbudget_s =\n", 2, "''");
	refused("[tuning]\nbudget_s = 0x10\n", 2, "'0x10'");
	refused("[tuning]\nbudget_s = +5\n", 2, "'+5'");
	refused("[tuning]\nbudget_s = 0\n", 2, "between 1 and 604800");
	refused("[tuning]\nbudget_s = -5\n", 2, "between 1 and 604800");
	refused("[tuning]\nbudget_s = 99999999999999999999\n", 2, "between 1 and 604800");
	refused("[tuning]\nfinalists = 17\n", 2, "between 1 and 16");
	refused("[tuning]\nbudget_s\n", 2, "key = value");
	refused("[tuning\nbudget_s = 1\n", 1, "']' is missing");
	refused("[tuning] x\nbudget_s = 1\n", 1, "behind");
	refused("[tuning]\nnonsense\nunknown = 1\n", 2, "key = value"); /* the first one counts */
	refused("[service]\nsocket = /a\n  /b\n", 3, "key = value");    /* no value goes on in the next line */
}

static void what_would_be_misread_is_refused(void **state)
{
	(void)state;
	static const char nul[] = "[tuning]\nbudget_s = 1\0 2\n";
	char text[512] = "[service]\nsocket = /";
	struct config config;
	struct mmt_error error;
	memset(text + strlen(text), 'a', 300);
	refused(text, 2, "too long");
	assert_int_equal(config_init(&config, &error), 0);
	assert_int_equal(config_read(&config, "/dev/zero", &error), -1); /* a line without an end */
	assert_non_null(strstr(error.message, "/dev/zero:1: the line is too long"));
	write_file(nul, sizeof(nul) - 1);
	assert_int_equal(config_read(&config, path, &error), -1);
	assert_non_null(strstr(error.message, ":2: "));
	config_finish(&config);
}

static void a_file_that_is_not_there(void **state)
{
	(void)state;
	struct config config;
	struct mmt_error error;
	assert_int_equal(config_init(&config, &error), 0);
	assert_int_equal(config_read(&config, "/nonexistent/mmtuned.conf", &error), -1);
	assert_int_equal(error.code, MMT_SYSTEM);
	assert_int_equal(error.foreign, ENOENT);
	assert_int_equal(config_read(&config, "/tmp", &error), -1);
	assert_int_equal(error.foreign, EISDIR);
	config_finish(&config);
}

static void one_key_from_text(void **state)
{
	(void)state;
	struct config config;
	struct mmt_error error;
	assert_int_equal(config_init(&config, &error), 0);
	assert_int_equal(config_set(&config, "tuning", "budget_s", "120", &error), 0);
	assert_int_equal(config.budget_s, 120);
	assert_int_equal(config_set(&config, "tuning", "budget_s", "never", &error), -1);
	assert_int_equal(config.budget_s, 120);
	assert_int_equal(config_set(&config, "service", "budget_s", "1", &error), -1);
	assert_int_equal(config_set(&config, "nowhere", "budget_s", "1", &error), -1);
	assert_non_null(strstr(error.message, "[nowhere]"));
	config_finish(&config);
}

static char *slurp(const char *name)
{
	char *text = calloc(1, 65536);
	FILE *file = fopen(name, "r");
	assert_non_null(file);
	assert_in_range(fread(text, 1, 65535, file), 1, 65534);
	fclose(file);
	return text;
}

static char *example(void)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	assert_int_equal(config_write_example(out), 0);
	fclose(out);
	return text;
}

/* MMTUNE_BLESS=1 writes the file anew. */
static void the_example_is_the_table(void **state)
{
	(void)state;
	static const char name[] = MMTUNE_SOURCE_DIR "/config/mmtuned.conf";
	char *expected = example();
	if (getenv("MMTUNE_BLESS")) {
		FILE *file = fopen(name, "w");
		assert_non_null(file);
		fputs(expected, file);
		fclose(file);
	}
	char *installed = slurp(name);
	assert_string_equal(installed, expected);
	free(installed);
	free(expected);
}

/* With every default switched on it is a configuration, and changes nothing. */
static void the_example_can_be_read(void **state)
{
	(void)state;
	struct config config, defaults;
	struct mmt_error error;
	char *text = example();
	for (char *at = text; (at = strchr(at, '\n')) != NULL;)
		if (*++at == '#' && at[1] != ' ')
			memmove(at, at + 1, strlen(at));
	assert_non_null(strstr(text, "\nbudget_s = 60\n"));
	if (read_text(text, &config, &error) < 0)
		fail_msg("%s", error.message);
	assert_int_equal(config_init(&defaults, &error), 0);
	assert_int_equal(config.max_message_bytes, defaults.max_message_bytes);
	assert_string_equal(config.admin_group, defaults.admin_group);
	config_finish(&config);
	config_finish(&defaults);
	free(text);
}

static void the_manual_has_every_key(void **state)
{
	(void)state;
	static const char *const names[] = {
#define NAME_INTEGER(section, name, minimum, maximum, value, text) "*" #name "*",
#define NAME_OTHER(section, name, value, text)                     "*" #name "*",
		CONFIG_KEYS(NAME_INTEGER, NAME_OTHER, NAME_OTHER, NAME_OTHER)};
	char *manual = slurp(MMTUNE_SOURCE_DIR "/docs/man/mmtuned.conf.5.scd");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strstr(manual, names[i]))
			fail_msg("mmtuned.conf(5) has no %s", names[i]);
	free(manual);
}

static int make_file(void **state)
{
	(void)state;
	int descriptor = mkstemp(path);
	return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void problems_are_read(void **state)
{
	(void)state;
	struct mmt_error error;
	struct config_problem *list;
	size_t count;
	assert_int_equal(config_problems_parse(" 512, gpu0:1000/f64/tn  64x1000x7/nt/bf16,", &list, &count, &error), 0);
	assert_int_equal(count, 3);
	assert_string_equal(list[0].device, "");
	assert_int_equal(list[0].problem.k, 512);
	assert_int_equal(list[0].problem.type, MMT_F32);
	assert_string_equal(list[1].device, "gpu0");
	assert_int_equal(list[1].problem.type, MMT_F64);
	assert_int_equal(list[1].problem.trans, MMT_TN);
	assert_int_equal(list[2].problem.n, 1000);
	assert_int_equal(list[2].problem.k, 7);
	assert_int_equal(list[2].problem.trans, MMT_NT);
	assert_int_equal(list[2].problem.type, MMT_BF16);
	free(list);
	assert_int_equal(config_problems_parse("", &list, &count, &error), 0);
	assert_int_equal(count, 0);
	free(list);
}

static void wrong_problems_are_refused_with_their_place(void **state)
{
	(void)state;
	refused("[tuning]\nauto_tune = 512 0\n", 2, "auto_tune: '0': order");
	refused("[tuning]\nauto_tune = 1x2\n", 2, "'1x2': a size is an order or MxNxK");
	refused("[tuning]\nauto_tune = 1x2x3x4\n", 2, "MxNxK");
	refused("[tuning]\nauto_tune = 1xx3\n", 2, "'1xx3': n");
	refused("[tuning]\nauto_tune = 512/f99\n", 2, "'f99' is neither");
	refused("[tuning]\nauto_tune = 512/nn/tt\n", 2, "'tt' is neither");
	refused("[tuning]\nauto_tune = :512\n", 2, "device");
	refused("[tuning]\nauto_tune = gpu0:\n", 2, "order");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_and_values),
		cmocka_unit_test(mistakes_are_located),
		cmocka_unit_test(what_would_be_misread_is_refused),
		cmocka_unit_test(a_file_that_is_not_there),
		cmocka_unit_test(one_key_from_text),
		cmocka_unit_test(the_example_is_the_table),
		cmocka_unit_test(the_example_can_be_read),
		cmocka_unit_test(the_manual_has_every_key),
		cmocka_unit_test(problems_are_read),
		cmocka_unit_test(wrong_problems_are_refused_with_their_place),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
