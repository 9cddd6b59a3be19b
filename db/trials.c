/* trials.c: what was measured: appended, checked, read back. */
#include "trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv-17): against flipped
 * bits, not against forgery. */
#define FNV_OFFSET 0xcbf29ce484222325u
#define FNV_PRIME  0x100000001b3u

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * FNV_PRIME;
	return hash;
}

static uint64_t mix_integer(uint64_t hash, int64_t value)
{
	return mix(hash, &value, sizeof(value));
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return mix(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* As SQLite gives it back: any NaN is NULL, and -0 comes back as 0. */
static uint64_t mix_real(uint64_t hash, double value)
{
	if (isnan(value))
		return mix_text(hash, "nan");
	if (value == 0)
		value = 0;
	return mix(hash, &value, sizeof(value));
}

/* All but the id and the job: a trial holds without its job, when that is lost. */
static int64_t checksum(const struct db_trial *trial)
{
	const int64_t integers[] = {trial->device_id,  trial->environment_id, trial->problem_id,
				    trial->variant_id, trial->runs,           trial->measured_at};
	const double reals[] = {trial->time_ns,        trial->minimum_ns,      trial->spread,         trial->gflops,
				trial->effective_gbps, trial->compulsory_gbps, trial->relative_error, trial->build_ns,
				trial->verify_ns,      trial->measure_ns,      trial->driver_ns,      trial->total_ns};
	uint64_t hash = FNV_OFFSET;
	for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++)
		hash = mix_integer(hash, integers[i]);
	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
		hash = mix_real(hash, reals[i]);
	hash = mix_text(hash, trial->configuration);
	hash = mix_text(hash, trial->outcome);
	hash = mix_text(hash, trial->message);
	return (int64_t)hash;
}

void db_trial_finish(struct db_trial *trial)
{
	char *const owned[] = {trial->configuration, trial->outcome, trial->message,         trial->device,
			       trial->problem,       trial->family,  trial->variant,         trial->spec_sha256,
			       trial->source_sha256, trial->driver,  trial->platform_version};
	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		free(owned[i]);
	*trial = (struct db_trial){0};
}

int db_trial_add(struct db *db, struct db_trial *trial, struct mmt_error *error)
{
	static const char insert[] =
		"INSERT INTO trials (job_id, device_id, environment_id, problem_id, variant_id, configuration, "
		"outcome, time_ns, minimum_ns, spread, gflops, effective_gbps, compulsory_gbps, relative_error, runs, "
		"build_ns, verify_ns, measure_ns, driver_ns, total_ns, message, measured_at, checksum) VALUES (?1, ?2, "
		"?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23) "
		"RETURNING id";
	int rows = db_run(db, &trial->id, "storing a trial", error, insert, "kiiiittrrrrrrrirrrrrsii", trial->job_id,
			  trial->device_id, trial->environment_id, trial->problem_id, trial->variant_id,
			  trial->configuration, trial->outcome, trial->time_ns, trial->minimum_ns, trial->spread,
			  trial->gflops, trial->effective_gbps, trial->compulsory_gbps, trial->relative_error,
			  (int64_t)trial->runs, trial->build_ns, trial->verify_ns, trial->measure_ns, trial->driver_ns,
			  trial->total_ns, trial->message, trial->measured_at, checksum(trial));
	return rows < 0 ? -1 : 0;
}

/* Columns 0 ... 22: those of the table itself. */
static void read_own(sqlite3_stmt *row, struct db_trial *out)
{
	*out = (struct db_trial){
		.id = sqlite3_column_int64(row, 0),
		.job_id = sqlite3_column_int64(row, 1),
		.device_id = sqlite3_column_int64(row, 2),
		.environment_id = sqlite3_column_int64(row, 3),
		.problem_id = sqlite3_column_int64(row, 4),
		.variant_id = sqlite3_column_int64(row, 5),
		.configuration = db_column_text(row, 6),
		.outcome = db_column_text(row, 7),
		.time_ns = db_column_real(row, 8),
		.minimum_ns = db_column_real(row, 9),
		.spread = db_column_real(row, 10),
		.gflops = db_column_real(row, 11),
		.effective_gbps = db_column_real(row, 12),
		.compulsory_gbps = db_column_real(row, 13),
		.relative_error = db_column_real(row, 14),
		.runs = sqlite3_column_int(row, 15),
		.build_ns = db_column_real(row, 16),
		.verify_ns = db_column_real(row, 17),
		.measure_ns = db_column_real(row, 18),
		.driver_ns = db_column_real(row, 19),
		.total_ns = db_column_real(row, 20),
		.message = db_column_text(row, 21),
		.measured_at = sqlite3_column_int64(row, 22),
	};
}

void db_trial_read(sqlite3_stmt *row, struct db_trial *out)
{
	read_own(row, out);
	out->device = db_column_text(row, 23);
	out->problem = db_column_text(row, 24);
	out->family = db_column_text(row, 25);
	out->variant = db_column_text(row, 26);
	out->spec_sha256 = db_column_text(row, 27);
	out->source_sha256 = db_column_text(row, 28);
	out->driver = db_column_text(row, 29);
	out->platform_version = db_column_text(row, 30);
}

bool db_trial_is_whole(sqlite3_stmt *row)
{
	struct db_trial trial;
	read_own(row, &trial);
	return checksum(&trial) == sqlite3_column_int64(row, 23);
}

/* The filter as SQL, caller frees (sqlite3_free). Only the conditions that are
 * set: "(?1 = 0 OR device_id = ?1)" would keep SQLite from using an index. */
static char *filter_sql(const struct db_trial_filter *filter)
{
	const struct {
		bool set;
		const char *condition;
	} conditions[] = {
		{filter->device_id != 0, "AND t.device_id = ?1 "},
		{filter->problem_id != 0, "AND t.problem_id = ?2 "},
		{filter->environment_id != 0, "AND t.environment_id = ?3 "},
		{filter->job_id != 0, "AND t.job_id = ?4 "},
		{filter->outcome != NULL, "AND t.outcome = ?5 "},
		{filter->after_id != 0, "AND t.id > ?6 "},
	};
	sqlite3_str *sql = sqlite3_str_new(NULL);
	sqlite3_str_appendall(sql, "SELECT " DB_TRIAL_COLUMNS " FROM trials t " DB_TRIAL_JOINS "WHERE true ");
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		if (conditions[i].set)
			sqlite3_str_appendall(sql, conditions[i].condition);
	sqlite3_str_appendall(sql, filter->newest_first ? "ORDER BY t.id DESC LIMIT ?7" : "ORDER BY t.id LIMIT ?7");
	return sqlite3_str_finish(sql);
}

int db_trials(struct db *db, const struct db_trial_filter *filter, db_trial_fn *each, void *context,
	      struct mmt_error *error)
{
	char *sql = filter_sql(filter);
	if (!sql)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while reading trials");
	int status = -1;
	sqlite3_stmt *row = db_prepare(db, sql, error, "iiiitii", filter->device_id, filter->problem_id,
				       filter->environment_id, filter->job_id, filter->outcome, filter->after_id,
				       (int64_t)(filter->limit > 0 ? filter->limit : -1));
	sqlite3_free(sql);
	if (!row)
		return -1;
	while ((status = db_step(db, row, "reading trials", error)) == 1) {
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

int db_trial_count(struct db *db, int64_t *count, struct mmt_error *error)
{
	return db_run(db, count, "counting trials", error, "SELECT count(*) FROM trials", "") < 0 ? -1 : 0;
}

int64_t db_trials_damaged(struct db *db, struct mmt_error *error)
{
	int64_t damaged = 0;
	int status;
	sqlite3_stmt *row = db_prepare(db, "SELECT * FROM trials", error, "");
	if (!row)
		return -1;
	while ((status = db_step(db, row, "checking trials", error)) == 1)
		damaged += !db_trial_is_whole(row);
	sqlite3_finalize(row);
	return status < 0 ? -1 : damaged;
}
