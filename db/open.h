/* open.h: one connection: what db_open() and the salvage are both made of.
 *
 * Thread: as db.h. */
#ifndef MMT_DB_OPEN_H
#define MMT_DB_OPEN_H

#include "statement.h"

/* Opens path with SQLite's flags and our settings; a read-only connection is
 * lenient with damage. -1: *error; db->connection is then closed. */
int db_connect(struct db *db, const char *path, int flags, struct mmt_error *error);
void db_disconnect(struct db *db);

/* A struct db without a connection; NULL with *error. db_close() ends it. */
struct db *db_allocate(const char *path, struct mmt_error *error);

/* fsync(2) of a file or folder by its name. */
int db_sync_path(const char *path, struct mmt_error *error);

#endif
