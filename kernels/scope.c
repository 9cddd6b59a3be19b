/* scope.c: see scope.h. */
#include "scope.h"

#include <string.h>

const char *const kern_scope_names[KERN_SCOPE_NAMES] = {
	"m",
	"n",
	"k",
	"trans_a",
	"trans_b",
	"element_bytes",
	"vector_width",
	"max_work_group_size",
	"local_memory_bytes",
	"compute_units",
	"compute_capability",
	"fp64",
	"fp16",
	"images",
	"sub_groups",
	"cpu",
	"gpu",
};

bool kern_scope_is_reserved(const char *name)
{
	static const char *const macros[] = {"REAL", "ACCUMULATE", "TRANS_A", "TRANS_B", "ProblemSize"};
	for (size_t i = 0; i < KERN_SCOPE_NAMES; i++)
		if (strcmp(name, kern_scope_names[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
		if (strcmp(name, macros[i]) == 0)
			return true;
	return strncmp(name, "PROBLEM_", strlen("PROBLEM_")) == 0;
}

static int64_t clamp(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

void kern_scope_init(struct kern_scope *scope, const struct kern_variant *variant, const uint16_t *indices,
		     const struct mmt_problem *problem, const struct kern_device *device)
{
	/* In the order of kern_scope_names. */
	const int64_t values[KERN_SCOPE_NAMES] = {
		problem->m,
		problem->n,
		problem->k,
		problem->trans == MMT_TN || problem->trans == MMT_TT,
		problem->trans == MMT_NT || problem->trans == MMT_TT,
		(int64_t)mmt_type_bytes(problem->type),
		problem->type == MMT_F64 ? device->preferred_vector_double : device->preferred_vector_float,
		clamp(device->max_work_group_size),
		clamp(device->local_memory_bytes),
		device->compute_units,
		device->compute_capability,
		device->fp64,
		device->fp16,
		device->images,
		device->sub_groups,
		device->type == KERN_CPU,
		device->type == KERN_GPU,
	};
	memset(scope, 0, sizeof(*scope));
	for (size_t i = 0; i < variant->n_parameters; i++)
		scope->slots[i] = variant->parameters[i].values[indices[i]];
	for (size_t i = 0; i < KERN_SCOPE_NAMES; i++)
		scope->slots[variant->n_parameters + i] = (struct expr_value){.kind = EXPR_INT, .integer = values[i]};
	scope->sizes[0] = problem->m;
	scope->sizes[1] = problem->n;
	scope->sizes[2] = problem->k;
}
