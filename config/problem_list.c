/* problem_list.c: see problem_list.h. */
#include "problem_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ", \t"
#define ITEM_BYTES 128

/* "1000" or "1000x64x1000", in place. */
static int parse_size(char *text, struct mmt_problem *out, struct mmt_error *error)
{
	static const char *const names[] = {"m", "n", "k"};
	int64_t *const sizes[] = {&out->m, &out->n, &out->k};
	if (!strchr(text, 'x')) {
		if (mmt_dimension_parse("order", text, &out->m, error) != 0)
			return -1;
		out->n = out->k = out->m;
		return 0;
	}
	for (size_t i = 0; i < 3; i++) {
		char *part = text ? strsep(&text, "x") : NULL;
		if (!part || (i == 2 && text))
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "a size is an order or MxNxK");
		if (mmt_dimension_parse(names[i], part, sizes[i], error) != 0)
			return -1;
	}
	return 0;
}

/* What follows the size: a type or a transposition, each at most once. */
static int parse_attribute(const char *text, struct config_problem *out, bool *typed, bool *transposed,
			   struct mmt_error *error)
{
	if (!*typed && mmt_type_parse(text, &out->problem.type, NULL) == 0) {
		*typed = true;
		return 0;
	}
	if (!*transposed && mmt_trans_parse(text, &out->problem.trans, NULL) == 0) {
		*transposed = true;
		return 0;
	}
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
			     "'%.32s' is neither a type nor a transposition (f32, f64, f16, bf16; nn, nt, tn, tt)",
			     text);
}

static int parse_item(char *text, struct config_problem *out, struct mmt_error *error)
{
	bool typed = false, transposed = false;
	memset(out, 0, sizeof *out);
	mmt_problem_init(&out->problem);
	char *colon = strrchr(text, ':');
	if (colon) {
		*colon = '\0';
		if (text[0] == '\0' || (size_t)(colon - text) >= sizeof out->device)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "a device has 1 to %d bytes",
					     CONFIG_DEVICE_BYTES - 1);
		memcpy(out->device, text, (size_t)(colon - text) + 1);
		text = colon + 1;
	}
	char *size = strsep(&text, "/"), *attribute;
	if (parse_size(size, &out->problem, error) != 0)
		return -1;
	while ((attribute = strsep(&text, "/")) != NULL)
		if (parse_attribute(attribute, out, &typed, &transposed, error) != 0)
			return -1;
	return 0;
}

int config_problems_parse(const char *text, struct config_problem **out, size_t *count, struct mmt_error *error)
{
	*count = 0;
	*out = calloc(strlen(text) / 2 + 1, sizeof **out); /* an item and its separator: two bytes at least */
	if (!*out)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a list of problems");
	for (text += strspn(text, SEPARATORS); *text; text += strspn(text, SEPARATORS)) {
		char item[ITEM_BYTES], shown[ITEM_BYTES];
		struct mmt_error problem = {0};
		size_t length = strcspn(text, SEPARATORS);
		snprintf(item, sizeof item, "%.*s", (int)length, text);
		memcpy(shown, item, sizeof shown);
		int status = length < sizeof item ? parse_item(item, &(*out)[*count], &problem)
						  : mmt_error_set(&problem, MMT_INVALID_ARGUMENT, 0, "it is too long");
		if (status != 0) {
			free(*out);
			*out = NULL;
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "'%s': %s", shown, problem.message);
		}
		(*count)++;
		text += length;
	}
	return 0;
}
