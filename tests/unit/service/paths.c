/* Where things are, from the environment; and what the command line makes of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "paths.h"

static const char *const variables[] = {
	"HOME",
	"XDG_RUNTIME_DIR",
	"XDG_STATE_HOME",
	"XDG_CACHE_HOME",
	"XDG_CONFIG_HOME",
	"RUNTIME_DIRECTORY",
	"STATE_DIRECTORY",
	"CACHE_DIRECTORY",
	"CONFIGURATION_DIRECTORY",
	"POCL_CACHE_DIR",
	"CUDA_CACHE_PATH",
};

struct fixture {
	char folder[64];
	struct config config;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	struct mmt_error error;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/mmtune-paths-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	assert_int_equal(config_init(&fixture->config, &error), 0);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[128];
	config_finish(&fixture->config);
	snprintf(command, sizeof command, "rm -rf '%s'", fixture->folder);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

static void the_system_has_fixed_places(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	assert_int_equal(svc_paths_resolve(&fixture->config, false, &error), 0);
	assert_string_equal(fixture->config.socket, "/run/mmtune/socket");
	assert_string_equal(fixture->config.state_directory, "/var/lib/mmtune");
	assert_string_equal(fixture->config.cache_directory, "/var/cache/mmtune");
	assert_true(strlen(fixture->config.worker) > 0);
}

static void systemd_says_where(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	setenv("RUNTIME_DIRECTORY", "/run/one:/run/two", 1);
	setenv("STATE_DIRECTORY", "/srv/state", 1);
	setenv("CACHE_DIRECTORY", "/srv/cache", 1);
	assert_int_equal(svc_paths_resolve(&fixture->config, false, &error), 0);
	assert_string_equal(fixture->config.socket, "/run/one/socket");
	assert_string_equal(fixture->config.state_directory, "/srv/state");
	assert_string_equal(fixture->config.cache_directory, "/srv/cache");
}

static void a_user_has_xdg_folders(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	char path[PATH_MAX];
	setenv("HOME", "/home/ada", 1);
	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
	setenv("XDG_CONFIG_HOME", "/cfg", 1);
	setenv("STATE_DIRECTORY", "/srv/state", 1); /* not for --user */
	assert_int_equal(svc_paths_resolve(&fixture->config, true, &error), 0);
	assert_string_equal(fixture->config.socket, "/run/user/7/mmtune/socket");
	assert_string_equal(fixture->config.state_directory, "/home/ada/.local/state/mmtune");
	assert_string_equal(fixture->config.cache_directory, "/home/ada/.cache/mmtune");
	assert_string_equal(fixture->config.kernel_directory, ""); /* none is there */
	assert_int_equal(svc_paths_config_file(true, path, &error), 0);
	assert_string_equal(path, "/cfg/mmtune/mmtuned.conf");
}

static void without_home_the_remedy_is_named(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	assert_int_equal(svc_paths_resolve(&fixture->config, true, &error), -1);
	assert_string_equal(error.message, "XDG_RUNTIME_DIR is not set: give --socket PATH");
	config_set(&fixture->config, "service", "socket", "/tmp/socket", &error);
	assert_int_equal(svc_paths_resolve(&fixture->config, true, &error), -1);
	assert_string_equal(error.message, "HOME is not set: give --state-directory DIR");
	config_set(&fixture->config, "service", "state_directory", "/tmp/state", &error);
	assert_int_equal(svc_paths_resolve(&fixture->config, true, &error), -1);
	assert_string_equal(error.message, "HOME is not set: give --cache-directory DIR");
	config_set(&fixture->config, "service", "cache_directory", "/tmp/cache", &error);
	assert_int_equal(svc_paths_resolve(&fixture->config, true, &error), 0);
}

static void assert_mode(const char *folder, const char *name, mode_t mode)
{
	char path[PATH_MAX];
	struct stat found;
	snprintf(path, sizeof path, "%s%s", folder, name);
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_mode & 07777, mode);
}

static void folders_are_made(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	char path[128];
	snprintf(path, sizeof path, "%s/run/mmtune/socket", fixture->folder);
	config_set(&fixture->config, "service", "socket", path, &error);
	snprintf(path, sizeof path, "%s/state/deep", fixture->folder);
	config_set(&fixture->config, "service", "state_directory", path, &error);
	snprintf(path, sizeof path, "%s/cache", fixture->folder);
	config_set(&fixture->config, "service", "cache_directory", path, &error);
	setenv("CUDA_CACHE_PATH", "/mine", 1);
	mode_t before = umask(0077);
	assert_int_equal(svc_paths_make_socket_folder(&fixture->config, &error), 0);
	assert_int_equal(svc_paths_make_state(&fixture->config, &error), 0);
	assert_int_equal(svc_paths_make_state(&fixture->config, &error), 0); /* there already */
	assert_int_equal(svc_paths_make_cache(&fixture->config, &error), 0);
	umask(before);
	assert_mode(fixture->folder, "/run", 0755);
	assert_mode(fixture->folder, "/run/mmtune", 0755);
	assert_mode(fixture->folder, "/state/deep", 0700);
	assert_mode(fixture->folder, "/cache/pocl", 0700);
	snprintf(path, sizeof path, "%s/cache/pocl", fixture->folder);
	assert_string_equal(getenv("POCL_CACHE_DIR"), path);
	assert_string_equal(getenv("CUDA_CACHE_PATH"), "/mine"); /* was set */
}

/* ---- the command line ---- */

static int parse(struct svc_options *options, const char *line, struct mmt_error *error)
{
	static char copy[512]; /* options borrow from it */
	char *arguments[32];
	int count = 0;
	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		arguments[count++] = word;
	arguments[count] = NULL;
	return svc_options_parse(options, count, arguments, error);
}

static void wrong_options_are_refused(void **state)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"mmtuned --nonsense", "unknown option --nonsense (see mmtuned --help)"},
		{"mmtuned --user -x", "unknown option -x (see mmtuned --help)"},
		{"mmtuned --socket", "--socket needs a value"},
		{"mmtuned --user extra", "'extra' is not expected: there are options only"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct svc_options options;
		struct mmt_error error;
		assert_int_equal(parse(&options, cases[i].line, &error), -1);
		assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
		assert_string_equal(error.message, cases[i].message);
	}
}

static void the_command_line_goes_before_the_file(void **state)
{
	struct fixture *fixture = *state;
	struct svc_options options;
	struct mmt_error error;
	struct config config;
	char line[512], path[128];
	snprintf(path, sizeof path, "%s/mmtuned.conf", fixture->folder);
	FILE *file = fopen(path, "w");
	fputs("[service]\nsocket = /from/file\n[tuning]\nbudget_s = 7\nfinalists = 2\n", file);
	fclose(file);
	snprintf(line, sizeof line, "mmtuned --socket /from/line --set tuning.budget_s=9 --config %s", path);
	assert_int_equal(parse(&options, line, &error), 0);
	assert_int_equal(svc_options_config(&options, &config, &error), 0);
	assert_string_equal(config.socket, "/from/line");
	assert_int_equal(config.budget_s, 9);
	assert_int_equal(config.finalists, 2);
	config_finish(&config);
}

static void a_wrong_setting_is_told(void **state)
{
	static const char *const lines[] = {
		"mmtuned --set tuning.budget_s=much", "mmtuned --set tuning.nosuch=1",
		"mmtuned --set budget_s=1",           "mmtuned --set tuning.budget_s",
		"mmtuned --config /no/such/file",     "mmtuned --set tuning.strategy=luck",
	};
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct svc_options options;
		struct mmt_error error;
		struct config config;
		assert_int_equal(parse(&options, lines[i], &error), 0);
		assert_int_equal(svc_options_config(&options, &config, &error), -1);
		assert_true(strlen(error.message) > 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_system_has_fixed_places),
		TEST(systemd_says_where),
		TEST(a_user_has_xdg_folders),
		TEST(without_home_the_remedy_is_named),
		TEST(folders_are_made),
		TEST(wrong_options_are_refused),
		TEST(the_command_line_goes_before_the_file),
		TEST(a_wrong_setting_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
