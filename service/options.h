/* options.h: the command line of mmtuned, and the configuration that comes of it.
 *
 * What is given on the command line goes before the file, the file before the
 * defaults. The command line is kept, to be laid over the file again at a reload.
 *
 * Thread: at start-up and reload only. */
#ifndef MMT_SERVICE_OPTIONS_H
#define MMT_SERVICE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"

enum svc_options_action {
	SVC_RUN,
	SVC_CHECK_CONFIG, /* read the configuration, say whether it is right, exit */
	SVC_PRINT_CONFIG, /* print the configuration file with its defaults, exit */
	SVC_HELP,
	SVC_VERSION
};

#define SVC_OPTIONS_SETTINGS 64

struct svc_options {
	enum svc_options_action action;
	bool user;
	const char *config_file; /* borrowed from argv; NULL: the default one, if it is there */
	struct {
		const char *section, *name; /* section NULL: name is "section.key=value" */
		const char *value;
	} settings[SVC_OPTIONS_SETTINGS];
	size_t n_settings;
};

extern const char svc_options_help[];

/* MMT_INVALID_ARGUMENT for what is not understood. Strings stay argv's. */
int svc_options_parse(struct svc_options *options, int argc, char **argv, struct mmt_error *error);

/* Defaults, file, command line, then the paths; config_finish it when done. On failure there is nothing to finish. */
int svc_options_config(const struct svc_options *options, struct config *config, struct mmt_error *error);

#endif
