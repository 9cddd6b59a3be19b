/* variant_t1.c: the T1 half of a variant's JSON: tuning parameters,
 * conditions, compiler options, and the kernel's specification. Keys of T1
 * that we have no use for are ignored, as other tuners ignore Mmtune. */
#include "variant_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CONDITIONS    256
#define MAX_VALUES        65535 /* search/space.h: a value's index is a uint16_t */
#define MAX_OPTIONS_BYTES 4096

/* A value ends up in -DNAME=VALUE: no text that a compiler's command line could take for more. */
static bool is_plain(const char *text)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
	return *text && text[strspn(text, allowed)] == '\0';
}

/* One JSON value as an element of an expression's list. Returns whether it can be one. */
static bool write_element(FILE *stream, const json_t *value)
{
	if (json_is_boolean(value)) {
		fputs(json_is_true(value) ? "1" : "0", stream);
		return true;
	}
	if (json_is_string(value)) {
		fprintf(stream, "'%s'", json_string_value(value));
		return is_plain(json_string_value(value));
	}
	if (json_is_integer(value)) {
		fprintf(stream, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		return true;
	}
	if (json_is_real(value)) {
		char digits[64];
		snprintf(digits, sizeof(digits), "%.17g", json_real_value(value));
		fprintf(stream, strpbrk(digits, ".e") ? "%s" : "%s.0", digits);
		return true;
	}
	return false;
}

/* Values given as a JSON array, as the text of a list: one way to own them. Caller frees; NULL: failed. */
static char *list_text(struct kern_parse *parse, const json_t *array, const char *place)
{
	char *text = NULL;
	size_t bytes = 0, index;
	const json_t *value;
	bool valid = true;
	FILE *stream = open_memstream(&text, &bytes);
	if (!stream) {
		kern_parse_no_memory(parse);
		return NULL;
	}
	fputc('[', stream);
	json_array_foreach (array, index, value) {
		fputs(index ? "," : "", stream);
		valid = valid && write_element(stream, value);
	}
	fputc(']', stream);
	if (fclose(stream)) {
		free(text);
		kern_parse_no_memory(parse);
		return NULL;
	}
	if (!valid) {
		free(text);
		kern_parse_fail(parse, place, "holds something that is no number, boolean or plain word");
		return NULL;
	}
	return text;
}

static int parse_values(struct kern_parse *parse, const json_t *value, const char *place,
			struct kern_parameter *parameter)
{
	char *built = json_is_array(value) ? list_text(parse, value, place) : NULL;
	const char *text = built ? built : json_string_value(value);
	if (json_is_array(value) && !built)
		return -1;
	if (!text)
		return kern_parse_fail(parse, place, "is neither a list nor the text of one");
	struct mmt_error inner = {0};
	int failed = expr_list(text, &parameter->values, &parameter->n_values, &inner);
	free(built);
	if (failed)
		return kern_parse_fail(parse, place, "%s", inner.message);
	if (parameter->n_values == 0 || parameter->n_values > MAX_VALUES)
		return kern_parse_fail(parse, place, "has %zu values, not 1 to %d", parameter->n_values, MAX_VALUES);
	for (size_t i = 0; i < parameter->n_values; i++)
		if (parameter->values[i].kind == EXPR_STRING && !is_plain(parameter->values[i].string))
			return kern_parse_fail(parse, place, "'%.64s' has characters other than A-Z a-z 0-9 _ . + -",
					       parameter->values[i].string);
	return 0;
}

int kern_parse_default(struct kern_parse *parse, const json_t *value, const char *place,
		       const struct kern_parameter *parameter, size_t *out)
{
	struct expr_value wanted;
	if (json_array_size(value) == 1) /* as some published files have it */
		value = json_array_get(value, 0);
	if (json_is_string(value))
		wanted = (struct expr_value){.kind = EXPR_STRING, .string = json_string_value(value)};
	else if (json_is_real(value))
		wanted = (struct expr_value){.kind = EXPR_REAL, .real = json_real_value(value)};
	else if (json_is_integer(value) || json_is_boolean(value))
		wanted = (struct expr_value){.kind = EXPR_INT,
					     .integer = json_is_integer(value) ? json_integer_value(value)
									       : json_is_true(value)};
	else
		return kern_parse_fail(parse, place, "is no number, boolean or string");
	for (size_t i = 0; i < parameter->n_values; i++) {
		if (expr_value_equal(&parameter->values[i], &wanted)) {
			*out = i;
			return 0;
		}
	}
	return kern_parse_fail(parse, place, "is not one of the values");
}

static int parse_parameter(struct kern_parse *parse, const json_t *object, size_t index)
{
	char place[KERN_PLACE_BYTES], inner[KERN_PLACE_BYTES + 16];
	struct kern_parameter *parameter = &parse->variant->parameters[index];
	snprintf(place, sizeof(place), "TuningParameters[%zu]", index);
	if (!json_is_object(object))
		return kern_parse_fail(parse, place, "is not an object");
	snprintf(inner, sizeof(inner), "%s.Name", place);
	if (kern_parse_identifier(parse, json_object_get(object, "Name"), inner, &parameter->name))
		return -1;
	if (kern_scope_is_reserved(parameter->name))
		return kern_parse_fail(parse, inner, "'%s' is reserved", parameter->name);
	for (size_t i = 0; i < index; i++)
		if (strcmp(parse->names[i], parameter->name) == 0)
			return kern_parse_fail(parse, inner, "'%s' is there twice", parameter->name);
	parse->names[index] = parameter->name;
	snprintf(inner, sizeof(inner), "%s.Values", place);
	if (parse_values(parse, json_object_get(object, "Values"), inner, parameter))
		return -1;
	const json_t *value = json_object_get(object, "Default");
	size_t index_of_default = 0; /* T1 leaves it optional */
	snprintf(inner, sizeof(inner), "%s.Default", place);
	if (value && kern_parse_default(parse, value, inner, parameter, &index_of_default))
		return -1;
	for (int type = 0; type < KERN_DEVICE_TYPES; type++)
		parameter->defaults[type] = index_of_default;
	return 0;
}

static int parse_parameters(struct kern_parse *parse, const json_t *array)
{
	struct kern_variant *variant = parse->variant;
	size_t count = json_array_size(array);
	if (array && !json_is_array(array))
		return kern_parse_fail(parse, "TuningParameters", "is not an array");
	if (count > KERN_MAX_PARAMETERS)
		return kern_parse_fail(parse, "TuningParameters", "has over %d parameters", KERN_MAX_PARAMETERS);
	variant->parameters = calloc(count ? count : 1, sizeof(*variant->parameters));
	if (!variant->parameters)
		return kern_parse_no_memory(parse);
	variant->n_parameters = count;
	for (size_t i = 0; i < count; i++)
		if (parse_parameter(parse, json_array_get(array, i), i))
			return -1;
	for (size_t i = 0; i < KERN_SCOPE_NAMES; i++)
		parse->names[count + i] = kern_scope_names[i];
	return 0;
}

static int parse_conditions(struct kern_parse *parse, const json_t *array)
{
	char place[KERN_PLACE_BYTES];
	struct kern_variant *variant = parse->variant;
	size_t count = json_array_size(array);
	if (array && !json_is_array(array))
		return kern_parse_fail(parse, "Conditions", "is not an array");
	if (count > MAX_CONDITIONS)
		return kern_parse_fail(parse, "Conditions", "has over %d conditions", MAX_CONDITIONS);
	variant->conditions = calloc(count ? count : 1, sizeof(struct expr *));
	if (!variant->conditions)
		return kern_parse_no_memory(parse);
	variant->n_conditions = count;
	for (size_t i = 0; i < count; i++) {
		const json_t *text = json_object_get(json_array_get(array, i), "Expression");
		snprintf(place, sizeof(place), "Conditions[%zu]", i);
		if (!text)
			return kern_parse_fail(parse, place, "has no Expression");
		if (kern_parse_expr(parse, text, place, KERN_PARSE_T1, &variant->conditions[i]))
			return -1;
	}
	return 0;
}

/* ["-cl-mad-enable", "-DX=1"] as one line of printable words. */
static int parse_options(struct kern_parse *parse, const json_t *array)
{
	static const char place[] = "CompilerOptions";
	size_t index, used = 0;
	const json_t *option;
	char line[MAX_OPTIONS_BYTES] = "";
	if (array && !json_is_null(array) && !json_is_array(array))
		return kern_parse_fail(parse, place, "is not an array of strings");
	json_array_foreach (array, index, option) {
		const char *text = json_string_value(option);
		if (!text)
			return kern_parse_fail(parse, place, "is not an array of strings");
		for (const char *c = text; *c; c++)
			if (*c < ' ' || *c > '~')
				return kern_parse_fail(parse, place, "holds a character that is not printable ASCII");
		if (used + strlen(text) + 2 > sizeof(line))
			return kern_parse_fail(parse, place, "are longer than %d bytes", MAX_OPTIONS_BYTES);
		used += (size_t)sprintf(line + used, "%s%s", used ? " " : "", text);
	}
	parse->variant->compiler_options = strdup(line);
	return parse->variant->compiler_options ? 0 : kern_parse_no_memory(parse);
}

static int parse_size_type(struct kern_parse *parse, const json_t *value)
{
	const char *type = value ? json_string_value(value) : "OpenCL";
	if (!type || (strcmp(type, "OpenCL") != 0 && strcmp(type, "CUDA") != 0))
		return kern_parse_fail(parse, "GlobalSizeType", "is neither OpenCL nor CUDA");
	parse->global_is_groups = strcmp(type, "CUDA") == 0;
	return 0;
}

int kern_parse_t1(struct kern_parse *parse, const json_t *root)
{
	const json_t *space = json_object_get(root, "ConfigurationSpace");
	const json_t *specification = json_object_get(root, "KernelSpecification");
	if (!json_is_object(space))
		return kern_parse_fail(parse, "ConfigurationSpace", "is missing or not an object");
	if (!json_is_object(specification))
		return kern_parse_fail(parse, "KernelSpecification", "is missing or not an object");
	const char *language = json_string_value(json_object_get(specification, "Language"));
	if (!language || strcmp(language, "OpenCL") != 0)
		return kern_parse_fail(parse, "Language", "is '%.32s', not OpenCL", language ? language : "missing");
	if (parse_parameters(parse, json_object_get(space, "TuningParameters")) ||
	    parse_conditions(parse, json_object_get(space, "Conditions")) ||
	    parse_options(parse, json_object_get(specification, "CompilerOptions")))
		return -1;
	return parse_size_type(parse, json_object_get(specification, "GlobalSizeType"));
}

int kern_parse_t1_step(struct kern_parse *parse, const json_t *specification, struct kern_step *step)
{
	char place[KERN_PLACE_BYTES];
	const json_t *arguments = json_object_get(specification, "Arguments");
	if (kern_parse_identifier(parse, json_object_get(specification, "KernelName"), "KernelName", &step->entry) ||
	    kern_parse_sizes(parse, specification, "KernelSpecification", KERN_PARSE_T1, step))
		return -1;
	if (!json_is_array(arguments))
		return kern_parse_fail(parse, "Arguments", "is missing or not an array");
	for (size_t i = 0; i < json_array_size(arguments); i++) {
		snprintf(place, sizeof(place), "Arguments[%zu].Name", i);
		if (kern_parse_argument(parse, json_object_get(json_array_get(arguments, i), "Name"), place, step))
			return -1;
	}
	return 0;
}
