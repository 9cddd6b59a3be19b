/* inspect.c: whose database a file is, which version, and whether it is whole. */
#include "inspect.h"

#include <string.h>

#include "migrate.h"
#include "open.h"
#include "trials.h"

bool db_code_is_damage(int code)
{
	return (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
}

/* Whether all tables of version 1 are there: a header may lie, eight tables do not. */
static int has_our_tables(struct db *db, bool *empty, bool *ours, struct mmt_error *error)
{
	int64_t tables = 0, known = 0;
	if (db_run(db, &tables, "reading the schema", error, "SELECT count(*) FROM sqlite_schema", "") < 0 ||
	    db_run(db, &known, "reading the schema", error,
		   "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('devices', 'environments', "
		   "'problems', 'variants', 'jobs', 'trials', 'promotions', 'best')",
		   "") < 0)
		return -1;
	*empty = tables == 0;
	*ours = known == 8;
	return 0;
}

/* One check and its verdict. quick_check reports through rows: through sqlite3_exec
 * without a callback a damaged tree would pass. */
static enum db_found run_check(struct db *db, const char *pragma, struct mmt_error *error)
{
	enum db_found found = DB_DAMAGED;
	sqlite3_stmt *row = db_prepare(db, pragma, error, "");
	if (!row)
		return db_code_is_damage(sqlite3_errcode(db->connection)) ? DB_DAMAGED : DB_REFUSED;
	int status = db_step(db, row, "checking the database", error);
	if (status == 1) {
		const char *text = db_column_text(row, 0);
		found = text && strcmp(text, "ok") == 0 ? DB_USABLE : DB_DAMAGED;
		if (found == DB_DAMAGED)
			mmt_error_set(error, MMT_DATABASE, SQLITE_CORRUPT, "%s is damaged: %s", db->path,
				      text ? text : "");
	} else if (!db_code_is_damage(sqlite3_errcode(db->connection))) {
		found = DB_REFUSED;
	}
	sqlite3_finalize(row);
	return found;
}

/* quick_check walks every tree; integrity_check on the small tables also compares
 * their rows with their indices, which hold the same text once more; trials have
 * checksums. Together: a flipped bit is noticed wherever it matters. */
static enum db_found check_content(struct db *db, struct mmt_error *error)
{
	static const char *const checks[] = {
		"PRAGMA quick_check(1)",
		"PRAGMA integrity_check('devices')",
		"PRAGMA integrity_check('environments')",
		"PRAGMA integrity_check('problems')",
		"PRAGMA integrity_check('variants')",
		"PRAGMA integrity_check('best')",
	};
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		enum db_found found = run_check(db, checks[i], error);
		if (found != DB_USABLE)
			return found;
	}
	int64_t damaged = db_trials_damaged(db, error);
	if (damaged < 0)
		return db_code_is_damage(sqlite3_errcode(db->connection)) ? DB_DAMAGED : DB_REFUSED;
	if (damaged == 0)
		return DB_USABLE;
	mmt_error_set(error, MMT_DATABASE, SQLITE_CORRUPT, "%s is damaged: %lld trials differ from their checksum",
		      db->path, (long long)damaged);
	return DB_DAMAGED;
}

/* A bit that flips in the schema's text renames a column, or loosens a check, and SQLite sees nothing
 * wrong. So everything that the migrations make must be there, word for word; more may be there. */
static enum db_found check_schema(struct db *db, int version, struct mmt_error *error)
{
	static const char digest[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL";
	struct db *expected = db_allocate(":memory:", error);
	enum db_found found = DB_REFUSED;
	sqlite3_stmt *row = NULL;
	if (!expected || db_connect(expected, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error) < 0 ||
	    db_migrate(expected, 0, version, false, error) < 0)
		goto out;
	row = db_prepare(expected, digest, error, "");
	int status = row ? 1 : -1;
	while (status == 1 && (status = db_step(expected, row, "reading the schema", error)) == 1)
		status = db_run(db, NULL, "comparing the schema", error,
				"SELECT 1 FROM sqlite_schema WHERE type = ?1 AND name = ?2 AND tbl_name = ?3 AND sql = "
				"?4",
				"tttt", db_column_text(row, 0), db_column_text(row, 1), db_column_text(row, 2),
				db_column_text(row, 3)) == 1
				 ? 1
				 : -2;
	found = status == 0 ? DB_USABLE : status == -2 ? DB_DAMAGED : DB_REFUSED;
	if (found == DB_DAMAGED)
		mmt_error_set(error, MMT_DATABASE, SQLITE_CORRUPT, "%s is damaged: its schema is not version %d",
			      db->path, version);
out:
	sqlite3_finalize(row);
	db_close(expected);
	return found;
}

static enum db_found inspect_identity(struct db *db, int *version, struct mmt_error *error)
{
	bool empty, ours;
	int64_t application = 0;
	*version = 0;
	if (db_run(db, &application, "reading the header", error, "PRAGMA application_id", "") < 0 ||
	    has_our_tables(db, &empty, &ours, error) < 0 || (*version = db_version_get(db, error)) < 0)
		return db_code_is_damage(sqlite3_errcode(db->connection)) ? DB_DAMAGED : DB_REFUSED;
	if (application != DB_APPLICATION_ID && !empty && !ours) {
		mmt_error_set(error, MMT_DATABASE, 0, "%s is the database of another program (application id 0x%llx)",
			      db->path, (unsigned long long)application);
		return DB_REFUSED;
	}
	if (*version > db_version_newest()) {
		mmt_error_set(error, MMT_DATABASE, 0,
			      "%s has schema version %d, newer than version %d, the newest this program knows",
			      db->path, *version, db_version_newest());
		return DB_REFUSED;
	}
	if (empty && *version == 0)
		return DB_USABLE;
	return *version > 0 && !empty ? DB_USABLE : DB_DAMAGED;
}

enum db_found db_inspect(struct db *db, int *version, struct mmt_error *error)
{
	enum db_found found = inspect_identity(db, version, error);
	if (found == DB_USABLE && *version > 0)
		found = check_schema(db, *version, error);
	if (found == DB_USABLE && *version > 0)
		found = check_content(db, error);
	/* hands off: closing would otherwise write a WAL that is not ours, or not whole, into the file */
	if (found != DB_USABLE)
		sqlite3_db_config(db->connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return found;
}
