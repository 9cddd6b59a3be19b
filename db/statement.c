#include "statement.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum mmt_code error_code(int code)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return MMT_BUSY;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return MMT_READ_ONLY;
	case SQLITE_NOMEM:
		return MMT_NO_MEMORY;
	case SQLITE_CONSTRAINT:
		return MMT_INVALID_ARGUMENT;
	default:
		return MMT_DATABASE;
	}
}

/* SQLite's own words for these leave the reader guessing; the others are good. */
static const char *error_text(sqlite3 *connection, int code)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return "another process holds a lock on the database";
	case SQLITE_FULL:
		return "the disk is full";
	case SQLITE_NOMEM:
		return "out of memory";
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return "the database is damaged";
	case SQLITE_READONLY:
		return "the database cannot be written";
	default:
		return connection ? sqlite3_errmsg(connection) : sqlite3_errstr(code);
	}
}

int db_fail(struct db *db, int code, const char *what, struct mmt_error *error)
{
	const char *text = error_text(db->connection, code);
	int number = db->connection ? sqlite3_system_errno(db->connection) : 0;
	bool input_output = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
	if (input_output && number)
		return mmt_error_set(error, error_code(code), code, "%s: %s: %s (%s)", db->path, what, text,
				     strerror(number));
	return mmt_error_set(error, error_code(code), code, "%s: %s: %s", db->path, what, text);
}

static int bind_one(sqlite3_stmt *statement, int index, char kind, va_list *arguments)
{
	switch (kind) {
	case 'i':
		return sqlite3_bind_int64(statement, index, va_arg(*arguments, int64_t));
	case 'k': {
		int64_t id = va_arg(*arguments, int64_t);
		return id ? sqlite3_bind_int64(statement, index, id) : sqlite3_bind_null(statement, index);
	}
	case 'r':
		return sqlite3_bind_double(statement, index, va_arg(*arguments, double));
	case 't':
		return sqlite3_bind_text(statement, index, va_arg(*arguments, const char *), -1, SQLITE_TRANSIENT);
	case 's': {
		const char *text = va_arg(*arguments, const char *);
		return sqlite3_bind_text(statement, index, text ? text : "", -1, SQLITE_TRANSIENT);
	}
	default:
		return SQLITE_MISUSE;
	}
}

sqlite3_stmt *db_prepare_list(struct db *db, const char *sql, struct mmt_error *error, const char *format,
			      va_list arguments)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(db->connection, sql, -1, &statement, NULL);
	va_list copy; /* va_list may be an array: only a local one has a portable address */
	va_copy(copy, arguments);
	for (int i = 0; code == SQLITE_OK && format[i]; i++)
		code = bind_one(statement, i + 1, format[i], &copy);
	va_end(copy);
	if (code == SQLITE_OK)
		return statement;
	db_fail(db, code, "preparing a statement", error);
	sqlite3_finalize(statement);
	return NULL;
}

sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct mmt_error *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	sqlite3_stmt *statement = db_prepare_list(db, sql, error, format, arguments);
	va_end(arguments);
	return statement;
}

int db_step(struct db *db, sqlite3_stmt *statement, const char *what, struct mmt_error *error)
{
	int code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		return 1;
	if (code == SQLITE_DONE)
		return 0;
	return db_fail(db, sqlite3_extended_errcode(db->connection), what, error);
}

int db_run(struct db *db, int64_t *id, const char *what, struct mmt_error *error, const char *sql, const char *format,
	   ...)
{
	va_list arguments;
	va_start(arguments, format);
	sqlite3_stmt *statement = db_prepare_list(db, sql, error, format, arguments);
	va_end(arguments);
	if (!statement)
		return -1;
	int rows = 0, status;
	while ((status = db_step(db, statement, what, error)) == 1) {
		if (id && rows == 0)
			*id = sqlite3_column_int64(statement, 0);
		rows++;
	}
	sqlite3_finalize(statement);
	return status < 0 ? -1 : rows;
}

int db_execute(struct db *db, const char *sql, const char *what, struct mmt_error *error)
{
	if (sqlite3_exec(db->connection, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return db_fail(db, sqlite3_extended_errcode(db->connection), what, error);
}

double db_column_real(sqlite3_stmt *statement, int column)
{
	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return NAN;
	return sqlite3_column_double(statement, column);
}

char *db_column_text(sqlite3_stmt *statement, int column)
{
	return (char *)sqlite3_column_text(statement, column);
}

char *db_column_copy(sqlite3_stmt *statement, int column, bool *failed)
{
	if (sqlite3_column_type(statement, column) == SQLITE_NULL)
		return NULL;
	const char *text = db_column_text(statement, column);
	char *copy = text ? strdup(text) : NULL;
	if (!copy)
		*failed = true;
	return copy;
}

/* BEGIN IMMEDIATE: a read transaction that upgrades later is refused with
 * SQLITE_BUSY_SNAPSHOT at once, whatever the busy timeout. */
int db_write_begin(struct db *db, bool *nested, struct mmt_error *error)
{
	*nested = !sqlite3_get_autocommit(db->connection);
	return db_execute(db, *nested ? "SAVEPOINT write" : "BEGIN IMMEDIATE", "starting a transaction", error);
}

int db_write_end(struct db *db, bool nested, int status, struct mmt_error *error)
{
	if (status == 0)
		status = db_execute(db, nested ? "RELEASE write" : "COMMIT", "committing", error);
	if (status == 0)
		return 0;
	/* SQLite has taken everything back itself after some errors (disk full, input/output) */
	if (!sqlite3_get_autocommit(db->connection))
		sqlite3_exec(db->connection, nested ? "ROLLBACK TO write; RELEASE write" : "ROLLBACK", NULL, NULL,
			     NULL);
	return status;
}

int db_begin(struct db *db, struct mmt_error *error)
{
	return db_execute(db, "BEGIN IMMEDIATE", "starting a transaction", error);
}

int db_commit(struct db *db, struct mmt_error *error)
{
	/* after a full disk SQLite may have ended it: then there is nothing to commit, and that must be told */
	if (sqlite3_get_autocommit(db->connection))
		return mmt_error_set(error, MMT_DATABASE, 0, "%s: the transaction was taken back by an earlier error",
				     db->path);
	return db_write_end(db, false, 0, error);
}

void db_rollback(struct db *db)
{
	if (!sqlite3_get_autocommit(db->connection))
		sqlite3_exec(db->connection, "ROLLBACK", NULL, NULL, NULL);
}
