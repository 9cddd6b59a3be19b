/* listen.h: gets the socket that clients connect to.
 *
 * Either ours: the lock beside it is taken, a dead file replaced, the path
 * bound with the mode that lets everyone ask (or only the user, for a user's
 * own instance). Or systemd's (LISTEN_FDS): descriptor 3, taken as it is.
 *
 * Thread: the loop's; uses umask(2), so call it while there is one thread. */
#ifndef MMT_SERVICE_LISTEN_H
#define MMT_SERVICE_LISTEN_H

#include <stdbool.h>
#include <uv.h>

#include "lock.h"
#include "mmtune/error.h"

#define SVC_SOCKET_PATH_BYTES 107 /* sizeof sun_path - 1: unix(7) */

struct svc_socket {
	const char *path; /* borrowed for the call */
	bool private;     /* mode 0600, else 0666 */
};

/* Opens or binds into an initialised pipe; listening is the caller's. *lock is taken unless the
 * socket was inherited. Errors: MMT_INVALID_ARGUMENT (path too long, not a socket), MMT_BUSY
 * (served by another process), MMT_SYSTEM. */
int svc_socket_open(uv_pipe_t *pipe, const struct svc_socket *socket, struct svc_lock *lock, struct mmt_error *error);

#endif
