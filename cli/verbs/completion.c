/* completion.c: the shell's completion, made from the tables that parse.
 *
 * The script is static text; only device names are asked of the service, when
 * the user completes one. */
#include <stdio.h>
#include <string.h>

#include "options.h"

static void print_choices(const char *choices)
{
	if (choices == NULL)
		puts("\t\treturn ;;");
	else if (strcmp(choices, CLI_CHOICES_DEVICES) == 0)
		puts("\t\tCOMPREPLY=($(compgen -W \"$(mmtune devices --names 2>/dev/null)\" -- \"$word\")); return ;;");
	else if (strcmp(choices, CLI_CHOICES_FILES) == 0)
		puts("\t\tCOMPREPLY=($(compgen -f -- \"$word\")); return ;;");
	else
		printf("\t\tCOMPREPLY=($(compgen -W \"%s\" -- \"$word\")); return ;;\n", choices);
}

/* What follows an option that takes a value. */
static void print_values(const struct cli_option *group, const char *verb)
{
	for (const struct cli_option *option = group; option->name != NULL; option++) {
		if (option->value == NULL || option->value_optional)
			continue;
		printf("\t%s:--%s)\n", verb, option->name);
		print_choices(option->choices);
	}
}

static void print_names(const struct cli_verb *verb)
{
	const struct cli_option *group;
	for (size_t i = 0; (group = cli_option_group(verb, i)) != NULL; i++)
		for (const struct cli_option *option = group; option->name != NULL; option++)
			printf(" --%s", option->name);
}

static void print_verb_names(void)
{
	for (size_t i = 0; cli_verbs[i] != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", cli_verbs[i]->name);
}

static void print_script(void)
{
	fputs("# bash completion of mmtune, made by 'mmtune completion bash'\n"
	      "_mmtune() {\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb= i\n"
	      "\tlocal verbs=\"",
	      stdout);
	print_verb_names();
	fputs("\"\n"
	      "\tCOMPREPLY=()\n"
	      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase \" $verbs \" in *\" ${COMP_WORDS[i]} \"*) verb=${COMP_WORDS[i]}; break ;; esac\n"
	      "\tdone\n"
	      "\tcase $verb:$before in\n",
	      stdout);
	for (size_t i = 0; cli_verbs[i] != NULL; i++)
		for (size_t j = 0; cli_verbs[i]->groups[j] != NULL; j++)
			print_values(cli_verbs[i]->groups[j], cli_verbs[i]->name);
	print_values(cli_global_options, "*");
	fputs("\tesac\n\tlocal words=\n\tcase $verb in\n", stdout);
	for (size_t i = 0; cli_verbs[i] != NULL; i++) {
		const char *choices = cli_verbs[i]->operand_choices;
		bool verbs = choices != NULL && strcmp(choices, CLI_CHOICES_VERBS) == 0;
		printf("\t%s) words=\"%s", cli_verbs[i]->name, verbs ? "$verbs" : choices != NULL ? choices : "");
		print_names(cli_verbs[i]);
		puts("\" ;;");
	}
	fputs("\t*) words=\"$verbs", stdout);
	print_names(NULL);
	fputs("\" ;;\n"
	      "\tesac\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	      "}\n"
	      "complete -F _mmtune mmtune\n",
	      stdout);
}

static int run(struct cli_context *context, struct mmt_error *error)
{
	if (context->operand != NULL && strcmp(context->operand, "bash") != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "no completion for the shell '%.64s': there is bash", context->operand);
	print_script();
	return 0;
}

const struct cli_verb cli_verb_completion = {
	.name = "completion",
	.summary = "Print the completion script for a shell",
	.details = "For this shell: eval \"$(mmtune completion bash)\"",
	.operand = "SHELL",
	.operand_choices = "bash",
	.operand_optional = true,
	.run = run,
};
