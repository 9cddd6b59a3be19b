/* main.c: mmtuned: reads its arguments and runs the service.
 *
 * Exit status: 0 ended as told; 1 it could not start; 2 wrong usage or configuration. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "daemon.h"
#include "options.h"

static int fail(const struct mmt_error *error)
{
	fprintf(stderr, "mmtuned: %s\n", error->message);
	return error->code == MMT_INVALID_ARGUMENT ? 2 : 1;
}

static int check_config(const struct svc_options *options)
{
	struct config config;
	struct mmt_error error;
	if (svc_options_config(options, &config, &error) != 0)
		return fail(&error);
	config_finish(&config);
	return 0;
}

static int run(const struct svc_options *options)
{
	struct config config;
	struct mmt_error error;
	umask(0077); /* what others may see is said where it is made */
	if (svc_options_config(options, &config, &error) != 0)
		return fail(&error);
	if (svc_daemon_run(options, &config, &error) != 0) {
		fprintf(stderr, "mmtuned: %s\n", error.message);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct svc_options options;
	struct mmt_error error;
	if (svc_options_parse(&options, argc, argv, &error) != 0)
		return fail(&error);
	switch (options.action) {
	case SVC_HELP:
		fputs(svc_options_help, stdout);
		return EXIT_SUCCESS;
	case SVC_VERSION:
		puts("mmtuned " MMTUNE_VERSION);
		return EXIT_SUCCESS;
	case SVC_PRINT_CONFIG:
		return config_write_example(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
	case SVC_CHECK_CONFIG:
		return check_config(&options);
	case SVC_RUN:
		return run(&options);
	}
	return EXIT_FAILURE;
}
