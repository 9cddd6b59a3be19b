/* open.c: opening, closing and copying the database.
 *
 *	connect -> inspect --usable--> migrate -> WAL
 *	              |--damaged--> salvage into a new file, set FILE aside, and once more
 *	              `--refused--> newer, foreign, locked, unreadable: FILE is not touched
 *
 * Whoever opens has made sure to be alone on the file (the service locks its
 * state directory): two that salvage at once would harm each other. */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspect.h"
#include "migrate.h"
#include "salvage.h"

/* How long a statement waits for another process's lock. */
#define BUSY_TIMEOUT_MS 5000

struct db *db_allocate(const char *path, struct mmt_error *error)
{
	struct db *db = calloc(1, sizeof(*db));
	if (db)
		db->path = strdup(path);
	if (db && db->path)
		return db;
	db_close(db);
	mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while opening %s", path);
	return NULL;
}

void db_disconnect(struct db *db)
{
	sqlite3_close_v2(db->connection);
	db->connection = NULL;
}

void db_set_patience(struct db *db, int milliseconds)
{
	sqlite3_busy_timeout(db->connection, milliseconds);
}

void db_close(struct db *db)
{
	if (!db)
		return;
	db_disconnect(db);
	free(db->path);
	free(db);
}

/* cache_size is in KiB when negative: the service stays small. cell_size_check finds damage early,
 * recursive_triggers lets REPLACE meet the delete trigger of trials. */
static const char settings[] = "PRAGMA foreign_keys = ON;"
			       "PRAGMA recursive_triggers = ON;"
			       "PRAGMA trusted_schema = OFF;"
			       "PRAGMA cell_size_check = ON;"
			       "PRAGMA cache_size = -2000;"
			       "PRAGMA mmap_size = 0;"
			       "PRAGMA synchronous = FULL;"
			       "PRAGMA journal_size_limit = 4194304;";

/* For a source of salvage: with a writable schema SQLite reads a file that is shorter than its header
 * says. Nothing is written, the connection is read-only. */
static const char lenient_settings[] = "PRAGMA writable_schema = ON;"
				       "PRAGMA trusted_schema = OFF;"
				       "PRAGMA cache_size = -2000;"
				       "PRAGMA mmap_size = 0;";

int db_connect(struct db *db, const char *path, int flags, struct mmt_error *error)
{
	bool read_only = flags & SQLITE_OPEN_READONLY;
	int code = sqlite3_open_v2(path, &db->connection, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
	if (code == SQLITE_OK) {
		sqlite3_busy_timeout(db->connection, BUSY_TIMEOUT_MS);
		sqlite3_db_config(db->connection, SQLITE_DBCONFIG_DEFENSIVE, !read_only, NULL);
		code = sqlite3_exec(db->connection, read_only ? lenient_settings : settings, NULL, NULL, NULL);
	}
	if (code == SQLITE_OK)
		return 0;
	db_fail(db, code, "opening the database", error);
	db_disconnect(db);
	return -1;
}

static int not_writable(const char *path, struct mmt_error *error)
{
	if (errno == EACCES || errno == EPERM || errno == EROFS)
		return mmt_error_set(error, MMT_READ_ONLY, errno, "cannot write %s: %s", path, strerror(errno));
	return mmt_error_errno(error, "cannot open %s", path);
}

/* The folder takes the WAL, so that it must be writable too. */
static int check_folder(const char *path, struct mmt_error *error)
{
	const char *slash = strrchr(path, '/');
	int length = slash == path ? 1 : slash ? (int)(slash - path) : 1;
	char *folder = sqlite3_mprintf("%.*s", length, slash ? path : ".");
	if (!folder)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while opening %s", path);
	int status = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS);
	if (status < 0)
		not_writable(folder, error);
	sqlite3_free(folder);
	return status;
}

/* Before SQLite opens the file: closing a descriptor of it would drop the locks that SQLite holds in
 * this process. After this, 'read-only' can only mean a damaged header. */
static int check_writable(const char *path, struct mmt_error *error)
{
	struct stat about;
	if (check_folder(path, error) < 0)
		return -1;
	int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (descriptor < 0)
		return errno == ENOENT ? 0 : not_writable(path, error);
	bool regular = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
	close(descriptor);
	return regular ? 0 : mmt_error_set(error, MMT_DATABASE, 0, "%s is not a regular file", path);
}

static int set_wal(struct db *db, struct mmt_error *error)
{
	return db_run(db, NULL, "setting the journal mode", error, "PRAGMA journal_mode = WAL", "") < 0 ? -1 : 0;
}

/* Migrates and sets the journal mode; what fails here decides as the inspection does. */
static enum db_found make_current(struct db *db, int version, bool backup, struct mmt_error *error)
{
	if (db_migrate(db, version, db_version_newest(), backup, error) == 0 && set_wal(db, error) == 0)
		return DB_USABLE;
	return error->code == MMT_READ_ONLY || db_code_is_damage(error->foreign) ? DB_DAMAGED : DB_REFUSED;
}

static enum db_found open_connection(struct db *db, struct db_opened *opened, struct mmt_error *error)
{
	int version = 0;
	if (db_connect(db, db->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error) < 0)
		return db_code_is_damage(error->foreign) ? DB_DAMAGED : DB_REFUSED;
	enum db_found found = db_inspect(db, &version, error);
	if (found == DB_USABLE)
		found = make_current(db, version, version > 0, error);
	if (found == DB_USABLE) {
		opened->created = version == 0;
		opened->migrated_from = version > 0 && version < db_version_newest() ? version : -1;
	} else {
		db_disconnect(db);
	}
	return found;
}

static void note_place(struct db *db)
{
	struct stat about;
	if (stat(db->path, &about) == 0) {
		db->device = about.st_dev;
		db->inode = about.st_ino;
	}
}

static int open_file(struct db *db, struct db_opened *opened, struct mmt_error *error)
{
	if (check_writable(db->path, error) < 0 || db_salvage_resume(db->path, error) < 0)
		return -1;
	enum db_found found = open_connection(db, opened, error);
	if (found == DB_DAMAGED) {
		if (db_salvage(db->path, opened, error) < 0)
			return -1;
		found = open_connection(db, opened, error);
		opened->created = false;
	}
	if (found == DB_USABLE)
		note_place(db);
	return found == DB_USABLE ? 0 : -1;
}

static int connect_memory(struct db *db, struct mmt_error *error)
{
	return db_connect(db, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error);
}

static int open_memory(struct db *db, struct db_opened *opened, struct mmt_error *error)
{
	opened->created = true;
	return connect_memory(db, error) < 0 ? -1 : db_migrate(db, 0, db_version_newest(), false, error);
}

static struct db *open_by(int (*how)(struct db *db, struct db_opened *opened, struct mmt_error *error),
			  const char *path, struct db_opened *opened, struct mmt_error *error)
{
	struct db_opened ignored;
	struct mmt_error local;
	opened = opened ? opened : &ignored;
	error = error ? error : &local;
	*opened = (struct db_opened){.migrated_from = -1};
	*error = (struct mmt_error){0};
	struct db *db = db_allocate(path, error);
	if (!db || how(db, opened, error) == 0)
		return db;
	db_close(db);
	return NULL;
}

struct db *db_open(const char *path, struct db_opened *opened, struct mmt_error *error)
{
	return open_by(strcmp(path, ":memory:") == 0 ? open_memory : open_file, path, opened, error);
}

static int open_copy(struct db *db, struct db_opened *opened, struct mmt_error *error)
{
	struct stat about;
	opened->read_only = true;
	/* of what is no file nothing can be read, and a pipe would let SQLite wait for ever */
	bool there = stat(db->path, &about) == 0;
	if (there ? !S_ISREG(about.st_mode) : errno == ENOENT)
		return open_memory(db, opened, error);
	return connect_memory(db, error) < 0 ? -1 : db_salvage_rows(db->path, db, opened, error);
}

struct db *db_open_read_only(const char *path, struct db_opened *opened, struct mmt_error *error)
{
	return open_by(open_copy, path, opened, error);
}

int db_sync_path(const char *path, struct mmt_error *error)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	int status = descriptor < 0 || fsync(descriptor) < 0 ? mmt_error_errno(error, "cannot sync %s", path) : 0;
	if (descriptor >= 0)
		close(descriptor);
	return status;
}

bool db_is_locked(const char *path)
{
	struct db db = {.path = (char *)path};
	struct mmt_error error = {0};
	const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
	int status = -1;
	/* without db_connect's settings: PRAGMA cache_size reads the schema, and would wait for the lock */
	if (sqlite3_open_v2(path, &db.connection, flags, NULL) == SQLITE_OK)
		status = db_run(&db, NULL, "looking for a lock", &error, "SELECT 1 FROM sqlite_schema", "");
	db_disconnect(&db);
	return status < 0 && error.code == MMT_BUSY;
}

/* From here on the connection is another one. Where the new file cannot be opened, it is one to an empty database in
 * memory: whoever has the db may go on, and is told. */
static int move_to(struct db *db, const char *copy, struct mmt_error *error)
{
	static const char *const left_behind[] = {"-wal", "-shm"};
	db_disconnect(db);
	for (size_t i = 0; i < sizeof left_behind / sizeof left_behind[0]; i++) {
		char *name = sqlite3_mprintf("%s%s", db->path, left_behind[i]);
		if (name)
			unlink(name); /* of the file that is gone: they must not meet another */
		sqlite3_free(name);
	}
	if (rename(copy, db->path) < 0)
		mmt_error_errno(error, "cannot rename %s to %s", copy, db->path);
	else if (db_connect(db, db->path, SQLITE_OPEN_READWRITE, error) == 0 && set_wal(db, error) == 0)
		return 0;
	if (db->connection)
		db_disconnect(db);
	struct mmt_error ignored;
	if (connect_memory(db, &ignored) == 0)
		db_migrate(db, 0, db_version_newest(), false, &ignored);
	db->device = db->inode = 0;
	return -1;
}

static int restore(struct db *db, struct mmt_error *error)
{
	char *copy = sqlite3_mprintf("%s.restored", db->path);
	if (!copy)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while restoring %s", db->path);
	unlink(copy);
	int status = db_backup(db, copy, error);
	if (status == 0)
		status = move_to(db, copy, error);
	if (status == 0)
		note_place(db);
	sqlite3_free(copy);
	return status;
}

int db_keep_place(struct db *db, bool *restored, struct mmt_error *error)
{
	struct stat about;
	*restored = false;
	if (db->inode == 0)
		return 0;
	bool there = stat(db->path, &about) == 0;
	if (!there && errno != ENOENT)
		return mmt_error_errno(error, "cannot look at %s", db->path);
	if (there) {
		if (about.st_dev == db->device && about.st_ino == db->inode)
			return 0;
		return mmt_error_set(error, MMT_DATABASE, 0,
				     "another file was put in the place of %s: it is read at the next start, and what "
				     "is found until then is lost",
				     db->path);
	}
	*restored = restore(db, error) == 0;
	return *restored ? 0 : -1;
}

int db_backup(struct db *db, const char *path, struct mmt_error *error)
{
	/* VACUUM INTO refuses a file that has content, and does not sync what it writes */
	int status = db_run(db, NULL, "copying the database", error, "VACUUM INTO ?1", "t", path);
	return status < 0 ? -1 : db_sync_path(path, error);
}
