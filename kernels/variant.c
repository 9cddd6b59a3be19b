/* variant.c: a variant's life, and configurations as JSON. Reading is in
 * variant_parse.c, variant_t1.c and variant_mmtune.c. */
#include "variant.h"

#include <stdlib.h>
#include <string.h>

#include "sha256.h"
#include "variant_parse.h"

/* "matmul/tiled.json" -> "tiled", and that must be a name. */
static int set_name(struct kern_parse *parse)
{
	const char *slash = strrchr(parse->file, '/');
	char *name = strdup(slash ? slash + 1 : parse->file);
	if (!name)
		return kern_parse_no_memory(parse);
	parse->variant->name = name;
	char *dot = strrchr(name, '.');
	if (dot)
		*dot = '\0';
	if (!kern_text_is_identifier(name))
		return kern_parse_fail(parse, "name", "a variant's file name is an identifier");
	return 0;
}

static int set_source(struct kern_parse *parse, const char *source)
{
	struct kern_variant *variant = parse->variant;
	variant->source = strdup(source);
	if (!variant->source)
		return kern_parse_no_memory(parse);
	kern_sha256_hex(source, strlen(source), variant->source_sha256);
	return 0;
}

/* Of all that decides what a configuration launches, in a form that does not depend on how the file is laid out. The
 * space itself is left out: what was measured stays true when values are added to a parameter, or conditions change. */
static int set_spec_hash(struct kern_parse *parse, const json_t *root)
{
	json_t *spec = json_copy((json_t *)root);
	if (spec)
		json_object_del(spec, "ConfigurationSpace");
	char *text = spec ? json_dumps(spec, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	json_decref(spec);
	if (!text)
		return kern_parse_no_memory(parse);
	kern_sha256_hex(text, strlen(text), parse->variant->spec_sha256);
	free(text);
	return 0;
}

struct kern_variant *kern_variant_create(const char *file, const char *json_text, const char *source,
					 struct mmt_error *error)
{
	json_error_t located;
	json_t *root = NULL;
	struct kern_variant *variant = calloc(1, sizeof(*variant));
	struct kern_parse parse = {.file = file, .variant = variant, .error = error};
	if (!variant) {
		kern_parse_no_memory(&parse);
		goto fail;
	}
	if (set_name(&parse) || set_source(&parse, source))
		goto fail;
	root = json_loads(json_text, JSON_REJECT_DUPLICATES, &located);
	if (!json_is_object(root)) {
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: line %d, column %d: %s", file, located.line,
			      located.column, root ? "not an object" : located.text);
		goto fail;
	}
	if (set_spec_hash(&parse, root) || kern_parse_t1(&parse, root) || kern_parse_mmtune(&parse, root))
		goto fail;
	json_decref(root);
	return variant;
fail:
	json_decref(root);
	kern_variant_destroy(variant);
	return NULL;
}

static void step_finish(struct kern_step *step)
{
	free(step->entry);
	for (size_t i = 0; i < 3; i++) {
		expr_destroy(step->global[i]);
		expr_destroy(step->local[i]);
	}
	expr_destroy(step->when);
	for (size_t i = 0; i < step->n_arguments; i++)
		free(step->arguments[i]);
}

static void memories_destroy(struct kern_memory *memories, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(memories[i].name);
		expr_destroy(memories[i].bytes);
		expr_destroy(memories[i].width);
		expr_destroy(memories[i].height);
	}
	free(memories);
}

void kern_variant_destroy(struct kern_variant *variant)
{
	if (!variant)
		return;
	for (size_t i = 0; i < variant->n_parameters; i++) {
		free(variant->parameters[i].name);
		expr_list_free(variant->parameters[i].values, variant->parameters[i].n_values);
		for (int type = 0; type < KERN_DEVICE_TYPES; type++)
			expr_destroy(variant->parameters[i].computed[type]);
	}
	for (size_t i = 0; i < variant->n_conditions; i++)
		expr_destroy(variant->conditions[i]);
	for (size_t i = 0; i < variant->n_requirements; i++) {
		expr_destroy(variant->requirements[i].expr);
		free(variant->requirements[i].message);
	}
	for (size_t i = 0; i < KERN_MAX_STEPS; i++)
		step_finish(&variant->steps[i]);
	memories_destroy(variant->temporaries, variant->n_temporaries);
	memories_destroy(variant->locals, variant->n_locals);
	expr_destroy(variant->local_memory_bytes);
	expr_destroy(variant->private_memory_bytes);
	expr_destroy(variant->bytes_read);
	expr_destroy(variant->bytes_written);
	free(variant->parameters);
	free(variant->conditions);
	free(variant->requirements);
	free(variant->compiler_options);
	free(variant->textbook);
	free(variant->source);
	free(variant->summary);
	free(variant->family);
	free(variant->name);
	free(variant);
}

static json_t *value_to_json(const struct expr_value *value)
{
	switch (value->kind) {
	case EXPR_INT:
		return json_integer(value->integer);
	case EXPR_REAL:
		return json_real(value->real);
	case EXPR_STRING:
		break;
	}
	return json_string(value->string);
}

json_t *kern_configuration_to_json(const struct kern_variant *variant, const uint16_t *indices)
{
	json_t *object = json_object();
	for (size_t i = 0; object && i < variant->n_parameters; i++) {
		const struct kern_parameter *parameter = &variant->parameters[i];
		if (json_object_set_new(object, parameter->name, value_to_json(&parameter->values[indices[i]]))) {
			json_decref(object);
			object = NULL;
		}
	}
	return object;
}

static bool same_value(const struct expr_value *value, const json_t *json)
{
	struct expr_value other;
	if (json_is_integer(json))
		other = (struct expr_value){.kind = EXPR_INT, .integer = json_integer_value(json)};
	else if (json_is_real(json))
		other = (struct expr_value){.kind = EXPR_REAL, .real = json_real_value(json)};
	else if (json_is_string(json))
		other = (struct expr_value){.kind = EXPR_STRING, .string = json_string_value(json)};
	else
		return false;
	return expr_value_equal(value, &other);
}

int kern_configuration_from_json(const struct kern_variant *variant, const json_t *object, uint16_t *indices,
				 struct mmt_error *error)
{
	if (!json_is_object(object))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "a configuration is an object");
	for (size_t i = 0; i < variant->n_parameters; i++) {
		const struct kern_parameter *parameter = &variant->parameters[i];
		const json_t *json = json_object_get(object, parameter->name);
		size_t index = 0;
		if (!json)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: parameter '%s' is missing",
					     variant->name, parameter->name);
		while (index < parameter->n_values && !same_value(&parameter->values[index], json))
			index++;
		if (index == parameter->n_values)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: '%s' has no such value",
					     variant->name, parameter->name);
		indices[i] = (uint16_t)index;
	}
	if (json_object_size(object) != variant->n_parameters)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: the configuration has unknown parameters",
				     variant->name);
	return 0;
}
