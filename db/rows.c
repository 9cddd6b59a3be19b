/* rows.c: the tables are b-trees by rowid. A scan ends at the first page that
 * fails; the next one starts behind it, found by doubling the distance, and
 * what the doubling leapt over is read backwards from there. */
#include "rows.h"

#include <string.h>

#include "trials.h"

/* A rowid beyond this is damage; taken over, it would leave AUTOINCREMENT no number to give. */
#define LAST_ID ((int64_t)1 << 53)
/* Enough for each page of a large file to fail alone; ends a walk that damage makes endless. */
#define MAX_GAPS  10000

#define TRIAL_JOB 1 /* column of trials.job_id */

enum scan { SCAN_END, SCAN_DAMAGE, SCAN_FAILED }; /* failed: `into` cannot be written */

struct copy {
	struct db *from, *into;
	const char *table;
	sqlite3_stmt *insert;
	struct db_opened *counts;
	struct mmt_error *error;
};

/* Binds the row's first columns in order. */
static int step_with(sqlite3_stmt *statement, sqlite3_stmt *row)
{
	for (int i = 0; i < sqlite3_bind_parameter_count(statement); i++)
		sqlite3_bind_value(statement, i + 1, sqlite3_column_value(row, i));
	int code = sqlite3_step(statement);
	sqlite3_reset(statement);
	return code;
}

static int copy_row(struct copy *copy, sqlite3_stmt *row)
{
	bool trial = strcmp(copy->table, "trials") == 0;
	bool whole = !trial || db_trial_is_whole(row);
	int code = whole ? step_with(copy->insert, row) : SQLITE_CONSTRAINT;
	if (code == SQLITE_CONSTRAINT_FOREIGNKEY && trial) { /* perhaps only its job is lost */
		sqlite3_bind_null(copy->insert, TRIAL_JOB + 1);
		code = sqlite3_step(copy->insert);
		sqlite3_reset(copy->insert);
	}
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

/* Unique indices hold the content of the small tables once more; all else refers to these. Columns
 * as in "SELECT *" of version 1; `same` finds the row in `into` when both copies agree. */
static const struct second {
	const char *table, *select, *same;
} seconds[] = {
	/* the two indices of devices, joined; what neither holds, the next enumeration brings */
	{"devices",
	 "SELECT n.id, n.name, f.fingerprint, '{}', 0, 0 FROM devices n INDEXED BY sqlite_autoindex_devices_1 "
	 "CROSS JOIN devices f INDEXED BY sqlite_autoindex_devices_2 WHERE +f.id = +n.id",
	 "SELECT 1 FROM devices WHERE id = ?1 AND name = ?2 AND fingerprint = ?3"},
	{"environments",
	 "SELECT id, device_id, driver, platform_version FROM environments INDEXED BY sqlite_autoindex_environments_1",
	 "SELECT 1 FROM environments WHERE id = ?1 AND device_id = ?2 AND driver = ?3 AND platform_version = ?4"},
	{"problems", "SELECT id, json FROM problems INDEXED BY sqlite_autoindex_problems_1",
	 "SELECT 1 FROM problems WHERE id = ?1 AND json = ?2"},
	{"variants",
	 "SELECT id, family, name, spec_sha256, source_sha256 FROM variants INDEXED BY sqlite_autoindex_variants_1",
	 "SELECT 1 FROM variants WHERE id = ?1 AND family = ?2 AND name = ?3 AND spec_sha256 = ?4 "
	 "AND source_sha256 = ?5"},
};

/* Adds what the table scan missed. Where the two copies contradict each other nobody knows which
 * one is true: the row goes, and with it what refers to it. */
static int merge_second(struct copy *copy, const struct second *second)
{
	char *remove = sqlite3_mprintf("DELETE FROM \"%w\" WHERE id = ?1", copy->table);
	sqlite3_stmt *row = db_prepare(copy->from, second->select, NULL, "");
	sqlite3_stmt *same = db_prepare(copy->into, second->same, copy->error, "");
	sqlite3_stmt *gone = remove ? db_prepare(copy->into, remove, copy->error, "") : NULL;
	int status = same && gone ? 0 : -1;
	bool fits = row && sqlite3_column_count(row) == sqlite3_bind_parameter_count(copy->insert);
	while (status == 0 && fits && sqlite3_step(row) == SQLITE_ROW) {
		if (step_with(same, row) == SQLITE_ROW)
			continue;
		int code = step_with(gone, row);
		bool contradicted = code == SQLITE_DONE && sqlite3_changes(copy->into->connection) > 0;
		if (contradicted) {
			copy->counts->salvaged_rows--;
			copy->counts->refused_rows++;
		} else {
			status = code == SQLITE_DONE ? copy_row(copy, row)
						     : db_fail(copy->into, code, "salvaging", copy->error);
		}
	}
	sqlite3_finalize(row);
	sqlite3_finalize(same);
	sqlite3_finalize(gone);
	sqlite3_free(remove);
	return status;
}

static int merge_seconds(struct copy *copy)
{
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		if (strcmp(seconds[i].table, copy->table) == 0)
			return merge_second(copy, &seconds[i]);
	return 0;
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
	int status = copy_table(&copy) == SCAN_FAILED ? -1 : merge_seconds(&copy);
	sqlite3_finalize(copy.insert);
	return status;
}
