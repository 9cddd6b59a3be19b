/* lock.h: a file that says who is here: one instance for a socket, one for a
 * state directory.
 *
 * The lock is flock(2)'s, so it goes with the process however that ends; the
 * file holds the holder's process id, for the message that the next one gives.
 * It is mode 0600: who can open a file can lock it, and so could keep the
 * service from starting.
 *
 * Thread: any one. */
#ifndef MMT_SERVICE_LOCK_H
#define MMT_SERVICE_LOCK_H

#include "mmtune/error.h"

struct svc_lock {
	int descriptor; /* -1: not held */
	char *path;
};

/* Takes the lock or fails at once: MMT_BUSY "WHAT is in use by process 123 (lock file PATH)",
 * MMT_SYSTEM with errno (EROFS, EACCES ...). On failure *lock is not held. */
int svc_lock_take(struct svc_lock *lock, const char *path, const char *what, struct mmt_error *error);
/* Removes the file and lets go. A lock that is not held is allowed. */
void svc_lock_release(struct svc_lock *lock);

#endif
