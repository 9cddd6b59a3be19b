/* devices.c: see devices.h. Thread: the loop's, but for the work that runs in the store. */
#include "devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "answers.h"
#include "device_match.h"
#include "store.h"
#include "worker.h"

struct svc_devices {
	struct service *service;
	struct svc_device **list; /* each of its own: pointers to them stay good */
	size_t count;
	char **hints; /* NULL-terminated, or NULL */
	size_t n_hints;
	svc_devices_ready **waiting;
	size_t n_waiting;
	bool enumerating;
	struct svc_enumeration *lister; /* what the enumerating worker is known by; NULL: it has ended */
	int64_t last_temporary_id;      /* of devices that the database would not take */
};

/* One device on its way into the database. */
struct binding {
	struct svc_device *device; /* NULL: a new one */
	struct kern_device properties;
	char name[16], *json;
	int64_t id, environment_id;
};

struct batch {
	struct svc_devices *devices;
	struct binding *bindings;
	size_t count;
	int64_t now;
};

/* ---- the list ---- */

static unsigned long number_of(const char *name)
{
	return strtoul(name + strcspn(name, "0123456789"), NULL, 10);
}

static int compare_names(const void *left, const void *right)
{
	const struct svc_device *a = *(struct svc_device *const *)left, *b = *(struct svc_device *const *)right;
	size_t prefix_a = strcspn(a->name, "0123456789"), prefix_b = strcspn(b->name, "0123456789");
	int order = strncmp(a->name, b->name, prefix_a > prefix_b ? prefix_a : prefix_b);
	if (order != 0)
		return order;
	return (number_of(a->name) > number_of(b->name)) - (number_of(a->name) < number_of(b->name));
}

static struct svc_device *add_device(struct svc_devices *devices)
{
	struct svc_device **list = realloc(devices->list, (devices->count + 1) * sizeof *list);
	if (!list)
		return NULL;
	devices->list = list;
	struct svc_device *device = calloc(1, sizeof *device);
	if (device)
		list[devices->count++] = device;
	return device;
}

static void add_hint(struct svc_devices *devices, const char *text)
{
	char **hints = realloc(devices->hints, (devices->n_hints + 2) * sizeof *hints);
	if (!hints)
		return;
	devices->hints = hints;
	hints[devices->n_hints] = strdup(text);
	if (hints[devices->n_hints])
		devices->n_hints++;
	hints[devices->n_hints] = NULL;
}

static void clear_hints(struct svc_devices *devices)
{
	for (size_t i = 0; i < devices->n_hints; i++)
		free(devices->hints[i]);
	free(devices->hints);
	devices->hints = NULL;
	devices->n_hints = 0;
}

/* ---- what the database knows ---- */

/* A record whose properties cannot be read keeps its name and fingerprint: they are bound all the same. */
static int load_one(struct db *db, struct svc_devices *devices, const struct db_device *record, struct mmt_error *error)
{
	struct svc_device *device = add_device(devices);
	json_t *json = json_loads(record->properties, JSON_REJECT_DUPLICATES, NULL);
	int status = 0;
	if (!device) {
		json_decref(json);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the known devices");
	}
	snprintf(device->name, sizeof device->name, "%s", record->name);
	device->id = record->id;
	if (json && kern_device_from_json(json, &device->properties, NULL) == 0) {
		status = db_environment(db, record->id, device->properties.driver, device->properties.platform_version,
					&device->environment_id, error);
	} else {
		memset(&device->properties, 0, sizeof device->properties);
		snprintf(device->properties.fingerprint, sizeof device->properties.fingerprint, "%s",
			 record->fingerprint);
	}
	json_decref(json);
	return status;
}

static int load_work(struct db *db, void *context, struct mmt_error *error)
{
	struct db_device *records = NULL;
	size_t count = 0;
	int status = db_devices(db, &records, &count, error);
	for (size_t i = 0; i < count; i++) {
		if (status == 0)
			status = load_one(db, context, &records[i], error);
		db_device_finish(&records[i]);
	}
	free(records);
	return status;
}

struct svc_devices *svc_devices_create(struct service *service, struct mmt_error *error)
{
	struct svc_devices *devices = calloc(1, sizeof *devices);
	if (!devices) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the list of devices");
		return NULL;
	}
	devices->service = service;
	if (svc_store_run(service->store, load_work, devices, error) != 0) {
		svc_devices_destroy(devices);
		return NULL;
	}
	if (devices->count > 0)
		qsort(devices->list, devices->count, sizeof devices->list[0], compare_names);
	return devices;
}

void svc_devices_destroy(struct svc_devices *devices)
{
	if (!devices)
		return;
	for (size_t i = 0; i < devices->count; i++)
		free(devices->list[i]);
	free(devices->list);
	clear_hints(devices);
	free(devices->waiting);
	free(devices);
}

/* ---- enumeration ---- */

static void finish_enumeration(struct svc_devices *devices, const struct mmt_error *error)
{
	svc_devices_ready **waiting = devices->waiting;
	size_t count = devices->n_waiting;
	devices->waiting = NULL;
	devices->n_waiting = 0;
	devices->enumerating = false;
	for (size_t i = 0; i < count; i++)
		waiting[i](devices->service, error);
	free(waiting);
}

static void free_batch(struct batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		free(batch->bindings[i].json);
	free(batch->bindings);
	free(batch);
}

static bool name_is_taken(const struct batch *batch, const char *name)
{
	for (size_t i = 0; i < batch->devices->count; i++)
		if (strcmp(batch->devices->list[i]->name, name) == 0)
			return true;
	for (size_t i = 0; i < batch->count; i++)
		if (strcmp(batch->bindings[i].name, name) == 0)
			return true;
	return false;
}

static void choose_name(const struct batch *batch, struct binding *binding)
{
	char name[sizeof binding->name];
	unsigned number = 0;
	do {
		snprintf(name, sizeof name, "%s%u", kern_device_type_name(binding->properties.type), number++);
	} while (name_is_taken(batch, name));
	memcpy(binding->name, name, sizeof name);
}

static int store_one(struct db *db, struct binding *binding, int64_t now, struct mmt_error *error)
{
	struct db_device record = {
		.id = binding->id,
		.name = binding->name,
		.fingerprint = binding->properties.fingerprint,
		.properties = binding->json,
		.first_seen_at = now,
		.last_seen_at = now,
	};
	if (db_device_put(db, &record, error) != 0)
		return -1;
	binding->id = record.id;
	return db_environment(db, binding->id, binding->properties.driver, binding->properties.platform_version,
			      &binding->environment_id, error);
}

static int store_work(struct db *db, void *context, struct mmt_error *error)
{
	struct batch *batch = context;
	for (size_t i = 0; i < batch->count; i++)
		if (store_one(db, &batch->bindings[i], batch->now, error) != 0)
			return -1;
	return 0;
}

static int apply(struct svc_devices *devices, struct binding *binding)
{
	struct svc_device *device = binding->device ? binding->device : add_device(devices);
	if (!device)
		return -1;
	device->properties = binding->properties;
	memcpy(device->name, binding->name, sizeof device->name);
	device->present = true;
	device->id = binding->id > 0 ? binding->id : --devices->last_temporary_id;
	device->environment_id = binding->environment_id > 0 ? binding->environment_id : devices->last_temporary_id;
	return 0;
}

static void on_stored(void *context, int status, const struct mmt_error *store_error)
{
	struct batch *batch = context;
	struct svc_devices *devices = batch->devices;
	if (status != 0) {
		/* answers go on without a database; the names are bound at the next enumeration */
		svc_log(3, "the devices cannot be stored: %s", store_error->message);
		add_hint(devices, store_error->message);
	}
	for (size_t i = 0; i < devices->count; i++)
		devices->list[i]->present = false;
	struct mmt_error error = {0};
	bool failed = false;
	for (size_t i = 0; i < batch->count; i++)
		failed = apply(devices, &batch->bindings[i]) != 0 || failed;
	if (failed)
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for the list of devices");
	if (devices->count > 0)
		qsort(devices->list, devices->count, sizeof devices->list[0], compare_names);
	if (devices->service->answers)
		svc_answers_forget(devices->service->answers);
	free_batch(batch);
	finish_enumeration(devices, failed ? &error : NULL);
}

/* Reads the worker's list into kern_devices (caller frees); what cannot be read becomes a hint. */
static struct kern_device *read_reported(struct svc_devices *devices, const json_t *array, size_t *count)
{
	struct kern_device *reported = calloc(json_array_size(array) + 1, sizeof *reported);
	size_t index;
	json_t *entry;
	*count = 0;
	if (!reported)
		return NULL;
	json_array_foreach (array, index, entry) {
		struct mmt_error error = {0};
		if (kern_device_from_json(entry, &reported[*count], &error) == 0)
			++*count;
		else
			add_hint(devices, error.message);
	}
	return reported;
}

static int bind_names(struct batch *batch, const struct kern_device *reported, size_t count)
{
	struct svc_devices *devices = batch->devices;
	const struct kern_device **known = calloc(devices->count + 1, sizeof *known);
	size_t *match = calloc(count + 1, sizeof *match);
	int status = -1;
	batch->bindings = calloc(count + 1, sizeof *batch->bindings);
	if (!known || !match || !batch->bindings)
		goto out;
	for (size_t i = 0; i < devices->count; i++)
		known[i] = &devices->list[i]->properties;
	device_match(known, devices->count, reported, count, match);
	for (size_t i = 0; i < count; i++) {
		struct binding *binding = &batch->bindings[i];
		binding->properties = reported[i];
		json_t *json = kern_device_to_json(&reported[i]);
		binding->json = json ? json_dumps(json, JSON_COMPACT) : NULL;
		json_decref(json);
		if (!binding->json)
			goto out;
		if (match[i] != DEVICE_NO_MATCH) {
			binding->device = devices->list[match[i]];
			binding->id = binding->device->id > 0 ? binding->device->id : 0;
			memcpy(binding->name, binding->device->name, sizeof binding->name);
		} else {
			choose_name(batch, binding);
		}
		batch->count++;
	}
	status = 0;
out:
	free(known);
	free(match);
	return status;
}

static void on_enumerated(void *context, const json_t *output, const struct mmt_error *error)
{
	struct svc_devices *devices = context;
	struct mmt_error memory;
	mmt_error_set(&memory, MMT_NO_MEMORY, 0, "no memory for the list of devices");
	devices->lister = NULL;
	clear_hints(devices);
	if (error) {
		add_hint(devices, error->message);
		finish_enumeration(devices, error);
		return;
	}
	size_t index, count = 0;
	json_t *hint;
	json_array_foreach (json_object_get(output, "hints"), index, hint) {
		if (json_is_string(hint))
			add_hint(devices, json_string_value(hint));
	}
	struct kern_device *reported = read_reported(devices, json_object_get(output, "devices"), &count);
	struct batch *batch = calloc(1, sizeof *batch);
	if (reported && batch) {
		batch->devices = devices;
		batch->now = (int64_t)time(NULL);
	}
	if (!reported || !batch || bind_names(batch, reported, count) != 0) {
		if (batch)
			free_batch(batch);
		finish_enumeration(devices, &memory);
	} else {
		svc_store_post(devices->service->store, store_work, on_stored, batch);
	}
	free(reported);
}

void svc_devices_enumerate(struct svc_devices *devices, svc_devices_ready *ready)
{
	svc_devices_ready **waiting = realloc(devices->waiting, (devices->n_waiting + 1) * sizeof *waiting);
	if (!waiting) {
		struct mmt_error error;
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to list the devices");
		ready(devices->service, &error);
		return;
	}
	devices->waiting = waiting;
	waiting[devices->n_waiting++] = ready;
	if (devices->enumerating)
		return;
	devices->enumerating = true;
	devices->lister = svc_worker_enumerate(devices->service, on_enumerated, devices);
}

void svc_devices_give_up(struct svc_devices *devices)
{
	if (devices->lister)
		svc_worker_enumerate_stop(devices->lister);
}

bool svc_devices_enumerating(const struct svc_devices *devices)
{
	return devices->enumerating;
}

/* ---- looking up ---- */

size_t svc_devices_count(const struct svc_devices *devices)
{
	return devices->count;
}

struct svc_device *svc_devices_at(struct svc_devices *devices, size_t index)
{
	return index < devices->count ? devices->list[index] : NULL;
}

struct svc_device *svc_devices_by_id(struct svc_devices *devices, int64_t id)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->list[i]->id == id)
			return devices->list[i];
	return NULL;
}

static int no_such_device(const struct svc_devices *devices, const char *text, struct mmt_error *error)
{
	char list[320] = "";
	size_t used = 0;
	for (size_t i = 0; i < devices->count; i++) {
		const struct svc_device *device = devices->list[i];
		const char *name = device->properties.name;
		bool whole = used + strlen(name) + sizeof device->name + 8 < sizeof list; /* never half a character */
		if (device->present && used + sizeof device->name + 4 < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s%s%s%s", used ? ", " : "",
						 device->name, whole ? " (" : "", whole ? name : "", whole ? ")" : "");
	}
	if (used > 0)
		return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "no device '%s'; there is %s", text, list);
	return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "no device '%s'; none was found%s%s", text,
			     devices->n_hints > 0 ? ": " : "", devices->n_hints > 0 ? devices->hints[0] : "");
}

struct svc_device *svc_devices_find(struct svc_devices *devices, const char *text, struct mmt_error *error)
{
	struct svc_device *found = NULL;
	size_t present = 0, all = 0;
	for (size_t i = 0; i < devices->count; i++) {
		struct svc_device *device = devices->list[i];
		const struct kern_device *properties = &device->properties;
		if (strcmp(device->name, text) == 0 || strcmp(properties->fingerprint, text) == 0 ||
		    (properties->uuid[0] != '\0' && strcasecmp(properties->uuid, text) == 0))
			return device;
		if (strcmp(properties->name, text) != 0)
			continue;
		all++;
		present += device->present;
		if (!found || device->present)
			found = device;
	}
	if (present > 1 || (present == 0 && all > 1)) {
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
			      "%zu devices are called '%s': say which by its short name or UUID",
			      present > 1 ? present : all, text);
		return NULL;
	}
	if (!found)
		no_such_device(devices, text, error);
	return found;
}

const char *const *svc_devices_hints(const struct svc_devices *devices)
{
	static const char *const none[] = {NULL};
	return devices->hints ? (const char *const *)devices->hints : none;
}
