/* store.h: the thread that owns the database.
 *
 * The loop never waits for a disk: it posts a piece of work, which runs on the
 * store's thread with the database, in order; when it is done its `done` runs
 * on the loop. A full disk, a locked file: the work's error comes back, the
 * loop goes on answering from memory.
 *
 * While another process holds a lock on the file, work that fails with MMT_BUSY
 * is done again until the lock is gone, or until it has waited long enough;
 * reads do not wait behind it, since a lock for writing does not concern them.
 *
 * Thread: post from the loop's thread only. work runs on the store's thread
 * and must touch nothing but its context and db; what failed with MMT_BUSY may
 * run again with the same context. */
#ifndef MMT_SERVICE_STORE_H
#define MMT_SERVICE_STORE_H

#include "db.h"
#include "service.h"

typedef int svc_store_work(struct db *db, void *context, struct mmt_error *error);
typedef void svc_store_done(void *context, int status, const struct mmt_error *error);

/* Opens the database (path ":memory:" for tests) and starts the thread. */
struct svc_store *svc_store_create(uv_loop_t *loop, const char *path, struct db_opened *opened,
				   struct mmt_error *error);
/* For when that fails: what the file holds, as a copy in memory (db_open_read_only), or an empty
 * database in memory where it cannot be read. Nothing that is written lasts. */
struct svc_store *svc_store_create_in_memory(uv_loop_t *loop, const char *path, struct db_opened *opened,
					     struct mmt_error *error);
/* Finishes all posted work, runs what is left of done, joins, closes. */
void svc_store_destroy(struct svc_store *store); /* NULL is allowed */

/* done may be NULL; its error is NULL when status is 0. Out of memory, it is told at once. The context is the caller's;
 * it must live until done. */
void svc_store_post(struct svc_store *store, svc_store_work *work, svc_store_done *done, void *context);
/* Work that only reads: it may overtake work that waits for a lock. */
void svc_store_post_read(struct svc_store *store, svc_store_work *work, svc_store_done *done, void *context);
/* Results that must not be lost: waits for another process's lock as long as it is held. */
void svc_store_post_patiently(struct svc_store *store, svc_store_work *work, svc_store_done *done, void *context);
/* The service ends: no work waits for a lock any more, but for a moment. */
void svc_store_hurry(struct svc_store *store);
/* For start-up only: runs work on the store's thread and waits for it. */
int svc_store_run(struct svc_store *store, svc_store_work *work, void *context, struct mmt_error *error);

#endif
