/* help.c: `mmtune help VERB` is `mmtune VERB --help`. */
#include "options.h"

static int run(struct cli_context *context, struct mmt_error *error)
{
	const struct cli_verb *verb = NULL;
	if (context->operand != NULL && (verb = cli_find_verb(context->operand, error)) == NULL)
		return -1;
	cli_print_help(stdout, verb);
	return 0;
}

const struct cli_verb cli_verb_help = {
	.name = "help",
	.summary = "Print the help of mmtune, or of one verb",
	.operand = "VERB",
	.operand_choices = CLI_CHOICES_VERBS,
	.operand_optional = true,
	.run = run,
};
