/* fields.c: see fields.h. */
#include "fields.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t unsigned_at(const void *at, size_t bytes)
{
	if (bytes == sizeof(uint32_t))
		return *(const uint32_t *)at;
	return *(const uint64_t *)at;
}

static json_t *to_json(const struct kern_field *field, const void *at)
{
	uint64_t number;
	switch (field->kind) {
	case KERN_FIELD_TEXT:
		return json_string(at);
	case KERN_FIELD_UINT:
		number = unsigned_at(at, field->bytes);
		return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
	case KERN_FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case KERN_FIELD_REAL:
		break;
	}
	double real = *(const double *)at;
	return isfinite(real) ? json_real(real) : json_null();
}

int kern_fields_to_json(const struct kern_field *fields, size_t count, const void *record, json_t *object)
{
	for (size_t i = 0; i < count; i++)
		if (json_object_set_new(object, fields[i].name,
					to_json(&fields[i], (const char *)record + fields[i].offset)))
			return -1;
	return 0;
}

static bool from_json(const struct kern_field *field, const json_t *value, void *at)
{
	double real;
	uint64_t limit = field->bytes == sizeof(uint32_t) ? UINT32_MAX : INT64_MAX;
	switch (field->kind) {
	case KERN_FIELD_TEXT:
		if (!json_is_string(value) || json_string_length(value) >= field->bytes)
			return false;
		memcpy(at, json_string_value(value), json_string_length(value) + 1);
		return true;
	case KERN_FIELD_UINT:
		if (!json_is_integer(value) || json_integer_value(value) < 0 ||
		    (uint64_t)json_integer_value(value) > limit)
			return false;
		if (field->bytes == sizeof(uint32_t))
			*(uint32_t *)at = (uint32_t)json_integer_value(value);
		else
			*(uint64_t *)at = (uint64_t)json_integer_value(value);
		return true;
	case KERN_FIELD_BOOL:
		if (!json_is_boolean(value))
			return false;
		*(bool *)at = json_is_true(value);
		return true;
	case KERN_FIELD_REAL:
		break;
	}
	real = json_number_value(value);
	if (!json_is_number(value) || !isfinite(real) || real < 0)
		return false;
	*(double *)at = real;
	return true;
}

int kern_fields_from_json(const struct kern_field *fields, size_t count, const json_t *object, void *record,
			  struct mmt_error *error)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_object_get(object, fields[i].name);
		if (!value && !fields[i].required)
			continue;
		if (!value)
			return mmt_error_set(error, MMT_PROTOCOL, 0, "'%s' is missing", fields[i].name);
		if (!from_json(&fields[i], value, (char *)record + fields[i].offset))
			return mmt_error_set(error, MMT_PROTOCOL, 0, "'%s' has the wrong type or range",
					     fields[i].name);
	}
	return 0;
}
