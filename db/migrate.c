#include "migrate.h"

#include <stdio.h>
#include <unistd.h>

#include "embedded.h"

extern const struct mmt_embedded db_migrations[];

int db_version_newest(void)
{
	int count = 0;
	while (db_migrations[count].path)
		count++;
	return count;
}

int db_version_get(struct db *db, struct mmt_error *error)
{
	int64_t version = 0;
	if (db_run(db, &version, "reading the schema's version", error, "PRAGMA user_version", "") < 0)
		return -1;
	/* negative: nobody writes that; a damaged header, and no version of ours */
	return version < 0 ? INT32_MAX : (int)version;
}

static int check_foreign_keys(struct db *db, int version, struct mmt_error *error)
{
	int rows = db_run(db, NULL, "checking foreign keys", error, "PRAGMA foreign_key_check", "");
	if (rows <= 0)
		return rows;
	return mmt_error_set(error, MMT_DATABASE, 0, "%s: migration %d leaves %d rows without their parent", db->path,
			     version, rows);
}

static int apply(struct db *db, int version, struct mmt_error *error)
{
	char finish[128], what[64];
	bool nested;
	snprintf(finish, sizeof(finish), "PRAGMA user_version = %d; PRAGMA application_id = %d", version,
		 DB_APPLICATION_ID);
	snprintf(what, sizeof(what), "migrating to version %d", version);
	if (db_write_begin(db, &nested, error) < 0)
		return -1;
	int status = db_execute(db, db_migrations[version - 1].content, what, error);
	if (status == 0)
		status = check_foreign_keys(db, version, error);
	if (status == 0)
		status = db_execute(db, finish, what, error);
	return db_write_end(db, nested, status, error);
}

/* Under another name until it is whole. */
static int copy_before(struct db *db, int version, struct mmt_error *error)
{
	int status = -1;
	char *copy = sqlite3_mprintf("%s.before-v%d", db->path, version);
	char *partial = sqlite3_mprintf("%s.before-v%d.partial", db->path, version);
	if (!copy || !partial) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while copying the database");
		goto out;
	}
	unlink(partial);
	if (db_backup(db, partial, error) < 0)
		goto out;
	if (rename(partial, copy) < 0) {
		mmt_error_errno(error, "cannot rename %s", partial);
		goto out;
	}
	status = 0;
out:
	sqlite3_free(partial);
	sqlite3_free(copy);
	return status;
}

static void forget_older_copies(struct db *db, int version)
{
	for (int older = 1; older < version; older++) {
		char *copy = sqlite3_mprintf("%s.before-v%d", db->path, older);
		if (copy)
			unlink(copy);
		sqlite3_free(copy);
	}
}

int db_migrate(struct db *db, int version, int target, bool backup, struct mmt_error *error)
{
	int status = 0;
	if (version == target)
		return 0;
	if (backup && copy_before(db, target, error) < 0)
		return -1;
	/* A migration may rebuild a table that others refer to (sqlite.org/lang_altertable.html, 7). The pragma
	 * does nothing inside a transaction. */
	if (db_execute(db, "PRAGMA foreign_keys = OFF", "migrating", error) < 0)
		return -1;
	while (status == 0 && version < target)
		status = apply(db, ++version, error);
	if (db_execute(db, "PRAGMA foreign_keys = ON", "migrating", status == 0 ? error : NULL) < 0)
		status = -1;
	if (status == 0 && backup)
		forget_older_copies(db, target);
	return status;
}
