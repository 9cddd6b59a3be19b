/* What any client may send: bytes, cut anywhere. The first byte says how the
 * rest is cut; each message is decoded, read as a problem, and what could be
 * decoded must survive being encoded. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "problem_json.h"
#include "wire.h"

#define LIMIT_BYTES 4096

static void check_message(const char *message, size_t length)
{
	struct mmt_error error;
	struct mmt_problem problem, again;
	json_t *object = wire_decode(message, length, &error);
	if (object == NULL)
		return;
	size_t encoded_length;
	char *encoded = wire_encode(object, &encoded_length);
	json_t *back = encoded != NULL ? wire_decode(encoded, encoded_length - 1, &error) : NULL;
	if (back == NULL || !json_equal(object, back))
		abort();
	if (problem_from_json(object, &problem, &error) == 0) {
		json_t *written = problem_to_json(&problem);
		if (written != NULL &&
		    (problem_from_json(written, &again, &error) != 0 || !mmt_problem_equal(&problem, &again)))
			abort();
		json_decref(written);
	}
	json_decref(back);
	free(encoded);
	json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct wire_reader reader;
	struct mmt_error error;
	size_t piece = bytes > 0 ? 1 + data[0] : 1;
	wire_reader_init(&reader, LIMIT_BYTES);
	for (size_t at = 1; at < bytes; at += piece) {
		size_t came = piece < bytes - at ? piece : bytes - at, length;
		char *space = wire_reader_reserve(&reader, came, &error);
		if (space == NULL)
			break;
		memcpy(space, data + at, came);
		wire_reader_commit(&reader, came);
		for (char *message; (message = wire_reader_next(&reader, &length)) != NULL;)
			check_message(message, length);
	}
	if (reader.used - reader.start > LIMIT_BYTES + 256)
		abort();
	wire_reader_finish(&reader);
	return 0;
}
