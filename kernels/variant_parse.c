/* variant_parse.c: see variant_parse.h. */
#include "variant_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kern_parse_fail(struct kern_parse *parse, const char *place, const char *format, ...)
{
	char message[MMT_MESSAGE_BYTES];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return mmt_error_set(parse->error, MMT_INVALID_ARGUMENT, 0, "%s: %s: %s", parse->file, place, message);
}

int kern_parse_no_memory(struct kern_parse *parse)
{
	return mmt_error_set(parse->error, MMT_NO_MEMORY, 0, "%s: out of memory", parse->file);
}

int kern_parse_text(struct kern_parse *parse, const json_t *value, const char *place, size_t limit, char **out)
{
	if (!value)
		return 0;
	if (!json_is_string(value))
		return kern_parse_fail(parse, place, "is not a string");
	if (json_string_length(value) > limit)
		return kern_parse_fail(parse, place, "is longer than %zu bytes", limit);
	*out = strdup(json_string_value(value));
	return *out ? 0 : kern_parse_no_memory(parse);
}

int kern_parse_identifier(struct kern_parse *parse, const json_t *value, const char *place, char **out)
{
	if (!value)
		return kern_parse_fail(parse, place, "is missing");
	if (!json_is_string(value) || !kern_text_is_identifier(json_string_value(value)))
		return kern_parse_fail(parse, place, "is not an identifier of at most %d characters",
				       KERN_IDENTIFIER_BYTES - 1);
	return kern_parse_text(parse, value, place, KERN_IDENTIFIER_BYTES, out);
}

int kern_parse_expr(struct kern_parse *parse, const json_t *value, const char *place, enum kern_parse_scope scope,
		    struct expr **out)
{
	char number[32];
	const char *text = json_string_value(value);
	if (!value)
		return 0;
	if (json_is_integer(value)) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		text = number;
	}
	if (!text)
		return kern_parse_fail(parse, place, "is neither an expression nor a whole number");
	size_t n_names = parse->variant->n_parameters + (scope == KERN_PARSE_MMTUNE ? KERN_SCOPE_NAMES : 0);
	struct mmt_error inner = {0};
	*out = expr_create(text, parse->names, n_names, KERN_SIZES, &inner);
	if (*out)
		return 0;
	return inner.code == MMT_NO_MEMORY ? kern_parse_no_memory(parse)
					   : kern_parse_fail(parse, place, "%s", inner.message);
}

static const char *const axes[3] = {"X", "Y", "Z"};

/* Reads {"X":..., "Y":...} into out; how many there are in *count (0: no object). */
static int parse_axes(struct kern_parse *parse, const json_t *object, const char *place, enum kern_parse_scope scope,
		      struct expr *out[3], unsigned *count)
{
	char inner[KERN_PLACE_BYTES + 16];
	*count = 0;
	if (!object)
		return 0;
	if (!json_is_object(object))
		return kern_parse_fail(parse, place, "is not an object with X, Y, Z");
	for (size_t i = 0; i < 3; i++) {
		const json_t *value = json_object_get(object, axes[i]);
		if (!value)
			continue;
		snprintf(inner, sizeof(inner), "%s.%s", place, axes[i]);
		if (*count != i)
			return kern_parse_fail(parse, inner, "comes without %s", axes[i - 1]);
		if (kern_parse_expr(parse, value, inner, scope, &out[i]))
			return -1;
		++*count;
	}
	if (*count == 0 || json_object_size(object) != *count)
		return kern_parse_fail(parse, place, "has keys other than X, Y, Z, or none");
	return 0;
}

int kern_parse_sizes(struct kern_parse *parse, const json_t *object, const char *place, enum kern_parse_scope scope,
		     struct kern_step *step)
{
	char inner[KERN_PLACE_BYTES + 16];
	unsigned n_local;
	snprintf(inner, sizeof(inner), "%s.GlobalSize", place);
	if (parse_axes(parse, json_object_get(object, "GlobalSize"), inner, scope, step->global, &step->dimensions))
		return -1;
	if (step->dimensions == 0)
		return kern_parse_fail(parse, inner, "is missing");
	snprintf(inner, sizeof(inner), "%s.LocalSize", place);
	if (parse_axes(parse, json_object_get(object, "LocalSize"), inner, scope, step->local, &n_local))
		return -1;
	if (n_local > step->dimensions)
		return kern_parse_fail(parse, inner, "has more dimensions than GlobalSize");
	step->global_is_groups = parse->global_is_groups;
	if (step->global_is_groups && n_local == 0)
		return kern_parse_fail(parse, inner, "is missing: GlobalSizeType CUDA counts work-groups");
	return 0;
}

int kern_parse_argument(struct kern_parse *parse, const json_t *name, const char *place, struct kern_step *step)
{
	if (step->n_arguments == KERN_MAX_ARGUMENTS)
		return kern_parse_fail(parse, place, "has over %d arguments", KERN_MAX_ARGUMENTS);
	if (kern_parse_identifier(parse, name, place, &step->arguments[step->n_arguments]))
		return -1;
	step->n_arguments++;
	return 0;
}
