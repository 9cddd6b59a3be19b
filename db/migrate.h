/* migrate.h: the schema's versions. migrations/NNNN_name.sql makes version
 * NNNN out of the one before; a file, once released, never changes.
 *
 * Each runs in one transaction together with its user_version, so that a kill
 * leaves the version before or the version after. An existing database is
 * first copied to FILE.before-vN; only the newest such copy is kept.
 *
 * Thread: as db.h. */
#ifndef MMT_DB_MIGRATE_H
#define MMT_DB_MIGRATE_H

#include "statement.h"

#define DB_APPLICATION_ID 0x6d6d7475 /* "mmtu", in the file's header (sqlite.org/fileformat2.html, 1.3.15) */

int db_version_newest(void);
/* Of this file: 0 for an empty one. -1: *error. */
int db_version_get(struct db *db, struct mmt_error *error);
/* From version to target (at most the newest). With backup, a copy is made first. */
int db_migrate(struct db *db, int version, int target, bool backup, struct mmt_error *error);

#endif
