/* mmtune/mmtune.h: ask the auto-tuning service what to launch.
 *
 *	struct mmt_error error;
 *	struct mmt_client *client = mmt_connect(NULL, &error);
 *	struct mmt_problem problem;
 *	mmt_problem_init(&problem);
 *	problem.m = problem.n = problem.k = 1000;
 *	struct mmt_answer *answer = mmt_query(client, "gpu0", &problem, 0, &error);
 *
 * The library speaks Varlink (interface org.mmtune.Tuner) over a Unix socket.
 * It links neither OpenCL nor an event loop, prints nothing and never exits.
 *
 * Thread: a client belongs to one thread at a time; different clients are
 * independent. Calls block. */
#ifndef MMTUNE_MMTUNE_H
#define MMTUNE_MMTUNE_H

#include "mmtune/error.h"
#include "mmtune/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mmt_client;
struct mmt_answer;

/* The socket that would be used: $MMTUNE_SOCKET, else
 * $XDG_RUNTIME_DIR/mmtune/socket if it exists, else /run/mmtune/socket. */
int mmt_socket_path(char *out, size_t bytes, struct mmt_error *error);

/* Connects to a socket (NULL: mmt_socket_path). NULL with MMT_UNREACHABLE,
 * or MMT_INVALID_ARGUMENT for a path that is too long for a Unix socket
 * (over 107 bytes). Caller disconnects. */
struct mmt_client *mmt_connect(const char *socket_path, struct mmt_error *error);
void mmt_disconnect(struct mmt_client *client); /* NULL is allowed */

/* How long a reply may take, in milliseconds; -1 (the default): for ever. */
void mmt_set_timeout(struct mmt_client *client, int timeout_ms);

/* One call: method without the interface ("Query") or with it, parameters as
 * the text of a JSON object (NULL: {}). The reply's parameters as JSON text,
 * caller frees; NULL with the service's error. */
char *mmt_call(struct mmt_client *client, const char *method, const char *parameters, struct mmt_error *error);

/* A call that streams (Varlink's `more`): on_reply gets each reply's
 * parameters and whether more follow; return non-zero to stop (the connection
 * is then closed). The text is borrowed for the length of the call. */
typedef int mmt_reply_fn(void *context, const char *parameters, bool continues);
int mmt_call_more(struct mmt_client *client, const char *method, const char *parameters, mmt_reply_fn *on_reply,
		  void *context, struct mmt_error *error);

enum { MMT_WITH_SOURCE = 1 }; /* flags of mmt_query */

/* The best known plan for a problem on a device (name, full name or UUID).
 * Always answers at once; mmt_answer_match tells what it rests on. Caller
 * destroys. NULL with MMT_NO_SUCH_DEVICE, MMT_TOO_LARGE, MMT_NOT_SUPPORTED... */
struct mmt_answer *mmt_query(struct mmt_client *client, const char *device, const struct mmt_problem *problem,
			     unsigned flags, struct mmt_error *error);
void mmt_answer_destroy(struct mmt_answer *answer); /* NULL is allowed */

/* Borrowed from the answer. */
const char *mmt_answer_json(const struct mmt_answer *answer);
const char *mmt_answer_match(const struct mmt_answer *answer); /* exact, near, default */
const char *mmt_answer_variant(const struct mmt_answer *answer);
bool mmt_answer_stale(const struct mmt_answer *answer);
/* An integer parameter's value; -1 with MMT_INVALID_ARGUMENT when there is none. */
int mmt_answer_parameter(const struct mmt_answer *answer, const char *name, int64_t *out, struct mmt_error *error);

/* One launch of the plan. Strings are borrowed from the answer; source is
 * NULL without MMT_WITH_SOURCE. */
struct mmt_step {
	const char *entry;
	const char *build_options;
	const char *source;
	unsigned dimensions;
	size_t global_size[3], local_size[3]; /* local_size[0] 0: the driver chooses */
	size_t local_memory_bytes;
};
size_t mmt_answer_step_count(const struct mmt_answer *answer);
int mmt_answer_step(const struct mmt_answer *answer, size_t index, struct mmt_step *out, struct mmt_error *error);

const char *mmt_version(void); /* "0.1.0" */

#ifdef __cplusplus
}
#endif
#endif
