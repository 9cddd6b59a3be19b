/* lock.c: see lock.h.
 *
 * The holder removes the file while it still has the lock. Who opened it just
 * before then locks a file without a name: after each success the path is
 * looked up again, and unless it is the same file the whole is repeated. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_still_at(int descriptor, const char *path)
{
	struct stat held, named;
	return fstat(descriptor, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

static int busy(int descriptor, const char *path, const char *what, struct mmt_error *error)
{
	char holder[24] = "";
	ssize_t length = pread(descriptor, holder, sizeof holder - 1, 0);
	holder[length > 0 ? length : 0] = '\0';
	holder[strspn(holder, "0123456789")] = '\0';
	if (holder[0] == '\0')
		return mmt_error_set(error, MMT_BUSY, EWOULDBLOCK, "%s is in use by another instance (lock file %s)",
				     what, path);
	return mmt_error_set(error, MMT_BUSY, EWOULDBLOCK, "%s is in use by process %s (lock file %s)", what, holder,
			     path);
}

static int write_holder(int descriptor, const char *path, struct mmt_error *error)
{
	char holder[24];
	int length = snprintf(holder, sizeof holder, "%ld\n", (long)getpid());
	if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, holder, (size_t)length, 0) != length)
		return mmt_error_errno(error, "cannot write the lock file %s", path);
	return 0;
}

int svc_lock_take(struct svc_lock *lock, const char *path, const char *what, struct mmt_error *error)
{
	*lock = (struct svc_lock){.descriptor = -1};
	int descriptor = -1;
	do {
		if (descriptor >= 0)
			close(descriptor);
		descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (descriptor < 0)
			return mmt_error_errno(error, "cannot open the lock file %s", path);
		if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
			int status = errno == EWOULDBLOCK ? busy(descriptor, path, what, error)
							  : mmt_error_errno(error, "cannot lock %s", path);
			close(descriptor);
			return status;
		}
	} while (!is_still_at(descriptor, path));

	char *copy = strdup(path);
	if (copy == NULL || write_holder(descriptor, path, error) != 0) {
		if (copy == NULL)
			mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory to lock %s", path);
		free(copy);
		close(descriptor);
		return -1;
	}
	*lock = (struct svc_lock){descriptor, copy};
	return 0;
}

void svc_lock_release(struct svc_lock *lock)
{
	if (lock->path == NULL)
		return;
	unlink(lock->path);
	close(lock->descriptor);
	free(lock->path);
	*lock = (struct svc_lock){.descriptor = -1};
}
