/* plan.c: a variant, a problem, a configuration and a device become launches. */
#include "plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_limits.h"
#include "registry.h"
#include "scope.h"

/* What a plan is made from, in one place. */
struct making {
	struct kern_plan *plan;
	const struct kern_variant *variant;
	const struct mmt_problem *problem;
	const struct kern_device *device;
	const struct kern_family *family;
	struct kern_scope scope;
	struct kern_scalar scalars[KERN_MAX_SCALARS];
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	size_t n_scalars, n_buffers;
	uint64_t local_memory_bytes, private_memory_bytes;
	struct mmt_error *error;
};

/* what: for the message when the expression cannot be evaluated for this problem */
static int evaluate(struct making *making, const struct expr *expr, const char *what, int64_t least, int64_t *out)
{
	struct mmt_error inner = {0};
	if (expr_eval_integer(expr, making->scope.slots, making->scope.sizes, out, &inner))
		return mmt_error_set(making->error, MMT_INVALID_ARGUMENT, 0, "%s: %s: %.300s", making->variant->name,
				     what, inner.message);
	if (*out < least)
		return mmt_error_set(making->error, MMT_INVALID_ARGUMENT, 0, "%s: %s is %" PRId64,
				     making->variant->name, what, *out);
	return 0;
}

/* Bytes of memory; NULL gives 0. */
static int evaluate_bytes(struct making *making, const struct expr *expr, const char *what, uint64_t *out)
{
	int64_t bytes = 0;
	if (expr && evaluate(making, expr, what, 0, &bytes))
		return -1;
	*out = (uint64_t)bytes;
	return 0;
}

static int check_variant(struct making *making)
{
	const struct kern_variant *variant = making->variant;
	const struct mmt_problem *problem = making->problem;
	if (variant->n_steps == 0)
		return mmt_error_set(making->error, MMT_NOT_SUPPORTED, 0, "%s has no Mmtune object: it cannot be run",
				     variant->name);
	if (strcmp(variant->family, problem->family) != 0)
		return mmt_error_set(making->error, MMT_INVALID_ARGUMENT, 0, "%s is of family %s, not %s",
				     variant->name, variant->family, problem->family);
	if (!(variant->type_mask & 1U << problem->type))
		return mmt_error_set(making->error, MMT_NOT_SUPPORTED, 0, "%s does not do %s", variant->name,
				     mmt_type_name(problem->type));
	if (variant->accuracy > problem->accuracy)
		return mmt_error_set(making->error, MMT_NOT_SUPPORTED, 0, "%s reaches accuracy %s, not %s",
				     variant->name, mmt_accuracy_name(variant->accuracy),
				     mmt_accuracy_name(problem->accuracy));
	return 0;
}

static int check_requirements(struct making *making)
{
	const struct kern_variant *variant = making->variant;
	bool holds;
	for (size_t i = 0; i < variant->n_requirements; i++) {
		const struct kern_requirement *requirement = &variant->requirements[i];
		if (expr_eval_truth(requirement->expr, making->scope.slots, making->scope.sizes, &holds, making->error))
			return -1;
		if (!holds)
			return mmt_error_set(making->error, MMT_NOT_SUPPORTED, 0, "%s %s", variant->name,
					     requirement->message);
	}
	for (size_t i = 0; i < variant->n_conditions; i++) {
		const struct expr *condition = variant->conditions[i];
		if (expr_eval_truth(condition, making->scope.slots, making->scope.sizes, &holds, making->error))
			return -1;
		if (!holds)
			return mmt_error_set(making->error, MMT_INVALID_ARGUMENT, 0, "%s: '%.300s' does not hold",
					     variant->name, expr_text(condition));
	}
	return 0;
}

/* Local memory of a work-group: as declared, but at least what its __local arguments take. */
static int sum_local_memory(struct making *making)
{
	const struct kern_variant *variant = making->variant;
	uint64_t sum = 0, bytes;
	for (size_t i = 0; i < variant->n_locals; i++) {
		if (evaluate_bytes(making, variant->locals[i].bytes, variant->locals[i].name, &bytes))
			return -1;
		if (__builtin_add_overflow(sum, bytes, &sum))
			sum = UINT64_MAX;
	}
	if (evaluate_bytes(making, variant->local_memory_bytes, "LocalMemoryBytes", &bytes))
		return -1;
	making->local_memory_bytes = bytes > sum ? bytes : sum;
	return 0;
}

static int check_on_chip(struct making *making)
{
	if (sum_local_memory(making) || evaluate_bytes(making, making->variant->private_memory_bytes,
						       "PrivateMemoryBytes", &making->private_memory_bytes))
		return -1;
	return kern_limits_on_chip(making->device, making->local_memory_bytes, making->private_memory_bytes,
				   making->error);
}

static const char *real_name(enum mmt_type type)
{
	static const char *const names[MMT_TYPE_COUNT] = {
		[MMT_F32] = "float", [MMT_F64] = "double", [MMT_F16] = "half", [MMT_BF16] = "ushort"};
	return names[type];
}

/* As plan.h lists them; caller frees; NULL: memory. */
static char *build_options(const struct making *making)
{
	const struct mmt_problem *problem = making->problem;
	char value[512];
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);
	if (!stream)
		return NULL;
	for (size_t i = 0; i < making->variant->n_parameters; i++)
		fprintf(stream, "-D%s=%s ", making->variant->parameters[i].name,
			expr_value_text(&making->scope.slots[i], value, sizeof(value)));
	fprintf(stream, "-DREAL=%s -DACCUMULATE=%s", real_name(problem->type),
		problem->type == MMT_F64 ? "double" : "float");
	if (strcmp(problem->family, "matmul") == 0)
		fprintf(stream, " -DTRANS_A=%d -DTRANS_B=%d", problem->trans == MMT_TN || problem->trans == MMT_TT,
			problem->trans == MMT_NT || problem->trans == MMT_TT);
	fprintf(stream, " -DPROBLEM_M=%" PRId64 " -DPROBLEM_N=%" PRId64 " -DPROBLEM_K=%" PRId64, problem->m, problem->n,
		problem->k);
	if (*making->variant->compiler_options)
		fprintf(stream, " %s", making->variant->compiler_options);
	if (fclose(stream)) {
		free(text);
		return NULL;
	}
	return text;
}

static int make_sizes(struct making *making, const struct kern_step *step, struct kern_launch *launch)
{
	char what[KERN_IDENTIFIER_BYTES + 32];
	int64_t size;
	launch->dimensions = step->dimensions;
	for (unsigned i = 0; i < step->dimensions; i++) {
		snprintf(what, sizeof(what), "%s: LocalSize.%c", step->entry, "XYZ"[i]);
		size = step->local[0] ? 1 : 0;
		if (step->local[i] && evaluate(making, step->local[i], what, 1, &size))
			return -1;
		launch->local[i] = (size_t)size;
		snprintf(what, sizeof(what), "%s: GlobalSize.%c", step->entry, "XYZ"[i]);
		if (evaluate(making, step->global[i], what, 1, &size))
			return -1;
		launch->global[i] = (size_t)size;
		if (step->global_is_groups &&
		    __builtin_mul_overflow(launch->global[i], launch->local[i], &launch->global[i]))
			return mmt_error_set(making->error, MMT_SKIPPED, 0, "%s passes 2^64 (address_bits)", what);
	}
	return kern_limits_sizes(making->device, launch, making->private_memory_bytes, making->error);
}

/* The size of a temporary or local. What is empty becomes the least there is. */
static int resolve_memory(struct making *making, const struct kern_memory *memory, enum kern_argument_kind kind,
			  struct kern_argument *argument)
{
	argument->kind = memory->bytes ? kind : KERN_ARGUMENT_IMAGE;
	if (memory->bytes) {
		if (evaluate_bytes(making, memory->bytes, memory->name, &argument->bytes))
			return -1;
		argument->bytes += argument->bytes == 0;
		return 0;
	}
	if (evaluate_bytes(making, memory->width, memory->name, &argument->width) ||
	    evaluate_bytes(making, memory->height, memory->name, &argument->height))
		return -1;
	argument->width += argument->width == 0;
	argument->height += argument->height == 0;
	if (kern_limits_image(making->device, memory->name, argument->width, argument->height, making->error))
		return -1;
	if (__builtin_mul_overflow(argument->width, argument->height, &argument->bytes) ||
	    __builtin_mul_overflow(argument->bytes, KERN_PIXEL_BYTES, &argument->bytes))
		argument->bytes = UINT64_MAX;
	return 0;
}

/* Finds what a name means: family's scalar or buffer, the variant's temporary or local. */
static int resolve(struct making *making, const char *name, struct kern_argument *argument)
{
	const struct kern_variant *variant = making->variant;
	for (size_t i = 0; i < making->n_scalars; i++) {
		if (strcmp(making->scalars[i].name, name) != 0)
			continue;
		argument->kind = KERN_ARGUMENT_SCALAR;
		argument->scalar = making->scalars[i];
		argument->is_double = making->problem->type == MMT_F64;
		return 0;
	}
	for (size_t i = 0; i < making->n_buffers; i++) {
		if (strcmp(making->buffers[i].name, name) != 0)
			continue;
		argument->kind = KERN_ARGUMENT_BUFFER;
		return 0;
	}
	for (size_t i = 0; i < variant->n_temporaries; i++)
		if (strcmp(variant->temporaries[i].name, name) == 0)
			return resolve_memory(making, &variant->temporaries[i], KERN_ARGUMENT_TEMPORARY, argument);
	for (size_t i = 0; i < variant->n_locals; i++)
		if (strcmp(variant->locals[i].name, name) == 0)
			return resolve_memory(making, &variant->locals[i], KERN_ARGUMENT_LOCAL, argument);
	return mmt_error_set(making->error, MMT_INVALID_ARGUMENT, 0, "%s: '%s' is no argument for this problem",
			     variant->name, name);
}

static int no_memory(struct making *making)
{
	return mmt_error_set(making->error, MMT_NO_MEMORY, 0, "out of memory for a plan of %s", making->variant->name);
}

/* Lists a temporary once, however many steps use it. */
static int list_temporary(struct making *making, const struct kern_argument *argument)
{
	struct kern_plan *plan = making->plan;
	for (size_t i = 0; i < plan->n_temporaries; i++)
		if (strcmp(plan->temporaries[i].name, argument->name) == 0)
			return 0;
	/* The variant has at most KERN_MAX_ARGUMENTS, so there is room. */
	char *name = strdup(argument->name);
	if (!name)
		return no_memory(making);
	plan->temporaries[plan->n_temporaries].name = name;
	plan->temporaries[plan->n_temporaries].bytes = argument->bytes;
	plan->temporaries[plan->n_temporaries].width = argument->width;
	plan->temporaries[plan->n_temporaries].height = argument->height;
	plan->n_temporaries++;
	return 0;
}

static int make_arguments(struct making *making, const struct kern_step *step, struct kern_launch *launch)
{
	for (size_t i = 0; i < step->n_arguments; i++) {
		struct kern_argument *argument = &launch->arguments[i];
		argument->name = strdup(step->arguments[i]);
		if (!argument->name)
			return no_memory(making);
		launch->n_arguments++;
		if (resolve(making, argument->name, argument))
			return -1;
		argument->scalar.name = argument->name;
		if ((argument->kind == KERN_ARGUMENT_TEMPORARY || argument->kind == KERN_ARGUMENT_IMAGE) &&
		    list_temporary(making, argument))
			return -1;
	}
	return 0;
}

static int make_launch(struct making *making, const struct kern_step *step)
{
	bool wanted = true;
	struct kern_launch *launch = &making->plan->launches[making->plan->n_launches];
	if (step->when && expr_eval_truth(step->when, making->scope.slots, making->scope.sizes, &wanted, making->error))
		return -1;
	if (!wanted)
		return 0;
	making->plan->n_launches++;
	launch->entry = strdup(step->entry);
	launch->build_options = build_options(making);
	launch->source = strdup(making->variant->source);
	if (!launch->entry || !launch->build_options || !launch->source)
		return no_memory(making);
	memcpy(launch->source_sha256, making->variant->source_sha256, sizeof(launch->source_sha256));
	launch->local_memory_bytes = making->local_memory_bytes;
	return make_sizes(making, step, launch) || make_arguments(making, step, launch) ? -1 : 0;
}

static int make_launches(struct making *making)
{
	for (size_t i = 0; i < making->variant->n_steps; i++)
		if (make_launch(making, &making->variant->steps[i]))
			return -1;
	if (making->plan->n_launches == 0)
		return mmt_error_set(making->error, MMT_INVALID_ARGUMENT, 0, "%s: no step is left for this problem",
				     making->variant->name);
	return kern_limits_temporaries(making->device, making->problem, making->plan, making->error);
}

/* Traffic in double: it may pass 2^63. Without an expression, *out keeps the compulsory traffic. */
static int evaluate_traffic(struct making *making, const struct expr *expr, const char *what, double *out)
{
	struct expr_value value;
	if (!expr)
		return 0;
	if (expr_eval(expr, making->scope.slots, making->scope.sizes, &value, making->error))
		return -1;
	double bytes = value.kind == EXPR_INT ? (double)value.integer : value.kind == EXPR_REAL ? value.real : NAN;
	if (!isfinite(bytes) || bytes < 0)
		return mmt_error_set(making->error, MMT_INVALID_ARGUMENT, 0, "%s: %s is not a count of bytes",
				     making->variant->name, what);
	*out = bytes;
	return 0;
}

static int make_traffic(struct making *making)
{
	struct kern_plan *plan = making->plan;
	plan->bytes_written = 0;
	for (size_t i = 0; i < making->n_buffers; i++)
		if (making->buffers[i].output)
			plan->bytes_written += (double)making->buffers[i].bytes;
	plan->bytes_read = fmax(making->family->compulsory_bytes(making->problem) - plan->bytes_written, 0);
	if (evaluate_traffic(making, making->variant->bytes_read, "BytesRead", &plan->bytes_read))
		return -1;
	return evaluate_traffic(making, making->variant->bytes_written, "BytesWritten", &plan->bytes_written);
}

int kern_plan_init(struct kern_plan *plan, const struct kern_variant *variant, const struct mmt_problem *problem,
		   const uint16_t *indices, const struct kern_device *device, struct mmt_error *error)
{
	struct making making = {.plan = plan, .variant = variant, .problem = problem, .device = device, .error = error};
	memset(plan, 0, sizeof(*plan));
	if (check_variant(&making) || kern_problem_fits(problem, device, error))
		return -1;
	making.family = kern_family_find(problem->family);
	making.n_scalars = making.family->scalars(problem, KERN_CHECK_PLAIN, making.scalars);
	making.n_buffers = making.family->buffers(problem, making.buffers);
	kern_scope_init(&making.scope, variant, indices, problem, device);
	if (check_requirements(&making) || check_on_chip(&making) || make_launches(&making) || make_traffic(&making)) {
		kern_plan_finish(plan);
		return -1;
	}
	return 0;
}

void kern_plan_finish(struct kern_plan *plan)
{
	for (size_t i = 0; i < plan->n_launches; i++) {
		struct kern_launch *launch = &plan->launches[i];
		free(launch->entry);
		free(launch->build_options);
		free(launch->source);
		for (size_t j = 0; j < launch->n_arguments; j++)
			free(launch->arguments[j].name);
	}
	for (size_t i = 0; i < plan->n_temporaries; i++)
		free(plan->temporaries[i].name);
	memset(plan, 0, sizeof(*plan));
}
