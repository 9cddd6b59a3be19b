/* device.c: devices as JSON, and what a device's name binds to. */
#include "device.h"

#include <string.h>

#include "fields.h"
#include "sha256.h"

static const char *const type_names[] = {[KERN_CPU] = "cpu", [KERN_GPU] = "gpu", [KERN_ACCELERATOR] = "acc"};

#define N_TYPES                (sizeof(type_names) / sizeof(type_names[0]))

#define FIELD(member, kind)    KERN_FIELD(kern_device, member, KERN_FIELD_##kind, false)
#define REQUIRED(member, kind) KERN_FIELD(kern_device, member, KERN_FIELD_##kind, true)

static const struct kern_field device_fields[] = {
	FIELD(platform, TEXT),
	FIELD(platform_vendor, TEXT),
	REQUIRED(name, TEXT),
	FIELD(vendor, TEXT),
	FIELD(uuid, TEXT),
	FIELD(pci_address, TEXT),
	FIELD(ordinal, UINT),
	REQUIRED(fingerprint, TEXT),
	FIELD(driver, TEXT),
	FIELD(platform_version, TEXT),
	FIELD(opencl_c_version, TEXT),
	FIELD(global_memory_bytes, UINT),
	FIELD(max_allocation_bytes, UINT),
	FIELD(local_memory_bytes, UINT),
	FIELD(global_cache_bytes, UINT),
	FIELD(max_work_group_size, UINT),
	FIELD(image2d_max_width, UINT),
	FIELD(image2d_max_height, UINT),
	FIELD(compute_units, UINT),
	FIELD(clock_mhz, UINT),
	FIELD(address_bits, UINT),
	FIELD(timer_resolution_ns, UINT),
	FIELD(preferred_vector_float, UINT),
	FIELD(preferred_vector_double, UINT),
	FIELD(compute_capability, UINT),
	FIELD(fp64, BOOL),
	FIELD(fp16, BOOL),
	FIELD(images, BOOL),
	FIELD(sub_groups, BOOL),
	FIELD(local_memory_is_dedicated, BOOL),
	FIELD(extensions, TEXT),
};

#define N_DEVICE_FIELDS (sizeof(device_fields) / sizeof(device_fields[0]))

const char *kern_device_type_name(enum kern_device_type type)
{
	return type_names[type];
}

bool kern_device_has_extension(const struct kern_device *device, const char *extension)
{
	size_t length = strlen(extension);
	for (const char *at = device->extensions; length > 0 && (at = strstr(at, extension)); at += length) {
		bool starts = at == device->extensions || at[-1] == ' ';
		if (starts && (at[length] == ' ' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* 580.159.04, v3.1, 23.1.0-1~bpo: digits with a dot among them. "3060" or "2.50GHz" name the device itself. */
static bool is_version(const char *word, size_t length)
{
	size_t at = length > 1 && (*word == 'v' || *word == 'V') ? 1 : 0;
	size_t number = strspn(word + at, "0123456789.");
	number = number < length - at ? number : length - at;
	if (number == 0 || !memchr(word + at, '.', number) || word[at] == '.')
		return false;
	return at + number == length || strchr("-+~_", word[at + number]) != NULL;
}

static bool is_version_word(const char *word, size_t length)
{
	static const char *const words[] = {"driver", "Driver", "version", "Version", "ver.", "LLVM", "DRM", "-", ","};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == length && memcmp(word, words[i], length) == 0)
			return true;
	return is_version(word, length);
}

static bool holds_version(const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		size_t word = 0;
		while (at + word < length && !strchr(" ,;()", text[at + word]))
			word++;
		if (word > 0 && is_version(text + at, word))
			return true;
		at += word + 1;
	}
	return false;
}

/* The length of name without what drivers append: "(navi21, LLVM 15.0.7, DRM 3.49)", "driver 580.159.04". */
static size_t length_without_version(const char *name)
{
	size_t length = strlen(name);
	for (;;) {
		while (length > 0 && strchr(" ,;", name[length - 1]))
			length--;
		size_t start = length;
		if (length > 0 && name[length - 1] == ')') {
			while (start > 0 && name[start - 1] != '(')
				start--;
			if (start == 0 || !holds_version(name + start, length - start))
				return length;
			start--;
		} else {
			while (start > 0 && !strchr(" ,;", name[start - 1]))
				start--;
			if (start == length || !is_version_word(name + start, length - start))
				return length;
		}
		if (start == 0) /* nothing but a version: then that is the name */
			return length;
		length = start;
	}
}

/* With its length in front, no two lists of fields hash the same bytes. */
static void hash_field(struct kern_sha256 *sha, const char *text, size_t length)
{
	uint8_t prefix[4];
	for (size_t i = 0; i < 4; i++)
		prefix[i] = (uint8_t)(length >> (24 - 8 * i));
	kern_sha256_update(sha, prefix, sizeof(prefix));
	kern_sha256_update(sha, text, length);
}

static void hash_text(struct kern_sha256 *sha, const char *text)
{
	hash_field(sha, text, strlen(text));
}

/* Some drivers answer the UUID query with zeros. */
static bool has_uuid(const struct kern_device *device)
{
	return device->uuid[strspn(device->uuid, "0-")] != '\0';
}

static void hash_identity(struct kern_sha256 *sha, const struct kern_device *device)
{
	hash_text(sha, device->platform_vendor);
	hash_text(sha, device->vendor);
	hash_text(sha, kern_device_type_name(device->type));
	if (has_uuid(device)) {
		hash_text(sha, "uuid");
		hash_text(sha, device->uuid);
	} else if (*device->pci_address) {
		hash_text(sha, "pci");
		hash_text(sha, device->pci_address);
	} else {
		hash_text(sha, "name");
		hash_field(sha, device->name, length_without_version(device->name));
	}
}

void kern_device_fingerprint(struct kern_device *device)
{
	struct kern_sha256 sha;
	uint32_t ordinal = device->ordinal;
	const char bytes[4] = {(char)(ordinal >> 24), (char)(ordinal >> 16), (char)(ordinal >> 8), (char)ordinal};
	kern_sha256_init(&sha);
	hash_identity(&sha, device);
	hash_field(&sha, bytes, sizeof(bytes));
	kern_sha256_finish_hex(&sha, device->fingerprint);
}

void kern_devices_identify(struct kern_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		devices[i].ordinal = 0;
		kern_device_fingerprint(&devices[i]);
		/* Equal so far means equal in all but the ordinal: count on until nobody before has it. */
		for (size_t j = 0; j < i; j++) {
			if (strcmp(devices[i].fingerprint, devices[j].fingerprint) != 0)
				continue;
			devices[i].ordinal++;
			kern_device_fingerprint(&devices[i]);
			j = (size_t)-1;
		}
	}
}

json_t *kern_device_to_json(const struct kern_device *device)
{
	json_t *object = json_object();
	json_t *sizes = json_array();
	int failed = json_object_set_new(object, "type", json_string(kern_device_type_name(device->type)));
	for (size_t i = 0; i < 3; i++)
		failed |= json_array_append_new(sizes, json_integer((json_int_t)device->max_work_item_sizes[i]));
	failed |= kern_fields_to_json(device_fields, N_DEVICE_FIELDS, device, object);
	failed |= json_object_set_new(object, "max_work_item_sizes", sizes);
	if (failed) {
		json_decref(object);
		return NULL;
	}
	return object;
}

static int read_type(const json_t *object, enum kern_device_type *out, struct mmt_error *error)
{
	const char *name = json_string_value(json_object_get(object, "type"));
	for (size_t i = 0; name && i < N_TYPES; i++) {
		if (strcmp(name, type_names[i]) == 0) {
			*out = (enum kern_device_type)i;
			return 0;
		}
	}
	return mmt_error_set(error, MMT_PROTOCOL, 0, "a device needs 'type': cpu, gpu or acc");
}

static int read_work_item_sizes(const json_t *object, uint64_t out[3], struct mmt_error *error)
{
	const json_t *sizes = json_object_get(object, "max_work_item_sizes");
	if (!sizes)
		return 0;
	for (size_t i = 0; i < 3; i++) {
		const json_t *size = json_array_get(sizes, i);
		if (json_array_size(sizes) != 3 || !json_is_integer(size) || json_integer_value(size) < 0)
			return mmt_error_set(error, MMT_PROTOCOL, 0, "'max_work_item_sizes' is not three sizes");
		out[i] = (uint64_t)json_integer_value(size);
	}
	return 0;
}

int kern_device_from_json(const json_t *object, struct kern_device *out, struct mmt_error *error)
{
	memset(out, 0, sizeof(*out));
	if (!json_is_object(object))
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a device is an object");
	if (read_type(object, &out->type, error) ||
	    kern_fields_from_json(device_fields, N_DEVICE_FIELDS, object, out, error) ||
	    read_work_item_sizes(object, out->max_work_item_sizes, error))
		return -1;
	if (strspn(out->fingerprint, "0123456789abcdef") != KERN_SHA256_HEX_BYTES - 1)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "'fingerprint' is not a SHA-256 in hex");
	return 0;
}
