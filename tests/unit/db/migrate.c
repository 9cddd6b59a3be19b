/* migrate.c: from every older version, whole or not at all. */
#include "filled.h"

#include <signal.h>
#include <sys/wait.h>

#include "embedded.h"
#include "migrate.h"
#include "open.h"

extern const struct mmt_embedded db_migrations[];

static int64_t number(struct filled *filled, const char *sql)
{
	int64_t value = -1;
	struct mmt_error error = {0};
	if (db_run(filled->db, &value, "a number", &error, sql, "") != 1)
		fail_msg("%s: %s", sql, error.message);
	return value;
}

/* An empty database, not migrated. */
static void start_empty(struct filled *filled)
{
	char copy[112];
	snprintf(copy, sizeof(copy), "%s.before-v%d", filled->path, db_version_newest());
	filled_close(filled);
	unlink(filled->path);
	unlink(copy);
	filled_sql(filled, "PRAGMA journal_mode = DELETE");
}

static void files_are_numbered_without_gaps(void **state)
{
	(void)state;
	int count = 0;
	for (; db_migrations[count].path; count++)
		assert_int_equal(atoi(db_migrations[count].path), count + 1);
	assert_int_equal(count, db_version_newest());
	assert_true(count >= 1);
}

/* A file of version N, made by the first N migrations, opens, and has been copied before. */
static void every_older_version_is_migrated(void **state)
{
	struct filled *filled = *state;
	for (int version = 1; version <= db_version_newest(); version++) {
		start_empty(filled);
		for (int i = 0; i < version; i++)
			assert_int_equal(filled_sql(filled, db_migrations[i].content), SQLITE_OK);
		char pragma[128];
		snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d; PRAGMA application_id = %d", version,
			 DB_APPLICATION_ID);
		assert_int_equal(filled_sql(filled, pragma), SQLITE_OK);
		filled_open(filled);
		bool older = version < db_version_newest();
		assert_int_equal(filled->opened.migrated_from, older ? version : -1);
		assert_int_equal(number(filled, "PRAGMA user_version"), db_version_newest());
		assert_int_equal(filled_files(filled, ".before-v"), older);
		filled_rows(filled);
		filled_trial(filled, "ok", 1);
	}
}

/* Far enough into a migration that pages of it are in the file already. */
static void die_half_way(struct filled *filled)
{
	sqlite3 *other = NULL;
	sqlite3_open(filled->path, &other);
	sqlite3_exec(other,
		     "PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE devices (id); PRAGMA user_version = 1; "
		     "CREATE TABLE filler (x); INSERT INTO filler WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL "
		     "SELECT i + 1 FROM n WHERE i < 500) SELECT hex(randomblob(500)) FROM n",
		     NULL, NULL, NULL);
	raise(SIGKILL);
}

/* The journal takes it back, and the next start makes it anew. */
static void half_a_migration_is_none(void **state)
{
	struct filled *filled = *state;
	struct stat about;
	int status = 0;
	start_empty(filled);
	pid_t child = fork();
	if (child == 0)
		die_half_way(filled);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(stat(filled->path, &about), 0);
	assert_true(about.st_size > 100000);
	filled_open(filled);
	assert_true(filled->opened.created);
	assert_string_equal(filled->opened.set_aside, "");
	assert_int_equal(number(filled, "PRAGMA user_version"), db_version_newest());
}

static void a_failed_migration_changes_nothing(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	start_empty(filled);
	filled->db = db_allocate(filled->path, &error);
	assert_int_equal(db_connect(filled->db, filled->path, SQLITE_OPEN_READWRITE, &error), 0);
	/* in the way of the last statement of migration 1 */
	assert_int_equal(db_execute(filled->db, "CREATE TABLE best (x)", "", &error), 0);
	assert_int_equal(db_migrate(filled->db, 0, 1, false, &error), -1);
	assert_non_null(strstr(error.message, "migrating to version 1"));
	assert_int_equal(number(filled, "PRAGMA user_version"), 0);
	assert_int_equal(number(filled, "SELECT count(*) FROM sqlite_schema"), 1);
	assert_int_equal(number(filled, "PRAGMA foreign_keys"), 1);
	assert_int_equal(db_execute(filled->db, "DROP TABLE best", "", &error), 0);
	assert_int_equal(db_migrate(filled->db, 0, 1, false, &error), 0);
}

/* The copy is whole, and only the newest is kept. */
static void a_copy_is_made_before(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};

	start_empty(filled);
	filled->db = db_allocate(filled->path, &error);
	assert_int_equal(db_connect(filled->db, filled->path, SQLITE_OPEN_READWRITE, &error), 0);
	assert_int_equal(db_execute(filled->db, "CREATE TABLE old (x); INSERT INTO old VALUES (42)", "", &error), 0);
	assert_int_equal(db_migrate(filled->db, 0, 1, true, &error), 0);
	struct filled copy = *filled;
	snprintf(copy.path, sizeof(copy.path), "%s/mmtune.db.before-v1", filled->folder);
	copy.db = db_allocate(copy.path, &error);
	assert_int_equal(db_connect(copy.db, copy.path, SQLITE_OPEN_READONLY, &error), 0);
	assert_int_equal(number(&copy, "SELECT x FROM old"), 42);
	filled_close(&copy);
	assert_int_equal(filled_files(filled, "partial"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILLED_TEST(files_are_numbered_without_gaps), FILLED_TEST(every_older_version_is_migrated),
		FILLED_TEST(half_a_migration_is_none),        FILLED_TEST(a_failed_migration_changes_nothing),
		FILLED_TEST(a_copy_is_made_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
