/* options.c: see options.h. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "paths.h"
#include "strategy.h"

const char svc_options_help[] = "Usage: mmtuned [OPTION]...\n"
				"The auto-tuning service: finds the fastest kernels for this machine's OpenCL\n"
				"devices, remembers them, and answers programs that ask over a Unix socket.\n"
				"\n"
				"  --user                  run as the user's own instance, in XDG folders\n"
				"  --config FILE           configuration (default: /etc/mmtune/mmtuned.conf;\n"
				"                          with --user: ~/.config/mmtune/mmtuned.conf)\n"
				"  --set SECTION.KEY=VALUE set one key, over the configuration file\n"
				"  --socket PATH           listen there; as --set service.socket=PATH\n"
				"  --state-directory DIR   the database's folder\n"
				"  --cache-directory DIR   folder for the drivers' compilers\n"
				"  --worker PATH           the worker program\n"
				"  --check-config          read the configuration, report mistakes, exit\n"
				"  --print-config          print a configuration file with the defaults, exit\n"
				"  --help, --version\n";

/* Long options only: services are started from unit files, where words read better. */
enum { USER = 256, CONFIG, SET, SOCKET, STATE, CACHE, WORKER, CHECK, PRINT, HELP, VERSION };

static const struct option long_options[] = {
	{"user", no_argument, NULL, USER},
	{"config", required_argument, NULL, CONFIG},
	{"set", required_argument, NULL, SET},
	{"socket", required_argument, NULL, SOCKET},
	{"state-directory", required_argument, NULL, STATE},
	{"cache-directory", required_argument, NULL, CACHE},
	{"worker", required_argument, NULL, WORKER},
	{"check-config", no_argument, NULL, CHECK},
	{"print-config", no_argument, NULL, PRINT},
	{"help", no_argument, NULL, HELP},
	{"version", no_argument, NULL, VERSION},
	{NULL, 0, NULL, 0},
};

static int add_setting(struct svc_options *options, const char *name, const char *value, struct mmt_error *error)
{
	if (options->n_settings == SVC_OPTIONS_SETTINGS)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "more than %d settings on the command line",
				     SVC_OPTIONS_SETTINGS);
	options->settings[options->n_settings].section = name != NULL ? "service" : NULL;
	options->settings[options->n_settings].name = name;
	options->settings[options->n_settings++].value = value;
	return 0;
}

static int take(struct svc_options *options, int option, const char *value, struct mmt_error *error)
{
	switch (option) {
	case USER:
		options->user = true;
		return 0;
	case CONFIG:
		options->config_file = value;
		return 0;
	case SET:
		return add_setting(options, NULL, value, error);
	case SOCKET:
		return add_setting(options, "socket", value, error);
	case STATE:
		return add_setting(options, "state_directory", value, error);
	case CACHE:
		return add_setting(options, "cache_directory", value, error);
	case WORKER:
		return add_setting(options, "worker", value, error);
	case CHECK:
		options->action = SVC_CHECK_CONFIG;
		return 0;
	case PRINT:
		options->action = SVC_PRINT_CONFIG;
		return 0;
	case HELP:
		options->action = SVC_HELP;
		return 0;
	default:
		options->action = SVC_VERSION;
		return 0;
	}
}

int svc_options_parse(struct svc_options *options, int argc, char **argv, struct mmt_error *error)
{
	*options = (struct svc_options){.action = SVC_RUN};
	opterr = 0;
	optind = 1;
	for (;;) {
		int at = optind;
		/* "+": an operand ends the options; ":": a missing value is told from an unknown option. */
		int option = getopt_long(argc, argv, "+:", long_options, NULL);
		if (option == -1)
			break;
		if (option == ':')
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s needs a value", argv[at]);
		if (option == '?')
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown option %s (see mmtuned --help)",
					     argv[at]);
		if (take(options, option, optarg, error) != 0)
			return -1;
	}
	if (optind < argc)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "'%s' is not expected: there are options only",
				     argv[optind]);
	return 0;
}

/* "section.key=value" */
static int set_from_text(struct config *config, const char *text, struct mmt_error *error)
{
	char section[64], name[64];
	const char *dot = strchr(text, '.'), *equals = strchr(text, '=');
	if (dot == NULL || equals == NULL || equals < dot || (size_t)(dot - text) >= sizeof section ||
	    (size_t)(equals - dot - 1) >= sizeof name)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--set %s: expected SECTION.KEY=VALUE", text);
	memcpy(section, text, (size_t)(dot - text));
	section[dot - text] = '\0';
	memcpy(name, dot + 1, (size_t)(equals - dot - 1));
	name[equals - dot - 1] = '\0';
	return config_set(config, section, name, equals + 1, error);
}

static int read_file(const struct svc_options *options, struct config *config, struct mmt_error *error)
{
	char path[PATH_MAX];
	if (options->config_file != NULL)
		return config_read(config, options->config_file, error);
	if (svc_paths_config_file(options->user, path, NULL) != 0)
		return 0; /* no place for a default file: there is none */
	struct mmt_error problem;
	if (config_read(config, path, &problem) == 0 || problem.foreign == ENOENT)
		return 0;
	return mmt_error_set(error, problem.code, problem.foreign, "%s", problem.message);
}

static int set_all(const struct svc_options *options, struct config *config, struct mmt_error *error)
{
	for (size_t i = 0; i < options->n_settings; i++) {
		int status = options->settings[i].section == NULL
				     ? set_from_text(config, options->settings[i].value, error)
				     : config_set(config, options->settings[i].section, options->settings[i].name,
						  options->settings[i].value, error);
		if (status != 0)
			return -1;
	}
	return 0;
}

/* What config cannot know. */
static int check_strategy(const struct config *config, struct mmt_error *error)
{
	struct mmt_error problem;
	if (svc_strategy_check(config->strategy, &problem) == 0)
		return 0;
	return mmt_error_set(error, problem.code, 0, "[tuning] strategy: %s", problem.message);
}

int svc_options_config(const struct svc_options *options, struct config *config, struct mmt_error *error)
{
	if (config_init(config, error) != 0)
		return -1;
	if (read_file(options, config, error) == 0 && set_all(options, config, error) == 0 &&
	    check_strategy(config, error) == 0 && svc_paths_resolve(config, options->user, error) == 0)
		return 0;
	config_finish(config);
	return -1;
}
