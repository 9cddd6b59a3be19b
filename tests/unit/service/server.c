/* The socket and the calls on it, with methods of its own: framing, order,
 * bounds, and what a hostile client can and cannot do. The clients are plain
 * blocking sockets in the same thread; the loop turns while they wait. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server.h"
#include "wire.h"

#define TURNS       2000 /* of the loop, 1 ms each: how long anything may take */
#define CHUNK_BYTES ((size_t)65536)

struct fixture {
	struct service service;
	uv_loop_t loop;
	char folder[64], socket[96];
	struct svc_call *waiting; /* of test.Wait */
	unsigned ran;             /* calls that a method got */
	bool gone;
};

static struct fixture *fixture_of(struct service *service)
{
	return (struct fixture *)service; /* its first member */
}

/* ---- methods ---- */

static void echo(struct service *service, struct svc_call *call)
{
	fixture_of(service)->ran++;
	svc_call_reply(call, json_incref((json_t *)svc_call_parameters(call)), false);
}

/* Replies when the test says so. */
static void wait_for_test(struct service *service, struct svc_call *call)
{
	fixture_of(service)->waiting = call;
}

static void on_gone(void *context)
{
	((struct fixture *)context)->gone = true;
}

static void wait_watched(struct service *service, struct svc_call *call)
{
	fixture_of(service)->waiting = call;
	svc_call_on_gone(call, on_gone, service);
}

static void count(struct service *service, struct svc_call *call)
{
	(void)service;
	for (int i = 0; i < 3; i++)
		svc_call_reply(call, json_pack("{s:i}", "i", i), i < 2);
}

static void large(struct service *service, struct svc_call *call)
{
	(void)service;
	size_t bytes = (size_t)json_integer_value(json_object_get(svc_call_parameters(call), "bytes"));
	char *text = malloc(bytes);
	memset(text, 'x', bytes);
	svc_call_reply(call, json_pack("{s:s#}", "text", text, bytes), false);
	free(text);
}

static void whoami(struct service *service, struct svc_call *call)
{
	(void)service;
	svc_call_reply(call, json_pack("{s:b}", "admin", svc_call_is_admin(call)), false);
}

static const struct svc_verb verb_echo = {.method = "org.test.Echo", .handle = echo};
static const struct svc_verb verb_wait = {.method = "org.test.Wait", .handle = wait_for_test};
static const struct svc_verb verb_watched = {.method = "org.test.Watched", .handle = wait_watched};
static const struct svc_verb verb_count = {.method = "org.test.Count", .handle = count};
static const struct svc_verb verb_large = {.method = "org.test.Large", .handle = large};
static const struct svc_verb verb_whoami = {.method = "org.test.WhoAmI", .handle = whoami, .admin = true};
static const struct svc_verb verb_device = {.method = "org.test.Device", .handle = echo, .needs_devices = true};
static const struct svc_verb *const verbs[] = {&verb_echo,  &verb_wait,   &verb_watched, &verb_count,
					       &verb_large, &verb_whoami, &verb_device,  NULL};

/* ---- the fixture ---- */

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/mmtune-server-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->socket, sizeof fixture->socket, "%s/socket", fixture->folder);
	assert_int_equal(uv_loop_init(&fixture->loop), 0);
	fixture->service.loop = &fixture->loop;
	fixture->service.verbs = verbs;
	fixture->service.user_instance = true;
	fixture->service.devices_known = true;
	fixture->service.config.socket = fixture->socket;
	fixture->service.config.admin_group = (char *)"";
	fixture->service.config.max_clients = 64;
	fixture->service.config.max_message_bytes = 65536;
	fixture->service.config.client_timeout_s = 30;
	*state = fixture;
	return 0;
}

static void turn(struct fixture *fixture)
{
	uv_run(&fixture->loop, UV_RUN_NOWAIT);
	usleep(200); /* the loop has nothing to wait for: the client is in this thread */
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	svc_server_destroy(fixture->service.server);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&fixture->loop), 0);
	assert_int_equal(rmdir(fixture->folder), 0); /* socket and lock are gone */
	free(fixture);
	return 0;
}

static void serve(struct fixture *fixture)
{
	struct mmt_error error = {0};
	fixture->service.server = svc_server_create(&fixture->service, &error);
	if (fixture->service.server == NULL)
		fail_msg("%s", error.message);
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strncpy(address.sun_path, path, sizeof address.sun_path - 1);
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
	return client;
}

static void put(int client, const char *bytes, size_t length)
{
	assert_int_equal(send(client, bytes, length, MSG_NOSIGNAL), length);
}

#define PUT(client, literal) put(client, literal, sizeof(literal)) /* with the NUL: a whole message */

/* The next message, or "" at the end of the stream; the caller frees. */
static char *take(struct fixture *fixture, int client)
{
	char *text = malloc(CHUNK_BYTES + 1);
	size_t length = 0, capacity = CHUNK_BYTES;
	for (unsigned turns = 0; turns < TURNS * 5;) {
		ssize_t came = recv(client, text + length, CHUNK_BYTES, MSG_PEEK);
		if (came == 0 || (came < 0 && errno == ECONNRESET)) {
			text[length] = '\0';
			return text;
		}
		if (came < 0) {
			assert_int_equal(errno, EAGAIN);
			turn(fixture);
			turns++;
			continue;
		}
		const char *end = memchr(text + length, '\0', (size_t)came);
		size_t mine = end != NULL ? (size_t)(end + 1 - text) - length : (size_t)came;
		assert_int_equal(recv(client, text + length, mine, 0), mine);
		if (end != NULL)
			return text;
		length += mine;
		if (length + CHUNK_BYTES > capacity)
			text = realloc(text, (capacity = capacity * 2 + CHUNK_BYTES) + 1);
	}
	fail_msg("no reply after '%.*s'", (int)length, text);
	return text;
}

static void expect(struct fixture *fixture, int client, const char *wanted)
{
	char *text = take(fixture, client);
	assert_string_equal(text, wanted);
	free(text);
}

static void expect_within(struct fixture *fixture, int client, const char *wanted)
{
	char *text = take(fixture, client);
	if (strstr(text, wanted) == NULL)
		fail_msg("'%s' is not in '%s'", wanted, text);
	free(text);
}

static void turn_until(struct fixture *fixture, const bool *flag)
{
	for (unsigned i = 0; i < TURNS && !*flag; i++)
		turn(fixture);
	assert_true(*flag);
}

static void turn_until_waiting(struct fixture *fixture)
{
	for (unsigned i = 0; i < TURNS && fixture->waiting == NULL; i++)
		turn(fixture);
	assert_non_null(fixture->waiting);
}

/* ---- framing and order ---- */

static void calls_are_answered(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Echo\",\"parameters\":{\"a\":[1,\"\\u20ac\"]}}");
	expect(fixture, client, "{\"parameters\":{\"a\":[1,\"€\"]}}");
	PUT(client, "{\"method\":\"org.test.Echo\"}");
	expect(fixture, client, "{\"parameters\":{}}");
	close(client);
}

static void bytes_may_come_one_by_one(void **state)
{
	struct fixture *fixture = *state;
	static const char call[] = "{\"method\":\"org.test.Echo\",\"parameters\":{\"a\":1}}";
	serve(fixture);
	int client = connect_to(fixture->socket);
	for (size_t i = 0; i < sizeof call; i++) {
		put(client, call + i, 1);
		turn(fixture);
	}
	expect(fixture, client, "{\"parameters\":{\"a\":1}}");
	close(client);
}

static void calls_in_one_write_are_answered_in_order(void **state)
{
	struct fixture *fixture = *state;
	static const char calls[] = "{\"method\":\"org.test.Wait\"}\0{\"method\":\"org.test.Echo\",\"parameters\":{"
				    "\"a\":1}}\0{\"method\":\"org.test.Count\",\"more\":true}";
	serve(fixture);
	int client = connect_to(fixture->socket);
	put(client, calls, sizeof calls);
	turn_until_waiting(fixture);
	for (int i = 0; i < 20; i++)
		turn(fixture);
	assert_int_equal(fixture->ran, 0); /* the second waits for the first */
	svc_call_reply(fixture->waiting, json_pack("{s:i}", "first", 1), false);
	expect(fixture, client, "{\"parameters\":{\"first\":1}}");
	expect(fixture, client, "{\"parameters\":{\"a\":1}}");
	expect(fixture, client, "{\"parameters\":{\"i\":0},\"continues\":true}");
	expect(fixture, client, "{\"parameters\":{\"i\":1},\"continues\":true}");
	expect(fixture, client, "{\"parameters\":{\"i\":2}}");
	PUT(client, "{\"method\":\"org.test.Count\"}"); /* only who asks for more gets it */
	expect(fixture, client, "{\"parameters\":{\"i\":2}}");
	close(client);
}

static void oneway_gets_nothing(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Echo\",\"oneway\":true}");
	PUT(client, "{\"method\":\"org.test.Nothing\",\"oneway\":true}");
	PUT(client, "{\"method\":\"org.test.Echo\",\"parameters\":{\"a\":2}}");
	expect(fixture, client, "{\"parameters\":{\"a\":2}}");
	assert_int_equal(fixture->ran, 2);
	close(client);
}

static void what_was_asked_is_answered_after_the_end_of_the_stream(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Wait\"}");
	PUT(client, "{\"method\":\"org.test.Echo\"}");
	shutdown(client, SHUT_WR);
	turn_until_waiting(fixture);
	svc_call_reply(fixture->waiting, json_object(), false);
	expect(fixture, client, "{\"parameters\":{}}");
	expect(fixture, client, "{\"parameters\":{}}");
	expect(fixture, client, "");
	close(client);
}

/* ---- wrong calls ---- */

static void wrong_calls_are_told(void **state)
{
	static const struct {
		const char *call, *reply;
	} cases[] = {
		{"{\"method\":\"org.test.Nothing\"}",
		 "{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{\"method\":\"org.test.Nothing\"}}"},
		{"{\"method\":\"org.other.Echo\"}",
		 "{\"error\":\"org.varlink.service.InterfaceNotFound\",\"parameters\":{\"interface\":\"org.other\"}}"},
		{"{\"method\":\"Echo\"}",
		 "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"method\"}}"},
		{"{}",
		 "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"method\"}}"},
		{"{\"method\":7}",
		 "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"method\"}}"},
		{"{\"method\":\"org.test.Echo\",\"parameters\":[]}",
		 "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"parameters\"}}"},
		{"{\"method\":\"org.test.Echo\",\"more\":1}",
		 "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"more\"}}"},
		{"{\"method\":\"org.test.Echo\",\"upgrade\":true}",
		 "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"upgrade\"}}"},
		{"{\"method\":\"org.test.Echo\",\"extra\":true}",
		 "{\"error\":\"org.varlink.service.InvalidParameter\",\"parameters\":{\"parameter\":\"extra\"}}"},
	};
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put(client, cases[i].call, strlen(cases[i].call) + 1);
		expect(fixture, client, cases[i].reply);
	}
	assert_int_equal(fixture->ran, 0);
	PUT(client, "{\"method\":\"org.test.Echo\"}"); /* the connection is none the worse */
	expect(fixture, client, "{\"parameters\":{}}");
	close(client);
}

static void what_is_no_call_ends_the_connection(void **state)
{
	static const char *const cases[] = {"",
					    "nonsense",
					    "[1]",
					    "{\"method\":\"org.test.Echo\"",
					    "{\"a\":1,\"a\":2}",
					    "{\"method\":\"\xff\"}",
					    "{\"method\":\"org.test.Echo\",\"parameters\":{\"a\":\"\\u0000\"}}"};
	struct fixture *fixture = *state;
	serve(fixture);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int client = connect_to(fixture->socket);
		put(client, cases[i], strlen(cases[i]) + 1);
		PUT(client, "{\"method\":\"org.test.Echo\"}");
		expect_within(fixture, client, "org.mmtune.Tuner.Protocol");
		expect(fixture, client, "");
		close(client);
	}
	assert_int_equal(fixture->ran, 0);
}

/* ---- bounds ---- */

static void a_message_without_end_is_dropped_at_the_limit(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	char block[4096];
	memset(block, 'x', sizeof block);
	size_t sent = 0;
	for (unsigned i = 0; i < TURNS; i++) {
		ssize_t now = send(client, block, sizeof block, MSG_NOSIGNAL);
		if (now < 0 && errno != EAGAIN)
			break;
		sent += now > 0 ? (size_t)now : 0;
		turn(fixture);
	}
	assert_true(sent < 4 * (size_t)fixture->service.config.max_message_bytes);
	expect_within(fixture, client, "longer than 65536 bytes");
	expect(fixture, client, "");
	close(client);
}

static void a_message_at_the_limit_is_answered(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	char *call = malloc(65537);
	int length = snprintf(call, 65537, "{\"method\":\"org.test.Echo\"}");
	memset(call + length, ' ', 65537 - (size_t)length);
	call[65536] = '\0';
	put(client, call, 65537);
	expect(fixture, client, "{\"parameters\":{}}");
	free(call);
	close(client);
}

static void half_a_message_has_its_time(void **state)
{
	struct fixture *fixture = *state;
	fixture->service.config.client_timeout_s = 1;
	serve(fixture);
	int client = connect_to(fixture->socket), other = connect_to(fixture->socket);
	put(client, "{\"method\":", 10);
	for (unsigned i = 0; i < 20; i++)
		turn(fixture);
	PUT(other, "{\"method\":\"org.test.Echo\"}");
	expect(fixture, other, "{\"parameters\":{}}");
	expect_within(fixture, client, "half sent for 1 second");
	expect(fixture, client, "");
	PUT(other, "{\"method\":\"org.test.Echo\"}"); /* silence between calls has no limit */
	expect(fixture, other, "{\"parameters\":{}}");
	close(client);
	close(other);
}

static void who_does_not_read_is_not_read_from(void **state)
{
	struct fixture *fixture = *state;
	static const char call[] =
		"{\"method\":\"org.test.Echo\",\"parameters\":{\"text\":\"0123456789012345678901234567"
		"8901234567890123456789012345678901234567890123456789\"}}";
	serve(fixture);
	int client = connect_to(fixture->socket), other = connect_to(fixture->socket);
	unsigned stuck = 0;
	for (unsigned i = 0; i < 50000 && stuck < 50; i++) {
		ssize_t sent = send(client, call, sizeof call, MSG_NOSIGNAL);
		assert_true(sent == (ssize_t)sizeof call || (sent < 0 && errno == EAGAIN));
		stuck = sent < 0 ? stuck + 1 : 0;
		if (i % 64 == 0 || sent < 0)
			uv_run(&fixture->loop, UV_RUN_NOWAIT);
	}
	assert_int_equal(stuck, 50); /* held up by the kernel's buffers, not by the service's memory */
	PUT(other, "{\"method\":\"org.test.Echo\"}");
	expect(fixture, other, "{\"parameters\":{}}");
	for (int i = 0; i < 100; i++) /* it may go on when it likes */
		expect_within(fixture, client, "{\"parameters\":{\"text\":");
	close(client);
	close(other);
}

static void a_stream_that_is_not_read_is_dropped(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Watched\",\"more\":true}");
	turn_until_waiting(fixture);
	char *text = malloc(1 << 20);
	memset(text, 'x', 1 << 20);
	for (int i = 0; i < 64 && !fixture->gone; i++) {
		svc_call_reply(fixture->waiting, json_pack("{s:s#}", "text", text, (size_t)1 << 20), true);
		turn(fixture);
	}
	free(text);
	turn_until(fixture, &fixture->gone);
	assert_int_equal(svc_server_clients(fixture->service.server), 0);
	close(client);
}

static void a_large_reply_comes_whole(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Large\",\"parameters\":{\"bytes\":12000000}}");
	char *text = take(fixture, client);
	assert_int_equal(strlen(text), 12000000 + strlen("{\"parameters\":{\"text\":\"\"}}"));
	free(text);
	close(client);
}

static void one_client_too_many_is_refused(void **state)
{
	struct fixture *fixture = *state;
	int clients[64];
	serve(fixture);
	for (size_t i = 0; i < 64; i++)
		clients[i] = connect_to(fixture->socket); /* in the same moment: the loop has not run */
	for (size_t i = 0; i < 64; i++) {
		PUT(clients[i], "{\"method\":\"org.test.Echo\"}");
		expect(fixture, clients[i], "{\"parameters\":{}}");
	}
	assert_int_equal(svc_server_clients(fixture->service.server), 64);
	int refused = connect_to(fixture->socket);
	expect_within(fixture, refused, "org.mmtune.Tuner.Busy");
	expect(fixture, refused, "");
	close(refused);
	for (size_t i = 0; i < 64; i++)
		close(clients[i]);
	for (unsigned i = 0; i < TURNS && svc_server_clients(fixture->service.server) > 0; i++)
		turn(fixture);
	assert_int_equal(svc_server_clients(fixture->service.server), 0);
}

/* ---- the client goes, the devices come ---- */

static void a_call_learns_that_its_client_is_gone(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Watched\"}");
	turn_until_waiting(fixture);
	close(client);
	turn_until(fixture, &fixture->gone);
}

static void a_call_that_does_not_watch_may_reply_to_nobody(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Wait\"}");
	turn_until_waiting(fixture);
	close(client);
	for (unsigned i = 0; i < TURNS && svc_server_clients(fixture->service.server) > 0; i++)
		turn(fixture);
	svc_call_reply(fixture->waiting, json_object(), false);
}

static void a_call_waits_for_the_devices(void **state)
{
	struct fixture *fixture = *state;
	fixture->service.devices_known = false;
	serve(fixture);
	int client = connect_to(fixture->socket), gone = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Device\",\"parameters\":{\"a\":1}}");
	PUT(gone, "{\"method\":\"org.test.Device\"}");
	for (int i = 0; i < 50; i++)
		turn(fixture);
	assert_int_equal(fixture->ran, 0);
	close(gone);
	for (int i = 0; i < 50; i++)
		turn(fixture);
	fixture->service.devices_known = true;
	svc_server_resume(fixture->service.server);
	expect(fixture, client, "{\"parameters\":{\"a\":1}}");
	assert_int_equal(fixture->ran, 1);
	close(client);
}

static void the_services_own_user_is_administrator(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.WhoAmI\"}");
	expect(fixture, client, "{\"parameters\":{\"admin\":true}}");
	close(client);
}

/* ---- the end ---- */

static void a_stop_lets_open_calls_end(void **state)
{
	struct fixture *fixture = *state;
	serve(fixture);
	int client = connect_to(fixture->socket), idle = connect_to(fixture->socket);
	PUT(client, "{\"method\":\"org.test.Wait\"}");
	PUT(client, "{\"method\":\"org.test.Echo\"}");
	turn_until_waiting(fixture);
	svc_server_stop(fixture->service.server);
	expect(fixture, idle, "");
	assert_int_equal(access(fixture->socket, F_OK), -1);
	svc_call_reply(fixture->waiting, json_object(), false);
	expect(fixture, client, "{\"parameters\":{}}");
	expect(fixture, client, "");
	assert_int_equal(fixture->ran, 0);
	close(client);
	close(idle);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls_are_answered),
		TEST(bytes_may_come_one_by_one),
		TEST(calls_in_one_write_are_answered_in_order),
		TEST(oneway_gets_nothing),
		TEST(what_was_asked_is_answered_after_the_end_of_the_stream),
		TEST(wrong_calls_are_told),
		TEST(what_is_no_call_ends_the_connection),
		TEST(a_message_without_end_is_dropped_at_the_limit),
		TEST(a_message_at_the_limit_is_answered),
		TEST(half_a_message_has_its_time),
		TEST(who_does_not_read_is_not_read_from),
		TEST(a_stream_that_is_not_read_is_dropped),
		TEST(a_large_reply_comes_whole),
		TEST(one_client_too_many_is_refused),
		TEST(a_call_learns_that_its_client_is_gone),
		TEST(a_call_that_does_not_watch_may_reply_to_nobody),
		TEST(a_call_waits_for_the_devices),
		TEST(the_services_own_user_is_administrator),
		TEST(a_stop_lets_open_calls_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
