/* help.c: the help, made from the same tables that parse; see options.h. */
#include "options.h"

#include <string.h>

static void print_option(FILE *out, const struct cli_option *option)
{
	char left[64];
	const char *before = option->value == NULL ? "" : option->value_optional ? "[=" : " ";
	const char *after = option->value_optional ? "]" : "";
	snprintf(left, sizeof left, "--%s%s%s%s", option->name, before, option->value != NULL ? option->value : "",
		 after);
	fprintf(out, "  %-22s %s\n", left, option->help);
}

static void print_options(FILE *out, const char *title, const struct cli_option *group)
{
	fprintf(out, "\n%s:\n", title);
	for (const struct cli_option *option = group; option->name != NULL; option++)
		print_option(out, option);
}

static void print_program_help(FILE *out)
{
	fputs("usage: mmtune VERB [OPTION]... [ARGUMENT]\n\n"
	      "Asks the auto-tuning service what to launch on this machine's OpenCL devices.\n\nVerbs:\n",
	      out);
	for (size_t i = 0; cli_verbs[i] != NULL; i++)
		fprintf(out, "  %-12s %s\n", cli_verbs[i]->name, cli_verbs[i]->summary);
	print_options(out, "Options of every verb", cli_global_options);
	fputs("\nExit status: 0 done; 1 failure; 2 usage; 3 service unreachable; 4 no such device\n"
	      "or no answer; 5 verification failed; 6 timed out; 130 interrupted.\n"
	      "'mmtune VERB --help' tells more of a verb; mmtune(1) tells all.\n",
	      out);
}

void cli_print_help(FILE *out, const struct cli_verb *verb)
{
	if (verb == NULL) {
		print_program_help(out);
		return;
	}
	fprintf(out, "usage: mmtune %s [OPTION]...", verb->name);
	if (verb->operand != NULL)
		fprintf(out, verb->operand_optional ? " [%s]" : " %s", verb->operand);
	fprintf(out, "\n\n%s.\n", verb->summary);
	if (verb->details != NULL)
		fprintf(out, "\n%s\n", verb->details);
	const struct cli_option *group;
	bool titled = false;
	for (size_t i = 0; (group = cli_option_group(verb, i)) != NULL; i++) {
		if (group == cli_global_options) {
			print_options(out, "Options of every verb", group);
			continue;
		}
		if (!titled)
			fputs("\nOptions:\n", out);
		titled = true;
		for (const struct cli_option *option = group; option->name != NULL; option++)
			print_option(out, option);
	}
}
