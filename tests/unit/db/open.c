/* open.c: what db_open() makes of files that are not simply its own, and of
 * others who hold them. */
#include "filled.h"

#include <sys/resource.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "migrate.h"

static char *slurp(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	char *content = malloc((size_t)4 << 20);
	*bytes = fread(content, 1, (size_t)4 << 20, file);
	fclose(file);
	return content;
}

/* db_open() refuses with these words, and the file stays as it is to the byte. */
static void refused_untouched(struct filled *filled, const char *words)
{
	size_t before_bytes, after_bytes;
	struct mmt_error error = {0};
	char *before = slurp(filled->path, &before_bytes);
	assert_null(db_open(filled->path, &filled->opened, &error));
	assert_int_equal(error.code, MMT_DATABASE);
	assert_non_null(strstr(error.message, filled->path));
	if (!strstr(error.message, words))
		fail_msg("'%s' does not say '%s'", error.message, words);
	char *after = slurp(filled->path, &after_bytes);
	assert_int_equal(before_bytes, after_bytes);
	assert_memory_equal(before, after, before_bytes);
	assert_int_equal(filled_files(filled, "damaged"), 0);
	free(before);
	free(after);
}

static void created_then_found(void **state)
{
	struct filled *filled = *state;
	assert_true(filled->opened.created);
	assert_int_equal(filled->opened.migrated_from, -1);
	filled_trial(filled, "ok", 1);
	filled_close(filled);
	filled_open(filled);
	assert_false(filled->opened.created);
	assert_int_equal(filled->opened.migrated_from, -1);
	assert_string_equal(filled->opened.set_aside, "");
	assert_int_equal(filled_count(filled), 1);
}

static void settings_are_ours(void **state)
{
	struct filled *filled = *state;
	const struct {
		const char *pragma;
		int64_t value;
	} integers[] = {{"PRAGMA synchronous", 2},
			{"PRAGMA foreign_keys", 1},
			{"PRAGMA busy_timeout", 5000},
			{"PRAGMA application_id", DB_APPLICATION_ID},
			{"PRAGMA user_version", db_version_newest()},
			{"SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'", 1},
			{"SELECT count(*) FROM pragma_table_list WHERE NOT strict AND name NOT LIKE 'sqlite_%'", 0}};
	struct mmt_error error = {0};
	for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
		int64_t value = -1;
		assert_true(db_run(filled->db, &value, "a setting", &error, integers[i].pragma, "") == 1);
		assert_int_equal(value, integers[i].value);
	}
}

static void an_empty_file_is_new(void **state)
{
	struct filled *filled = *state;
	filled_close(filled);
	fclose(fopen(filled->path, "w"));
	filled_open(filled);
	assert_true(filled->opened.created);
	assert_int_equal(filled_count(filled), 0);
}

static void a_newer_schema_is_refused(void **state)
{
	struct filled *filled = *state;
	filled_close(filled);
	assert_int_equal(filled_sql(filled, "PRAGMA user_version = 99"), SQLITE_OK);
	refused_untouched(filled, "version 99");
	char ours[32];
	snprintf(ours, sizeof(ours), "version %d,", db_version_newest());
	refused_untouched(filled, ours);
}

static void another_programs_database_is_refused(void **state)
{
	struct filled *filled = *state;
	filled_close(filled);
	unlink(filled->path);
	assert_int_equal(
		filled_sql(filled, "PRAGMA application_id = 77; CREATE TABLE jobs (x); INSERT INTO jobs VALUES (1)"),
		SQLITE_OK);
	refused_untouched(filled, "another program");
	assert_int_equal(filled_sql(filled, "PRAGMA application_id = 0"), SQLITE_OK);
	refused_untouched(filled, "another program");
}

static void what_is_no_file_is_refused(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	assert_null(db_open(filled->folder, NULL, &error));
	assert_true(error.code == MMT_SYSTEM || error.code == MMT_DATABASE);
	assert_null(db_open("/nonexistent/mmtune.db", NULL, &error));
	assert_int_equal(error.code, MMT_SYSTEM);
	assert_null(db_open("/dev/null", NULL, &error));
	assert_int_equal(error.code, MMT_DATABASE);
}

/* As somebody who may read only, root or not. */
static void try_read_only(struct filled *filled)
{
	struct mmt_error error = {0};
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		_exit(77);
	if (db_open(filled->path, &filled->opened, &error) || error.code != MMT_READ_ONLY)
		_exit(1);
	filled->db = db_open_read_only(filled->path, &filled->opened, &error);
	if (!filled->db || !filled->opened.read_only || filled->opened.created)
		_exit(2);
	if (filled_count(filled) != 3)
		_exit(3);
	filled_trial(filled, "ok", 4); /* and what is found now is kept while we run */
	_exit(filled_count(filled) == 4 ? 0 : 4);
}

static void what_cannot_be_written_is_read(void **state)
{
	struct filled *filled = *state;
	int status = 0;
	for (int i = 1; i <= 3; i++)
		filled_trial(filled, "ok", i);
	filled_close(filled);
	assert_int_equal(chmod(filled->path, 0444), 0);
	assert_int_equal(chmod(filled->folder, 0555), 0);
	pid_t child = fork();
	if (child == 0)
		try_read_only(filled);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(chmod(filled->folder, 0755), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(chmod(filled->path, 0644), 0);
	filled_open(filled);
	assert_int_equal(filled_count(filled), 3);
}

static void a_file_that_is_not_there_reads_as_empty(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	filled_close(filled);
	unlink(filled->path);
	filled->db = db_open_read_only(filled->path, &filled->opened, &error);
	assert_non_null(filled->db);
	assert_int_equal(filled_count(filled), 0);
	assert_int_equal(filled_files(filled, "mmtune.db"), 0);
}

/* A pipe would be opened for ever. */
static void what_is_no_file_reads_as_empty(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	filled_close(filled);
	unlink(filled->path);
	assert_int_equal(mkfifo(filled->path, 0600), 0);
	alarm(10);
	filled->db = db_open_read_only(filled->path, &filled->opened, &error);
	alarm(0);
	assert_non_null(filled->db);
	assert_true(filled->opened.read_only);
	assert_int_equal(filled_count(filled), 0);
}

/* ---- company ---- */

static void a_reader_disturbs_nobody(void **state)
{
	struct filled *filled = *state;
	sqlite3 *other = NULL;
	assert_int_equal(sqlite3_open(filled->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN; SELECT count(*) FROM trials", NULL, NULL, NULL), SQLITE_OK);
	for (int i = 1; i <= 5; i++)
		filled_trial(filled, "ok", i);
	assert_int_equal(filled_count(filled), 5);
	sqlite3_close(other);
}

static void a_writer_is_waited_for_and_then_reported(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	sqlite3 *other = NULL;
	filled_trial(filled, "ok", 1);
	sqlite3_busy_timeout(filled->db->connection, 50); /* not the five seconds */
	assert_int_equal(sqlite3_open(filled->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(db_promote(filled->db, 1, "x", &error), -1);
	assert_int_equal(error.code, MMT_BUSY);
	assert_non_null(strstr(error.message, "another process"));
	assert_int_equal(filled_count(filled), 1); /* reading goes on */
	assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(db_promote(filled->db, 1, "x", &error), 0);
	sqlite3_close(other);
}

static void a_full_database_stays_usable(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	int64_t first = filled_trial(filled, "ok", 1), pages = 0;
	assert_true(db_run(filled->db, &pages, "", &error, "PRAGMA page_count", "") == 1);
	char limit[64], *long_text = calloc(1, 100001);
	memset(long_text, 'x', 100000);
	snprintf(limit, sizeof(limit), "PRAGMA max_page_count = %lld", (long long)pages);
	assert_int_equal(db_execute(filled->db, limit, "", &error), 0);
	assert_int_equal(db_begin(filled->db, &error), 0);
	int64_t id;
	assert_int_equal(db_problem(filled->db, long_text, &id, &error), -1);
	assert_int_equal(error.code, MMT_DATABASE);
	assert_non_null(strstr(error.message, "disk is full"));
	db_rollback(filled->db);
	assert_int_equal(filled_count(filled), 1);
	assert_int_equal(db_execute(filled->db, "PRAGMA max_page_count = 100000", "", &error), 0);
	assert_int_equal(db_problem(filled->db, long_text, &id, &error), 0);
	assert_int_equal(db_promote(filled->db, first, "x", &error), 0);
	free(long_text);
}

/* The system refuses to let a file grow, as a quota does. In a child: limits stay. */
static void try_small_files(struct filled *filled)
{
	struct mmt_error error = {0};
	signal(SIGXFSZ, SIG_IGN);
	filled_open(filled);
	struct rlimit before, small;
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 16384;
	setrlimit(RLIMIT_FSIZE, &small);
	char *long_text = calloc(1, 200001);
	memset(long_text, 'x', 200000);
	int64_t id;
	if (db_problem(filled->db, long_text, &id, &error) != -1 || error.code != MMT_DATABASE ||
	    !strstr(error.message, "disk I/O error"))
		_exit(1);
	if (filled_count(filled) != 1)
		_exit(2);
	setrlimit(RLIMIT_FSIZE, &before);
	if (db_problem(filled->db, long_text, &id, &error) != 0)
		_exit(3);
	db_close(filled->db);
	_exit(0);
}

static void a_file_that_may_not_grow(void **state)
{
	struct filled *filled = *state;
	int status = 0;
	filled_trial(filled, "ok", 1);
	filled_close(filled);
	pid_t child = fork();
	if (child == 0)
		try_small_files(filled);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	filled_open(filled);
	assert_string_equal(filled->opened.set_aside, "");
}

static void a_kill_loses_nothing_that_was_acknowledged(void **state)
{
	struct filled *filled = *state;
	int channel[2], status = 0;
	filled_close(filled);
	assert_int_equal(pipe(channel), 0);
	pid_t child = fork();
	if (child == 0) {
		filled_open(filled);
		for (int i = 1;; i++) {
			int64_t id = filled_trial(filled, "ok", i);
			if (write(channel[1], &id, sizeof(id)) != sizeof(id))
				_exit(1);
		}
	}
	int64_t last = 0, id;
	close(channel[1]);
	while (last < 20 && read(channel[0], &id, sizeof(id)) == sizeof(id))
		last = id;
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	while (read(channel[0], &id, sizeof(id)) == sizeof(id))
		last = id;
	close(channel[0]);
	filled_open(filled);
	assert_string_equal(filled->opened.set_aside, "");
	assert_true(last >= 20);
	assert_in_range(filled_count(filled), last, last + 1);
}

static void a_backup_is_whole(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	struct filled copy = *filled;
	filled_trial(filled, "ok", 1); /* still in the WAL */
	snprintf(copy.path, sizeof(copy.path), "%s/copy.db", filled->folder);
	assert_int_equal(db_backup(filled->db, copy.path, &error), 0);
	assert_int_equal(db_backup(filled->db, copy.path, &error), -1); /* never over another */
	filled_open(&copy);
	assert_false(copy.opened.created);
	assert_int_equal(filled_count(&copy), 1);
	filled_close(&copy);
}

static void a_file_that_is_deleted_is_written_anew(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	bool restored = true;
	filled_trial(filled, "ok", 1);
	assert_int_equal(db_keep_place(filled->db, &restored, &error), 0);
	assert_false(restored);
	assert_int_equal(unlink(filled->path), 0); /* its WAL is left behind */
	if (db_keep_place(filled->db, &restored, &error) != 0)
		fail_msg("%s", error.message);
	assert_true(restored);
	filled_trial(filled, "ok", 2);
	assert_int_equal(db_keep_place(filled->db, &restored, &error), 0);
	assert_false(restored);
	filled_close(filled);
	filled_open(filled);
	assert_string_equal(filled->opened.set_aside, "");
	assert_int_equal(filled_count(filled), 2);
	assert_int_equal(filled_files(filled, "restored"), 0);
}

static void another_file_in_its_place_is_left_alone(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	bool restored = true;
	assert_int_equal(unlink(filled->path), 0);
	FILE *file = fopen(filled->path, "w");
	fputs("not ours", file);
	fclose(file);
	assert_int_equal(db_keep_place(filled->db, &restored, &error), -1);
	assert_false(restored);
	assert_non_null(strstr(error.message, "another file"));
	filled_trial(filled, "ok", 1); /* it goes on with its own */
	size_t bytes;
	char *content = slurp(filled->path, &bytes);
	assert_int_equal(bytes, 8);
	free(content);
}

static void a_lock_is_seen(void **state)
{
	struct filled *filled = *state;
	sqlite3 *other = NULL;
	filled_close(filled);
	assert_false(db_is_locked(filled->path));
	assert_int_equal(sqlite3_open(filled->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", NULL, NULL, NULL),
			 SQLITE_OK);
	pid_t child = fork(); /* the locks of one process are all its own */
	if (child == 0) {
		alarm(2); /* it waits for nothing: the service's loop asks */
		_exit(db_is_locked(filled->path) ? 7 : 0);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 7);
	sqlite3_close(other);
	assert_false(db_is_locked(filled->path));
	assert_false(db_is_locked("/nonexistent/file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILLED_TEST(created_then_found),
		FILLED_TEST(settings_are_ours),
		FILLED_TEST(an_empty_file_is_new),
		FILLED_TEST(a_newer_schema_is_refused),
		FILLED_TEST(another_programs_database_is_refused),
		FILLED_TEST(what_is_no_file_is_refused),
		FILLED_TEST(what_cannot_be_written_is_read),
		FILLED_TEST(a_file_that_is_not_there_reads_as_empty),
		FILLED_TEST(what_is_no_file_reads_as_empty),
		FILLED_TEST(a_reader_disturbs_nobody),
		FILLED_TEST(a_writer_is_waited_for_and_then_reported),
		FILLED_TEST(a_full_database_stays_usable),
		FILLED_TEST(a_file_that_may_not_grow),
		FILLED_TEST(a_kill_loses_nothing_that_was_acknowledged),
		FILLED_TEST(a_backup_is_whole),
		FILLED_TEST(a_file_that_is_deleted_is_written_anew),
		FILLED_TEST(another_file_in_its_place_is_left_alone),
		FILLED_TEST(a_lock_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
