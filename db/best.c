/* best.c: the best trial of each device and problem, and how it came to be.
 *
 * promotions keeps every step; best holds the trial of the newest promotion
 * that was not withdrawn. Both change in one transaction, always. */
#include "trials.h"

#include <string.h>
#include <time.h>

static int promote(struct db *db, int64_t trial_id, const char *reason, struct mmt_error *error)
{
	int64_t ok = 0;
	int rows = db_run(db, &ok, "promoting a trial", error, "SELECT outcome = 'ok' FROM trials WHERE id = ?1", "i",
			  trial_id);
	if (rows < 0)
		return -1;
	if (rows == 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "there is no trial %lld", (long long)trial_id);
	if (!ok)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "trial %lld has no result, so that it cannot become the best",
				     (long long)trial_id);
	if (db_run(db, NULL, "promoting a trial", error,
		   "INSERT INTO promotions (device_id, problem_id, trial_id, promoted_at, reason) "
		   "SELECT device_id, problem_id, id, ?2, ?3 FROM trials WHERE id = ?1",
		   "iis", trial_id, (int64_t)time(NULL), reason) < 0)
		return -1;
	return db_run(db, NULL, "promoting a trial", error,
		      "INSERT INTO best (device_id, problem_id, trial_id) "
		      "SELECT device_id, problem_id, id FROM trials WHERE id = ?1 "
		      "ON CONFLICT (device_id, problem_id) DO UPDATE SET trial_id = excluded.trial_id",
		      "i", trial_id);
}

int db_promote(struct db *db, int64_t trial_id, const char *reason, struct mmt_error *error)
{
	bool nested;
	if (db_write_begin(db, &nested, error) < 0)
		return -1;
	return db_write_end(db, nested, promote(db, trial_id, reason, error), error);
}

/* The two newest promotions that stand; fewer leave zeros. */
static int standing(struct db *db, int64_t device_id, int64_t problem_id, int64_t promotion[2], int64_t trial[2],
		    struct mmt_error *error)
{
	int status;
	sqlite3_stmt *row = db_prepare(db,
				       "SELECT id, trial_id FROM promotions WHERE device_id = ?1 AND problem_id = ?2 "
				       "AND withdrawn_at = 0 ORDER BY id DESC LIMIT 2",
				       error, "ii", device_id, problem_id);
	if (!row)
		return -1;
	for (size_t i = 0; (status = db_step(db, row, "reading promotions", error)) == 1; i++) {
		promotion[i] = sqlite3_column_int64(row, 0);
		trial[i] = sqlite3_column_int64(row, 1);
	}
	sqlite3_finalize(row);
	return status;
}

static int demote(struct db *db, int64_t device_id, int64_t problem_id, struct mmt_error *error)
{
	int64_t promotion[2] = {0}, trial[2] = {0};
	if (standing(db, device_id, problem_id, promotion, trial, error) < 0)
		return -1;
	if (promotion[1] == 0)
		return mmt_error_set(error, MMT_NO_ANSWER, 0, "there is no earlier best to go back to");
	if (db_run(db, NULL, "withdrawing a promotion", error, "UPDATE promotions SET withdrawn_at = ?2 WHERE id = ?1",
		   "ii", promotion[0], (int64_t)time(NULL)) < 0)
		return -1;
	return db_run(db, NULL, "withdrawing a promotion", error,
		      "UPDATE best SET trial_id = ?3 WHERE device_id = ?1 AND problem_id = ?2", "iii", device_id,
		      problem_id, trial[1]);
}

int db_demote(struct db *db, int64_t device_id, int64_t problem_id, struct mmt_error *error)
{
	bool nested;
	if (db_write_begin(db, &nested, error) < 0)
		return -1;
	return db_write_end(db, nested, demote(db, device_id, problem_id, error), error);
}

int db_bests(struct db *db, db_trial_fn *each, void *context, struct mmt_error *error)
{
	int status;
	sqlite3_stmt *row = db_prepare(db,
				       "SELECT " DB_TRIAL_COLUMNS
				       " FROM best b CROSS JOIN trials t ON t.id = b.trial_id " DB_TRIAL_JOINS
				       "ORDER BY b.device_id, b.problem_id",
				       error, "");
	if (!row)
		return -1;
	while ((status = db_step(db, row, "reading the best trials", error)) == 1) {
		struct db_trial trial;
		db_trial_read(row, &trial);
		if (each(context, &trial) != 0) {
			status = 0;
			break;
		}
	}
	sqlite3_finalize(row);
	return status;
}

int db_winner_times(struct db *db, db_winner_time_fn *each, void *context, struct mmt_error *error)
{
	int status;
	sqlite3_stmt *row = db_prepare(
		db,
		"SELECT t.device_id, t.variant_id, t.configuration, p.json, min(t.minimum_ns) FROM trials t "
		"CROSS JOIN problems p ON p.id = t.problem_id WHERE t.outcome = 'ok' AND t.minimum_ns > 0 AND "
		"(t.device_id, t.variant_id, t.configuration) IN (SELECT w.device_id, w.variant_id, w.configuration "
		"FROM best b "
		"JOIN trials w ON w.id = b.trial_id) GROUP BY t.device_id, t.variant_id, t.configuration, t.problem_id",
		error, "");
	if (!row)
		return -1;
	while ((status = db_step(db, row, "reading the times of winners", error)) == 1) {
		const struct db_winner_time time = {
			.device_id = sqlite3_column_int64(row, 0),
			.variant_id = sqlite3_column_int64(row, 1),
			.configuration = db_column_text(row, 2),
			.problem = db_column_text(row, 3),
			.minimum_ns = sqlite3_column_double(row, 4),
		};
		if (each(context, &time) != 0) {
			status = 0;
			break;
		}
	}
	sqlite3_finalize(row);
	return status;
}

int db_history(struct db *db, int64_t device_id, int64_t problem_id, int limit, db_promotion_fn *each, void *context,
	       struct mmt_error *error)
{
	int status;
	sqlite3_stmt *row = db_prepare(db,
				       "SELECT " DB_TRIAL_COLUMNS ", h.promoted_at, h.withdrawn_at, h.reason "
				       "FROM promotions h CROSS JOIN trials t ON t.id = h.trial_id " DB_TRIAL_JOINS
				       "WHERE (?1 = 0 OR h.device_id = ?1) AND (?2 = 0 OR h.problem_id = ?2) "
				       "ORDER BY h.id DESC LIMIT ?3",
				       error, "iii", device_id, problem_id, (int64_t)(limit > 0 ? limit : -1));
	if (!row)
		return -1;
	while ((status = db_step(db, row, "reading promotions", error)) == 1) {
		struct db_trial trial;
		db_trial_read(row, &trial);
		struct db_promotion promotion = {
			.promoted_at = sqlite3_column_int64(row, DB_TRIAL_COLUMN_COUNT),
			.withdrawn_at = sqlite3_column_int64(row, DB_TRIAL_COLUMN_COUNT + 1),
			.reason = db_column_text(row, DB_TRIAL_COLUMN_COUNT + 2),
			.trial = &trial,
		};
		if (each(context, &promotion) != 0) {
			status = 0;
			break;
		}
	}
	sqlite3_finalize(row);
	return status;
}
