/* damage.c: files that were cut or flipped: never a crash, never a wrong
 * number, the damaged file kept, and what can be read is saved. */
#include "filled.h"

#include <fcntl.h>

#define TRIALS 300

/* Text enough for several pages of every kind. */
static void fill(struct filled *filled)
{
	struct mmt_error error = {0};
	assert_int_equal(db_begin(filled->db, &error), 0);
	for (int i = 1; i <= TRIALS; i++) {
		int64_t trial = filled_trial(filled, "ok", i);
		if (i % 100 == 0)
			assert_int_equal(db_promote(filled->db, trial, "better", &error), 0);
	}
	assert_int_equal(db_commit(filled->db, &error), 0);
}

static int64_t size_of(const char *path)
{
	struct stat about;
	assert_int_equal(stat(path, &about), 0);
	return about.st_size;
}

static void flip(const char *path, int64_t offset, unsigned char mask)
{
	unsigned char byte;
	int file = open(path, O_RDWR);
	assert_int_equal(pread(file, &byte, 1, offset), 1);
	byte ^= mask;
	assert_int_equal(pwrite(file, &byte, 1, offset), 1);
	close(file);
}

static void copy_file(const char *from, const char *to)
{
	char buffer[65536];
	ssize_t bytes;
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(in >= 0 && out >= 0);
	while ((bytes = read(in, buffer, sizeof(buffer))) > 0)
		assert_int_equal(write(out, buffer, (size_t)bytes), bytes);
	close(in);
	close(out);
}

static void remove_all_but(struct filled *filled, const char *kept)
{
	DIR *folder = opendir(filled->folder);
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
		if (strncmp(entry->d_name, kept, strlen(kept)) != 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
}

/* A row says the same thing three times: its time, its configuration, its job. */
static int check_row(void *context, const struct db_trial *trial)
{
	char expected[64];
	int *count = context;
	snprintf(expected, sizeof(expected), "{\"tile\":%d}", (int)trial->time_ns);
	assert_string_equal(trial->configuration, expected);
	assert_string_equal(trial->outcome, "ok");
	assert_int_equal(trial->measured_at, 1234);
	assert_string_equal(trial->problem, "{\"m\":1000}");
	assert_string_equal(trial->device, "cpu0");
	assert_string_equal(trial->variant, "tiled");
	assert_int_equal(trial->runs, 7);
	(*count)++;
	return 0;
}

/* Opens what was damaged; returns how many trials are there, all of them true; -1: refused. */
static int survivors(struct filled *filled)
{
	int count = 0, bests = 0;
	struct mmt_error error = {0};
	struct db_trial_filter all = {0};
	filled->db = db_open(filled->path, &filled->opened, &error);
	if (!filled->db) {
		/* a header that claims a newer version, or another program */
		if (error.code != MMT_DATABASE || !strstr(error.message, "version"))
			fail_msg("%s", error.message);
		assert_int_equal(filled_files(filled, "damaged"), 0);
		return -1;
	}
	assert_int_equal(filled_files(filled, "damaged") > 0, filled->opened.set_aside[0] != '\0');
	assert_int_equal(filled_files(filled, "salvag"), 0);
	if (db_trials(filled->db, &all, check_row, &count, &error) < 0)
		fail_msg("%s", error.message);
	assert_int_equal(db_bests(filled->db, check_row, &bests, &error), 0);
	filled_close(filled);
	return count;
}

static void a_flipped_bit_anywhere(void **state)
{
	struct filled *filled = *state;
	char whole[128];
	fill(filled);
	filled_close(filled);
	snprintf(whole, sizeof(whole), "%s/whole", filled->folder);
	copy_file(filled->path, whole);
	int64_t bytes = size_of(whole), damaged = 0, saved = 0;
	uint64_t random = 12345;
	for (int i = 0; i < 260; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		/* the header byte for byte, then anywhere */
		int64_t offset = i < 100 ? i : (int64_t)((random >> 33) % (uint64_t)bytes);
		remove_all_but(filled, "whole");
		copy_file(whole, filled->path);
		flip(filled->path, offset, (unsigned char)(1u << (random >> 20 & 7)));
		int count = survivors(filled);
		if (filled->opened.set_aside[0] && count >= 0) {
			damaged++;
			saved += count;
			assert_int_equal(size_of(filled->opened.set_aside), bytes);
		}
	}
	/* most of it, most of the time: the header aside, one page of many is lost */
	assert_true(damaged > 50);
	assert_true(saved > damaged * TRIALS / 2);
}

static void a_cut_anywhere(void **state)
{
	struct filled *filled = *state;
	char whole[128];
	fill(filled);
	filled_close(filled);
	snprintf(whole, sizeof(whole), "%s/whole", filled->folder);
	copy_file(filled->path, whole);
	int64_t bytes = size_of(whole);
	/* SQLite takes a file of one byte for an empty one */
	for (int64_t keep = 2; keep < bytes; keep += keep < 200 ? 33 : 2011) {
		remove_all_but(filled, "whole");
		copy_file(whole, filled->path);
		assert_int_equal(truncate(filled->path, keep), 0);
		survivors(filled);
		assert_string_not_equal(filled->opened.set_aside, "");
		assert_int_equal(size_of(filled->opened.set_aside), keep);
	}
}

/* A WAL is believed as far as its checksums hold. */
static void a_damaged_wal(void **state)
{
	struct filled *filled = *state;
	char whole[128], whole_wal[128], wal[128];
	snprintf(whole, sizeof(whole), "%s/whole", filled->folder);
	snprintf(whole_wal, sizeof(whole_wal), "%s/whole-wal", filled->folder);
	snprintf(wal, sizeof(wal), "%s-wal", filled->path);
	filled_close(filled);
	filled_open(filled);
	fill(filled);
	copy_file(filled->path, whole);
	copy_file(wal, whole_wal);
	filled_close(filled);
	int64_t bytes = size_of(whole_wal);
	uint64_t random = 99;
	for (int i = 0; i < 60; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		remove_all_but(filled, "whole");
		copy_file(whole, filled->path);
		copy_file(whole_wal, wal);
		if (i % 3 == 0)
			assert_int_equal(truncate(wal, (int64_t)((random >> 33) % (uint64_t)bytes)), 0);
		else
			flip(wal, (int64_t)((random >> 33) % (uint64_t)bytes), 0x10);
		assert_true(survivors(filled) >= 0);
	}
}

static void no_database_at_all(void **state)
{
	struct filled *filled = *state;
	filled_close(filled);
	FILE *file = fopen(filled->path, "w");
	for (int i = 0; i < 3000; i++)
		fprintf(file, "this is no database %d\n", i);
	fclose(file);
	filled_open(filled);
	assert_string_not_equal(filled->opened.set_aside, "");
	assert_int_equal(filled->opened.salvaged_rows, 0);
	assert_int_equal(filled_count(filled), 0);
	filled_rows(filled); /* and it works */
	filled_trial(filled, "ok", 1);
}

/* Of all table leaves (type 13 in the page's first byte) one of the later: the first are the roots of the small tables.
 */
static int64_t some_trials_page(const char *path, int *rows)
{
	int64_t leaves[256], count = 0, pages = size_of(path) / 4096;
	int file = open(path, O_RDONLY);
	for (int64_t page = 2; page <= pages && count < 256; page++) {
		unsigned char type = 0;
		assert_int_equal(pread(file, &type, 1, (page - 1) * 4096), 1);
		if (type == 13)
			leaves[count++] = page;
	}
	unsigned char cells[2]; /* sqlite.org/fileformat2.html, 1.6: their number, at offset 3 */
	assert_int_equal(pread(file, cells, 2, (leaves[count * 3 / 4] - 1) * 4096 + 3), 2);
	*rows = cells[0] << 8 | cells[1];
	close(file);
	assert_true(count > 8);
	return leaves[count * 3 / 4];
}

/* The middle of the trials is unreadable: both sides are saved, with what they refer to. */
static void both_sides_of_a_hole(void **state)
{
	struct filled *filled = *state;
	fill(filled);
	filled_close(filled);
	int rows = 0;
	int64_t page = some_trials_page(filled->path, &rows);
	assert_in_range(rows, 2, TRIALS / 2);
	for (int64_t at = 0; at < 4096; at++)
		flip(filled->path, (page - 1) * 4096 + at, 0xff);
	int count = survivors(filled);
	assert_int_equal(count, TRIALS - rows); /* what stood on that page, and nothing else */
	assert_true(filled->opened.salvaged_rows >= (uint64_t)count);
}

static int64_t find_bytes(const char *path, const char *bytes)
{
	int64_t size = size_of(path), found = 0;
	char *content = malloc((size_t)size);
	int file = open(path, O_RDONLY);
	assert_int_equal(read(file, content, (size_t)size), size);
	char *at = memmem(content, (size_t)size, bytes, strlen(bytes));
	assert_non_null(at);
	found = at - content;
	free(content);
	close(file);
	return found;
}

/* The page of what every trial refers to is gone; an index has it too, and a job is not needed. */
static void a_small_table_comes_back_from_its_index(void **state)
{
	static const char *const contents[] = {"{\"m\":1000}", "matmultiled", "1.0OpenCL", "print-0{}", "queuedauto"};
	struct filled *filled = *state;
	char whole[128];
	fill(filled);
	filled_close(filled);
	snprintf(whole, sizeof(whole), "%s/whole", filled->folder);
	copy_file(filled->path, whole);
	for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
		remove_all_but(filled, "whole");
		copy_file(whole, filled->path);
		int64_t page = find_bytes(filled->path, contents[i]) / 4096;
		assert_true(page > 0);
		for (int64_t at = 0; at < 4096; at++)
			flip(filled->path, page * 4096 + at, 0xff);
		assert_int_equal(survivors(filled), TRIALS);
		assert_string_not_equal(filled->opened.set_aside, "");
	}
}

/* {"m":1000} became {"m":1001} in one of its two places: which one is true? Then neither is served. */
static void what_contradicts_itself_is_dropped(void **state)
{
	struct filled *filled = *state;
	fill(filled);
	filled_close(filled);
	flip(filled->path, find_bytes(filled->path, "{\"m\":1000}") + 8, 1);
	assert_int_equal(survivors(filled), 0);
	assert_string_not_equal(filled->opened.set_aside, "");
}

/* An index that leads to other rows than it should. */
static void an_index_that_lies_is_noticed(void **state)
{
	struct filled *filled = *state;
	fill(filled);
	assert_int_equal(db_execute(filled->db, "PRAGMA wal_checkpoint(TRUNCATE)", "", NULL), 0);
	filled_close(filled);
	/* the same index as before, less one entry: as a flipped bit may leave it, each page well formed */
	assert_int_equal(filled_sql(filled, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
					    "'job_id IS NOT NULL', 'id > 3') WHERE name = 'trials_by_job'; "
					    "PRAGMA writable_schema = RESET; REINDEX trials_by_job; "
					    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
					    "'id > 3', 'job_id IS NOT NULL') WHERE name = 'trials_by_job'"),
			 SQLITE_OK);
	assert_int_equal(survivors(filled), TRIALS);
	assert_string_not_equal(filled->opened.set_aside, "");
}

static void a_wrong_value_is_noticed(void **state)
{
	struct filled *filled = *state;
	fill(filled);
	filled_close(filled);
	/* in SQLite's eyes a perfect file */
	assert_int_equal(filled_sql(filled, "DROP TRIGGER trials_never_change; "
					    "UPDATE trials SET time_ns = 0.001 WHERE id = 7; "
					    "CREATE TRIGGER trials_never_change BEFORE UPDATE ON trials\nBEGIN\n"
					    "\tSELECT RAISE(ABORT, 'trials are append-only');\nEND"),
			 SQLITE_OK);
	filled_open(filled);
	assert_string_not_equal(filled->opened.set_aside, "");
	assert_int_equal(filled->opened.refused_rows, 1);
	assert_int_equal(filled_count(filled), TRIALS - 1);
}

static void names_are_never_reused(void **state)
{
	struct filled *filled = *state;
	for (int i = 0; i < 3; i++) {
		filled_close(filled);
		FILE *file = fopen(filled->path, "w");
		fprintf(file, "damage number %d, long enough to be looked at: %0*d", i, 200, 0);
		fclose(file);
		filled_open(filled);
	}
	assert_int_equal(filled_files(filled, ".damaged-"), 3);
}

/* Killed between setting the damaged file aside and putting the new one in its place. */
static void a_salvage_is_resumed(void **state)
{
	struct filled *filled = *state;
	char salvaged[128], salvaging[128];
	fill(filled);
	filled_close(filled);
	snprintf(salvaged, sizeof(salvaged), "%s.salvaged", filled->path);
	snprintf(salvaging, sizeof(salvaging), "%s.salvaging", filled->path);
	assert_int_equal(rename(filled->path, salvaged), 0);
	fclose(fopen(salvaging, "w"));
	filled_open(filled);
	assert_int_equal(filled_count(filled), TRIALS);
	assert_int_equal(filled_files(filled, "salvag"), 0);
	/* killed before that: FILE is there still, and is what counts */
	filled_close(filled);
	fclose(fopen(salvaged, "w"));
	filled_open(filled);
	assert_int_equal(filled_count(filled), TRIALS);
	assert_int_equal(filled_files(filled, "salvag"), 0);
}

static void a_damaged_file_is_read_where_nothing_can_be_written(void **state)
{
	struct filled *filled = *state;
	struct mmt_error error = {0};
	fill(filled);
	filled_close(filled);
	int64_t bytes = size_of(filled->path);
	assert_int_equal(truncate(filled->path, bytes - 4096), 0);
	filled->db = db_open_read_only(filled->path, &filled->opened, &error);
	assert_non_null(filled->db);
	assert_true(filled->opened.salvaged_rows > 0);
	assert_int_equal(size_of(filled->path), bytes - 4096);
	assert_int_equal(filled_files(filled, "damaged"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILLED_TEST(a_flipped_bit_anywhere),
		FILLED_TEST(a_cut_anywhere),
		FILLED_TEST(a_damaged_wal),
		FILLED_TEST(no_database_at_all),
		FILLED_TEST(both_sides_of_a_hole),
		FILLED_TEST(a_small_table_comes_back_from_its_index),
		FILLED_TEST(what_contradicts_itself_is_dropped),
		FILLED_TEST(an_index_that_lies_is_noticed),
		FILLED_TEST(a_wrong_value_is_noticed),
		FILLED_TEST(names_are_never_reused),
		FILLED_TEST(a_salvage_is_resumed),
		FILLED_TEST(a_damaged_file_is_read_where_nothing_can_be_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
