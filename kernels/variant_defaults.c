/* variant_defaults.c: where a search begins, and what answers a query when
 * nothing is known: T1's Default, or what Mmtune.Defaults says for a type of
 * device: a value, or an expression of the problem and the device, such as the
 * width of its vectors. */
#include <string.h>

#include "variant_parse.h"

/* Only then can a default be computed: a text is an expression, not one of the values. */
static bool is_whole(const struct kern_parameter *parameter)
{
	for (size_t i = 0; i < parameter->n_values; i++)
		if (parameter->values[i].kind != EXPR_INT)
			return false;
	return true;
}

static int parse_one(struct kern_parse *parse, const char *name, const json_t *value, enum kern_device_type type)
{
	static const char place[] = "Mmtune.Defaults";
	const struct kern_variant *variant = parse->variant;
	size_t i = 0;
	while (i < variant->n_parameters && strcmp(variant->parameters[i].name, name) != 0)
		i++;
	if (i == variant->n_parameters)
		return kern_parse_fail(parse, place, "there is no parameter '%.64s'", name);
	struct kern_parameter *parameter = &variant->parameters[i];
	if (json_is_string(value) && is_whole(parameter))
		return kern_parse_expr(parse, value, place, KERN_PARSE_MMTUNE, &parameter->computed[type]);
	return kern_parse_default(parse, value, place, parameter, &parameter->defaults[type]);
}

int kern_parse_defaults(struct kern_parse *parse, const json_t *object)
{
	static const char *const keys[] = {"cpu", "gpu", "acc", NULL};
	const char *name;
	const json_t *value;
	if (!object)
		return 0;
	if (kern_parse_only_keys(parse, object, "Mmtune.Defaults", keys))
		return -1;
	for (int type = 0; type < KERN_DEVICE_TYPES; type++) {
		const json_t *given = json_object_get(object, kern_device_type_name((enum kern_device_type)type));
		json_object_foreach ((json_t *)given, name, value)
			if (parse_one(parse, name, value, (enum kern_device_type)type))
				return -1;
	}
	return 0;
}

/* The largest number among the values that is not above most; else the smallest there is. */
static size_t nearest(const struct kern_parameter *parameter, int64_t most)
{
	size_t best = 0;
	for (size_t i = 1; i < parameter->n_values; i++) {
		const int64_t value = parameter->values[i].integer, so_far = parameter->values[best].integer;
		if (so_far > most ? value < so_far : value <= most && value > so_far)
			best = i;
	}
	return best;
}

void kern_default_configuration(const struct kern_variant *variant, const struct mmt_problem *problem,
				const struct kern_device *device, uint16_t *indices)
{
	struct kern_scope scope;
	int64_t value;
	for (size_t i = 0; i < variant->n_parameters; i++)
		indices[i] = (uint16_t)variant->parameters[i].defaults[device->type];
	kern_scope_init(&scope, variant, indices, problem, device);
	for (size_t i = 0; i < variant->n_parameters; i++) {
		const struct kern_parameter *parameter = &variant->parameters[i];
		const struct expr *computed = parameter->computed[device->type];
		if (computed && expr_eval_integer(computed, scope.slots, scope.sizes, &value, NULL) == 0)
			indices[i] = (uint16_t)nearest(parameter, value);
	}
}
