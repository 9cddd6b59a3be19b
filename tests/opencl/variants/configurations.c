/* configurations.c: see configurations.h. */
#include "configurations.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"

#define TRIES 20000

bool configurations_full(void)
{
	const char *full = getenv("MMTUNE_TEST_FULL");

	return full && *full && strcmp(full, "0") != 0;
}

void configurations_default(const struct kern_variant *variant, enum kern_device_type type,
			    uint16_t indices[EXPR_LIMIT_NAMES])
{
	for (size_t i = 0; i < variant->n_parameters; i++)
		indices[i] = (uint16_t)variant->parameters[i].defaults[type];
}

bool configurations_random(const struct kern_variant *variant, const struct mmt_problem *problem,
			   const struct kern_device *device, unsigned number, uint16_t indices[EXPR_LIMIT_NAMES])
{
	struct kern_plan plan;

	for (uint64_t try = 0; try < TRIES; try++) {
		for (size_t i = 0; i < variant->n_parameters; i++)
			indices[i] = (uint16_t)(kern_random_bits(number, try * EXPR_LIMIT_NAMES + i) %
						variant->parameters[i].n_values);
		if (kern_plan_init(&plan, variant, problem, indices, device, NULL) == 0) {
			kern_plan_finish(&plan);
			return true;
		}
	}
	return false;
}

const char *configurations_text(const struct kern_variant *variant, const uint16_t *indices, char *out, size_t bytes)
{
	json_t *object = kern_configuration_to_json(variant, indices);
	const size_t length = json_dumpb(object, out, bytes - 1, JSON_COMPACT | JSON_PRESERVE_ORDER);

	out[length < bytes ? length : 0] = '\0';
	json_decref(object);
	return out;
}
