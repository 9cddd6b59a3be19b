/* jobs.c: tuning jobs, so that an unfinished one resumes after a restart. */
#include "statement.h"

#include <stdlib.h>

void db_job_finish(struct db_job *job)
{
	char *const owned[] = {job->state,   job->strategy, job->origin, job->accounting,
			       job->message, job->device,   job->problem};
	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		free(owned[i]);
	*job = (struct db_job){0};
}

int db_job_put(struct db *db, struct db_job *job, struct mmt_error *error)
{
	static const char insert[] =
		"INSERT INTO jobs (device_id, problem_id, state, strategy, origin, seed, budget_ns, until, "
		"max_evaluations, spent_ns, evaluations, accounting, message, created_at, started_at, finished_at, id) "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) RETURNING id";
	static const char update[] =
		"UPDATE jobs SET device_id = ?1, problem_id = ?2, state = ?3, strategy = ?4, origin = ?5, seed = ?6, "
		"budget_ns = ?7, until = ?8, max_evaluations = ?9, spent_ns = ?10, evaluations = ?11, "
		"accounting = ?12, message = ?13, created_at = ?14, started_at = ?15, finished_at = ?16 "
		"WHERE id = ?17 RETURNING id";
	int64_t id = job->id;
	int rows = db_run(db, &job->id, "storing a job", error, id ? update : insert, "iitttirririttiiik",
			  job->device_id, job->problem_id, job->state, job->strategy, job->origin, job->seed,
			  job->budget_ns, job->until, job->max_evaluations, job->spent_ns, job->evaluations,
			  job->accounting, job->message, job->created_at, job->started_at, job->finished_at, id);
	if (rows == 0)
		return mmt_error_set(error, MMT_NO_SUCH_JOB, 0, "there is no job %lld", (long long)id);
	return rows < 0 ? -1 : 0;
}

static int read_job(sqlite3_stmt *row, struct db_job *out, struct mmt_error *error)
{
	bool failed = false;
	*out = (struct db_job){
		.id = sqlite3_column_int64(row, 0),
		.device_id = sqlite3_column_int64(row, 1),
		.problem_id = sqlite3_column_int64(row, 2),
		.state = db_column_copy(row, 3, &failed),
		.strategy = db_column_copy(row, 4, &failed),
		.origin = db_column_copy(row, 5, &failed),
		.seed = sqlite3_column_int64(row, 6),
		.budget_ns = sqlite3_column_double(row, 7),
		.until = sqlite3_column_double(row, 8),
		.max_evaluations = sqlite3_column_int64(row, 9),
		.spent_ns = sqlite3_column_double(row, 10),
		.evaluations = sqlite3_column_int64(row, 11),
		.accounting = db_column_copy(row, 12, &failed),
		.message = db_column_copy(row, 13, &failed),
		.created_at = sqlite3_column_int64(row, 14),
		.started_at = sqlite3_column_int64(row, 15),
		.finished_at = sqlite3_column_int64(row, 16),
		.device = db_column_copy(row, 17, &failed),
		.problem = db_column_copy(row, 18, &failed),
	};
	if (!failed)
		return 0;
	db_job_finish(out);
	return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while reading jobs");
}

#define JOB_SELECT                                                                                              \
	"SELECT j.id, j.device_id, j.problem_id, j.state, j.strategy, j.origin, j.seed, j.budget_ns, j.until, " \
	"j.max_evaluations, j.spent_ns, j.evaluations, j.accounting, j.message, j.created_at, j.started_at, "   \
	"j.finished_at, d.name, p.json FROM jobs j CROSS JOIN devices d ON d.id = j.device_id "                 \
	"CROSS JOIN problems p ON p.id = j.problem_id "

int db_jobs(struct db *db, bool unfinished_only, int limit, struct db_job **out, size_t *count, struct mmt_error *error)
{
	const char *sql = unfinished_only ? JOB_SELECT "WHERE j.state IN ('queued', 'running') ORDER BY j.id LIMIT ?1"
					  : JOB_SELECT "ORDER BY j.id DESC LIMIT ?1";
	struct db_job *jobs = NULL;
	size_t n = 0;
	int status = -1;
	*out = NULL;
	*count = 0;
	sqlite3_stmt *row = db_prepare(db, sql, error, "i", (int64_t)(limit > 0 ? limit : -1));
	if (!row)
		return -1;
	while ((status = db_step(db, row, "reading jobs", error)) == 1) {
		struct db_job *grown = realloc(jobs, (n + 1) * sizeof(*jobs));
		if (!grown) {
			status = mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory while reading jobs");
			break;
		}
		jobs = grown;
		status = read_job(row, &jobs[n], error);
		if (status < 0)
			break;
		n++;
	}
	sqlite3_finalize(row);
	if (status < 0) {
		while (n > 0)
			db_job_finish(&jobs[--n]);
		free(jobs);
		return -1;
	}
	*out = jobs;
	*count = n;
	return 0;
}
