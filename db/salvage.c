/* salvage.c: renaming, so that a kill at any moment loses nothing:
 *
 *	FILE (damaged) --rows--> FILE.salvaging --whole and synced--> FILE.salvaged
 *	FILE-wal, FILE-shm, then FILE --> FILE.damaged-TIME...		FILE.salvaged --> FILE
 *
 * The next start drops a FILE.salvaging, and puts FILE.salvaged in its place if
 * FILE is gone. The WAL moves first: it must never meet another FILE. */
#include "salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inspect.h"
#include "migrate.h"
#include "open.h"
#include "rows.h"

struct names {
	char *salvaging, *journal, *salvaged, *folder;
};

static void names_finish(struct names *names)
{
	sqlite3_free(names->salvaging);
	sqlite3_free(names->journal);
	sqlite3_free(names->salvaged);
	sqlite3_free(names->folder);
}

static int names_init(struct names *names, const char *path, struct mmt_error *error)
{
	const char *slash = strrchr(path, '/');
	*names = (struct names){
		.salvaging = sqlite3_mprintf("%s.salvaging", path),
		.journal = sqlite3_mprintf("%s.salvaging-journal", path),
		.salvaged = sqlite3_mprintf("%s.salvaged", path),
		.folder = sqlite3_mprintf("%.*s/", slash ? (int)(slash - path) : 1, slash ? path : "."),
	};
	if (names->salvaging && names->journal && names->salvaged && names->folder)
		return 0;
	names_finish(names);
	return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while salvaging %s", path);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0 || errno != ENOENT;
}

static int move(const char *from, const char *to, struct mmt_error *error)
{
	if (rename(from, to) == 0)
		return 0;
	return mmt_error_errno(error, "cannot rename %s to %s", from, to);
}

/* As a URI that tells SQLite to ask for no lock and to look at no WAL, caller frees (sqlite3_free). */
static char *immutable_uri(const char *path)
{
	sqlite3_str *uri = sqlite3_str_new(NULL);
	sqlite3_str_appendall(uri, "file:");
	for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
		if (strchr("%?#", *at) || *at < ' ' || *at > '~')
			sqlite3_str_appendf(uri, "%%%02x", *at);
		else
			sqlite3_str_appendchar(uri, 1, (char)*at);
	}
	sqlite3_str_appendall(uri, "?immutable=1");
	return sqlite3_str_finish(uri);
}

/* Without writing to it. A WAL in a folder that cannot be written has no place for its index:
 * then what the last checkpoint left is all there is to read. 1: connected; 0: too damaged for it. */
static int connect_source(struct db *from, struct mmt_error *error)
{
	if (db_connect(from, from->path, SQLITE_OPEN_READONLY, error) == 0) {
		if (db_run(from, NULL, "reading the schema", error, "SELECT 1 FROM sqlite_schema", "") >= 0)
			return 1;
		db_disconnect(from);
	}
	if (db_code_is_damage(error->foreign))
		return 0;
	char *uri = immutable_uri(from->path);
	if (!uri)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while salvaging %s", from->path);
	int status = db_connect(from, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
	sqlite3_free(uri);
	return status == 0 ? 1 : -1;
}

/* In the order in which the schema made them, so that a parent comes before its children. */
static int copy_tables(struct db *from, struct db *into, struct db_opened *counts, struct mmt_error *error)
{
	int status;
	sqlite3_stmt *row = db_prepare(into,
				       "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE "
				       "'sqlite!_%' ESCAPE '!' ORDER BY rowid",
				       error, "");
	if (!row)
		return -1;
	while ((status = db_step(into, row, "salvaging", error)) == 1) {
		if (db_rows_copy(from, into, db_column_text(row, 0), counts, error) < 0) {
			status = -1;
			break;
		}
	}
	sqlite3_finalize(row);
	return status;
}

/* The copy gets the schema of its source first, so that the columns are the same. */
static int copy_as_is(struct db *from, struct db *into, int version, struct db_opened *counts, struct mmt_error *error)
{
	bool nested;
	if (db_migrate(into, 0, version, false, error) < 0 || db_write_begin(into, &nested, error) < 0)
		return -1;
	return db_write_end(into, nested, copy_tables(from, into, counts, error), error);
}

int db_salvage_rows(const char *path, struct db *into, struct db_opened *opened, struct mmt_error *error)
{
	int version = 0, newest = db_version_newest();
	struct db *from = db_allocate(path, error);
	int status = from ? connect_source(from, error) : -1;
	if (status == 1) {
		enum db_found found = db_inspect(from, &version, error);
		/* what a damaged header says of its version is not to be trusted */
		if (version < 1 || version > newest)
			version = newest;
		status = found == DB_REFUSED ? -1 : copy_as_is(from, into, version, opened, error);
	} else {
		version = 0;
	}
	db_close(from);
	return status < 0 ? -1 : db_migrate(into, version, newest, false, error);
}

static int write_new(const char *path, struct names *names, struct db_opened *opened, struct mmt_error *error)
{
	struct db *into = db_allocate(names->salvaging, error);
	int status = -1;
	if (into && db_connect(into, names->salvaging, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error) == 0)
		status = db_salvage_rows(path, into, opened, error);
	db_close(into);
	if (status == 0)
		status = db_sync_path(names->salvaging, error);
	if (status == 0)
		status = move(names->salvaging, names->salvaged, error);
	return status;
}

/* Where suffixed neighbours of a taken name exist, the next number is tried. Caller frees (sqlite3_free). */
static char *free_name(const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	char stamp[32];
	time_t now = time(NULL);
	struct tm utc;
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	for (int number = 0; number < 10000; number++) {
		bool taken = false;
		char *name = number ? sqlite3_mprintf("%s.damaged-%s.%d", path, stamp, number)
				    : sqlite3_mprintf("%s.damaged-%s", path, stamp);
		for (size_t i = 0; name && i < 3; i++) {
			char *full = sqlite3_mprintf("%s%s", name, suffixes[i]);
			taken = taken || !full || exists(full);
			sqlite3_free(full);
		}
		if (name && !taken)
			return name;
		sqlite3_free(name);
	}
	return NULL;
}

static int set_aside(const char *path, struct db_opened *opened, struct mmt_error *error)
{
	static const char *const suffixes[] = {"-wal", "-shm", ""};
	int status = 0;
	char *name = free_name(path);
	if (!name)
		return mmt_error_set(error, MMT_DATABASE, 0, "%s is damaged, and no name is free to set it aside",
				     path);
	for (size_t i = 0; i < 3 && status == 0; i++) {
		char *from = sqlite3_mprintf("%s%s", path, suffixes[i]);
		char *to = sqlite3_mprintf("%s%s", name, suffixes[i]);
		if (!from || !to)
			status = mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while salvaging %s", path);
		else if (exists(from))
			status = move(from, to, error);
		sqlite3_free(from);
		sqlite3_free(to);
	}
	snprintf(opened->set_aside, sizeof(opened->set_aside), "%s", name);
	sqlite3_free(name);
	return status;
}

int db_salvage(const char *path, struct db_opened *opened, struct mmt_error *error)
{
	struct names names;
	if (names_init(&names, path, error) < 0)
		return -1;
	int status = write_new(path, &names, opened, error);
	if (status == 0)
		status = set_aside(path, opened, error);
	if (status == 0)
		status = move(names.salvaged, path, error);
	if (status == 0)
		status = db_sync_path(names.folder, error);
	names_finish(&names);
	return status;
}

int db_salvage_resume(const char *path, struct mmt_error *error)
{
	struct names names;
	int status = 0;
	if (names_init(&names, path, error) < 0)
		return -1;
	unlink(names.salvaging);
	unlink(names.journal);
	if (exists(names.salvaged)) {
		if (exists(path))
			unlink(names.salvaged); /* FILE is still the damaged one: it is salvaged again */
		else
			status = move(names.salvaged, path, error);
	}
	names_finish(&names);
	return status;
}
