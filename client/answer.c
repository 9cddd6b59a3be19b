/* answer.c: mmt_query and its answer; see mmtune/mmtune.h. */
#include "connection.h"

#include <stdlib.h>

#include "problem_json.h"

struct mmt_answer {
	json_t *reply;
	char *text;
	const char *match, *variant; /* of reply */
	const json_t *steps;         /* of reply; an array */
};

static struct mmt_answer *answer_create(json_t *reply, struct mmt_error *error)
{
	struct mmt_answer *answer = calloc(1, sizeof *answer);
	size_t length;
	char *text = wire_encode(reply, &length);
	if (answer == NULL || text == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for an answer");
		goto out;
	}
	*answer = (struct mmt_answer){
		.reply = reply,
		.text = text,
		.match = json_string_value(json_object_get(reply, "match")),
		.variant = json_string_value(json_object_get(reply, "variant")),
		.steps = json_object_get(reply, "steps"),
	};
	if (answer->match != NULL && answer->variant != NULL && json_is_array(answer->steps))
		return answer;
	mmt_error_set(error, MMT_PROTOCOL, 0, "the service sent an answer without match, variant or steps");
out:
	free(text);
	free(answer);
	json_decref(reply);
	return NULL;
}

struct mmt_answer *mmt_query(struct mmt_client *client, const char *device, const struct mmt_problem *problem,
			     unsigned flags, struct mmt_error *error)
{
	json_t *parameters = problem_to_json(problem);
	if (parameters == NULL || json_object_set_new(parameters, "device", json_string(device)) != 0 ||
	    ((flags & MMT_WITH_SOURCE) != 0 && json_object_set_new(parameters, "source", json_true()) != 0)) {
		json_decref(parameters);
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "the device or family name is not UTF-8");
		return NULL;
	}
	json_t *reply = client_call(client, "Query", parameters, error);
	return reply != NULL ? answer_create(reply, error) : NULL;
}

void mmt_answer_destroy(struct mmt_answer *answer)
{
	if (answer == NULL)
		return;
	json_decref(answer->reply);
	free(answer->text);
	free(answer);
}

const char *mmt_answer_json(const struct mmt_answer *answer)
{
	return answer->text;
}

const char *mmt_answer_match(const struct mmt_answer *answer)
{
	return answer->match;
}

const char *mmt_answer_variant(const struct mmt_answer *answer)
{
	return answer->variant;
}

bool mmt_answer_stale(const struct mmt_answer *answer)
{
	return json_is_true(json_object_get(answer->reply, "stale"));
}

int mmt_answer_parameter(const struct mmt_answer *answer, const char *name, int64_t *out, struct mmt_error *error)
{
	const json_t *value = json_object_get(json_object_get(answer->reply, "parameters"), name);
	if (!json_is_integer(value))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "variant %s has no integer parameter '%s'",
				     answer->variant, name);
	*out = json_integer_value(value);
	return 0;
}

size_t mmt_answer_step_count(const struct mmt_answer *answer)
{
	return json_array_size(answer->steps);
}

/* An array of 1 to 3 sizes, each at least `least`; how many, or 0 when it is anything else. */
static unsigned read_sizes(const json_t *array, json_int_t least, size_t out[3])
{
	size_t count = json_array_size(array);
	if (count < 1 || count > 3)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const json_t *size = json_array_get(array, i);
		if (!json_is_integer(size) || json_integer_value(size) < least)
			return 0;
		out[i] = (size_t)json_integer_value(size);
	}
	return (unsigned)count;
}

int mmt_answer_step(const struct mmt_answer *answer, size_t index, struct mmt_step *out, struct mmt_error *error)
{
	const json_t *step = json_array_get(answer->steps, index);
	if (step == NULL)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "the plan has %zu steps, there is no step %zu",
				     mmt_answer_step_count(answer), index);
	const json_t *local = json_object_get(step, "local_size");
	json_int_t local_memory_bytes = json_integer_value(json_object_get(step, "local_memory_bytes"));
	struct mmt_step read = {
		.entry = json_string_value(json_object_get(step, "entry")),
		.build_options = json_string_value(json_object_get(step, "build_options")),
		.source = json_string_value(json_object_get(step, "source")),
		.local_memory_bytes = local_memory_bytes > 0 ? (size_t)local_memory_bytes : 0,
	};
	read.dimensions = read_sizes(json_object_get(step, "global_size"), 1, read.global_size);
	/* No local size at all, or an empty one: the driver chooses. */
	bool chosen = json_array_size(local) > 0;
	if (read.entry == NULL || read.build_options == NULL || read.dimensions == 0 ||
	    (chosen && read_sizes(local, 0, read.local_size) != read.dimensions))
		return mmt_error_set(error, MMT_PROTOCOL, 0, "the service sent a step %zu that cannot be launched",
				     index);
	*out = read;
	return 0;
}
