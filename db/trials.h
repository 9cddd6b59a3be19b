/* trials.h: how a row of trials is read, for the files that join it.
 *
 * Thread: as db.h. */
#ifndef MMT_DB_TRIALS_H
#define MMT_DB_TRIALS_H

#include "statement.h"

/* Columns 0 ... 30 of a SELECT that db_trial_read() understands, and where they
 * come from. CROSS JOIN keeps SQLite from starting with one of the small tables. */
#define DB_TRIAL_COLUMNS                                                                                          \
	"t.id, t.job_id, t.device_id, t.environment_id, t.problem_id, t.variant_id, t.configuration, t.outcome, " \
	"t.time_ns, t.minimum_ns, t.spread, t.gflops, t.effective_gbps, t.compulsory_gbps, t.relative_error, "    \
	"t.runs, t.build_ns, t.verify_ns, t.measure_ns, t.driver_ns, t.total_ns, t.message, t.measured_at, "      \
	"d.name, p.json, v.family, v.name, v.spec_sha256, v.source_sha256, e.driver, e.platform_version"
#define DB_TRIAL_COLUMN_COUNT 31
#define DB_TRIAL_JOINS                                  \
	"CROSS JOIN devices d ON d.id = t.device_id "   \
	"CROSS JOIN problems p ON p.id = t.problem_id " \
	"CROSS JOIN variants v ON v.id = t.variant_id " \
	"CROSS JOIN environments e ON e.id = t.environment_id "

/* A row that starts with every column of trials in the table's own order ("SELECT *"):
 * whether it matches its checksum. */
bool db_trial_is_whole(sqlite3_stmt *row);

/* Of the current row; strings are borrowed until its next step. */
void db_trial_read(sqlite3_stmt *row, struct db_trial *out);

/* How many trials do not match their checksum; -1: *error. */
int64_t db_trials_damaged(struct db *db, struct mmt_error *error);

#endif
