/* Kernels: every variant, what it can be given, and, with a device, whether
 * it can run there: the plan of its default configuration for a problem of
 * PROBE_ORDER is made, and the reason is told when the device does not allow it. */
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "parameters.h"
#include "plan.h"
#include "server.h"

#define PROBE_ORDER 256

static json_t *value_to_json(const struct expr_value *value)
{
	switch (value->kind) {
	case EXPR_INT:
		return json_integer(value->integer);
	case EXPR_REAL:
		return json_real(value->real);
	case EXPR_STRING:
		return json_string(value->string);
	}
	return json_null();
}

/* By type of device. */
static json_t *defaults_to_json(const struct kern_parameter *parameter)
{
	json_t *object = json_object();
	for (int type = 0; type < KERN_DEVICE_TYPES; type++)
		json_object_set_new(object, kern_device_type_name((enum kern_device_type)type),
				    value_to_json(&parameter->values[parameter->defaults[type]]));
	return object;
}

static json_t *parameters_to_json(const struct kern_variant *variant)
{
	json_t *array = json_array();
	for (size_t i = 0; i < variant->n_parameters; i++) {
		const struct kern_parameter *parameter = &variant->parameters[i];
		json_t *values = json_array();
		for (size_t j = 0; j < parameter->n_values; j++)
			json_array_append_new(values, value_to_json(&parameter->values[j]));
		json_array_append_new(array, json_pack("{s:s, s:o, s:o}", "name", parameter->name, "values", values,
						       "defaults", defaults_to_json(parameter)));
	}
	return array;
}

static json_t *types_to_json(const struct kern_variant *variant)
{
	json_t *array = json_array();
	for (unsigned type = 0; type < MMT_TYPE_COUNT; type++)
		if (variant->type_mask & (1U << type))
			json_array_append_new(array, json_string(mmt_type_name((enum mmt_type)type)));
	return array;
}

static json_t *requirements_to_json(const struct kern_variant *variant)
{
	json_t *array = json_array();
	for (size_t i = 0; i < variant->n_requirements; i++)
		json_array_append_new(array, json_string(variant->requirements[i].message));
	return array;
}

static json_t *priority_to_json(const struct kern_variant *variant)
{
	return json_pack("{s:i, s:i, s:i}", "cpu", variant->priority[KERN_CPU], "gpu", variant->priority[KERN_GPU],
			 "acc", variant->priority[KERN_ACCELERATOR]);
}

static json_t *variant_to_json(const struct kern_variant *variant)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:i, s:i, s:o, s:o, s:b, s:s}", "name", variant->name,
			 "family", variant->family, "summary", variant->summary != NULL ? variant->summary : "",
			 "types", types_to_json(variant), "accuracy", mmt_accuracy_name(variant->accuracy),
			 "parameters", parameters_to_json(variant), "conditions", (int)variant->n_conditions, "steps",
			 (int)variant->n_steps, "requirements", requirements_to_json(variant), "priority",
			 priority_to_json(variant), "built_in", variant->built_in, "source_sha256",
			 variant->source_sha256);
}

/* Gives the problem a shape that its family allows: PROBE_ORDER in as many dimensions as may be, 1 in those that
 * the family does not use. */
static void shape_probe(struct mmt_problem *probe)
{
	static const unsigned char uses[][3] = {{1, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1},
						{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
	const struct kern_family *family = kern_family_find(probe->family);
	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
		probe->m = uses[i][0] ? PROBE_ORDER : 1;
		probe->n = uses[i][1] ? PROBE_ORDER : 1;
		probe->k = uses[i][2] ? PROBE_ORDER : 1;
		if (family == NULL || family->check(probe, NULL) == 0)
			return;
	}
}

static void make_probe(const struct kern_variant *variant, struct mmt_problem *probe)
{
	mmt_problem_init(probe);
	strncpy(probe->family, variant->family, sizeof probe->family - 1);
	probe->accuracy = variant->accuracy;
	for (unsigned type = MMT_TYPE_COUNT; type-- > 0;)
		if (variant->type_mask & (1U << type))
			probe->type = (enum mmt_type)type;
	shape_probe(probe);
}

static int plan_probe(const struct kern_variant *variant, const struct kern_device *device, struct mmt_error *error)
{
	struct mmt_problem probe;
	struct kern_plan plan;
	make_probe(variant, &probe);
	uint16_t *indices = calloc(variant->n_parameters + 1, sizeof *indices);
	if (indices == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a plan");
	kern_default_configuration(variant, &probe, device, indices);
	int status = kern_plan_init(&plan, variant, &probe, indices, device, error);
	if (status == 0)
		kern_plan_finish(&plan);
	free(indices);
	return status;
}

static void add_runs(json_t *object, const struct kern_variant *variant, const struct kern_device *device)
{
	struct mmt_error error;
	/* a condition that the default does not meet at this size says nothing of the device */
	bool runs = plan_probe(variant, device, &error) == 0 || error.code == MMT_INVALID_ARGUMENT;
	json_object_set_new(object, "runs", json_boolean(runs));
	json_object_set_new(object, "why_not", runs ? json_null() : json_string(error.message));
}

static json_t *list(const struct service *service, const char *family, const struct svc_device *device)
{
	json_t *kernels = json_array(), *warnings = json_array();
	for (size_t i = 0; i < service->kernels.n_variants; i++) {
		const struct kern_variant *variant = service->kernels.variants[i];
		if (family != NULL && strcmp(variant->family, family) != 0)
			continue;
		json_t *object = variant_to_json(variant);
		if (device != NULL)
			add_runs(object, variant, &device->properties);
		json_array_append_new(kernels, object);
	}
	for (size_t i = 0; i < service->kernels.n_warnings; i++)
		json_array_append_new(warnings, json_string(service->kernels.warnings[i]));
	return json_pack("{s:o, s:o}", "kernels", kernels, "warnings", warnings);
}

static void handle(struct service *service, struct svc_call *call)
{
	const char *family = NULL, *device_name = NULL;
	const struct svc_device *device = NULL;
	const struct svc_parameter table[] = {
		{"family", SVC_STRING, SVC_OPTIONAL, &family},
		{"device", SVC_STRING, SVC_OPTIONAL, &device_name},
		{0},
	};
	struct mmt_error error;
	if (svc_parameters_read(svc_call_parameters(call), table, SVC_NO_PROBLEM, &error) != 0 ||
	    (family != NULL && svc_find_family(family, &error) == NULL) ||
	    (device_name != NULL && (device = svc_devices_find(service->devices, device_name, &error)) == NULL)) {
		svc_call_error(call, &error);
		return;
	}
	svc_call_reply(call, list(service, family, device), false);
}

const struct svc_verb svc_verb_kernels = {
	.method = "org.mmtune.Tuner.Kernels",
	.needs_devices = true,
	.handle = handle,
};
