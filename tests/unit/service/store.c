/* store.c: work runs in order on another thread, done on the loop's. */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "store.h"

#define COUNT 200

struct fixture {
	uv_loop_t loop;
	struct svc_store *store;
	pthread_t loop_thread;
	int worked[COUNT], n_worked, told[COUNT], n_told;
	bool work_off_loop, done_on_loop;
	struct mmt_error error;
};

struct piece {
	struct fixture *fixture;
	int number;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	struct mmt_error error = {0};
	assert_int_equal(uv_loop_init(&fixture->loop), 0);
	fixture->loop_thread = pthread_self();
	fixture->work_off_loop = fixture->done_on_loop = true;
	fixture->store = svc_store_create(&fixture->loop, ":memory:", NULL, &error);
	assert_non_null(fixture->store);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	svc_store_destroy(fixture->store);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&fixture->loop), 0);
	free(fixture);
	return 0;
}

static int work(struct db *db, void *context, struct mmt_error *error)
{
	struct piece *piece = context;
	struct fixture *fixture = piece->fixture;
	int64_t count = -1;
	fixture->work_off_loop = fixture->work_off_loop && !pthread_equal(pthread_self(), fixture->loop_thread);
	fixture->worked[fixture->n_worked++] = piece->number;
	return db_trial_count(db, &count, error);
}

static void done(void *context, int status, const struct mmt_error *error)
{
	struct piece *piece = context;
	struct fixture *fixture = piece->fixture;
	assert_int_equal(status, 0);
	assert_null(error);
	fixture->done_on_loop = fixture->done_on_loop && pthread_equal(pthread_self(), fixture->loop_thread);
	fixture->told[fixture->n_told++] = piece->number;
}

static void order_is_kept(void **state)
{
	struct fixture *fixture = *state;
	static struct piece pieces[COUNT];
	for (int i = 0; i < COUNT; i++) {
		pieces[i] = (struct piece){fixture, i};
		svc_store_post(fixture->store, work, done, &pieces[i]);
	}
	uv_run(&fixture->loop, UV_RUN_DEFAULT); /* ends by itself: an idle store keeps no loop alive */
	assert_int_equal(fixture->n_worked, COUNT);
	assert_int_equal(fixture->n_told, COUNT);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(fixture->worked[i], i);
		assert_int_equal(fixture->told[i], i);
	}
	assert_true(fixture->work_off_loop);
	assert_true(fixture->done_on_loop);
}

static int fail_work(struct db *db, void *context, struct mmt_error *error)
{
	(void)context;
	return db_promote(db, 77, "no such trial", error);
}

static void on_failed(void *context, int status, const struct mmt_error *error)
{
	struct fixture *fixture = context;
	assert_int_equal(status, -1);
	fixture->error = *error;
}

static void errors_come_back(void **state)
{
	struct fixture *fixture = *state;
	svc_store_post(fixture->store, fail_work, on_failed, fixture);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(fixture->error.code, MMT_INVALID_ARGUMENT);
	assert_non_null(strstr(fixture->error.message, "77"));
	svc_store_post(fixture->store, fail_work, NULL, NULL); /* and nobody has to listen */
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
}

static void run_waits_for_what_was_posted_before(void **state)
{
	struct fixture *fixture = *state;
	struct piece posted = {fixture, 1}, waited = {fixture, 2};
	struct mmt_error error = {0};
	svc_store_post(fixture->store, work, done, &posted);
	assert_int_equal(svc_store_run(fixture->store, work, &waited, &error), 0);
	assert_int_equal(fixture->n_worked, 2);
	assert_int_equal(fixture->worked[1], 2);
	assert_int_equal(fixture->n_told, 0); /* done comes from the loop only */
	assert_int_equal(svc_store_run(fixture->store, fail_work, NULL, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(fixture->n_told, 1);
}

static int slow_work(struct db *db, void *context, struct mmt_error *error)
{
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	return work(db, context, error);
}

static void post_once_more(void *context, int status, const struct mmt_error *error)
{
	struct piece *piece = context;
	done(context, status, error);
	if (piece->number++ == 0)
		svc_store_post(piece->fixture->store, work, post_once_more, piece);
}

static void destroy_finishes_what_is_pending(void **state)
{
	struct fixture *fixture = *state;
	struct piece pieces[10], last = {fixture, 0};
	for (int i = 0; i < 10; i++) {
		pieces[i] = (struct piece){fixture, i + 100};
		svc_store_post(fixture->store, slow_work, done, &pieces[i]);
	}
	svc_store_post(fixture->store, slow_work, post_once_more, &last);
	svc_store_destroy(fixture->store);
	fixture->store = NULL;
	assert_int_equal(fixture->n_worked, 12);
	assert_int_equal(fixture->n_told, 12);
	assert_int_equal(last.number, 2);
}

static void a_store_that_cannot_open_says_why(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error = {0};
	struct db_opened opened;
	assert_null(svc_store_create(&fixture->loop, "/nonexistent/mmtune.db", &opened, &error));
	assert_int_equal(error.code, MMT_SYSTEM);
	struct svc_store *store = svc_store_create_in_memory(&fixture->loop, "/nonexistent/mmtune.db", &opened, &error);
	assert_non_null(store);
	assert_true(opened.read_only);
	svc_store_destroy(store);
}

/* Work that meets another process's lock until it is let go. */
struct locked {
	struct fixture *fixture;
	atomic_bool held;
};

static int locked_work(struct db *db, void *context, struct mmt_error *error)
{
	struct locked *locked = context;
	(void)db;
	return atomic_load(&locked->held) ? mmt_error_set(error, MMT_BUSY, 0, "locked") : 0;
}

static void on_locked_done(void *context, int status, const struct mmt_error *error)
{
	struct locked *locked = context;
	struct fixture *fixture = locked->fixture;
	fixture->error = status == 0 ? (struct mmt_error){0} : *error;
	fixture->told[fixture->n_told++] = 1;
}

static void unlock(void *context, int status, const struct mmt_error *error)
{
	struct locked *locked = context;
	assert_int_equal(status, 0);
	assert_null(error);
	locked->fixture->told[locked->fixture->n_told++] = 2;
	atomic_store(&locked->held, false);
}

static int read_work(struct db *db, void *context, struct mmt_error *error)
{
	int64_t count;
	(void)context;
	return db_trial_count(db, &count, error);
}

static void results_wait_for_a_lock_and_reads_do_not(void **state)
{
	struct fixture *fixture = *state;
	struct locked locked = {.fixture = fixture, .held = true};
	struct piece after = {fixture, 3};
	svc_store_post_patiently(fixture->store, locked_work, on_locked_done, &locked);
	svc_store_post(fixture->store, work, done, &after);
	svc_store_post_read(fixture->store, read_work, unlock, &locked);
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	const int order[] = {2, 1, 3};
	assert_int_equal(fixture->n_told, 3);
	assert_memory_equal(fixture->told, order, sizeof order);
	assert_int_equal(fixture->error.code, MMT_OK);
}

static void an_end_waits_for_no_lock(void **state)
{
	struct fixture *fixture = *state;
	struct locked locked = {.fixture = fixture, .held = true};
	for (int i = 0; i < 20; i++)
		svc_store_post_patiently(fixture->store, locked_work, on_locked_done, &locked);
	svc_store_hurry(fixture->store);
	uint64_t started_ns = uv_hrtime();
	uv_run(&fixture->loop, UV_RUN_DEFAULT);
	assert_int_equal(fixture->n_told, 20);
	assert_int_equal(fixture->error.code, MMT_BUSY);
	assert_true(uv_hrtime() - started_ns < 2500000000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(order_is_kept),
		TEST(errors_come_back),
		TEST(run_waits_for_what_was_posted_before),
		TEST(destroy_finishes_what_is_pending),
		TEST(a_store_that_cannot_open_says_why),
		TEST(results_wait_for_a_lock_and_reads_do_not),
		TEST(an_end_waits_for_no_lock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
