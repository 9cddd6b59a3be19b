/* registry.c: the built-in variants from the embedded table, the drop-ins from
 * a folder. */
#include "registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embedded.h"

#define MAX_FILE_BYTES ((size_t)4 << 20) /* of a drop-in's JSON or source */
#define MAX_VARIANTS   4096
#define MAX_PATH_BYTES 4096

extern const struct mmt_embedded kern_data[];               /* generated: FAMILY/NAME.json, FAMILY/NAME.cl */
extern const struct kern_family *const kern_family_table[]; /* generated */

const struct kern_family *const *kern_families(void)
{
	return kern_family_table;
}

const struct kern_family *kern_family_find(const char *name)
{
	for (size_t i = 0; kern_family_table[i]; i++)
		if (strcmp(kern_family_table[i]->name, name) == 0)
			return kern_family_table[i];
	return NULL;
}

bool kern_family_peak(const struct kern_family *family, enum mmt_type type, uint64_t memory_bytes, const char **peak,
		      struct mmt_problem *out)
{
	return family->peak && family->peak(type, memory_bytes, peak, out);
}

static int compare_variants(const void *a, const void *b)
{
	const struct kern_variant *left = *(struct kern_variant *const *)a;
	const struct kern_variant *right = *(struct kern_variant *const *)b;
	int order = strcmp(left->family, right->family);
	return order ? order : strcmp(left->name, right->name);
}

const struct kern_variant *kern_registry_find(const struct kern_registry *registry, const char *family,
					      const char *name)
{
	for (size_t i = 0; i < registry->n_variants; i++)
		if (strcmp(registry->variants[i]->family, family) == 0 &&
		    strcmp(registry->variants[i]->name, name) == 0)
			return registry->variants[i];
	return NULL;
}

/* Takes the variant, also when it fails. */
static int add(struct kern_registry *registry, struct kern_variant *variant, const char *file, struct mmt_error *error)
{
	struct kern_variant **grown;
	const struct kern_variant *other = kern_registry_find(registry, variant->family, variant->name);
	if (other) {
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: there is already a %s variant %s/%s", file,
			      other->built_in ? "built-in" : "drop-in", other->family, other->name);
		goto fail;
	}
	if (registry->n_variants == MAX_VARIANTS) {
		mmt_error_set(error, MMT_TOO_LARGE, 0, "%s: there are already %d variants", file, MAX_VARIANTS);
		goto fail;
	}
	grown = realloc(registry->variants, (registry->n_variants + 1) * sizeof(*grown));
	if (!grown) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "%s: out of memory", file);
		goto fail;
	}
	registry->variants = grown;
	registry->variants[registry->n_variants++] = variant;
	return 0;
fail:
	kern_variant_destroy(variant);
	return -1;
}

/* A path that stays in the folder it starts from: relative, and no part of it begins with a dot. */
static bool stays_inside(const char *path)
{
	if (!*path || *path == '/' || *path == '.' || strlen(path) >= MAX_PATH_BYTES)
		return false;
	return !strstr(path, "/.");
}

/* KernelSpecification.KernelFile, caller frees: a path from the JSON's folder down. */
static char *kernel_file(const char *file, const char *json_text, struct mmt_error *error)
{
	json_error_t located;
	json_t *root = json_loads(json_text, JSON_REJECT_DUPLICATES, &located);
	const json_t *specification = json_object_get(root, "KernelSpecification");
	const char *name = json_string_value(json_object_get(specification, "KernelFile"));
	char *copy = NULL;
	if (!root)
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: line %d, column %d: %s", file, located.line,
			      located.column, located.text);
	else if (!name || !stays_inside(name))
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: KernelFile is not a file beside it or below", file);
	else if (!(copy = strdup(name)))
		mmt_error_set(error, MMT_NO_MEMORY, 0, "%s: out of memory", file);
	json_decref(root);
	return copy;
}

static const struct mmt_embedded *find_embedded(const char *path)
{
	for (const struct mmt_embedded *entry = kern_data; entry->path; entry++)
		if (strcmp(entry->path, path) == 0)
			return entry;
	return NULL;
}

static int add_built_in(struct kern_registry *registry, const struct mmt_embedded *json, struct mmt_error *error)
{
	char path[MAX_PATH_BYTES];
	int folder = (int)(strchr(json->path, '/') - json->path);
	char *source_name = kernel_file(json->path, json->content, error);
	if (!source_name)
		return -1;
	snprintf(path, sizeof(path), "%.*s/%s", folder, json->path, source_name);
	free(source_name);
	const struct mmt_embedded *source = find_embedded(path);
	if (!source)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: there is no %s", json->path, path);
	struct kern_variant *variant = kern_variant_create(json->path, json->content, source->content, error);
	if (!variant)
		return -1;
	variant->built_in = true;
	if (strlen(variant->family) != (size_t)folder || strncmp(variant->family, json->path, (size_t)folder) != 0) {
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: its Mmtune.Family is not its folder", json->path);
		kern_variant_destroy(variant);
		return -1;
	}
	return add(registry, variant, json->path, error);
}

/* A whole regular file as text (caller frees). A drop-in folder may hold anything: no waiting on a FIFO, no device. */
static char *read_file(const char *path, struct mmt_error *error)
{
	char *text = NULL;
	struct stat status;
	size_t used = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status)) {
		mmt_error_errno(error, "%s", path);
		goto out;
	}
	if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > MAX_FILE_BYTES) {
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: not a regular file of at most %zu bytes", path,
			      MAX_FILE_BYTES);
		goto out;
	}
	size_t bytes = (size_t)status.st_size;
	text = calloc(bytes + 1, 1);
	if (!text) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "%s: out of memory", path);
		goto out;
	}
	while (used < bytes) {
		ssize_t got = read(fd, text + used, bytes - used);
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		used += got > 0 ? (size_t)got : 0;
	}
	if (used < bytes || memchr(text, '\0', bytes)) {
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: cannot be read whole, or is not text", path);
		free(text);
		text = NULL;
	}
out:
	if (fd >= 0)
		close(fd);
	return text;
}

/* A warning is the error's sentence; a file name in it may hold control characters. -1: memory. */
static int warn(struct kern_registry *registry, const struct mmt_error *reason, struct mmt_error *error)
{
	char safe[2 * MMT_MESSAGE_BYTES];
	char **grown = realloc(registry->warnings, (registry->n_warnings + 1) * sizeof(*grown));
	if (grown)
		registry->warnings = grown;
	char *copy = strdup(kern_text_sanitise(safe, sizeof(safe), reason->message, sizeof(reason->message)));
	if (!grown || !copy) {
		free(copy);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory");
	}
	registry->warnings[registry->n_warnings++] = copy;
	return 0;
}

/* One drop-in; family is its folder's name, NULL at the top. */
static int load_drop_in(struct kern_registry *registry, const char *folder, const char *file, const char *family,
			struct mmt_error *reason)
{
	char path[MAX_PATH_BYTES], source_path[MAX_PATH_BYTES];
	char *json_text = NULL, *source_name = NULL, *source = NULL;
	struct kern_variant *variant = NULL;
	int result = -1;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, file) >= sizeof(path)) {
		mmt_error_set(reason, MMT_INVALID_ARGUMENT, 0, "%s: the path is too long", file);
		goto out;
	}
	json_text = read_file(path, reason);
	source_name = json_text ? kernel_file(path, json_text, reason) : NULL;
	if (!source_name)
		goto out;
	if ((size_t)snprintf(source_path, sizeof(source_path), "%s/%s", folder, source_name) >= sizeof(source_path)) {
		mmt_error_set(reason, MMT_INVALID_ARGUMENT, 0, "%s: the path is too long", source_name);
		goto out;
	}
	source = read_file(source_path, reason);
	variant = source ? kern_variant_create(path, json_text, source, reason) : NULL;
	if (!variant)
		goto out;
	bool user = strcmp(variant->family, KERN_USER_FAMILY) == 0;
	if (family && !user && strcmp(variant->family, family) != 0) {
		mmt_error_set(reason, MMT_INVALID_ARGUMENT, 0, "%s: its Mmtune.Family is '%s', its folder '%s'", path,
			      variant->family, family);
		kern_variant_destroy(variant);
		goto out;
	}
	result = add(registry, variant, path, reason);
	if (result == 0 && user)
		result = mmt_error_set(reason, MMT_INVALID_ARGUMENT, 0, "%s: no Mmtune object: listed, never tuned",
				       path);
out:
	free(source);
	free(source_name);
	free(json_text);
	return result;
}

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int load_folder(struct kern_registry *registry, const char *folder, const char *family, struct mmt_error *error);

static int load_entry(struct kern_registry *registry, const char *folder, const char *name, const char *family,
		      struct mmt_error *error)
{
	char path[MAX_PATH_BYTES];
	struct mmt_error reason = {0};
	size_t length = strlen(name);
	bool json = length > 5 && strcmp(name + length - 5, ".json") == 0;
	if (*name == '.' || (size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return 0;
	if (!family && is_folder(path))
		return load_folder(registry, path, name, error);
	if (!json || load_drop_in(registry, folder, name, family, &reason) == 0)
		return 0;
	return warn(registry, &reason, error);
}

/* In sorted order, so that which of two files of one name wins does not depend on the disk. */
static int load_folder(struct kern_registry *registry, const char *folder, const char *family, struct mmt_error *error)
{
	struct dirent **entries = NULL;
	struct mmt_error reason = {0};
	int result = 0;
	int count = scandir(folder, &entries, NULL, alphasort);
	if (count < 0 && errno == ENOENT) /* no drop-ins is the usual case */
		return 0;
	if (count < 0) {
		mmt_error_errno(&reason, "%s", folder);
		return warn(registry, &reason, error);
	}
	for (int i = 0; i < count; i++) {
		if (result == 0)
			result = load_entry(registry, folder, entries[i]->d_name, family, error);
		free(entries[i]);
	}
	free(entries);
	return result;
}

int kern_registry_init(struct kern_registry *registry, const char *drop_in_folder, struct mmt_error *error)
{
	memset(registry, 0, sizeof(*registry));
	for (const struct mmt_embedded *entry = kern_data; entry->path; entry++) {
		size_t length = strlen(entry->path);
		if (length > 5 && strcmp(entry->path + length - 5, ".json") == 0 &&
		    add_built_in(registry, entry, error))
			goto fail;
	}
	if (drop_in_folder && load_folder(registry, drop_in_folder, NULL, error))
		goto fail;
	if (registry->n_variants > 0)
		qsort(registry->variants, registry->n_variants, sizeof(*registry->variants), compare_variants);
	return 0;
fail:
	kern_registry_finish(registry);
	return -1;
}

void kern_registry_finish(struct kern_registry *registry)
{
	for (size_t i = 0; i < registry->n_variants; i++)
		kern_variant_destroy(registry->variants[i]);
	for (size_t i = 0; i < registry->n_warnings; i++)
		free(registry->warnings[i]);
	free(registry->variants);
	free(registry->warnings);
	memset(registry, 0, sizeof(*registry));
}
