/* Whose socket it is: ours, a dead one's, another instance's, another program's, systemd's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "listen.h"

struct fixture {
	uv_loop_t loop;
	uv_pipe_t pipe;
	struct svc_lock lock;
	char folder[64], path[96];
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	snprintf(fixture->folder, sizeof fixture->folder, "/tmp/mmtune-listen-XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->path, sizeof fixture->path, "%s/socket", fixture->folder);
	assert_int_equal(uv_loop_init(&fixture->loop), 0);
	uv_pipe_init(&fixture->loop, &fixture->pipe, 0);
	fixture->lock.descriptor = -1;
	*state = fixture;
	return 0;
}

static void close_pipe(struct fixture *fixture, uv_pipe_t *pipe)
{
	uv_close((uv_handle_t *)pipe, NULL);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	close_pipe(fixture, &fixture->pipe);
	svc_lock_release(&fixture->lock);
	assert_int_equal(uv_loop_close(&fixture->loop), 0);
	assert_int_equal(rmdir(fixture->folder), 0); /* neither socket nor lock is left */
	free(fixture);
	return 0;
}

static int open_socket(struct fixture *fixture, bool private, struct mmt_error *error)
{
	struct svc_socket socket = {fixture->path, private};
	return svc_socket_open(&fixture->pipe, &socket, &fixture->lock, error);
}

static int bind_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strncpy(address.sun_path, path, sizeof address.sun_path - 1);
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	return listener;
}

static void assert_mode(const char *path, mode_t mode)
{
	struct stat found;
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_mode & 0777, mode);
}

static void a_users_socket_is_the_users(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	mode_t before = umask(0022);
	assert_int_equal(open_socket(fixture, true, &error), 0);
	assert_int_equal(umask(before), 0022); /* as it was */
	assert_mode(fixture->path, 0600);
}

static void everyone_may_connect_to_the_systems(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	assert_int_equal(open_socket(fixture, false, &error), 0);
	assert_mode(fixture->path, 0666);
	assert_mode(fixture->lock.path, 0600); /* or anyone could lock it, and keep the service out */
}

static void a_second_instance_is_told_of_the_first(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	struct svc_lock lock;
	struct svc_socket socket = {fixture->path, true};
	uv_pipe_t second;
	char holder[32];
	assert_int_equal(open_socket(fixture, true, &error), 0);
	uv_pipe_init(&fixture->loop, &second, 0);
	assert_int_equal(svc_socket_open(&second, &socket, &lock, &error), -1);
	assert_int_equal(error.code, MMT_BUSY);
	snprintf(holder, sizeof holder, "process %ld", (long)getpid());
	assert_non_null(strstr(error.message, holder));
	assert_non_null(strstr(error.message, fixture->path));
	close_pipe(fixture, &second);
	assert_int_equal(access(fixture->path, F_OK), 0); /* the first one's is untouched */
}

static void the_next_instance_gets_the_lock(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	struct svc_lock lock;
	assert_int_equal(open_socket(fixture, true, &error), 0);
	char *path = strdup(fixture->lock.path);
	svc_lock_release(&fixture->lock);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(svc_lock_take(&lock, path, "it", &error), 0);
	svc_lock_release(&lock);
	free(path);
}

static void a_dead_socket_is_replaced(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	close(bind_to(fixture->path));
	assert_int_equal(open_socket(fixture, true, &error), 0);
	assert_mode(fixture->path, 0600);
}

static void another_programs_socket_is_left_alone(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	int listener = bind_to(fixture->path);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(open_socket(fixture, true, &error), -1);
	assert_int_equal(error.code, MMT_BUSY);
	assert_int_equal(unlink(fixture->path), 0); /* it is still there */
	close(listener);
}

static void a_file_is_left_alone(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	close(open(fixture->path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(open_socket(fixture, true, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "not a socket"));
	assert_int_equal(unlink(fixture->path), 0);
}

static void a_long_path_is_refused_not_cut(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	char path[121];
	int length = snprintf(path, sizeof path, "%s/", fixture->folder);
	memset(path + length, 'x', sizeof path - 1 - (size_t)length);
	path[120] = '\0';
	struct svc_socket socket = {path, true};
	assert_int_equal(svc_socket_open(&fixture->pipe, &socket, &fixture->lock, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "120 bytes"));
	assert_non_null(strstr(error.message, "107"));
	/* tear_down finds the folder empty */
}

static void set_inherited(pid_t process)
{
	char text[24];
	snprintf(text, sizeof text, "%ld", (long)process);
	setenv("LISTEN_PID", text, 1);
	setenv("LISTEN_FDS", "1", 1);
}

static void systemds_socket_is_taken(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	int listener = bind_to(fixture->path);
	assert_int_equal(listen(listener, 1), 0);
	dup2(listener, 3);
	set_inherited(getpid());
	assert_int_equal(open_socket(fixture, true, &error), 0);
	assert_null(fixture->lock.path); /* it is systemd's: nothing to lock */
	assert_null(getenv("LISTEN_FDS"));
	uv_os_fd_t descriptor = -1;
	uv_fileno((const uv_handle_t *)&fixture->pipe, &descriptor);
	assert_int_equal(descriptor, 3);
	close(listener);
	assert_int_equal(fcntl(3, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(unlink(fixture->path), 0);
}

static void what_is_for_another_process_is_not_taken(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error;
	set_inherited(getpid() + 1);
	assert_int_equal(open_socket(fixture, true, &error), 0);
	assert_int_equal(access(fixture->path, F_OK), 0); /* its own */
	assert_null(getenv("LISTEN_FDS"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	/* Descriptor 3 is kept free of anything else until it is systemd's. */
	int reserved = open("/dev/null", O_RDONLY);
	dup2(reserved, 3);
	const struct CMUnitTest tests[] = {
		TEST(a_users_socket_is_the_users),
		TEST(everyone_may_connect_to_the_systems),
		TEST(a_second_instance_is_told_of_the_first),
		TEST(the_next_instance_gets_the_lock),
		TEST(a_dead_socket_is_replaced),
		TEST(another_programs_socket_is_left_alone),
		TEST(a_file_is_left_alone),
		TEST(a_long_path_is_refused_not_cut),
		TEST(systemds_socket_is_taken),
		TEST(what_is_for_another_process_is_not_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
