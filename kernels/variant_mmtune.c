/* variant_mmtune.c: the Mmtune half of a variant's JSON: family, types,
 * requirements, memory, traffic, steps. A key that is not known is an error:
 * a misspelt requirement would otherwise hold for nobody. */
#include "variant_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "registry.h"

#define MAX_TEXT_BYTES   256
#define MAX_REQUIREMENTS 32
#define MAX_PRIORITY     1000

int kern_parse_only_keys(struct kern_parse *parse, const json_t *object, const char *place, const char *const *known)
{
	const char *key;
	json_t *value;
	if (!json_is_object(object))
		return kern_parse_fail(parse, place, "is not an object");
	json_object_foreach ((json_t *)object, key, value) {
		size_t i = 0;
		while (known[i] && strcmp(known[i], key) != 0)
			i++;
		if (!known[i])
			return kern_parse_fail(parse, place, "unknown key '%.64s'", key);
	}
	return 0;
}

/* An array of at most limit entries; absent counts as empty. */
static int check_array(struct kern_parse *parse, const json_t *array, const char *place, size_t limit)
{
	if (array && !json_is_array(array))
		return kern_parse_fail(parse, place, "is not an array");
	if (json_array_size(array) > limit)
		return kern_parse_fail(parse, place, "has over %zu entries", limit);
	return 0;
}

static int parse_types(struct kern_parse *parse, const json_t *array)
{
	enum mmt_type type;
	struct mmt_error inner = {0};
	if (check_array(parse, array, "Mmtune.Types", MMT_TYPE_COUNT))
		return -1;
	if (json_array_size(array) == 0)
		return kern_parse_fail(parse, "Mmtune.Types", "names no type");
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *name = json_string_value(json_array_get(array, i));
		if (mmt_type_parse(name ? name : "", &type, &inner))
			return kern_parse_fail(parse, "Mmtune.Types", "%s", inner.message);
		parse->variant->type_mask |= 1U << type;
	}
	return 0;
}

static int parse_accuracy(struct kern_parse *parse, const json_t *value)
{
	struct mmt_error inner = {0};
	const char *name = json_string_value(value);
	if (!value)
		return 0;
	if (mmt_accuracy_parse(name ? name : "", &parse->variant->accuracy, &inner))
		return kern_parse_fail(parse, "Mmtune.Accuracy", "%s", inner.message);
	return 0;
}

static int parse_requirements(struct kern_parse *parse, const json_t *array)
{
	static const char *const keys[] = {"Expression", "Message", NULL};
	struct kern_variant *variant = parse->variant;
	char place[KERN_PLACE_BYTES];
	if (check_array(parse, array, "Mmtune.Requires", MAX_REQUIREMENTS))
		return -1;
	size_t count = json_array_size(array);
	variant->requirements = calloc(count ? count : 1, sizeof(*variant->requirements));
	if (!variant->requirements)
		return kern_parse_no_memory(parse);
	variant->n_requirements = count;
	for (size_t i = 0; i < count; i++) {
		const json_t *object = json_array_get(array, i);
		struct kern_requirement *requirement = &variant->requirements[i];
		snprintf(place, sizeof(place), "Mmtune.Requires[%zu]", i);
		if (kern_parse_only_keys(parse, object, place, keys) ||
		    kern_parse_text(parse, json_object_get(object, "Message"), place, MAX_TEXT_BYTES,
				    &requirement->message) ||
		    kern_parse_expr(parse, json_object_get(object, "Expression"), place, KERN_PARSE_MMTUNE,
				    &requirement->expr))
			return -1;
		if (!requirement->message || !requirement->expr)
			return kern_parse_fail(parse, place, "needs Expression and Message");
	}
	return 0;
}

/* What it takes: Bytes, or for an image among the temporaries Width and Height. */
static int parse_memory(struct kern_parse *parse, const json_t *object, const char *place, bool may_be_image,
			struct kern_memory *memory)
{
	static const char *const keys[] = {"Name", "Bytes", NULL};
	static const char *const image_keys[] = {"Name", "Width", "Height", NULL};
	const bool image = may_be_image && (json_object_get(object, "Width") || json_object_get(object, "Height"));
	if (kern_parse_only_keys(parse, object, place, image ? image_keys : keys) ||
	    kern_parse_identifier(parse, json_object_get(object, "Name"), place, &memory->name) ||
	    kern_parse_expr(parse, json_object_get(object, "Bytes"), place, KERN_PARSE_MMTUNE, &memory->bytes) ||
	    kern_parse_expr(parse, json_object_get(object, "Width"), place, KERN_PARSE_MMTUNE, &memory->width) ||
	    kern_parse_expr(parse, json_object_get(object, "Height"), place, KERN_PARSE_MMTUNE, &memory->height))
		return -1;
	if (image && (!memory->width || !memory->height))
		return kern_parse_fail(parse, place, "an image needs Width and Height");
	if (!image && !memory->bytes)
		return kern_parse_fail(parse, place, "needs Bytes");
	return 0;
}

/* Temporaries or Locals. */
static int parse_memories(struct kern_parse *parse, const json_t *array, const char *what, struct kern_memory **out,
			  size_t *n_out)
{
	const bool may_be_images = out == &parse->variant->temporaries;
	char place[KERN_PLACE_BYTES];
	snprintf(place, sizeof(place), "Mmtune.%s", what);
	if (check_array(parse, array, place, KERN_MAX_ARGUMENTS))
		return -1;
	size_t count = json_array_size(array);
	*out = calloc(count ? count : 1, sizeof(**out));
	if (!*out)
		return kern_parse_no_memory(parse);
	*n_out = count;
	for (size_t i = 0; i < count; i++) {
		snprintf(place, sizeof(place), "Mmtune.%s[%zu]", what, i);
		if (parse_memory(parse, json_array_get(array, i), place, may_be_images, &(*out)[i]))
			return -1;
	}
	return 0;
}

static int parse_by_name_only(struct kern_parse *parse, const json_t *value)
{
	if (value && !json_is_boolean(value))
		return kern_parse_fail(parse, "Mmtune.ByNameOnly", "is neither true nor false");
	parse->variant->by_name_only = json_is_true(value);
	return 0;
}

static int parse_priority(struct kern_parse *parse, const json_t *object)
{
	static const char *const keys[] = {"cpu", "gpu", "acc", NULL};
	if (!object)
		return 0;
	if (kern_parse_only_keys(parse, object, "Mmtune.Priority", keys))
		return -1;
	for (int type = 0; type < KERN_DEVICE_TYPES; type++) {
		const json_t *value = json_object_get(object, kern_device_type_name((enum kern_device_type)type));
		json_int_t priority = json_integer_value(value);
		if (value && (!json_is_integer(value) || priority < 0 || priority > MAX_PRIORITY))
			return kern_parse_fail(parse, "Mmtune.Priority", "is not a whole number from 0 to %d",
					       MAX_PRIORITY);
		parse->variant->priority[type] = (int)priority;
	}
	return 0;
}

static int parse_step(struct kern_parse *parse, const json_t *object, const char *place, struct kern_step *step)
{
	static const char *const keys[] = {"KernelName", "GlobalSize", "LocalSize", "When", "Arguments", NULL};
	char inner[KERN_PLACE_BYTES + 16];
	const json_t *arguments = json_object_get(object, "Arguments");
	if (kern_parse_only_keys(parse, object, place, keys) ||
	    kern_parse_sizes(parse, object, place, KERN_PARSE_MMTUNE, step))
		return -1;
	snprintf(inner, sizeof(inner), "%s.KernelName", place);
	if (kern_parse_identifier(parse, json_object_get(object, "KernelName"), inner, &step->entry))
		return -1;
	snprintf(inner, sizeof(inner), "%s.When", place);
	if (kern_parse_expr(parse, json_object_get(object, "When"), inner, KERN_PARSE_MMTUNE, &step->when))
		return -1;
	snprintf(inner, sizeof(inner), "%s.Arguments", place);
	if (!json_is_array(arguments))
		return kern_parse_fail(parse, inner, "is missing or not an array of names");
	for (size_t i = 0; i < json_array_size(arguments); i++)
		if (kern_parse_argument(parse, json_array_get(arguments, i), inner, step))
			return -1;
	return 0;
}

static int parse_steps(struct kern_parse *parse, const json_t *array, const json_t *specification)
{
	struct kern_variant *variant = parse->variant;
	char place[KERN_PLACE_BYTES];
	if (!array) {
		variant->n_steps = 1;
		return kern_parse_t1_step(parse, specification, &variant->steps[0]);
	}
	if (check_array(parse, array, "Mmtune.Steps", KERN_MAX_STEPS))
		return -1;
	if (json_array_size(array) == 0)
		return kern_parse_fail(parse, "Mmtune.Steps", "is empty");
	variant->n_steps = json_array_size(array);
	for (size_t i = 0; i < variant->n_steps; i++) {
		snprintf(place, sizeof(place), "Mmtune.Steps[%zu]", i);
		if (parse_step(parse, json_array_get(array, i), place, &variant->steps[i]))
			return -1;
	}
	return 0;
}

/* What arguments a family's kernels may have: the names of a small problem's. */
struct family_names {
	struct kern_scalar scalars[KERN_MAX_SCALARS];
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	size_t n_scalars, n_buffers;
};

static void family_names_init(struct family_names *names, const struct kern_family *family, unsigned type_mask)
{
	struct mmt_problem problem;
	mmt_problem_init(&problem);
	snprintf(problem.family, sizeof(problem.family), "%s", family->name);
	problem.m = problem.n = problem.k = 64;
	while (!(type_mask & 1U << problem.type))
		problem.type++;
	names->n_scalars = family->scalars(&problem, KERN_CHECK_PLAIN, names->scalars);
	names->n_buffers = family->buffers(&problem, names->buffers);
}

static bool family_has(const struct family_names *names, const char *name)
{
	for (size_t i = 0; i < names->n_scalars; i++)
		if (strcmp(names->scalars[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < names->n_buffers; i++)
		if (strcmp(names->buffers[i].name, name) == 0)
			return true;
	return false;
}

/* How many of the variant's temporaries and locals have this name. */
static size_t memories_named(const struct kern_variant *variant, const char *name)
{
	size_t count = 0;
	for (size_t i = 0; i < variant->n_temporaries; i++)
		count += strcmp(variant->temporaries[i].name, name) == 0;
	for (size_t i = 0; i < variant->n_locals; i++)
		count += strcmp(variant->locals[i].name, name) == 0;
	return count;
}

static int check_memory_name(struct kern_parse *parse, const struct family_names *names, const char *name)
{
	if (family_has(names, name))
		return kern_parse_fail(parse, "Mmtune", "'%s' is the family's name, not free for memory", name);
	if (memories_named(parse->variant, name) > 1)
		return kern_parse_fail(parse, "Mmtune", "there are two temporaries or locals '%s'", name);
	return 0;
}

static int check_names(struct kern_parse *parse, const struct kern_family *family)
{
	const struct kern_variant *variant = parse->variant;
	struct family_names names;
	family_names_init(&names, family, variant->type_mask);
	for (size_t i = 0; i < variant->n_temporaries; i++)
		if (check_memory_name(parse, &names, variant->temporaries[i].name))
			return -1;
	for (size_t i = 0; i < variant->n_locals; i++)
		if (check_memory_name(parse, &names, variant->locals[i].name))
			return -1;
	for (size_t i = 0; i < variant->n_steps; i++) {
		const struct kern_step *step = &variant->steps[i];
		for (size_t j = 0; j < step->n_arguments; j++)
			if (!family_has(&names, step->arguments[j]) && !memories_named(variant, step->arguments[j]))
				return kern_parse_fail(parse, step->entry,
						       "argument '%s' is no argument of family %s, temporary or local",
						       step->arguments[j], family->name);
	}
	return 0;
}

/* The expressions that stand directly in Mmtune. */
static int parse_figures(struct kern_parse *parse, const json_t *mmtune)
{
	struct kern_variant *variant = parse->variant;
	const struct {
		const char *key;
		struct expr **out;
	} figures[] = {
		{"LocalMemoryBytes", &variant->local_memory_bytes},
		{"PrivateMemoryBytes", &variant->private_memory_bytes},
		{"BytesRead", &variant->bytes_read},
		{"BytesWritten", &variant->bytes_written},
	};
	char place[KERN_PLACE_BYTES];
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		snprintf(place, sizeof(place), "Mmtune.%s", figures[i].key);
		if (kern_parse_expr(parse, json_object_get(mmtune, figures[i].key), place, KERN_PARSE_MMTUNE,
				    figures[i].out))
			return -1;
	}
	return 0;
}

static int parse_known(struct kern_parse *parse, const json_t *root, const json_t *mmtune)
{
	struct kern_variant *variant = parse->variant;
	if (kern_parse_identifier(parse, json_object_get(mmtune, "Family"), "Mmtune.Family", &variant->family))
		return -1;
	const struct kern_family *family = kern_family_find(variant->family);
	if (!family)
		return kern_parse_fail(parse, "Mmtune.Family", "there is no family '%s'", variant->family);
	if (kern_parse_text(parse, json_object_get(mmtune, "Summary"), "Mmtune.Summary", MAX_TEXT_BYTES,
			    &variant->summary) ||
	    parse_types(parse, json_object_get(mmtune, "Types")) ||
	    parse_accuracy(parse, json_object_get(mmtune, "Accuracy")) ||
	    parse_requirements(parse, json_object_get(mmtune, "Requires")) || parse_figures(parse, mmtune) ||
	    parse_memories(parse, json_object_get(mmtune, "Temporaries"), "Temporaries", &variant->temporaries,
			   &variant->n_temporaries) ||
	    parse_memories(parse, json_object_get(mmtune, "Locals"), "Locals", &variant->locals, &variant->n_locals) ||
	    parse_priority(parse, json_object_get(mmtune, "Priority")) ||
	    parse_by_name_only(parse, json_object_get(mmtune, "ByNameOnly")) ||
	    kern_parse_defaults(parse, json_object_get(mmtune, "Defaults")) || kern_parse_textbook(parse, mmtune) ||
	    parse_steps(parse, json_object_get(mmtune, "Steps"), json_object_get(root, "KernelSpecification")))
		return -1;
	return check_names(parse, family);
}

int kern_parse_mmtune(struct kern_parse *parse, const json_t *root)
{
	static const char *const keys[] = {"Family",
					   "Summary",
					   "Types",
					   "Accuracy",
					   "Requires",
					   "BytesRead",
					   "LocalMemoryBytes",
					   "PrivateMemoryBytes",
					   "Priority",
					   "ByNameOnly",
					   "Defaults",
					   "Rung",
					   "Textbook",
					   "BytesWritten",
					   "Temporaries",
					   "Locals",
					   "Steps",
					   NULL};
	struct kern_variant *variant = parse->variant;
	const json_t *mmtune = json_object_get(root, "Mmtune");
	if (mmtune) {
		if (kern_parse_only_keys(parse, mmtune, "Mmtune", keys) || parse_known(parse, root, mmtune))
			return -1;
	} else {
		variant->family = strdup(KERN_USER_FAMILY);
		if (!variant->family)
			return kern_parse_no_memory(parse);
	}
	if (!variant->summary)
		variant->summary = strdup("");
	return variant->summary ? 0 : kern_parse_no_memory(parse);
}
