/* The client against a scripted peer: a thread that serves canned replies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mmtune/mmtune.h"
#include "wire.h"

/* For each call the peer sends all replies up to the next "" ; NULL hangs up. */
struct peer {
	char folder[32], path[64], last_call[512];
	const char *const *replies;
	int listener;
	pthread_t thread;
};

static void *serve(void *context)
{
	struct peer *peer = context;
	struct wire_reader reader;
	json_t *call = NULL;
	int fd = accept(peer->listener, NULL, NULL);
	wire_reader_init(&reader, 1 << 20);
	for (const char *const *reply = peer->replies; *reply != NULL; reply++) {
		if (wire_receive(fd, &reader, -1, &call, NULL) != 0 || call == NULL)
			break;
		size_t length;
		char *text = wire_encode(call, &length);
		snprintf(peer->last_call, sizeof peer->last_call, "%s", text);
		free(text);
		json_decref(call);
		for (; (*reply)[0] != '\0'; reply++)
			if (send(fd, *reply, strlen(*reply) + 1, MSG_NOSIGNAL) < 0)
				break;
	}
	wire_reader_finish(&reader);
	close(fd);
	return NULL;
}

static void start_peer(struct peer *peer, const char *const *replies)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	*peer = (struct peer){.folder = "/tmp/mmtune-test-XXXXXX", .replies = replies};
	assert_non_null(mkdtemp(peer->folder));
	snprintf(peer->path, sizeof peer->path, "%s/socket", peer->folder);
	strcpy(address.sun_path, peer->path);
	peer->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(peer->listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(peer->listener, 1), 0);
	assert_int_equal(pthread_create(&peer->thread, NULL, serve, peer), 0);
}

static void stop_peer(struct peer *peer)
{
	pthread_join(peer->thread, NULL);
	close(peer->listener);
	unlink(peer->path);
	rmdir(peer->folder);
}

static void a_call_names_the_method_and_gives_the_parameters_back(void **state)
{
	(void)state;
	static const char *const replies[] = {"{\"parameters\":{\"paused\":true}}", "", "{}", "", NULL};
	struct peer peer;
	struct mmt_error error;
	start_peer(&peer, replies);
	struct mmt_client *client = mmt_connect(peer.path, &error);
	char *reply = mmt_call(client, "Pause", NULL, &error);
	assert_string_equal(reply, "{\"paused\":true}");
	free(reply);
	reply = mmt_call(client, "org.varlink.service.GetInfo", "{\"a\": 1}", &error);
	assert_string_equal(reply, "{}");
	free(reply);
	mmt_disconnect(client);
	stop_peer(&peer);
	assert_string_equal(peer.last_call, "{\"method\":\"org.varlink.service.GetInfo\",\"parameters\":{\"a\":1}}");
}

static void an_error_reply_keeps_the_services_sentence_and_the_connection(void **state)
{
	(void)state;
	static const char *const replies[] = {
		"{\"error\":\"org.mmtune.Tuner.NoSuchDevice\",\"parameters\":{\"message\":\"no gpu7: there is cpu0\"}}",
		"",
		"{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"order\"}}",
		"",
		"{\"error\":\"org.mmtune.Tuner.Busy\"}",
		"",
		"{\"parameters\":{}}",
		"",
		NULL};
	struct peer peer;
	struct mmt_error error;
	start_peer(&peer, replies);
	struct mmt_client *client = mmt_connect(peer.path, &error);
	assert_null(mmt_call(client, "Query", NULL, &error));
	assert_int_equal(error.code, MMT_NO_SUCH_DEVICE);
	assert_string_equal(error.message, "no gpu7: there is cpu0");
	assert_null(mmt_call(client, "Query", NULL, &error));
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "'order'"));
	assert_null(mmt_call(client, "Query", NULL, &error));
	assert_int_equal(error.code, MMT_BUSY);
	assert_non_null(strstr(error.message, "Busy"));
	char *reply = mmt_call(client, "Query", NULL, &error);
	assert_non_null(reply);
	free(reply);
	mmt_disconnect(client);
	stop_peer(&peer);
}

static int count_replies(void *context, const char *parameters, bool continues)
{
	int *left = context;
	assert_non_null(strstr(parameters, "\"n\":"));
	(void)continues;
	return --*left == 0;
}

static void a_stream_is_handed_out_to_its_end(void **state)
{
	(void)state;
	static const char *const replies[] = {"{\"parameters\":{\"n\":1},\"continues\":true}",
					      "{\"parameters\":{\"n\":2},\"continues\":true}",
					      "{\"parameters\":{\"n\":3}}", "", NULL};
	struct peer peer;
	struct mmt_error error;
	int left = 100;
	start_peer(&peer, replies);
	struct mmt_client *client = mmt_connect(peer.path, &error);
	assert_int_equal(mmt_call_more(client, "Tune", NULL, count_replies, &left, &error), 0);
	assert_int_equal(left, 97);
	mmt_disconnect(client);
	stop_peer(&peer);
	assert_non_null(strstr(peer.last_call, "\"more\":true"));
}

static void a_stream_that_is_stopped_ends_the_connection(void **state)
{
	(void)state;
	static const char *const replies[] = {"{\"parameters\":{\"n\":1},\"continues\":true}", "", NULL};
	struct peer peer;
	struct mmt_error error;
	int left = 1;
	start_peer(&peer, replies);
	struct mmt_client *client = mmt_connect(peer.path, &error);
	assert_int_equal(mmt_call_more(client, "Tune", NULL, count_replies, &left, &error), 0);
	assert_null(mmt_call(client, "Status", NULL, &error));
	assert_int_equal(error.code, MMT_UNREACHABLE);
	mmt_disconnect(client);
	stop_peer(&peer);
}

static void a_late_reply_never_answers_the_next_call(void **state)
{
	(void)state;
	static const char *const replies[] = {"", NULL}; /* takes the call, says nothing, hangs up */
	struct peer peer;
	struct mmt_error error;
	start_peer(&peer, replies);
	struct mmt_client *client = mmt_connect(peer.path, &error);
	mmt_set_timeout(client, 1);
	assert_null(mmt_call(client, "Status", NULL, &error));
	assert_true(error.code == MMT_TIMED_OUT || error.code == MMT_UNREACHABLE);
	assert_null(mmt_call(client, "Status", NULL, &error));
	assert_int_equal(error.code, MMT_UNREACHABLE);
	mmt_disconnect(client);
	stop_peer(&peer);
}

static void a_reply_that_is_no_varlink_is_a_protocol_error(void **state)
{
	(void)state;
	static const char *const bad[] = {"{\"parameters\":[]}", "{\"error\":7}", "[1]", "{", "{\"continues\":true}"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		const char *const replies[] = {bad[i], "", NULL};
		struct peer peer;
		struct mmt_error error;
		start_peer(&peer, replies);
		struct mmt_client *client = mmt_connect(peer.path, &error);
		assert_null(mmt_call(client, "Status", NULL, &error));
		assert_int_equal(error.code, MMT_PROTOCOL);
		mmt_disconnect(client);
		stop_peer(&peer);
	}
}

#define STEPS                                                                                                         \
	"\"steps\":[{\"entry\":\"f\",\"build_options\":\"-DA\",\"global_size\":[64,32],\"local_size\":[8,4],"         \
	"\"local_memory_bytes\":128},{\"entry\":\"g\",\"build_options\":\"\",\"global_size\":[5],\"local_size\":[]}," \
	"{\"entry\":\"h\",\"build_options\":\"\",\"global_size\":[0],\"local_size\":[1]}]"

static void an_answer_is_read(void **state)
{
	(void)state;
	static const char *const replies[] = {
		"{\"parameters\":{\"match\":\"near\",\"variant\":\"tiled\",\"stale\":true,"
		"\"parameters\":{\"TILE\":16,\"NAME\":\"x\"}," STEPS "}}",
		"", NULL};
	struct peer peer;
	struct mmt_error error;
	struct mmt_problem problem;
	struct mmt_step step;
	int64_t value;
	mmt_problem_init(&problem);
	start_peer(&peer, replies);
	struct mmt_client *client = mmt_connect(peer.path, &error);
	struct mmt_answer *answer = mmt_query(client, "gpu0", &problem, MMT_WITH_SOURCE, &error);
	assert_non_null(answer);
	assert_string_equal(mmt_answer_match(answer), "near");
	assert_string_equal(mmt_answer_variant(answer), "tiled");
	assert_true(mmt_answer_stale(answer));
	assert_int_equal(mmt_answer_parameter(answer, "TILE", &value, &error), 0);
	assert_int_equal(value, 16);
	assert_int_equal(mmt_answer_parameter(answer, "NAME", &value, &error), -1);
	assert_int_equal(mmt_answer_parameter(answer, "NONE", &value, &error), -1);
	assert_int_equal(mmt_answer_step_count(answer), 3);
	assert_int_equal(mmt_answer_step(answer, 0, &step, &error), 0);
	assert_true(step.dimensions == 2 && step.global_size[1] == 32 && step.local_size[0] == 8);
	assert_int_equal(step.local_memory_bytes, 128);
	assert_int_equal(mmt_answer_step(answer, 1, &step, &error), 0);
	assert_true(step.dimensions == 1 && step.local_size[0] == 0 && step.source == NULL);
	assert_int_equal(mmt_answer_step(answer, 2, &step, &error), -1);
	assert_int_equal(error.code, MMT_PROTOCOL);
	assert_int_equal(mmt_answer_step(answer, 3, &step, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	mmt_answer_destroy(answer);
	mmt_disconnect(client);
	stop_peer(&peer);
	assert_non_null(strstr(peer.last_call, "\"source\":true"));
}

static void nobody_there_is_unreachable_and_named(void **state)
{
	(void)state;
	static const char *const replies[] = {NULL};
	struct peer peer;
	struct mmt_error error;
	assert_null(mmt_connect("/nonexistent/socket", &error));
	assert_int_equal(error.code, MMT_UNREACHABLE);
	assert_non_null(strstr(error.message, "/nonexistent/socket"));
	assert_non_null(strstr(error.message, "mmtuned"));
	/* A socket file that a killed service left behind. */
	start_peer(&peer, replies);
	mmt_disconnect(mmt_connect(peer.path, &error));
	pthread_join(peer.thread, NULL);
	close(peer.listener);
	assert_null(mmt_connect(peer.path, &error));
	assert_int_equal(error.code, MMT_UNREACHABLE);
	assert_non_null(strstr(error.message, "nothing listens"));
	unlink(peer.path);
	rmdir(peer.folder);
}

static void a_path_over_107_bytes_is_refused(void **state)
{
	(void)state;
	struct mmt_error error;
	char path[121];
	memset(path, 'x', 120);
	path[120] = '\0';
	assert_null(mmt_connect(path, &error));
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "120 bytes"));
	assert_non_null(strstr(error.message, "107"));
	path[107] = '\0';
	assert_null(mmt_connect(path, &error));
	assert_int_equal(error.code, MMT_UNREACHABLE);
}

static void the_socket_is_looked_for_in_order(void **state)
{
	(void)state;
	static const char *const replies[] = {NULL};
	char path[256], folder[32] = "/tmp/mmtune-test-XXXXXX", below[64];
	struct peer peer;
	setenv("MMTUNE_SOCKET", "/chosen", 1);
	assert_int_equal(mmt_socket_path(path, sizeof path, NULL), 0);
	assert_string_equal(path, "/chosen");
	assert_int_equal(mmt_socket_path(path, 4, NULL), -1);
	setenv("MMTUNE_SOCKET", "", 1);
	assert_non_null(mkdtemp(folder));
	setenv("XDG_RUNTIME_DIR", folder, 1);
	assert_int_equal(mmt_socket_path(path, sizeof path, NULL), 0);
	assert_string_equal(path, "/run/mmtune/socket");
	start_peer(&peer, replies);
	snprintf(below, sizeof below, "%s/mmtune", folder);
	assert_int_equal(rename(peer.folder, below), 0);
	assert_int_equal(mmt_socket_path(path, sizeof path, NULL), 0);
	assert_true(strncmp(path, below, strlen(below)) == 0);
	mmt_disconnect(mmt_connect(NULL, NULL));
	pthread_join(peer.thread, NULL);
	close(peer.listener);
	unlink(path);
	rmdir(below);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_names_the_method_and_gives_the_parameters_back),
		cmocka_unit_test(an_error_reply_keeps_the_services_sentence_and_the_connection),
		cmocka_unit_test(a_stream_is_handed_out_to_its_end),
		cmocka_unit_test(a_stream_that_is_stopped_ends_the_connection),
		cmocka_unit_test(a_late_reply_never_answers_the_next_call),
		cmocka_unit_test(a_reply_that_is_no_varlink_is_a_protocol_error),
		cmocka_unit_test(an_answer_is_read),
		cmocka_unit_test(nobody_there_is_unreachable_and_named),
		cmocka_unit_test(a_path_over_107_bytes_is_refused),
		cmocka_unit_test(the_socket_is_looked_for_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
