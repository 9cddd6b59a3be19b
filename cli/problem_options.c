/* problem_options.c: see problem_options.h. */
#include "problem_options.h"

#include <stdio.h>
#include <string.h>

#include "fields.h"

const struct cli_option cli_device_options[] = {
	{"device", "NAME", false, CLI_CHOICES_DEVICES, "gpu0, cpu0, ..., a full name or a UUID; default: the only one"},
	{NULL, NULL, false, NULL, NULL},
};

const struct cli_option cli_problem_options[] = {
	{"order", "N", false, NULL, "square: m = n = k = N"},
	{"m", "M", false, NULL, "rows of C"},
	{"n", "N", false, NULL, "columns of C; default: M"},
	{"k", "K", false, NULL, "columns of op(A), rows of op(B); default: M"},
	{"trans", "AB", false, "nn nt tn tt", "nn, nt, tn or tt: whether A and B are transposed; default: nn"},
	{"type", "TYPE", false, "f32 f64 f16 bf16", "f32, f64, f16 or bf16; default: f32"},
	{"accuracy", "CLASS", false, "native tf32",
	 "least accurate arithmetic accepted, native or tf32; default: native"},
	{"family", "NAME", false, CLI_CHOICES_FAMILIES, "what is computed; default: matmul"},
	{NULL, NULL, false, NULL, NULL},
};

static int set_string(json_t *parameters, const char *name, const char *value, struct mmt_error *error)
{
	if (json_object_set_new(parameters, name, json_string(value)) == 0)
		return 0;
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--%s '%.64s' is not UTF-8", name, value);
}

static int add_dimensions(const struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	static const struct {
		const char *option, *what;
	} dimensions[] = {{"order", "--order"}, {"m", "--m"}, {"n", "--n"}, {"k", "--k"}};
	for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++) {
		const char *text = cli_value(context, dimensions[i].option);
		int64_t value;
		if (text == NULL)
			continue;
		if (mmt_dimension_parse(dimensions[i].what, text, &value, error) != 0)
			return -1;
		if (json_object_set_new(parameters, dimensions[i].option, json_integer(value)) != 0)
			return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
	}
	bool order = cli_is_given(context, "order"), m = cli_is_given(context, "m");
	bool others = cli_is_given(context, "n") || cli_is_given(context, "k");
	if (order && (m || others))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "give either --order or --m, --n, --k, not both");
	const char *family = cli_value(context, "family");
	if (others && !m && (family == NULL || strcmp(family, "matmul") == 0))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--n and --k need --m beside them");
	return 0;
}

static int add_names(const struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	const char *trans_text = cli_value(context, "trans"), *type_text = cli_value(context, "type");
	const char *accuracy_text = cli_value(context, "accuracy"), *family = cli_value(context, "family");
	enum mmt_trans trans;
	enum mmt_type type;
	enum mmt_accuracy accuracy;
	if ((trans_text != NULL && mmt_trans_parse(trans_text, &trans, error) != 0) ||
	    (type_text != NULL && mmt_type_parse(type_text, &type, error) != 0) ||
	    (accuracy_text != NULL && mmt_accuracy_parse(accuracy_text, &accuracy, error) != 0))
		return -1;
	if (family != NULL && (family[0] == '\0' || strlen(family) >= MMT_FAMILY_BYTES))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "--family '%.64s' must have 1 to %d bytes", family,
				     MMT_FAMILY_BYTES - 1);
	const struct {
		const char *name, *value;
	} names[] = {{"trans", trans_text}, {"type", type_text}, {"accuracy", accuracy_text}, {"family", family}};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (names[i].value != NULL && set_string(parameters, names[i].name, names[i].value, error) != 0)
			return -1;
	return 0;
}

json_t *cli_problem_parameters(const struct cli_context *context, bool needs_shape, struct mmt_error *error)
{
	json_t *parameters = json_object();
	if (parameters == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a call");
		return NULL;
	}
	if (add_dimensions(context, parameters, error) != 0 || add_names(context, parameters, error) != 0)
		goto out;
	if (!needs_shape || cli_is_given(context, "order") || cli_is_given(context, "m") ||
	    cli_is_given(context, "n") || cli_is_given(context, "k"))
		return parameters;
	mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s needs a size: --order N, or --m M with --n N and --k K",
		      context->verb->name);
out:
	json_decref(parameters);
	return NULL;
}

/* The one that is there now, beside those that the service remembers; NULL: none or several are. */
static const json_t *only_present(const json_t *devices)
{
	const json_t *found = NULL, *device;
	size_t at;
	json_array_foreach (devices, at, device) {
		if (json_is_false(json_object_get(device, "present")))
			continue;
		if (found != NULL)
			return NULL;
		found = device;
	}
	return found;
}

/* The name of the only device; NULL with what there is instead. Borrowed from reply. */
static const char *only_device(const json_t *reply, struct mmt_error *error)
{
	const json_t *devices = json_object_get(reply, "devices");
	size_t count = json_array_size(devices);
	const json_t *only = count == 1 ? json_array_get(devices, 0) : only_present(devices);
	if (only != NULL)
		return cli_field_text(only, "name");
	if (count == 0) {
		const char *hint = json_string_value(json_array_get(json_object_get(reply, "hints"), 0));
		mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "this machine has no OpenCL device%s%s",
			      hint != NULL ? ": " : "", hint != NULL ? hint : "");
		return NULL;
	}
	char list[256] = "";
	for (size_t i = 0; i < count; i++) {
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
			 cli_field_text(json_array_get(devices, i), "name"));
	}
	mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "this machine has %zu devices: choose with --device: %s", count,
		      list);
	return NULL;
}

int cli_add_device(struct cli_context *context, json_t *parameters, struct mmt_error *error)
{
	const char *given = cli_value(context, "device");
	if (given != NULL && given[0] == '\0')
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "--device needs a name such as gpu0: 'mmtune devices' lists them");
	if (given != NULL)
		return set_string(parameters, "device", given, error);
	json_t *reply = cli_call(context, "Devices", json_object(), error);
	if (reply == NULL)
		return -1;
	const char *name = only_device(reply, error);
	int status = name != NULL ? set_string(parameters, "device", name, error) : -1;
	json_decref(reply);
	return status;
}
