/* salvage.h: what can still be read of a damaged database.
 *
 * Every table is read row by row, past the pages that fail, into a new file;
 * a row that does not fit (a parent is lost, a check or a checksum fails) is
 * left behind. The damaged file is renamed, never changed or deleted.
 *
 * Thread: as db.h. */
#ifndef MMT_DB_SALVAGE_H
#define MMT_DB_SALVAGE_H

#include "statement.h"

/* FILE becomes FILE.damaged-TIME (with its -wal and -shm), and a new FILE
 * holds the salvaged rows. Fills opened->set_aside, salvaged_rows, refused_rows. */
int db_salvage(const char *path, struct db_opened *opened, struct mmt_error *error);
/* Finishes a db_salvage() that was killed half way. */
int db_salvage_resume(const char *path, struct mmt_error *error);
/* Copies what can be read of path, whole or damaged, into a database that is
 * connected and empty, and migrates that. Fills the same numbers. */
int db_salvage_rows(const char *path, struct db *into, struct db_opened *opened, struct mmt_error *error);

#endif
