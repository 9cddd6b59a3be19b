/* problem_json.c: see problem_json.h. One table of keys: each is read by the
 * function beside it. */
#include "problem_json.h"

#include <inttypes.h>
#include <string.h>

json_t *problem_to_json(const struct mmt_problem *problem)
{
	json_t *object = json_pack("{s:s, s:I, s:I, s:I, s:s, s:s}", "family", problem->family, "m",
				   (json_int_t)problem->m, "n", (json_int_t)problem->n, "k", (json_int_t)problem->k,
				   "trans", mmt_trans_name(problem->trans), "type", mmt_type_name(problem->type));
	if (object == NULL || problem->accuracy == MMT_ACCURACY_NATIVE)
		return object;
	if (json_object_set_new(object, "accuracy", json_string(mmt_accuracy_name(problem->accuracy))) != 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

/* What was found so far; order, m, n, k are 0 while absent. */
struct reading {
	struct mmt_problem problem;
	int64_t order, m, n, k;
};

static int read_dimension(const char *key, const json_t *value, int64_t *out, struct mmt_error *error)
{
	if (json_is_integer(value) && json_integer_value(value) >= 1 && json_integer_value(value) <= INT32_MAX) {
		*out = json_integer_value(value);
		return 0;
	}
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s %.64s is not a whole number from 1 to %" PRId32, key,
		      text != NULL ? text : "?", INT32_MAX);
	free(text);
	return -1;
}

static int read_family(const char *name, struct reading *reading, struct mmt_error *error)
{
	size_t length = strlen(name);
	if (length == 0 || length >= MMT_FAMILY_BYTES)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "family '%.64s' must have 1 to %d bytes", name,
				     MMT_FAMILY_BYTES - 1);
	memcpy(reading->problem.family, name, length + 1);
	return 0;
}

static int read_key(const char *key, const json_t *value, struct reading *reading, struct mmt_error *error)
{
	const struct {
		const char *key;
		int64_t *out;
	} dimensions[] = {{"order", &reading->order}, {"m", &reading->m}, {"n", &reading->n}, {"k", &reading->k}};
	for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++)
		if (strcmp(key, dimensions[i].key) == 0)
			return read_dimension(key, value, dimensions[i].out, error);

	struct mmt_problem *problem = &reading->problem;
	bool family = strcmp(key, "family") == 0, trans = strcmp(key, "trans") == 0;
	bool type = strcmp(key, "type") == 0, accuracy = strcmp(key, "accuracy") == 0;
	if (!family && !trans && !type && !accuracy)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "a problem has no key '%.64s'", key);
	const char *text = json_string_value(value);
	if (text == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s must be a string", key);
	if (family)
		return read_family(text, reading, error);
	if (trans)
		return mmt_trans_parse(text, &problem->trans, error);
	if (type)
		return mmt_type_parse(text, &problem->type, error);
	return mmt_accuracy_parse(text, &problem->accuracy, error);
}

int problem_from_json(const json_t *object, struct mmt_problem *out, struct mmt_error *error)
{
	if (!json_is_object(object))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "a problem must be a JSON object");
	struct reading reading = {.order = 0};
	mmt_problem_init(&reading.problem);
	const char *key;
	json_t *value;
	json_object_foreach ((json_t *)object, key, value) {
		/* Varlink: null is the same as absent. */
		if (!json_is_null(value) && read_key(key, value, &reading, error) != 0)
			return -1;
	}
	if (reading.order != 0 && (reading.m != 0 || reading.n != 0 || reading.k != 0))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "give either order or m, n, k, not both");
	int64_t m = reading.order != 0 ? reading.order : reading.m != 0 ? reading.m : 1;
	bool square = reading.order != 0 || strcmp(reading.problem.family, "matmul") == 0;
	reading.problem.m = m;
	reading.problem.n = reading.n != 0 ? reading.n : square ? m : 1;
	reading.problem.k = reading.k != 0 ? reading.k : square ? m : 1;
	*out = reading.problem;
	return 0;
}
