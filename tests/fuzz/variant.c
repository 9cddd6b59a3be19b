/* variant.c: any text as a variant's JSON; what loads is also planned, with
 * its first, default and last values. Seeds: kernels/FAMILY. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static const struct kern_device device = {
	.type = KERN_GPU,
	.name = "gpu",
	.global_memory_bytes = (uint64_t)1 << 40,
	.max_allocation_bytes = (uint64_t)1 << 38,
	.local_memory_bytes = (uint64_t)1 << 16,
	.max_work_group_size = 1024,
	.max_work_item_sizes = {1024, 1024, 64},
	.compute_units = 8,
	.address_bits = 64,
	.fp64 = true,
};

static void plan(const struct kern_variant *variant, int which)
{
	uint16_t indices[EXPR_LIMIT_NAMES], back[EXPR_LIMIT_NAMES];
	struct mmt_problem problem;
	struct mmt_error error;
	struct kern_plan out;
	mmt_problem_init(&problem);
	problem.m = 130;
	problem.n = 293;
	problem.k = 237;
	for (size_t i = 0; i < variant->n_parameters; i++) {
		const struct kern_parameter *parameter = &variant->parameters[i];
		const size_t choices[3] = {0, parameter->defaults[KERN_CPU], parameter->n_values - 1};
		indices[i] = (uint16_t)choices[which];
	}
	json_t *configuration = kern_configuration_to_json(variant, indices);
	if (configuration && kern_configuration_from_json(variant, configuration, back, &error))
		abort();
	json_decref(configuration);
	if (kern_plan_init(&out, variant, &problem, indices, &device, &error))
		return;
	json_t *json = kern_plan_to_json(&out, true);
	kern_plan_finish(&out);
	if (!json || kern_plan_from_json(json, &out, &error)) /* what we write, we read */
		abort();
	json_decref(json);
	kern_plan_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct mmt_error error;
	char *text = malloc(bytes + 1);
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	struct kern_variant *variant = kern_variant_create("matmul/fuzz.json", text, "kernel void f() {}", &error);
	for (int which = 0; variant && which < 3; which++)
		plan(variant, which);
	kern_variant_destroy(variant);
	free(text);
	return 0;
}
