/* statement.h: what every file of db/ shares: the connection, and a little
 * around SQLite's statements: bind by a format string, errors in our words,
 * transactions that nest.
 *
 * Format characters of the binders: i int64_t; k int64_t, 0 stored as NULL;
 * r double, NaN stored as NULL; t const char *, NULL stored as NULL;
 * s const char *, NULL stored as "".
 *
 * Thread: as db.h. */
#ifndef MMT_DB_STATEMENT_H
#define MMT_DB_STATEMENT_H

#include <sqlite3.h>
#include <stdarg.h>
#include <sys/types.h>

#include "db.h"

struct db {
	sqlite3 *connection;
	char *path;
	dev_t device; /* of the file, as it was opened; 0, 0: in memory */
	ino_t inode;
};

/* Fills *error from SQLite's result code and the connection's message; what
 * ("storing a trial") opens the sentence. Returns -1. */
int db_fail(struct db *db, int code, const char *what, struct mmt_error *error);

/* NULL with *error. Caller finalizes. */
sqlite3_stmt *db_prepare(struct db *db, const char *sql, struct mmt_error *error, const char *format, ...);
sqlite3_stmt *db_prepare_list(struct db *db, const char *sql, struct mmt_error *error, const char *format,
			      va_list arguments);
/* 1: a row is there; 0: done; -1: *error. */
int db_step(struct db *db, sqlite3_stmt *statement, const char *what, struct mmt_error *error);
/* One statement to its end. *id (may be NULL) gets column 0 of its row, if it
 * gives one (RETURNING); returns the number of rows it gave, or -1. */
int db_run(struct db *db, int64_t *id, const char *what, struct mmt_error *error, const char *sql, const char *format,
	   ...);
int db_execute(struct db *db, const char *sql, const char *what, struct mmt_error *error);

/* Of the current row. Real: NaN for NULL. Text is borrowed until the next step. */
double db_column_real(sqlite3_stmt *statement, int column);
char *db_column_text(sqlite3_stmt *statement, int column);
/* A copy, caller frees; NULL for NULL, or out of memory (*failed set). */
char *db_column_copy(sqlite3_stmt *statement, int column, bool *failed);

/* A write that must be whole: the outermost is BEGIN IMMEDIATE, one within
 * db_begin() a savepoint. end() commits on status 0, else takes all back; it
 * returns status, or -1 when the commit failed. */
int db_write_begin(struct db *db, bool *nested, struct mmt_error *error);
int db_write_end(struct db *db, bool nested, int status, struct mmt_error *error);

#endif
