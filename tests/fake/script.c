/* script.c: see script.h. */
#include "script.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define DEFAULT_RATE_GFLOPS 1000

struct setting {
	const char *name;
	int (*read)(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error);
	size_t offset; /* of a number */
	double minimum, maximum;
	bool repeats;
};

static int bad(const struct setting *setting, const char *value, struct mmt_error *error)
{
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "MMTUNE_FAKE: '%s' is no value of '%s'", value,
			     setting->name);
}

/* A whole token as a number. */
static bool parse_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*out);
}

static int read_number(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	double number;

	if (!parse_number(value, &number) || number < setting->minimum || number > setting->maximum)
		return bad(setting, value, error);
	memcpy((char *)script + setting->offset, &number, sizeof number);
	return 0;
}

/* \xHH as the byte, in place: names of devices may be anything. */
static void unescape(char *text)
{
	char *out = text;

	while (*text != '\0') {
		if (text[0] == '\\' && text[1] == 'x' && isxdigit((unsigned char)text[2]) &&
		    isxdigit((unsigned char)text[3])) {
			const char digits[] = {text[2], text[3], '\0'};

			*out++ = (char)strtoul(digits, NULL, 16);
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

static void set_text(char *out, size_t bytes, const char *text)
{
	kern_text_sanitise(out, bytes, text, strlen(text));
}

/* What an ordinary device of its type says. */
static void plausible(struct kern_device *device, enum kern_device_type type)
{
	bool gpu = type != KERN_CPU;

	device->type = type;
	set_text(device->platform, sizeof device->platform, "Fake Platform");
	set_text(device->platform_vendor, sizeof device->platform_vendor, "The mmtune tests");
	set_text(device->vendor, sizeof device->vendor, "The mmtune tests");
	set_text(device->driver, sizeof device->driver, "1.0");
	set_text(device->platform_version, sizeof device->platform_version, "OpenCL 3.0 fake");
	set_text(device->opencl_c_version, sizeof device->opencl_c_version, "OpenCL C 1.2");
	set_text(device->extensions, sizeof device->extensions, "cl_khr_fp64 cl_khr_byte_addressable_store");
	device->global_memory_bytes = (uint64_t)8 << 30;
	device->max_allocation_bytes = (uint64_t)2 << 30;
	device->local_memory_bytes = gpu ? 48 << 10 : 512 << 10;
	device->global_cache_bytes = 4 << 20;
	device->max_work_group_size = gpu ? 1024 : 4096;
	device->max_work_item_sizes[0] = device->max_work_group_size;
	device->max_work_item_sizes[1] = device->max_work_group_size;
	device->max_work_item_sizes[2] = gpu ? 64 : device->max_work_group_size;
	device->compute_units = gpu ? 32 : 8;
	device->clock_mhz = gpu ? 1500 : 3000;
	device->address_bits = 64;
	device->timer_resolution_ns = 1;
	device->preferred_vector_float = gpu ? 1 : 8;
	device->preferred_vector_double = gpu ? 1 : 4;
	device->fp64 = true;
	device->images = true;
	device->local_memory_is_dedicated = gpu;
}

/* TYPE:NAME or TYPE:NAME:UUID */
static int read_device(struct fake_script *script, const struct setting *setting, char *text, struct mmt_error *error)
{
	struct kern_device *device = &script->devices[script->n_devices];
	char *name = strchr(text, ':');
	char *uuid = name != NULL ? strchr(name + 1, ':') : NULL;

	if (name == NULL || name[1] == '\0' || name[1] == ':' || script->n_devices == FAKE_MAX_DEVICES)
		return bad(setting, text, error);
	*name++ = '\0';
	if (uuid != NULL)
		*uuid++ = '\0';
	for (int type = KERN_CPU; type <= KERN_ACCELERATOR; type++) {
		if (strcmp(text, kern_device_type_name((enum kern_device_type)type)) != 0)
			continue;
		plausible(device, (enum kern_device_type)type);
		unescape(name);
		set_text(device->name, sizeof device->name, name);
		set_text(device->uuid, sizeof device->uuid, uuid != NULL ? uuid : "");
		script->n_devices++;
		return 0;
	}
	return bad(setting, text, error);
}

/* Calls read for each part between commas; an empty list has none. */
static int read_list(struct fake_script *script, const struct setting *setting, char *value,
		     int (*read)(struct fake_script *, const struct setting *, char *, struct mmt_error *),
		     struct mmt_error *error)
{
	char *part;

	while (*value != '\0' && (part = strsep(&value, ",")) != NULL) {
		if (read(script, setting, part, error) != 0)
			return -1;
		if (value == NULL)
			break;
	}
	return 0;
}

static int read_devices(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	script->n_devices = 0;
	return read_list(script, setting, value, read_device, error);
}

static int read_best_value(struct fake_script *script, const struct setting *setting, char *text,
			   struct mmt_error *error)
{
	struct fake_best *best = &script->best[script->n_best];
	char *number = strchr(text, ':');

	if (number == NULL || number == text || script->n_best == FAKE_MAX_BEST)
		return bad(setting, text, error);
	*number++ = '\0';
	if (!parse_number(number, &best->value) || best->value < 0)
		return bad(setting, number, error);
	set_text(best->name, sizeof best->name, text);
	script->n_best++;
	return 0;
}

static int read_best(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	return read_list(script, setting, value, read_best_value, error);
}

/* FRACTION@FROM or FRACTION@FROM-TO */
static int read_drop(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	char *from = strchr(value, '@');
	char *to = from != NULL ? strchr(from, '-') : NULL;

	if (from == NULL)
		return bad(setting, value, error);
	*from++ = '\0';
	if (to != NULL)
		*to++ = '\0';
	script->drop_to = INFINITY;
	if (!parse_number(value, &script->drop_fraction) || script->drop_fraction < 0 || script->drop_fraction >= 1)
		return bad(setting, value, error);
	if (!parse_number(from, &script->drop_from) || script->drop_from < 0)
		return bad(setting, from, error);
	if (to != NULL && (!parse_number(to, &script->drop_to) || script->drop_to < script->drop_from))
		return bad(setting, to, error);
	return 0;
}

/* PROBABILITY, PROBABILITY@PART or @PART */
static int read_fault(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	static const char *const kinds[] = {
#define FAKE_FAULT_NAME(code, name) name,
		FAKE_FAULT_TABLE(FAKE_FAULT_NAME)
#undef FAKE_FAULT_NAME
	};
	struct fake_fault *fault = &script->faults[script->n_faults];
	char *match = strchr(value, '@');

	if (script->n_faults == FAKE_MAX_FAULTS)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "MMTUNE_FAKE: more than %d faults",
				     FAKE_MAX_FAULTS);
	*fault = (struct fake_fault){.kind = FAKE_OUTCOME, .probability = 1};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(setting->name, kinds[i]) == 0)
			fault->kind = (enum fake_fault_kind)i;
	}
	if (fault->kind == FAKE_OUTCOME && kern_outcome_parse(setting->name, &fault->outcome, error) != 0)
		return -1;
	if (match != NULL) {
		*match++ = '\0';
		set_text(fault->match, sizeof fault->match, match);
	}
	if ((*value != '\0' || match == NULL) &&
	    (!parse_number(value, &fault->probability) || fault->probability < 0 || fault->probability > 1))
		return bad(setting, value, error);
	script->n_faults++;
	return 0;
}

static int pick(const struct setting *setting, const char *const *names, const char *value, int *out,
		struct mmt_error *error)
{
	for (int i = 0; names[i] != NULL; i++) {
		if (strcmp(value, names[i]) == 0) {
			*out = i;
			return 0;
		}
	}
	return bad(setting, value, error);
}

static int read_events(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	static const char *const names[] = {"true", "zero", "reversed", NULL};
	int index = 0;
	int status = pick(setting, names, value, &index, error);

	script->events = (enum fake_events)index;
	return status;
}

static int read_start(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	static const char *const names[] = {"ok", "crash", "hang", "garbage", NULL};
	enum fake_start *out = strcmp(setting->name, "hello") == 0 ? &script->hello : &script->enumerate;
	int index = 0;
	int status = pick(setting, names, value, &index, error);

	*out = (enum fake_start)index;
	return status;
}

static int read_hint(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	if (*value == '\0')
		return bad(setting, value, error);
	set_text(script->hint, sizeof script->hint, value);
	return 0;
}

static int read_cache(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	if (*value != '/')
		return bad(setting, value, error);
	set_text(script->cache, sizeof script->cache, value);
	return 0;
}

static int read_driver(struct fake_script *script, const struct setting *setting, char *value, struct mmt_error *error)
{
	if (*value == '\0' || script->n_devices == 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "MMTUNE_FAKE: '%s' needs a value, and devices before it", setting->name);
	for (size_t i = 0; i < script->n_devices; i++)
		set_text(script->devices[i].driver, sizeof script->devices[i].driver, value);
	return 0;
}

#define NUMBER(name, field, minimum, maximum)                                                   \
	{                                                                                       \
		name, read_number, offsetof(struct fake_script, field), minimum, maximum, false \
	}
#define OTHER(name, read)                  \
	{                                  \
		name, read, 0, 0, 0, false \
	}
#define FAULT(name)                             \
	{                                       \
		name, read_fault, 0, 0, 0, true \
	}

static const struct setting settings[] = {
	OTHER("devices", read_devices),
	OTHER("driver", read_driver),
	OTHER("hint", read_hint),
	OTHER("cache", read_cache),
	OTHER("enumerate", read_start),
	OTHER("hello", read_start),
	OTHER("best", read_best),
	OTHER("drop", read_drop),
	OTHER("events", read_events),
	NUMBER("seed", seed, 0, 4294967295.0),
	NUMBER("rate_gflops", rate_gflops, 1e-6, 1e9),
	NUMBER("noise", noise, 0, 1),
	NUMBER("spread", spread, 0, 1),
	NUMBER("timer_ns", timer_ns, 1, 1e9),
	NUMBER("delay_ms", delay_ms, 0, 60000),
	FAULT("crash"),
	FAULT("hang"),
	FAULT("lost"),
	FAULT("garbage"),
	FAULT("slow_build"),
	FAULT("build_crash"),
	FAULT("build_hang"),
	FAULT("build_failed"),
	FAULT("launch_failed"),
	FAULT("wrong_result"),
	FAULT("out_of_memory"),
	FAULT("skipped"),
};

#define N_SETTINGS (sizeof settings / sizeof *settings)

static int read_setting(struct fake_script *script, char *text, bool seen[N_SETTINGS], struct mmt_error *error)
{
	char *value = strchr(text, '=');

	if (value == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "MMTUNE_FAKE: '%s' is no NAME=VALUE", text);
	*value++ = '\0';
	for (size_t i = 0; i < N_SETTINGS; i++) {
		if (strcmp(text, settings[i].name) != 0)
			continue;
		if (seen[i] && !settings[i].repeats)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "MMTUNE_FAKE: '%s' is set twice", text);
		seen[i] = true;
		return settings[i].read(script, &settings[i], value, error);
	}
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "MMTUNE_FAKE: unknown setting '%s'", text);
}

static char *skip_blanks(char *text)
{
	return text + strspn(text, " \t\n");
}

int fake_script_init(struct fake_script *script, const char *text, struct mmt_error *error)
{
	bool seen[N_SETTINGS] = {false};
	char *copy = strdup(text);
	char *rest = copy;
	char *part;
	int status = 0;

	memset(script, 0, sizeof *script);
	script->rate_gflops = DEFAULT_RATE_GFLOPS;
	script->timer_ns = 1;
	plausible(&script->devices[0], KERN_GPU);
	set_text(script->devices[0].name, sizeof script->devices[0].name, "Fake GPU");
	script->n_devices = 1;
	if (copy == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for MMTUNE_FAKE");
	while (status == 0 && (part = strsep(&rest, ";")) != NULL) {
		part = skip_blanks(part);
		if (*part != '\0')
			status = read_setting(script, part, seen, error);
	}
	free(copy);
	kern_devices_identify(script->devices, script->n_devices);
	return status;
}
