/* variant_textbook.c: where a variant stands in the teaching material, and the
 * points of its space that are shown there: Mmtune.Rung and Mmtune.Textbook. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variant_parse.h"

#define MAX_POINTS 64
#define MAX_RUNG   1000

static int parse_rung(struct kern_parse *parse, const json_t *value)
{
	const json_int_t rung = json_integer_value(value);

	if (value && (!json_is_integer(value) || rung < 1 || rung > MAX_RUNG))
		return kern_parse_fail(parse, "Mmtune.Rung", "is not a whole number from 1 to %d", MAX_RUNG);
	parse->variant->rung = (int)rung;
	return 0;
}

/* {"LOCAL_X": 16}: a value for some of the parameters. */
static int parse_point(struct kern_parse *parse, const json_t *object, const char *place, uint16_t *point)
{
	const struct kern_variant *variant = parse->variant;
	const char *name;
	json_t *value;
	size_t index;

	if (!json_is_object(object))
		return kern_parse_fail(parse, place, "is not an object");
	for (size_t i = 0; i < variant->n_parameters; i++)
		point[i] = KERN_BY_DEFAULT;
	json_object_foreach ((json_t *)object, name, value) {
		size_t i = 0;
		while (i < variant->n_parameters && strcmp(variant->parameters[i].name, name) != 0)
			i++;
		if (i == variant->n_parameters)
			return kern_parse_fail(parse, place, "there is no parameter '%.64s'", name);
		if (kern_parse_default(parse, value, place, &variant->parameters[i], &index))
			return -1;
		point[i] = (uint16_t)index;
	}
	return 0;
}

int kern_parse_textbook(struct kern_parse *parse, const json_t *mmtune)
{
	struct kern_variant *variant = parse->variant;
	const json_t *array = json_object_get(mmtune, "Textbook");
	const size_t count = json_array_size(array);
	char place[KERN_PLACE_BYTES];

	if (parse_rung(parse, json_object_get(mmtune, "Rung")))
		return -1;
	if (array && !json_is_array(array))
		return kern_parse_fail(parse, "Mmtune.Textbook", "is not an array");
	if (count > MAX_POINTS)
		return kern_parse_fail(parse, "Mmtune.Textbook", "has over %d entries", MAX_POINTS);
	variant->textbook = calloc(count * variant->n_parameters + 1, sizeof(*variant->textbook));
	if (!variant->textbook)
		return kern_parse_no_memory(parse);
	variant->n_textbook = count;
	for (size_t i = 0; i < count; i++) {
		snprintf(place, sizeof(place), "Mmtune.Textbook[%zu]", i);
		if (parse_point(parse, json_array_get(array, i), place, variant->textbook + i * variant->n_parameters))
			return -1;
	}
	return 0;
}

void kern_textbook_point(const struct kern_variant *variant, size_t point, const struct mmt_problem *problem,
			 const struct kern_device *device, uint16_t *indices)
{
	kern_default_configuration(variant, problem, device, indices);
	for (size_t i = 0; i < variant->n_parameters; i++) {
		const uint16_t index = variant->textbook[point * variant->n_parameters + i];

		if (index != KERN_BY_DEFAULT)
			indices[i] = index;
	}
}
