/* configurations.c: see configurations.h. */
#include "configurations.h"

#include <stdlib.h>
#include <string.h>

#include "values.h"

#define TRIES 100000

bool configurations_full(void)
{
	return configurations_count(0) > 0;
}

unsigned configurations_count(unsigned otherwise)
{
	const char *full = getenv("MMTUNE_TEST_FULL");
	const unsigned count = full ? (unsigned)strtoul(full, NULL, 10) : 0;

	return count > 0 ? count : otherwise;
}

/* Any one; or, every other time, the default with two parameters changed: what a device likes is often a small corner
 * of the space, which chance would not find. */
static void draw(const struct kern_variant *variant, const struct mmt_problem *problem,
		 const struct kern_device *device, unsigned number, uint64_t try, uint16_t indices[EXPR_LIMIT_NAMES])
{
	const uint64_t first = try * EXPR_LIMIT_NAMES;
	size_t i;

	if (number % 2) {
		kern_default_configuration(variant, problem, device, indices);
		for (uint64_t change = 0; change < 2; change++) {
			i = kern_random_bits(number, first + 2 * change) % variant->n_parameters;
			indices[i] = (uint16_t)(kern_random_bits(number, first + 2 * change + 1) %
						variant->parameters[i].n_values);
		}
		return;
	}
	for (i = 0; i < variant->n_parameters; i++)
		indices[i] = (uint16_t)(kern_random_bits(number, first + i) % variant->parameters[i].n_values);
}

bool configurations_random(const struct kern_variant *variant, const struct mmt_problem *problem,
			   const struct kern_device *device, unsigned number, uint16_t indices[EXPR_LIMIT_NAMES])
{
	struct kern_plan plan;

	for (uint64_t try = 0; try < TRIES; try++) {
		draw(variant, problem, device, number, try, indices);
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
