/* answer_plan.c: see answer.h: from what is known to a plan that holds here. Thread: the loop's. */
#include "answer.h"

#include <stdlib.h>
#include <string.h>

/* Plans tried for a default before the next variant is: each takes some microseconds, and the caller waits. */
#define DEFAULT_ATTEMPTS 512

bool answer_variant_unchanged(const struct kern_variant *variant, const struct db_trial *trial)
{
	return trial->spec_sha256 && trial->source_sha256 && strcmp(variant->spec_sha256, trial->spec_sha256) == 0 &&
	       strcmp(variant->source_sha256, trial->source_sha256) == 0;
}

int answer_from_best(struct answer *answer, const struct kern_registry *kernels, const struct svc_best *best,
		     const struct mmt_problem *problem, const struct svc_device *device, struct mmt_error *error)
{
	const struct kern_variant *variant = kern_registry_find(kernels, problem->family, best->trial.variant);
	if (!variant || variant->accuracy > problem->accuracy)
		return mmt_error_set(error, MMT_NO_ANSWER, 0, "no variant %s for it", best->trial.variant);
	if (kern_configuration_from_json(variant, best->configuration, answer->indices, error) != 0 ||
	    kern_plan_init(&answer->plan, variant, problem, answer->indices, &device->properties, error) != 0)
		return -1;
	answer->variant = variant;
	answer->best = best;
	return 0;
}

struct ranked {
	const struct kern_variant *variant;
	int priority;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	if (a->priority != b->priority)
		return a->priority < b->priority ? 1 : -1;
	return strcmp(a->variant->name, b->variant->name);
}

const struct kern_variant **answer_variants(const struct kern_registry *kernels, const char *family,
					    enum kern_device_type type, size_t *count)
{
	struct ranked *ranked = calloc(kernels->n_variants + 1, sizeof *ranked);
	const struct kern_variant **variants = calloc(kernels->n_variants + 1, sizeof *variants);
	*count = 0;
	if (!ranked || !variants) {
		free(ranked);
		free(variants);
		return NULL;
	}
	for (size_t i = 0; i < kernels->n_variants; i++) {
		const struct kern_variant *variant = kernels->variants[i];
		if (strcmp(variant->family, family) == 0)
			ranked[(*count)++] = (struct ranked){variant, variant->priority[type]};
	}
	qsort(ranked, *count, sizeof ranked[0], compare_ranked);
	for (size_t i = 0; i < *count; i++)
		variants[i] = ranked[i].variant;
	free(ranked);
	return variants;
}

/* A walk around the defaults: they themselves, then every change of one value, then of two. */
struct walk {
	struct answer *answer;
	const struct mmt_problem *problem;
	const struct kern_device *device;
	uint16_t defaults[EXPR_LIMIT_NAMES];
	struct mmt_error *first; /* why the defaults themselves would not do */
	unsigned attempts;
	bool hopeless; /* no configuration can do: the type, a requirement */
};

static bool attempt(struct walk *walk, const struct kern_variant *variant)
{
	struct mmt_error error = {0};
	if (walk->hopeless || walk->attempts >= DEFAULT_ATTEMPTS)
		return false;
	if (kern_plan_init(&walk->answer->plan, variant, walk->problem, walk->answer->indices, walk->device, &error) ==
	    0) {
		walk->answer->variant = variant;
		return true;
	}
	if (walk->attempts++ == 0)
		walk->hopeless = error.code == MMT_NOT_SUPPORTED;
	if (walk->first->code == MMT_OK)
		*walk->first = error;
	return false;
}

/* Changes `changes` more parameters, from number `from` on; true when a plan was made. */
static bool vary(struct walk *walk, const struct kern_variant *variant, size_t from, unsigned changes)
{
	if (changes == 0)
		return attempt(walk, variant);
	for (size_t p = from; p < variant->n_parameters; p++) {
		const struct kern_parameter *parameter = &variant->parameters[p];
		for (size_t v = 0; v < parameter->n_values; v++) {
			if (walk->hopeless || walk->attempts >= DEFAULT_ATTEMPTS)
				return false;
			walk->answer->indices[p] = (uint16_t)v;
			if (v != walk->defaults[p] && vary(walk, variant, p + 1, changes - 1))
				return true;
		}
		walk->answer->indices[p] = walk->defaults[p];
	}
	return false;
}

int answer_default(struct answer *answer, const struct kern_registry *kernels, const struct mmt_problem *problem,
		   const struct svc_device *device, struct mmt_error *error)
{
	struct mmt_error first = {0};
	enum kern_device_type type = device->properties.type;
	size_t count;
	const struct kern_variant **variants = answer_variants(kernels, problem->family, type, &count);
	if (!variants)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for an answer");
	bool found = false;
	for (size_t i = 0; i < count && !found; i++) {
		const struct kern_variant *variant = variants[i];
		if (variant->priority[type] <= 0 || variant->accuracy > problem->accuracy)
			continue;
		struct walk walk = {
			.answer = answer, .problem = problem, .device = &device->properties, .first = &first};
		kern_default_configuration(variant, problem, &device->properties, walk.defaults);
		memcpy(answer->indices, walk.defaults, variant->n_parameters * sizeof *walk.defaults);
		for (unsigned changes = 0; changes <= 2 && !found; changes++)
			found = vary(&walk, variant, 0, changes);
	}
	free(variants);
	if (found)
		return 0;
	return mmt_error_set(error, MMT_NO_ANSWER, 0, "no variant of %s can run on %s: %s", problem->family,
			     device->name, first.code ? first.message : "there is none for it");
}
