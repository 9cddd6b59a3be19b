/* fields.c: see fields.h. */
#include "fields.h"

#include <stdio.h>

#include "problem_json.h"

const char *cli_field_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text != NULL ? text : "";
}

double cli_field_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

int64_t cli_field_integer(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

bool cli_field_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

const char *cli_field_problem(const json_t *object, const char *key, char *out)
{
	struct mmt_problem problem;
	const json_t *value = json_object_get(object, key);
	out[0] = '\0';
	if (problem_from_json(value, &problem, NULL) == 0)
		mmt_problem_text(&problem, out, MMT_MESSAGE_BYTES);
	else if (json_is_string(value))
		snprintf(out, MMT_MESSAGE_BYTES, "%s", json_string_value(value));
	return out;
}

const char *cli_scalar_text(const json_t *value, char *out, size_t bytes)
{
	if (json_is_string(value))
		snprintf(out, bytes, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(out, bytes, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(out, bytes, "%.15g", json_real_value(value));
	else
		snprintf(out, bytes, "%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "");
	return out;
}

const char *cli_field_parameters(const json_t *object, const char *key, char *out, size_t bytes)
{
	size_t used = 0;
	const char *name;
	json_t *value;
	out[0] = '\0';
	json_object_foreach (json_object_get(object, key), name, value) {
		char text[128];
		int wrote = snprintf(out + used, bytes - used, "%s%s=%s", used > 0 ? " " : "", name,
				     cli_scalar_text(value, text, sizeof text));
		if (wrote < 0 || (size_t)wrote >= bytes - used) {
			out[used] = '\0'; /* no half a value */
			break;
		}
		used += (size_t)wrote;
	}
	return out;
}
