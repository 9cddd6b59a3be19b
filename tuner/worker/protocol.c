/* protocol.c: see protocol.h. */
#include "protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem_json.h"
#include "utf8.h"
#include "wire.h"

#define HELLO_VERSION 1
#define MOST_PLANS    64
#define MOST_ROUNDS   99

static const char *const operation_names[] = {"trial", "compare", "idle", "reference", "build", "rehearse"};

static int read_operation(const json_t *message, enum worker_operation *out, struct mmt_error *error)
{
	const char *name = json_string_value(json_object_get(message, "op"));

	for (size_t i = 0; name != NULL && i < sizeof operation_names / sizeof *operation_names; i++) {
		if (strcmp(name, operation_names[i]) == 0) {
			*out = (enum worker_operation)i;
			return 0;
		}
	}
	return mmt_error_set(error, MMT_PROTOCOL, 0, "unknown operation '%s'", name != NULL ? name : "");
}

static int read_plans(struct worker_request *request, const json_t *message, struct mmt_error *error)
{
	const json_t *list = json_object_get(message, "plans");
	const json_t *one = json_object_get(message, "plan");
	bool single = request->operation != WORKER_COMPARE;
	size_t n = single ? 1 : json_array_size(list);

	request->n_results = n;
	if (n == 0 || n > MOST_PLANS)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "%zu plans; 1 to %d can be compared", n, MOST_PLANS);
	request->plans = calloc(n, sizeof *request->plans);
	if (request->plans == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu plans", n);
	for (size_t i = 0; i < n; i++) {
		const json_t *plan = single ? one : json_array_get(list, i);

		if (kern_plan_from_json(plan, &request->plans[i], error) != 0)
			return -1;
		request->n_plans++;
	}
	return 0;
}

static int read_reference(struct worker_request *request, const json_t *message, struct mmt_error *error)
{
	request->reference = json_string_value(json_object_get(message, "name"));
	if (request->reference == NULL)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a reference without a name");
	return 0;
}

int worker_request_init(struct worker_request *request, const json_t *message, struct mmt_error *error)
{
	json_int_t rounds;

	memset(request, 0, sizeof *request);
	request->n_results = 1;
	request->id = json_integer_value(json_object_get(message, "id"));
	if (read_operation(message, &request->operation, error) != 0)
		return -1;
	if (request->operation == WORKER_IDLE)
		return 0;
	if (request->id <= 0)
		return mmt_error_set(error, MMT_PROTOCOL, 0, "a request without an id");
	if (request->operation == WORKER_BUILD)
		return read_plans(request, message, error);
	request->give_up_ns = json_number_value(json_object_get(message, "give_up_ns"));
	request->anchor_ns = json_number_value(json_object_get(message, "anchor_ns"));
	request->anchor = request->anchor_ns > 0 ? json_object_get(message, "anchor") : NULL;
	request->limit_ns = json_number_value(json_object_get(message, "limit_ns"));
	request->general = json_is_true(json_object_get(message, "general"));
	rounds = json_integer_value(json_object_get(message, "rounds"));
	if (request->operation == WORKER_COMPARE && (rounds < 1 || rounds > MOST_ROUNDS))
		return mmt_error_set(error, MMT_PROTOCOL, 0, "rounds is %lld, not 1 to %d", (long long)rounds,
				     MOST_ROUNDS);
	request->rounds = (unsigned)rounds;
	if (problem_from_json(json_object_get(message, "problem"), &request->problem, error) != 0)
		return -1;
	if (request->operation == WORKER_REFERENCE)
		return read_reference(request, message, error);
	return read_plans(request, message, error);
}

void worker_request_finish(struct worker_request *request)
{
	for (size_t i = 0; i < request->n_plans; i++)
		kern_plan_finish(&request->plans[i]);
	free(request->plans);
	memset(request, 0, sizeof *request);
}

/* Sends and releases message, which may be NULL: memory ran out when it was made. */
static int send_message(json_t *message, struct mmt_error *error)
{
	int status;

	if (message == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a message");
	status = wire_send(KERN_WORKER_FD, message, error);
	json_decref(message);
	return status;
}

int worker_send_hello(const struct kern_device *device, json_t *references, struct mmt_error *error)
{
	return send_message(json_pack("{s:i, s:o, s:o}", "hello", HELLO_VERSION, "device", kern_device_to_json(device),
				      "references", references),
			    error);
}

int worker_send_phase(int64_t id, const char *phase, struct mmt_error *error)
{
	return send_message(json_pack("{s:I, s:s}", "id", (json_int_t)id, "phase", phase), error);
}

int worker_send_results(int64_t id, const struct kern_result *results, size_t n, struct mmt_error *error)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		if (json_array_append_new(list, kern_result_to_json(&results[i])) != 0) {
			json_decref(list);
			return send_message(NULL, error);
		}
	}
	return send_message(json_pack("{s:I, s:o}", "id", (json_int_t)id, "results", list), error);
}

void worker_message_set(struct kern_result *result, const char *text)
{
	size_t used = 0;

	while (*text != '\0') {
		size_t length = utf8_length(text);
		bool printable = length > 1 || *text == '\n' || ((unsigned char)*text >= ' ' && *text != '\x7f');
		size_t taken = length > 0 ? length : 1;

		if (used + taken >= sizeof result->message)
			break;
		if (length > 0 && printable)
			memcpy(result->message + used, text, taken);
		else
			result->message[used] = ' ';
		used += taken;
		text += taken;
	}
	result->message[used] = '\0';
}

static json_t *devices_message(const struct kern_device *devices, size_t n, const char *const *hints)
{
	json_t *device_list = json_array();
	json_t *hint_list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(device_list, kern_device_to_json(&devices[i]));
	for (size_t i = 0; hints[i] != NULL; i++)
		json_array_append_new(hint_list, json_string(hints[i]));
	if (json_array_size(device_list) != n) {
		json_decref(device_list);
		json_decref(hint_list);
		return NULL;
	}
	return json_pack("{s:o, s:o}", "devices", device_list, "hints", hint_list);
}

int worker_print_devices(int fd, const struct kern_device *devices, size_t n, const char *const *hints,
			 struct mmt_error *error)
{
	json_t *message = devices_message(devices, n, hints);
	int status;

	if (message == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the list of %zu devices", n);
	status = json_dumpfd(message, fd, JSON_COMPACT);
	json_decref(message);
	if (status != 0 || write(fd, "\n", 1) != 1)
		return mmt_error_errno(error, "the list of devices cannot be written");
	return 0;
}
