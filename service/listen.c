/* listen.c: see listen.h. */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define INHERITED_DESCRIPTOR 3 /* SD_LISTEN_FDS_START: sd_listen_fds(3) */

/* How many sockets systemd handed to this very process; the variables are taken away, so that no child believes them.
 */
static long inherited_sockets(void)
{
	const char *process = getenv("LISTEN_PID"), *sockets = getenv("LISTEN_FDS");
	long count = 0;
	if (process != NULL && sockets != NULL && strtol(process, NULL, 10) == (long)getpid())
		count = strtol(sockets, NULL, 10);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return count > 0 ? count : 0;
}

static int open_inherited(uv_pipe_t *pipe, long count, struct mmt_error *error)
{
	if (count > 1)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "systemd handed over %ld sockets, not one", count);
	int domain = 0, type = 0, listening = 0;
	socklen_t length = sizeof domain;
	if (getsockopt(INHERITED_DESCRIPTOR, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 ||
	    getsockopt(INHERITED_DESCRIPTOR, SOL_SOCKET, SO_TYPE, &type, &length) != 0 ||
	    getsockopt(INHERITED_DESCRIPTOR, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length) != 0)
		return mmt_error_errno(error, "descriptor 3, which systemd handed over, is no socket");
	if (domain != AF_UNIX || type != SOCK_STREAM || !listening)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "descriptor 3, which systemd handed over, is no listening Unix stream socket");
	fcntl(INHERITED_DESCRIPTOR, F_SETFD, FD_CLOEXEC);
	int status = uv_pipe_open(pipe, INHERITED_DESCRIPTOR);
	if (status != 0)
		return mmt_error_set(error, MMT_SYSTEM, -status, "cannot use descriptor 3: %s", uv_strerror(status));
	return 0;
}

/* Whether a process listens there, lock or no lock. */
static bool is_served(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strncpy(address.sun_path, path, sizeof address.sun_path - 1);
	int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (descriptor < 0)
		return false;
	bool served = connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0 || errno == EAGAIN;
	close(descriptor);
	return served;
}

static int remove_dead(const char *path, struct mmt_error *error)
{
	struct stat found;
	if (lstat(path, &found) != 0)
		return errno == ENOENT ? 0 : mmt_error_errno(error, "cannot look at %s", path);
	if (!S_ISSOCK(found.st_mode))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s exists and is not a socket: not replaced",
				     path);
	if (is_served(path))
		return mmt_error_set(error, MMT_BUSY, EADDRINUSE, "another process listens on the socket %s", path);
	if (unlink(path) != 0)
		return mmt_error_errno(error, "cannot remove the dead socket %s", path);
	return 0;
}

static int bind_path(uv_pipe_t *pipe, const struct svc_socket *socket, struct mmt_error *error)
{
	/* The mode must be right from the first moment, and uv_pipe_chmod would add execute permission. */
	mode_t before = umask(socket->private ? 0177 : 0111);
	int status = uv_pipe_bind(pipe, socket->path);
	umask(before);
	if (status != 0)
		return mmt_error_set(error, MMT_SYSTEM, -status, "cannot bind the socket %s: %s", socket->path,
				     uv_strerror(status));
	return 0;
}

int svc_socket_open(uv_pipe_t *pipe, const struct svc_socket *socket, struct svc_lock *lock, struct mmt_error *error)
{
	*lock = (struct svc_lock){.descriptor = -1};
	long inherited = inherited_sockets();
	if (inherited > 0)
		return open_inherited(pipe, inherited, error);

	size_t length = strlen(socket->path);
	if (length > SVC_SOCKET_PATH_BYTES)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, ENAMETOOLONG,
				     "the socket path is %zu bytes long, a Unix socket allows %d: %s", length,
				     SVC_SOCKET_PATH_BYTES, socket->path);
	char lock_path[PATH_MAX], what[PATH_MAX];
	snprintf(lock_path, sizeof lock_path, "%s.lock", socket->path);
	snprintf(what, sizeof what, "the socket %s", socket->path);
	if (svc_lock_take(lock, lock_path, what, error) != 0)
		return -1;
	if (remove_dead(socket->path, error) == 0 && bind_path(pipe, socket, error) == 0)
		return 0;
	svc_lock_release(lock);
	return -1;
}
