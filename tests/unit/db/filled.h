/* filled.h: a database in a folder of its own, and rows to put in it, for the
 * tests of db/. */
#ifndef MMT_TEST_DB_FILLED_H
#define MMT_TEST_DB_FILLED_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "statement.h"

struct filled {
	char folder[64], path[96];
	struct db *db;
	struct db_opened opened;
	int64_t device, environment, problem, variant, job;
};

static inline void filled_rows(struct filled *filled)
{
	struct mmt_error error = {0};
	struct db_device device = {.name = (char *)"cpu0",
				   .fingerprint = (char *)"print-0",
				   .properties = (char *)"{}",
				   .first_seen_at = 10,
				   .last_seen_at = 20};
	assert_int_equal(db_device_put(filled->db, &device, &error), 0);
	filled->device = device.id;
	assert_int_equal(db_environment(filled->db, device.id, "1.0", "OpenCL 3.0", &filled->environment, &error), 0);
	assert_int_equal(db_problem(filled->db, "{\"m\":1000}", &filled->problem, &error), 0);
	assert_int_equal(db_variant(filled->db, "matmul", "tiled", "aa", "bb", &filled->variant, &error), 0);
	struct db_job job = {.device_id = filled->device,
			     .problem_id = filled->problem,
			     .state = (char *)"queued",
			     .strategy = (char *)"auto",
			     .origin = (char *)"client",
			     .seed = -7,
			     .created_at = 30};
	assert_int_equal(db_job_put(filled->db, &job, &error), 0);
	filled->job = job.id;
}

/* One trial; its time tells it apart. */
static inline int64_t filled_trial(struct filled *filled, const char *outcome, double time_ns)
{
	struct mmt_error error = {0};
	char configuration[64];
	snprintf(configuration, sizeof(configuration), "{\"tile\":%d}", (int)time_ns);
	struct db_trial trial = {.job_id = filled->job,
				 .device_id = filled->device,
				 .environment_id = filled->environment,
				 .problem_id = filled->problem,
				 .variant_id = filled->variant,
				 .configuration = configuration,
				 .outcome = (char *)outcome,
				 .time_ns = time_ns,
				 .runs = 7,
				 .message = (char *)"",
				 .measured_at = 1234};
	if (db_trial_add(filled->db, &trial, &error) < 0)
		fail_msg("%s", error.message);
	return trial.id;
}

static inline void filled_open(struct filled *filled)
{
	struct mmt_error error = {0};
	filled->db = db_open(filled->path, &filled->opened, &error);
	if (!filled->db)
		fail_msg("%s", error.message);
}

static inline void filled_close(struct filled *filled)
{
	db_close(filled->db);
	filled->db = NULL;
}

static inline int filled_setup(void **state)
{
	struct filled *filled = calloc(1, sizeof(*filled));
	snprintf(filled->folder, sizeof(filled->folder), "/tmp/mmtune-db-XXXXXX");
	assert_non_null(mkdtemp(filled->folder));
	snprintf(filled->path, sizeof(filled->path), "%s/mmtune.db", filled->folder);
	filled_open(filled);
	filled_rows(filled);
	*state = filled;
	return 0;
}

/* How many files of the folder have this in their names. */
static inline int filled_files(struct filled *filled, const char *part)
{
	int count = 0;
	DIR *folder = opendir(filled->folder);
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
		count += strstr(entry->d_name, part) != NULL;
	closedir(folder);
	return count;
}

static inline int filled_teardown(void **state)
{
	struct filled *filled = *state;
	db_close(filled->db);
	DIR *folder = opendir(filled->folder);
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
		unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	rmdir(filled->folder);
	free(filled);
	return 0;
}

/* One statement by another connection, as another program would run it. */
static inline int filled_sql(struct filled *filled, const char *sql)
{
	sqlite3 *other = NULL;
	assert_int_equal(sqlite3_open(filled->path, &other), SQLITE_OK);
	int code = sqlite3_exec(other, sql, NULL, NULL, NULL);
	sqlite3_close(other);
	return code;
}

static inline int64_t filled_count(struct filled *filled)
{
	int64_t count = -1;
	struct mmt_error error = {0};
	assert_int_equal(db_trial_count(filled->db, &count, &error), 0);
	return count;
}

#define FILLED_TEST(name) cmocka_unit_test_setup_teardown(name, filled_setup, filled_teardown)

#endif
