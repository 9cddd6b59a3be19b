/* content.c: rows that are known by their content: environments, problems and
 * variants. Each is found, or made the first time it is named. */
#include "statement.h"

/* Looks first, so that the usual case writes nothing. Both statements bind the
 * same arguments and give one id. */
static int find_or_make(struct db *db, const char *find, const char *make, int64_t *id, struct mmt_error *error,
			const char *format, ...)
{
	const char *const statements[] = {find, make};
	for (size_t i = 0; i < 2; i++) {
		va_list arguments;
		va_start(arguments, format);
		sqlite3_stmt *row = db_prepare_list(db, statements[i], error, format, arguments);
		va_end(arguments);
		if (!row)
			return -1;
		int status = db_step(db, row, "finding a row by its content", error);
		if (status == 1) {
			*id = sqlite3_column_int64(row, 0);
			status = db_step(db, row, "finding a row by its content", error);
			sqlite3_finalize(row);
			return status;
		}
		sqlite3_finalize(row);
		if (status < 0)
			return -1;
	}
	return mmt_error_set(error, MMT_DATABASE, 0, "%s: a new row gave no id", db->path);
}

int db_environment(struct db *db, int64_t device_id, const char *driver, const char *platform_version, int64_t *id,
		   struct mmt_error *error)
{
	return find_or_make(
		db, "SELECT id FROM environments WHERE device_id = ?1 AND driver = ?2 AND platform_version = ?3",
		"INSERT INTO environments (device_id, driver, platform_version) VALUES (?1, ?2, ?3) RETURNING id", id,
		error, "iss", device_id, driver, platform_version);
}

int db_problem(struct db *db, const char *problem_json, int64_t *id, struct mmt_error *error)
{
	return find_or_make(db, "SELECT id FROM problems WHERE json = ?1",
			    "INSERT INTO problems (json) VALUES (?1) RETURNING id", id, error, "t", problem_json);
}

int db_variant(struct db *db, const char *family, const char *name, const char *spec_sha256, const char *source_sha256,
	       int64_t *id, struct mmt_error *error)
{
	return find_or_make(db,
			    "SELECT id FROM variants WHERE family = ?1 AND name = ?2 AND spec_sha256 = ?3 "
			    "AND source_sha256 = ?4",
			    "INSERT INTO variants (family, name, spec_sha256, source_sha256) "
			    "VALUES (?1, ?2, ?3, ?4) RETURNING id",
			    id, error, "tttt", family, name, spec_sha256, source_sha256);
}
