/* options.h: from argv to a context, and the help, from the verbs' tables.
 *
 * --name VALUE, --name=VALUE, --flag; `--` ends the options. The global
 * options may stand before or after the verb; a verb's own follow it.
 *
 * Thread: the main thread. */
#ifndef MMT_CLI_OPTIONS_H
#define MMT_CLI_OPTIONS_H

#include <stdio.h>

#include "verb.h"

extern const struct cli_option cli_global_options[];

/* Fills the context. -1 with MMT_INVALID_ARGUMENT: a sentence with the remedy. After --help or
 * --version nothing more is checked. */
int cli_parse(struct cli_context *context, int argc, char **argv, struct mmt_error *error);

/* NULL with MMT_INVALID_ARGUMENT, which suggests the nearest name. */
const struct cli_verb *cli_find_verb(const char *name, struct mmt_error *error);

/* The n-th table of a verb's options, the global ones last; NULL after them. */
const struct cli_option *cli_option_group(const struct cli_verb *verb, size_t index);

/* Usage of the program (verb NULL) or of a verb. */
void cli_print_help(FILE *out, const struct cli_verb *verb);

#endif
