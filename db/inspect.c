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

/* After a statement failed. */
static enum db_found damaged_or_refused(struct db *db)
{
	return db_code_is_damage(sqlite3_errcode(db->connection)) ? DB_DAMAGED : DB_REFUSED;
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

/* The verdict comes as rows: through sqlite3_exec without a callback a damaged tree would pass.
 * Not quick_check: that does not compare indices with their tables, and an index that lost its
 * way gives another problem's rows. 100,000 trials: 0.25 s, half of it for that. */
static enum db_found check_trees(struct db *db, struct mmt_error *error)
{
	enum db_found found = DB_DAMAGED;
	sqlite3_stmt *row = db_prepare(db, "PRAGMA integrity_check(1)", error, "");
	if (!row)
		return damaged_or_refused(db);
	int status = db_step(db, row, "checking the database", error);
	const char *text = status == 1 ? db_column_text(row, 0) : NULL;
	if (status < 0)
		found = damaged_or_refused(db);
	else if (text && strcmp(text, "ok") == 0)
		found = DB_USABLE;
	else
		mmt_error_set(error, MMT_DATABASE, SQLITE_CORRUPT, "%s is damaged: %s", db->path, text ? text : "");
	sqlite3_finalize(row);
	return found;
}

/* What SQLite does not notice: a value that is another than what was written. */
static enum db_found check_trials(struct db *db, struct mmt_error *error)
{
	int64_t damaged = db_trials_damaged(db, error);
	if (damaged < 0)
		return damaged_or_refused(db);
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
		return damaged_or_refused(db);
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
		found = check_trees(db, error);
	if (found == DB_USABLE && *version > 0)
		found = check_trials(db, error);
	/* hands off: closing would otherwise write a WAL that is not ours, or not whole, into the file */
	if (found != DB_USABLE)
		sqlite3_db_config(db->connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return found;
}
