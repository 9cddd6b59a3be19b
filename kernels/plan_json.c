/* plan_json.c: plans as JSON, written for answers and workers, read back by the
 * worker and by tests. What is read may be anything: every type, cap and hash
 * is checked, and what could not have come from kern_plan_to_json is refused. */
#include "plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sha256.h"

#define MAX_OPTIONS_BYTES ((size_t)64 << 10)
#define MAX_SOURCE_BYTES  ((size_t)8 << 20)

/* ---- writing ---- */

static json_t *sizes_to_json(const size_t sizes[3], unsigned dimensions)
{
	json_t *array = json_array();
	for (unsigned i = 0; array && i < dimensions; i++) {
		if (json_array_append_new(array, json_integer((json_int_t)sizes[i]))) {
			json_decref(array);
			array = NULL;
		}
	}
	return array;
}

static json_t *argument_to_json(const struct kern_argument *argument)
{
	json_int_t bytes = argument->bytes > INT64_MAX ? INT64_MAX : (json_int_t)argument->bytes;
	switch (argument->kind) {
	case KERN_ARGUMENT_BUFFER:
		return json_pack("{s:s, s:s}", "name", argument->name, "type", "buffer");
	case KERN_ARGUMENT_TEMPORARY:
		return json_pack("{s:s, s:s, s:I}", "name", argument->name, "type", "temporary", "bytes", bytes);
	case KERN_ARGUMENT_IMAGE:
		return json_pack("{s:s, s:s, s:I, s:I, s:I}", "name", argument->name, "type", "image", "bytes", bytes,
				 "width", (json_int_t)argument->width, "height", (json_int_t)argument->height);
	case KERN_ARGUMENT_LOCAL:
		return json_pack("{s:s, s:s, s:I}", "name", argument->name, "type", "local", "bytes", bytes);
	case KERN_ARGUMENT_SCALAR:
		break;
	}
	const struct kern_scalar *scalar = &argument->scalar;
	if (scalar->kind == KERN_REAL)
		return json_pack("{s:s, s:s, s:f}", "name", argument->name, "type",
				 argument->is_double ? "double" : "float", "value", scalar->real);
	return json_pack("{s:s, s:s, s:I}", "name", argument->name, "type",
			 scalar->kind == KERN_INT32 ? "int32" : "int64", "value", (json_int_t)scalar->integer);
}

static json_t *launch_to_json(const struct kern_launch *launch, bool with_source)
{
	json_t *arguments = json_array();
	json_t *object = json_object();
	int failed = !arguments || !object;
	for (size_t i = 0; !failed && i < launch->n_arguments; i++)
		failed = json_array_append_new(arguments, argument_to_json(&launch->arguments[i]));
	failed = failed || json_object_set_new(object, "entry", json_string(launch->entry));
	failed = failed || json_object_set_new(object, "build_options", json_string(launch->build_options));
	failed =
		failed || json_object_set_new(object, "global_size", sizes_to_json(launch->global, launch->dimensions));
	failed = failed || json_object_set_new(object, "local_size",
					       sizes_to_json(launch->local, launch->local[0] ? launch->dimensions : 0));
	failed = failed || json_object_set_new(object, "local_memory_bytes",
					       json_integer((json_int_t)launch->local_memory_bytes));
	failed = failed || json_object_set(object, "arguments", arguments);
	failed = failed || json_object_set_new(object, "source_sha256", json_string(launch->source_sha256));
	if (with_source && launch->source)
		failed = failed || json_object_set_new(object, "source", json_string(launch->source));
	json_decref(arguments);
	if (failed) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static json_t *temporary_to_json(const struct kern_plan *plan, size_t i)
{
	const json_int_t bytes = (json_int_t)plan->temporaries[i].bytes;
	const char *name = plan->temporaries[i].name;
	if (plan->temporaries[i].width == 0)
		return json_pack("{s:s, s:I}", "name", name, "bytes", bytes);
	return json_pack("{s:s, s:I, s:I, s:I}", "name", name, "bytes", bytes, "width",
			 (json_int_t)plan->temporaries[i].width, "height", (json_int_t)plan->temporaries[i].height);
}

json_t *kern_plan_to_json(const struct kern_plan *plan, bool with_source)
{
	json_t *steps = json_array();
	json_t *temporaries = json_array();
	int failed = !steps || !temporaries;
	for (size_t i = 0; !failed && i < plan->n_launches; i++)
		failed = json_array_append_new(steps, launch_to_json(&plan->launches[i], with_source));
	for (size_t i = 0; !failed && i < plan->n_temporaries; i++)
		failed = json_array_append_new(temporaries, temporary_to_json(plan, i));
	json_t *object = failed ? NULL : json_pack("{s:O, s:O}", "steps", steps, "temporaries", temporaries);
	json_decref(steps);
	json_decref(temporaries);
	return object;
}

/* ---- reading ---- */

static int broken(struct mmt_error *error, const char *what)
{
	return mmt_error_set(error, MMT_PROTOCOL, 0, "a plan's %s", what);
}

/* A copy of object[key] of at most limit bytes. */
static int read_text(const json_t *object, const char *key, size_t limit, char **out, struct mmt_error *error)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_string(value) || json_string_length(value) > limit)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a plan's '%s' is no string of at most %zu bytes", key,
				     limit);
	*out = strdup(json_string_value(value));
	return *out ? 0 : mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a plan");
}

static int read_identifier(const json_t *object, const char *key, char **out, struct mmt_error *error)
{
	if (read_text(object, key, KERN_IDENTIFIER_BYTES - 1, out, error))
		return -1;
	return kern_text_is_identifier(*out) ? 0 : broken(error, "names are identifiers");
}

static int read_integer(const json_t *object, const char *key, int64_t least, int64_t *out, struct mmt_error *error)
{
	const json_t *value = json_object_get(object, key);
	if (!json_is_integer(value) || json_integer_value(value) < least)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a plan's '%s' is no whole number from %lld", key,
				     (long long)least);
	*out = json_integer_value(value);
	return 0;
}

/* One to three sizes from 1; an empty array too where that is allowed. */
static int read_sizes(const json_t *array, bool may_be_empty, size_t out[3], unsigned *count, struct mmt_error *error)
{
	size_t entries = json_array_size(array);
	if (!json_is_array(array) || entries > 3 || (entries == 0 && !may_be_empty))
		return broken(error, "sizes are arrays of one to three");
	for (size_t i = 0; i < entries; i++) {
		const json_t *size = json_array_get(array, i);
		if (!json_is_integer(size) || json_integer_value(size) < 1)
			return broken(error, "sizes are whole numbers from 1");
		out[i] = (size_t)json_integer_value(size);
	}
	*count = (unsigned)entries;
	return 0;
}

static int read_launch_sizes(const json_t *object, struct kern_launch *launch, struct mmt_error *error)
{
	unsigned n_local;
	if (read_sizes(json_object_get(object, "global_size"), false, launch->global, &launch->dimensions, error) ||
	    read_sizes(json_object_get(object, "local_size"), true, launch->local, &n_local, error))
		return -1;
	if (n_local != 0 && n_local != launch->dimensions)
		return broken(error, "local_size has not as many dimensions as global_size");
	for (unsigned i = 0; i < n_local; i++)
		if (launch->global[i] % launch->local[i] != 0)
			return broken(error, "global_size is not a multiple of local_size");
	return 0;
}

static int read_scalar(const json_t *object, const char *type, struct kern_argument *argument, struct mmt_error *error)
{
	struct kern_scalar *scalar = &argument->scalar;
	const json_t *value = json_object_get(object, "value");
	argument->kind = KERN_ARGUMENT_SCALAR;
	scalar->name = argument->name;
	argument->is_double = strcmp(type, "double") == 0;
	if (argument->is_double || strcmp(type, "float") == 0) {
		if (!json_is_number(value))
			return broken(error, "scalar has no number");
		scalar->kind = KERN_REAL;
		scalar->real = json_number_value(value);
		return 0;
	}
	scalar->kind = strcmp(type, "int32") == 0 ? KERN_INT32 : KERN_INT64;
	if (read_integer(object, "value", scalar->kind == KERN_INT32 ? INT32_MIN : INT64_MIN, &scalar->integer, error))
		return -1;
	return scalar->kind == KERN_INT32 && scalar->integer > INT32_MAX ? broken(error, "int32 is out of range") : 0;
}

static int read_memory(const json_t *object, const char *type, struct kern_argument *argument, struct mmt_error *error)
{
	int64_t bytes = 0;
	argument->kind = strcmp(type, "local") == 0 ? KERN_ARGUMENT_LOCAL : KERN_ARGUMENT_TEMPORARY;
	if (read_integer(object, "bytes", 1, &bytes, error))
		return -1;
	argument->bytes = (uint64_t)bytes;
	return 0;
}

/* width, height and bytes that agree. */
static int read_image(const json_t *object, uint64_t *bytes, uint64_t *width, uint64_t *height, struct mmt_error *error)
{
	int64_t values[3] = {0};
	uint64_t expected;
	if (read_integer(object, "width", 1, &values[0], error) ||
	    read_integer(object, "height", 1, &values[1], error) || read_integer(object, "bytes", 1, &values[2], error))
		return -1;
	*width = (uint64_t)values[0];
	*height = (uint64_t)values[1];
	*bytes = (uint64_t)values[2];
	if (__builtin_mul_overflow(*width, *height, &expected) ||
	    __builtin_mul_overflow(expected, KERN_PIXEL_BYTES, &expected) || expected != *bytes)
		return broken(error, "image has not the bytes of its pixels");
	return 0;
}

static int read_argument(const json_t *object, struct kern_argument *argument, struct mmt_error *error)
{
	static const struct {
		const char *type;
		int (*read)(const json_t *object, const char *type, struct kern_argument *argument,
			    struct mmt_error *error);
	} readers[] = {
		{"int32", read_scalar},  {"int64", read_scalar},     {"float", read_scalar},
		{"double", read_scalar}, {"temporary", read_memory}, {"local", read_memory},
	};
	const char *type = json_string_value(json_object_get(object, "type"));
	size_t keys = json_object_size(object);
	if (type && strcmp(type, "buffer") == 0 && keys == 2) {
		argument->kind = KERN_ARGUMENT_BUFFER;
		return 0;
	}
	if (type && strcmp(type, "image") == 0 && keys == 5) {
		argument->kind = KERN_ARGUMENT_IMAGE;
		return read_image(object, &argument->bytes, &argument->width, &argument->height, error);
	}
	for (size_t i = 0; type && keys == 3 && i < sizeof(readers) / sizeof(readers[0]); i++)
		if (strcmp(type, readers[i].type) == 0)
			return readers[i].read(object, type, argument, error);
	return broken(error, "argument is of no known kind");
}

static int read_arguments(const json_t *array, struct kern_launch *launch, struct mmt_error *error)
{
	if (!json_is_array(array) || json_array_size(array) > KERN_MAX_ARGUMENTS)
		return broken(error, "arguments are no array, or too many");
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *object = json_array_get(array, i);
		struct kern_argument *argument = &launch->arguments[i];
		launch->n_arguments++;
		if (read_identifier(object, "name", &argument->name, error) || read_argument(object, argument, error))
			return -1;
	}
	return 0;
}

static int read_source(const json_t *object, struct kern_launch *launch, struct mmt_error *error)
{
	char hash[KERN_SHA256_HEX_BYTES];
	const char *claimed = json_string_value(json_object_get(object, "source_sha256"));
	if (!claimed || strlen(claimed) != 64 || strspn(claimed, "0123456789abcdef") != 64)
		return broken(error, "source_sha256 is no SHA-256 in hex");
	memcpy(launch->source_sha256, claimed, sizeof(launch->source_sha256));
	if (!json_object_get(object, "source"))
		return 0;
	if (read_text(object, "source", MAX_SOURCE_BYTES, &launch->source, error))
		return -1;
	kern_sha256_hex(launch->source, strlen(launch->source), hash);
	return strcmp(hash, claimed) == 0 ? 0 : broken(error, "source does not match its source_sha256");
}

static int read_launch(const json_t *object, struct kern_launch *launch, struct mmt_error *error)
{
	int64_t local_bytes = 0;
	size_t keys = json_object_get(object, "source") ? 8 : 7;
	if (json_object_size(object) != keys)
		return broken(error, "step is no object with exactly the known keys");
	if (read_identifier(object, "entry", &launch->entry, error) ||
	    read_text(object, "build_options", MAX_OPTIONS_BYTES, &launch->build_options, error) ||
	    read_launch_sizes(object, launch, error) ||
	    read_integer(object, "local_memory_bytes", 0, &local_bytes, error) ||
	    read_arguments(json_object_get(object, "arguments"), launch, error))
		return -1;
	launch->local_memory_bytes = (uint64_t)local_bytes;
	return read_source(object, launch, error);
}

static int read_temporary(const json_t *object, struct kern_plan *plan, size_t i, struct mmt_error *error)
{
	int64_t bytes = 0;
	if (read_identifier(object, "name", &plan->temporaries[i].name, error))
		return -1;
	if (json_object_size(object) == 4)
		return read_image(object, &plan->temporaries[i].bytes, &plan->temporaries[i].width,
				  &plan->temporaries[i].height, error);
	if (json_object_size(object) != 2)
		return broken(error, "temporary has a name and bytes, an image width and height too");
	if (read_integer(object, "bytes", 1, &bytes, error))
		return -1;
	plan->temporaries[i].bytes = (uint64_t)bytes;
	return 0;
}

static int read_temporaries(const json_t *array, struct kern_plan *plan, struct mmt_error *error)
{
	if (!json_is_array(array) || json_array_size(array) > KERN_MAX_ARGUMENTS)
		return broken(error, "temporaries are no array, or too many");
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *object = json_array_get(array, i);
		plan->n_temporaries++;
		if (read_temporary(object, plan, i, error))
			return -1;
		for (size_t j = 0; j < i; j++)
			if (strcmp(plan->temporaries[j].name, plan->temporaries[i].name) == 0)
				return broken(error, "temporaries have one name twice");
	}
	return 0;
}

/* A step's temporary is one of the plan's, of the same size. */
static bool temporaries_agree(const struct kern_plan *plan, const struct kern_argument *argument)
{
	for (size_t i = 0; i < plan->n_temporaries; i++)
		if (strcmp(plan->temporaries[i].name, argument->name) == 0)
			return plan->temporaries[i].bytes == argument->bytes &&
			       plan->temporaries[i].width == argument->width &&
			       plan->temporaries[i].height == argument->height;
	return false;
}

static int check_temporaries(const struct kern_plan *plan, struct mmt_error *error)
{
	for (size_t i = 0; i < plan->n_launches; i++) {
		const struct kern_launch *launch = &plan->launches[i];
		for (size_t j = 0; j < launch->n_arguments; j++)
			if ((launch->arguments[j].kind == KERN_ARGUMENT_TEMPORARY ||
			     launch->arguments[j].kind == KERN_ARGUMENT_IMAGE) &&
			    !temporaries_agree(plan, &launch->arguments[j]))
				return broken(error, "step uses a temporary that is not listed so");
	}
	return 0;
}

int kern_plan_from_json(const json_t *object, struct kern_plan *out, struct mmt_error *error)
{
	const json_t *steps = json_object_get(object, "steps");
	memset(out, 0, sizeof(*out));
	if (json_object_size(object) != 2 || !json_is_array(steps))
		return broken(error, "keys are steps and temporaries");
	if (json_array_size(steps) < 1 || json_array_size(steps) > KERN_MAX_STEPS)
		return broken(error, "steps are none, or too many");
	if (read_temporaries(json_object_get(object, "temporaries"), out, error))
		goto fail;
	for (size_t i = 0; i < json_array_size(steps); i++) {
		out->n_launches++;
		if (read_launch(json_array_get(steps, i), &out->launches[i], error))
			goto fail;
	}
	if (check_temporaries(out, error))
		goto fail;
	return 0;
fail:
	kern_plan_finish(out);
	return -1;
}
