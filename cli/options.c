/* options.c: parsing; see options.h. The help is in help.c. */
#include "options.h"

#include <string.h>

#include "nearest.h"

const struct cli_option cli_global_options[] = {
	{"socket", "PATH", false, CLI_CHOICES_FILES, "the service's socket, instead of the usual one"},
	{"json", NULL, false, NULL, "print the service's reply as one line of JSON"},
	{"help", NULL, false, NULL, "print this help and exit"},
	{"version", NULL, false, NULL, "print the version and exit"},
	{NULL, NULL, false, NULL, NULL},
};

const struct cli_option *cli_option_group(const struct cli_verb *verb, size_t index)
{
	size_t own = 0;
	while (verb != NULL && verb->groups[own] != NULL)
		own++;
	return index < own ? verb->groups[index] : index == own ? cli_global_options : NULL;
}

/* The option whose name has these bytes; NULL: none. */
static const struct cli_option *find_option(const struct cli_verb *verb, const char *name, size_t length)
{
	const struct cli_option *group;
	for (size_t i = 0; (group = cli_option_group(verb, i)) != NULL; i++)
		for (const struct cli_option *option = group; option->name != NULL; option++)
			if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
				return option;
	return NULL;
}

static const char *nearest_option(const struct cli_verb *verb, const char *name)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	const struct cli_option *group;
	for (size_t i = 0; (group = cli_option_group(verb, i)) != NULL; i++)
		for (const struct cli_option *option = group; option->name != NULL; option++)
			nearest_offer(&nearest, option->name);
	return nearest_found(&nearest);
}

static int unknown_option(const struct cli_verb *verb, const char *argument, size_t length, struct mmt_error *error)
{
	char name[64];
	size_t kept = length < sizeof name ? length : sizeof name - 1;
	memcpy(name, argument, kept);
	name[kept] = '\0';
	const char *bare = name + strspn(name, "-");
	const char *suggestion = nearest_option(verb, bare);
	if (suggestion != NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown option %s: did you mean --%s?", name,
				     suggestion);
	if (verb == NULL)
		return mmt_error_set(
			error, MMT_INVALID_ARGUMENT, 0,
			"unknown option %s before a verb: options of a verb follow it; see 'mmtune --help'", name);
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown option %s of %s: see 'mmtune %s --help'", name,
			     verb->name, verb->name);
}

const struct cli_verb *cli_find_verb(const char *name, struct mmt_error *error)
{
	struct nearest nearest;
	nearest_init(&nearest, name);
	for (size_t i = 0; cli_verbs[i] != NULL; i++) {
		if (strcmp(cli_verbs[i]->name, name) == 0)
			return cli_verbs[i];
		nearest_offer(&nearest, cli_verbs[i]->name);
	}
	const char *suggestion = nearest_found(&nearest);
	if (suggestion != NULL)
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown verb '%.64s': did you mean %s?", name,
			      suggestion);
	else
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown verb '%.64s': see 'mmtune --help'", name);
	return NULL;
}

static int record(struct cli_context *context, const struct cli_option *option, const char *value,
		  struct mmt_error *error)
{
	if (cli_is_given(context, option->name))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "option --%s is given twice: give it once",
				     option->name);
	if (context->n_given == CLI_MAX_GIVEN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "more than %d options", CLI_MAX_GIVEN);
	context->given[context->n_given].option = option;
	context->given[context->n_given++].value = value;
	return 0;
}

/* Parses argv[*index], an option, and its value, which may be the next argument. */
static int parse_option(struct cli_context *context, char **argv, int *index, struct mmt_error *error)
{
	const char *argument = argv[*index];
	const char *name = strcmp(argument, "-h") == 0 ? "--help" : argument;
	size_t length = strcspn(name, "=");
	const char *attached = name[length] == '=' ? name + length + 1 : NULL;
	const struct cli_option *option = NULL;
	if (length > 2 && name[0] == '-' && name[1] == '-')
		option = find_option(context->verb, name + 2, length - 2);
	if (option == NULL)
		return unknown_option(context->verb, argument, strcspn(argument, "="), error);

	if (option->value == NULL) {
		if (attached != NULL)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "option --%s takes no value, but was given '%.64s'", option->name,
					     attached);
		return record(context, option, "", error);
	}
	if (attached != NULL || option->value_optional)
		return record(context, option, attached != NULL ? attached : "", error);
	const char *next = argv[*index + 1];
	if (next == NULL || strncmp(next, "--", 2) == 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "option --%s needs a value: --%s %s", option->name,
				     option->name, option->value);
	++*index;
	return record(context, option, next, error);
}

static int parse_operand(struct cli_context *context, const char *argument, struct mmt_error *error)
{
	if (context->verb == NULL) {
		context->verb = cli_find_verb(argument, error);
		return context->verb != NULL ? 0 : -1;
	}
	if (context->verb->operand == NULL || context->operand != NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "%s does not take the argument '%.64s': see 'mmtune %s --help'",
				     context->verb->name, argument, context->verb->name);
	context->operand = argument;
	return 0;
}

static bool only_informs(const struct cli_context *context)
{
	return cli_is_given(context, "help") || cli_is_given(context, "version");
}

int cli_parse(struct cli_context *context, int argc, char **argv, struct mmt_error *error)
{
	bool options_ended = false;
	for (int i = 1; i < argc && !only_informs(context); i++) {
		int status = 0;
		if (!options_ended && strcmp(argv[i], "--") == 0)
			options_ended = true;
		else if (!options_ended && argv[i][0] == '-' && argv[i][1] != '\0')
			status = parse_option(context, argv, &i, error);
		else
			status = parse_operand(context, argv[i], error);
		if (status != 0)
			return -1;
	}
	const struct cli_verb *verb = context->verb;
	if (only_informs(context) || verb == NULL || verb->operand == NULL || verb->operand_optional ||
	    context->operand != NULL)
		return 0;
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s needs an argument: mmtune %s %s", verb->name,
			     verb->name, verb->operand);
}
