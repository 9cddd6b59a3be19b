/* demand.c: how often untuned problems were asked for. */
#include "statement.h"

int db_demand(struct db *db, db_demand_fn *each, void *context, struct mmt_error *error)
{
	int status;
	sqlite3_stmt *row = db_prepare(
		db, "SELECT device_id, problem, asks, last_asked_at FROM demand ORDER BY asks DESC, last_asked_at DESC",
		error, "");
	if (!row)
		return -1;
	while ((status = db_step(db, row, "reading what was asked for", error)) == 1) {
		const struct db_demand demand = {
			.device_id = sqlite3_column_int64(row, 0),
			.problem = db_column_text(row, 1),
			.asks = sqlite3_column_int64(row, 2),
			.last_asked_at = sqlite3_column_int64(row, 3),
		};
		if (each(context, &demand) != 0) {
			status = 0;
			break;
		}
	}
	sqlite3_finalize(row);
	return status;
}

static int replace(struct db *db, const struct db_demand *list, size_t count, struct mmt_error *error)
{
	int status = db_execute(db, "DELETE FROM demand", "storing what was asked for", error);
	for (size_t i = 0; i < count && status >= 0; i++)
		status = db_run(db, NULL, "storing what was asked for", error,
				"INSERT INTO demand (device_id, problem, asks, last_asked_at) VALUES (?1, ?2, ?3, ?4)",
				"itii", list[i].device_id, list[i].problem, list[i].asks, list[i].last_asked_at);
	return status;
}

int db_demand_replace(struct db *db, const struct db_demand *list, size_t count, struct mmt_error *error)
{
	bool nested;
	if (db_write_begin(db, &nested, error) < 0)
		return -1;
	return db_write_end(db, nested, replace(db, list, count, error), error);
}
