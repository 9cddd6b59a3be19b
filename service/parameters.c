/* parameters.c: see parameters.h. */
#include "parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem_json.h"
#include "registry.h"

static const char *const problem_keys[] = {"family", "order", "m", "n", "k", "trans", "type", "accuracy", NULL};
static const char *const kind_texts[] = {
	[SVC_STRING] = "a string",
	[SVC_INTEGER] = "an integer that is not negative",
	[SVC_REAL] = "a number that is not negative",
	[SVC_BOOLEAN] = "true or false",
};

static bool is_problem_key(const char *key)
{
	for (const char *const *each = problem_keys; *each != NULL; each++)
		if (strcmp(*each, key) == 0)
			return true;
	return false;
}

static const struct svc_parameter *find(const struct svc_parameter *table, const char *key)
{
	for (; table->name != NULL; table++)
		if (strcmp(table->name, key) == 0)
			return table;
	return NULL;
}

static bool take(const struct svc_parameter *parameter, const json_t *value)
{
	switch (parameter->kind) {
	case SVC_STRING:
		if (!json_is_string(value)) /* the decoder lets no NUL in */
			return false;
		*(const char **)parameter->out = json_string_value(value);
		return true;
	case SVC_INTEGER:
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			return false;
		*(int64_t *)parameter->out = json_integer_value(value);
		return true;
	case SVC_REAL:
		if (!json_is_number(value) || !(json_number_value(value) >= 0) || !isfinite(json_number_value(value)))
			return false;
		*(double *)parameter->out = json_number_value(value);
		return true;
	case SVC_BOOLEAN:
		if (!json_is_boolean(value))
			return false;
		*(bool *)parameter->out = json_is_true(value);
		return true;
	}
	return false;
}

static int refuse_value(const char *key, const json_t *value, const char *wanted, struct mmt_error *error)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: %.200s where %s is expected", key,
		      text != NULL ? text : "a value", wanted);
	free(text);
	return -1;
}

int svc_parameters_read(const json_t *parameters, const struct svc_parameter *table, enum svc_problem_keys keys,
			struct mmt_error *error)
{
	const char *key;
	json_t *value;
	json_object_foreach ((json_t *)parameters, key, value) {
		const struct svc_parameter *parameter = find(table, key);
		if (parameter == NULL && !(keys == SVC_WITH_PROBLEM && is_problem_key(key)))
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown parameter '%.200s'", key);
		if (parameter != NULL && !json_is_null(value) && !take(parameter, value))
			return refuse_value(key, value, kind_texts[parameter->kind], error);
	}
	for (; table->name != NULL; table++) {
		if (table->need == SVC_OPTIONAL)
			continue;
		const json_t *given = json_object_get(parameters, table->name);
		if (given == NULL || json_is_null(given))
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "the parameter '%s' is missing",
					     table->name);
	}
	return 0;
}

/* Reads the problem's keys alone; nulls are absent. */
static int read_problem(const json_t *parameters, struct mmt_problem *out, struct mmt_error *error)
{
	json_t *object = json_object();
	for (const char *const *key = problem_keys; *key != NULL; key++) {
		json_t *value = json_object_get(parameters, *key);
		if (value != NULL && !json_is_null(value))
			json_object_set(object, *key, value);
	}
	int status = object != NULL ? problem_from_json(object, out, error)
				    : mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a problem");
	json_decref(object);
	return status;
}

static bool is_given(const json_t *parameters, const char *key)
{
	const json_t *value = json_object_get(parameters, key);
	return value != NULL && !json_is_null(value);
}

static bool has_shape(const json_t *parameters)
{
	return is_given(parameters, "order") || is_given(parameters, "m") || is_given(parameters, "n") ||
	       is_given(parameters, "k");
}

const struct kern_family *svc_find_family(const char *name, struct mmt_error *error)
{
	const struct kern_family *family = kern_family_find(name);
	if (family != NULL)
		return family;
	char list[256] = "";
	for (const struct kern_family *const *each = kern_families(); *each != NULL; each++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", (*each)->name);
	}
	mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "family: no family is called '%s'; there are: %s", name, list);
	return NULL;
}

int svc_parameters_problem(const json_t *parameters, struct mmt_problem *out, struct mmt_error *error)
{
	if (!has_shape(parameters))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "the size is missing: give order, or m, n and k");
	if (read_problem(parameters, out, error) != 0)
		return -1;
	const struct kern_family *family = svc_find_family(out->family, error);
	if (family == NULL)
		return -1;
	/* the others have sizes that m is none of */
	if (strcmp(out->family, "matmul") == 0 && !is_given(parameters, "order") && !is_given(parameters, "m"))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "n and k need m beside them");
	return family->check(out, error);
}

int svc_parameters_filter(const json_t *parameters, struct svc_problem_filter *out, struct mmt_error *error)
{
	*out = (struct svc_problem_filter){
		.family = is_given(parameters, "family"),
		.shape = has_shape(parameters),
		.trans = is_given(parameters, "trans"),
		.type = is_given(parameters, "type"),
		.accuracy = is_given(parameters, "accuracy"),
	};
	if (read_problem(parameters, &out->problem, error) != 0)
		return -1;
	return !out->family || svc_find_family(out->problem.family, error) != NULL ? 0 : -1;
}

bool svc_problem_filter_matches(const struct svc_problem_filter *filter, const struct mmt_problem *problem)
{
	const struct mmt_problem *wanted = &filter->problem;
	if (filter->family && strcmp(wanted->family, problem->family) != 0)
		return false;
	if (filter->shape && (wanted->m != problem->m || wanted->n != problem->n || wanted->k != problem->k))
		return false;
	return (!filter->trans || wanted->trans == problem->trans) &&
	       (!filter->type || wanted->type == problem->type) &&
	       (!filter->accuracy || wanted->accuracy == problem->accuracy);
}
