/* verb.h: what a verb of the command line is.
 *
 * A verb is one file verbs/NAME.c that ends in
 *	const struct cli_verb cli_verb_NAME = {...};
 * and is found by the build; there is no table to edit. Its options are data:
 * parsing, `--help`, completion and the test of the man page read the same table.
 *
 * Thread: constant data; a verb runs on the main thread. */
#ifndef MMT_CLI_VERB_H
#define MMT_CLI_VERB_H

#include <stdbool.h>

#include "context.h"
#include "families.h" /* made by CMake: CLI_CHOICES_FAMILIES and _STRATEGIES, the built-in ones; a service may know more */
#include "mmtune/error.h"

struct cli_option {
	const char *name;    /* without the dashes; NULL ends a table */
	const char *value;   /* its placeholder in the help; NULL: a flag */
	bool value_optional; /* --name or --name=VALUE, never --name VALUE */
	const char *choices; /* for completion, separated by blanks; CLI_CHOICES_...; NULL: free */
	const char *help;    /* one phrase, no full stop */
};

/* Completed by asking the service, or by the shell. */
#define CLI_CHOICES_DEVICES "@devices"
#define CLI_CHOICES_FILES   "@files"
#define CLI_CHOICES_VERBS   "@verbs"

#define CLI_MAX_GROUPS      4

struct cli_verb {
	const char *name, *summary; /* summary: one phrase, no full stop */
	const char *details;        /* for --help: sentences, lines of at most 78 bytes; NULL: none */
	const char *operand;        /* placeholder; NULL: the verb takes none */
	const char *operand_choices;
	bool operand_optional;
	/* Tables of options beside the global ones; NULL ends them. */
	const struct cli_option *groups[CLI_MAX_GROUPS + 1];
	/* 0; -1 with *error (main prints it and exits with its status); or an exit status, all said. */
	int (*run)(struct cli_context *context, struct mmt_error *error);
};

extern const struct cli_verb *const cli_verbs[]; /* generated, by name; NULL-terminated */

#endif
