/* connection.h: what a client is, for the files of libmmtune.
 *
 * Thread: as mmtune/mmtune.h. */
#ifndef MMT_CONNECTION_H
#define MMT_CONNECTION_H

#include <jansson.h>

#include "mmtune/mmtune.h"
#include "wire.h"

struct mmt_client {
	int fd; /* -1 once a call failed half-way: a late reply must never answer the next call */
	int timeout_ms;
	struct wire_reader reader;
	char *path; /* for messages */
};

/* One call. Takes the reference to parameters, NULL (memory) included. The
 * reply's parameters, caller owns the reference; NULL with *error. */
json_t *client_call(struct mmt_client *client, const char *method, json_t *parameters, struct mmt_error *error);

#endif
