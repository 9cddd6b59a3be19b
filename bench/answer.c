/* answer.c: how long a hot query takes, against an echo server in the same run.
 *
 *	bench-answer --socket PATH [--device cpu0] [--order 1000] [--rounds 20000]
 *
 * The peer is a libuv server in a child process that answers each call (bytes
 * up to a NUL) with a fixed message, as long as the service's reply. Calls go
 * alternately to both over one connection each, so that whatever else the
 * machine does meets both alike. Prints medians and their ratio; exit status
 * 0 whatever the ratio. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "mmtune/mmtune.h"

struct echo {
	char *reply;
	size_t length;
};

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "bench-answer: %s\n", what);
	exit(1);
}

/* ---- the echo server ---- */

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
	static char space[65536];
	(void)handle;
	(void)suggested;
	*out = uv_buf_init(space, sizeof space);
}

static void on_read(uv_stream_t *stream, ssize_t came, const uv_buf_t *buffer)
{
	struct echo *echo = stream->loop->data;
	if (came < 0) {
		uv_stop(stream->loop);
		return;
	}
	for (ssize_t i = 0; i < came; i++) {
		if (buffer->base[i] == '\0') {
			uv_buf_t reply = uv_buf_init(echo->reply, (unsigned)echo->length);
			if (uv_try_write(stream, &reply, 1) != (int)echo->length)
				abort();
		}
	}
}

static void on_connection(uv_stream_t *server, int status)
{
	static uv_pipe_t client;
	if (status < 0)
		abort();
	uv_pipe_init(server->loop, &client, 0);
	uv_accept(server, (uv_stream_t *)&client);
	uv_read_start((uv_stream_t *)&client, on_allocate, on_read);
}

static void serve_echo(const char *path, struct echo *echo)
{
	uv_loop_t *loop = uv_default_loop();
	uv_pipe_t server;
	loop->data = echo;
	uv_pipe_init(loop, &server, 0);
	if (uv_pipe_bind(&server, path) != 0 || uv_listen((uv_stream_t *)&server, 16, on_connection) != 0)
		_exit(1);
	uv_run(loop, UV_RUN_DEFAULT);
	_exit(0);
}

/* ---- the client ---- */

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof address.sun_path)
		die("the socket's path is too long");
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (int tries = 0; connect(fd, (struct sockaddr *)&address, sizeof address) != 0; tries++) {
		if (tries == 100)
			die("cannot connect");
		usleep(20000);
	}
	return fd;
}

/* One call, one reply; the reply's bytes (with the NUL) when keep is given. Nanoseconds. */
static uint64_t round_trip(int fd, const char *call, size_t length, char **keep, size_t *kept)
{
	static char space[1 << 20];
	size_t used = 0;
	uint64_t start = now_ns();
	if (write(fd, call, length) != (ssize_t)length)
		die("cannot write");
	do {
		ssize_t came = read(fd, space + used, sizeof space - used);
		if (came <= 0)
			die("the connection was closed");
		used += (size_t)came;
	} while (space[used - 1] != '\0');
	uint64_t elapsed_ns = now_ns() - start;
	if (keep) {
		*keep = malloc(used);
		memcpy(*keep, space, used);
		*kept = used;
	}
	return elapsed_ns;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static double percentile_us(uint64_t *times, size_t count, double part)
{
	qsort(times, count, sizeof *times, compare);
	return (double)times[(size_t)((double)(count - 1) * part)] / 1e3;
}

int main(int argc, char **argv)
{
	const char *path = NULL, *device = "cpu0", *order = "1000";
	size_t rounds = 20000;
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--socket") == 0)
			path = argv[i + 1];
		else if (strcmp(argv[i], "--device") == 0)
			device = argv[i + 1];
		else if (strcmp(argv[i], "--order") == 0)
			order = argv[i + 1];
		else if (strcmp(argv[i], "--rounds") == 0)
			rounds = strtoul(argv[i + 1], NULL, 10);
		else
			die("usage: bench-answer --socket PATH [--device NAME] [--order N] [--rounds N]");
	}
	struct mmt_error error;
	char found[256];
	if (!path) {
		if (mmt_socket_path(found, sizeof found, &error) != 0)
			die(error.message);
		path = found;
	}

	char call[512];
	int text = snprintf(call, sizeof call,
			    "{\"method\":\"org.mmtune.Tuner.Query\",\"parameters\":{\"device\":\"%s\",\"order\":%s}}",
			    device, order);
	size_t length = (size_t)text + 1;
	int service = connect_to(path);
	struct echo echo = {0};
	for (int i = 0; i < 10; i++) {
		free(echo.reply);
		round_trip(service, call, length, &echo.reply, &echo.length);
	}
	if (!strstr(echo.reply, "\"exact\""))
		fprintf(stderr, "bench-answer: the answer is not exact: tune order %s on %s first\n%s\n", order, device,
			echo.reply);

	char folder[] = "/tmp/mmtune-bench-XXXXXX", echo_path[64];
	if (!mkdtemp(folder))
		die("cannot make a temporary folder");
	snprintf(echo_path, sizeof echo_path, "%s/echo", folder);
	pid_t child = fork();
	if (child == 0)
		serve_echo(echo_path, &echo);
	int peer = connect_to(echo_path);

	uint64_t *query_ns = calloc(rounds, sizeof *query_ns), *echo_ns = calloc(rounds, sizeof *echo_ns);
	for (size_t i = 0; i < rounds + rounds / 10; i++) { /* the first tenth warms up */
		uint64_t a = round_trip(service, call, length, NULL, NULL);
		uint64_t b = round_trip(peer, call, length, NULL, NULL);
		if (i >= rounds / 10) {
			query_ns[i - rounds / 10] = a;
			echo_ns[i - rounds / 10] = b;
		}
	}
	double query_us = percentile_us(query_ns, rounds, 0.5), echo_us = percentile_us(echo_ns, rounds, 0.5);
	printf("%zu calls, %zu bytes to, %zu bytes back\n", rounds, length, echo.length);
	printf("query  median %8.1f us   p99 %8.1f us\n", query_us, percentile_us(query_ns, rounds, 0.99));
	printf("echo   median %8.1f us   p99 %8.1f us\n", echo_us, percentile_us(echo_ns, rounds, 0.99));
	printf("ratio of medians %.2f\n", query_us / echo_us);

	close(peer);
	close(service);
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	unlink(echo_path);
	rmdir(folder);
	free(query_ns);
	free(echo_ns);
	free(echo.reply);
	return 0;
}
