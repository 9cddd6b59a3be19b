/* rows.c: the tables are b-trees by rowid. A scan ends at the first page that
 * fails; the next one starts behind it, found by doubling the distance, and
 * what the doubling leapt over is read backwards from there. */
#include "rows.h"

#include <string.h>

#include "trials.h"

/* A rowid beyond this is damage; taken over, it would leave AUTOINCREMENT no number to give. */
#define LAST_ID ((int64_t)1 << 53)
/* Enough for each page of a large file to fail alone; ends a walk that damage makes endless. */
#define MAX_GAPS 10000

enum scan { SCAN_END, SCAN_DAMAGE, SCAN_FAILED }; /* failed: `into` cannot be written */

struct copy {
	struct db *from, *into;
	const char *table;
	sqlite3_stmt *insert;
	struct db_opened *counts;
	struct mmt_error *error;
};

static int copy_row(struct copy *copy, sqlite3_stmt *row)
{
	bool whole = strcmp(copy->table, "trials") != 0 || db_trial_is_whole(row);
	for (int i = 0; whole && i < sqlite3_bind_parameter_count(copy->insert); i++)
		sqlite3_bind_value(copy->insert, i + 1, sqlite3_column_value(row, i));
	int code = whole ? sqlite3_step(copy->insert) : SQLITE_CONSTRAINT;
	sqlite3_reset(copy->insert);
	if (code == SQLITE_DONE) {
		copy->counts->salvaged_rows++;
		return 0;
	}
	copy->counts->refused_rows++;
	return (code & 0xff) == SQLITE_CONSTRAINT ? 0 : db_fail(copy->into, code, "salvaging", copy->error);
}

static sqlite3_stmt *select_between(struct copy *copy, const char *columns, const char *order, int64_t low,
				    int64_t high)
{
	char *sql = sqlite3_mprintf("SELECT %s FROM \"%w\" WHERE rowid > ?1 AND rowid < ?2 ORDER BY rowid %s", columns,
				    copy->table, order);
	sqlite3_stmt *row = sql ? db_prepare(copy->from, sql, NULL, "ii", low, high) : NULL;
	sqlite3_free(sql);
	return row;
}

/* Rows between low and high, both exclusive. *last is the last that was read, else as it was. */
static enum scan scan(struct copy *copy, int64_t low, int64_t high, bool backward, int64_t *last)
{
	enum scan result = SCAN_DAMAGE;
	sqlite3_stmt *row = select_between(copy, "*, rowid", backward ? "DESC" : "ASC", low, high);
	int columns = sqlite3_bind_parameter_count(copy->insert);
	if (!row || sqlite3_column_count(row) != columns + 1)
		goto out;
	for (int64_t previous = backward ? high : low;;) {
		int code = sqlite3_step(row);
		if (code != SQLITE_ROW) {
			result = code == SQLITE_DONE ? SCAN_END : SCAN_DAMAGE;
			break;
		}
		int64_t id = sqlite3_column_int64(row, columns);
		if (backward ? id >= previous : id <= previous)
			break; /* out of order: the tree leads in circles */
		previous = *last = id;
		if (copy_row(copy, row) < 0) {
			result = SCAN_FAILED;
			break;
		}
	}
out:
	sqlite3_finalize(row);
	return result;
}

/* The first row behind the damage that follows `low`, or LAST_ID + 1. */
static int64_t leap(struct copy *copy, int64_t low)
{
	for (int64_t step = 1; low + step <= LAST_ID; step *= 2) {
		sqlite3_stmt *row = select_between(copy, "rowid", "LIMIT 1", low + step, LAST_ID + 1);
		int code = row ? sqlite3_step(row) : SQLITE_CORRUPT;
		int64_t id = code == SQLITE_ROW ? sqlite3_column_int64(row, 0) : LAST_ID + 1;
		sqlite3_finalize(row);
		if (code == SQLITE_DONE || (code == SQLITE_ROW && id > low + step))
			return id;
	}
	return LAST_ID + 1;
}

static enum scan copy_table(struct copy *copy)
{
	int64_t low = -1, ignored;
	enum scan result = SCAN_DAMAGE;
	for (int gap = 0; gap < MAX_GAPS && low < LAST_ID; gap++) {
		result = scan(copy, low, LAST_ID + 1, false, &low);
		if (result != SCAN_DAMAGE)
			break;
		int64_t behind = leap(copy, low);
		result = scan(copy, low, behind, true, &ignored);
		if (result == SCAN_FAILED)
			break;
		low = behind - 1;
	}
	return result;
}

int db_rows_copy(struct db *from, struct db *into, const char *table, struct db_opened *counts, struct mmt_error *error)
{
	int64_t columns = 0;
	if (db_run(into, &columns, "salvaging", error, "SELECT count(*) FROM pragma_table_info(?1)", "t", table) < 0)
		return -1;
	sqlite3_str *sql = sqlite3_str_new(NULL);
	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" VALUES (?", table);
	for (int64_t i = 1; i < columns; i++)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendall(sql, ")");
	char *insert = sqlite3_str_finish(sql);
	if (!insert)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while salvaging");
	struct copy copy = {from, into, table, db_prepare(into, insert, error, ""), counts, error};
	sqlite3_free(insert);
	if (!copy.insert)
		return -1;
	enum scan result = copy_table(&copy);
	sqlite3_finalize(copy.insert);
	return result == SCAN_FAILED ? -1 : 0;
}
