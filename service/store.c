/* store.c: a queue in, a queue out, and a thread between them.
 *
 *	post --> pending --store's thread: work(db)--> finished --uv_async, loop: done--> freed
 *	                          ^          | MMT_BUSY
 *	                          `----------' and the reads that are pending go first
 *
 * The async handle keeps the loop alive only while work is under way. Its
 * memory, the store's, is freed in the turn of the loop that closes it. */
#include "store.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One attempt's wait for another process's lock, within which no read is served */
#define ATTEMPT_MS 100
/* SQLite may say that it is locked without a wait */
#define PAUSE_MS 10
/* How long work waits that is not patient, and that at the start */
#define PATIENCE_MS 5000
/* How long any work waits after svc_store_hurry() */
#define HURRY_MS 1000

enum patience { ORDINARY, READ, PATIENT };

struct item {
	struct item *next;
	enum patience patience;
	svc_store_work *work;
	svc_store_done *done;
	void *context;
	int status;
	struct mmt_error error;
	bool waited_for, over; /* by svc_store_run(), under the mutex: no done, and not freed */
};

struct queue {
	struct item *first, **end; /* end: where the next one is linked */
};

struct svc_store {
	uv_async_t async;
	struct db *db;
	size_t under_way; /* posted and not told; the loop's */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t posted, over;
	/* under the mutex */
	struct queue pending, finished;
	bool ending;
	uint64_t hurried_ms; /* when; 0: not */
};

static void queue_init(struct queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
}

static void queue_put(struct queue *queue, struct item *item)
{
	item->next = NULL;
	*queue->end = item;
	queue->end = &item->next;
}

static struct item *queue_take(struct queue *queue)
{
	struct item *item = queue->first;
	if (item != NULL) {
		queue->first = item->next;
		if (queue->first == NULL)
			queue->end = &queue->first;
	}
	return item;
}

/* NULL when the store ends and nothing is left. */
static struct item *wait_for_work(struct svc_store *store)
{
	pthread_mutex_lock(&store->mutex);
	struct item *item;
	while ((item = queue_take(&store->pending)) == NULL && !store->ending)
		pthread_cond_wait(&store->posted, &store->mutex);
	pthread_mutex_unlock(&store->mutex);
	return item;
}

static uint64_t now_ms(void)
{
	return uv_hrtime() / 1000000;
}

static void work_once(struct svc_store *store, struct item *item, int patience_ms)
{
	db_set_patience(store->db, patience_ms);
	item->status = item->work(store->db, item->context, &item->error);
}

static void pass_on(struct svc_store *store, struct item *item)
{
	pthread_mutex_lock(&store->mutex);
	item->over = true;
	if (item->waited_for)
		pthread_cond_signal(&store->over); /* from here on the item is the waiter's */
	else
		queue_put(&store->finished, item);
	pthread_mutex_unlock(&store->mutex);
	uv_async_send(&store->async);
}

/* The first pending read, unlinked; NULL: none. */
static struct item *take_read(struct svc_store *store)
{
	struct item *found = NULL;
	pthread_mutex_lock(&store->mutex);
	for (struct item **link = &store->pending.first; *link != NULL && found == NULL; link = &(*link)->next) {
		if ((*link)->patience != READ)
			continue;
		found = *link;
		*link = found->next;
		if (found->next == NULL)
			store->pending.end = link;
		break;
	}
	pthread_mutex_unlock(&store->mutex);
	return found;
}

static void serve_reads(struct svc_store *store)
{
	struct item *item;
	while ((item = take_read(store)) != NULL) {
		work_once(store, item, ATTEMPT_MS);
		pass_on(store, item);
	}
}

/* When the item's wait is over. */
static uint64_t deadline_ms(struct svc_store *store, const struct item *item, uint64_t started_ms)
{
	pthread_mutex_lock(&store->mutex);
	uint64_t hurried_ms = store->hurried_ms;
	pthread_mutex_unlock(&store->mutex);
	uint64_t own_ms = item->patience == PATIENT ? UINT64_MAX : started_ms + PATIENCE_MS;
	uint64_t hurry_ms = hurried_ms > 0 ? hurried_ms + HURRY_MS : UINT64_MAX;
	return own_ms < hurry_ms ? own_ms : hurry_ms;
}

static void wait_for_lock(struct svc_store *store, struct item *item)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};
	const uint64_t started_ms = now_ms();
	if (item->patience == PATIENT && started_ms < deadline_ms(store, item, started_ms))
		svc_log(4, "waiting to store a result: %s", item->error.message);
	while (item->status != 0 && item->error.code == MMT_BUSY && now_ms() < deadline_ms(store, item, started_ms)) {
		if (item->patience != READ)
			serve_reads(store);
		nanosleep(&pause, NULL);
		work_once(store, item, ATTEMPT_MS);
	}
}

static void finish(struct svc_store *store, struct item *item)
{
	/* what is waited for is waited for by the loop: it cannot serve reads meanwhile */
	bool hurried_away = now_ms() >= deadline_ms(store, item, now_ms());
	work_once(store, item, item->waited_for ? PATIENCE_MS : hurried_away ? 0 : ATTEMPT_MS);
	if (item->status != 0 && item->error.code == MMT_BUSY && !item->waited_for)
		wait_for_lock(store, item);
	pass_on(store, item);
}

static void *run(void *argument)
{
	struct svc_store *store = argument;
	struct item *item;
	while ((item = wait_for_work(store)) != NULL)
		finish(store, item);
	return NULL;
}

/* One at a time, and never under the mutex: done may post more. */
static void tell_finished(struct svc_store *store)
{
	for (;;) {
		pthread_mutex_lock(&store->mutex);
		struct item *item = queue_take(&store->finished);
		pthread_mutex_unlock(&store->mutex);
		if (item == NULL)
			return;
		if (--store->under_way == 0)
			uv_unref((uv_handle_t *)&store->async);
		if (item->done != NULL)
			item->done(item->context, item->status, item->status == 0 ? NULL : &item->error);
		free(item);
	}
}

static void on_async(uv_async_t *async)
{
	tell_finished(async->data);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void release(struct svc_store *store)
{
	db_close(store->db);
	pthread_cond_destroy(&store->posted);
	pthread_cond_destroy(&store->over);
	pthread_mutex_destroy(&store->mutex);
	uv_close((uv_handle_t *)&store->async, on_closed);
}

/* With every signal blocked: they are the loop's. */
static int start_thread(struct svc_store *store)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int code = pthread_create(&store->thread, NULL, run, store);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

/* Takes the db over. */
static struct svc_store *create(uv_loop_t *loop, struct db *db, struct mmt_error *error)
{
	struct svc_store *store = db != NULL ? calloc(1, sizeof *store) : NULL;
	int code = store != NULL ? uv_async_init(loop, &store->async, on_async) : 0;
	if (store == NULL || code != 0) {
		if (db != NULL)
			mmt_error_set(error, MMT_NO_MEMORY, code, "no memory for the database's thread");
		free(store);
		db_close(db);
		return NULL;
	}
	store->async.data = store;
	uv_unref((uv_handle_t *)&store->async);
	store->db = db;
	queue_init(&store->pending);
	queue_init(&store->finished);
	pthread_mutex_init(&store->mutex, NULL);
	pthread_cond_init(&store->posted, NULL);
	pthread_cond_init(&store->over, NULL);
	code = start_thread(store);
	if (code == 0)
		return store;
	mmt_error_set(error, MMT_SYSTEM, code, "cannot start the database's thread: %s", strerror(code));
	release(store);
	return NULL;
}

struct svc_store *svc_store_create(uv_loop_t *loop, const char *path, struct db_opened *opened, struct mmt_error *error)
{
	return create(loop, db_open(path, opened, error), error);
}

struct svc_store *svc_store_create_in_memory(uv_loop_t *loop, const char *path, struct db_opened *opened,
					     struct mmt_error *error)
{
	struct db *db = db_open_read_only(path, opened, error);
	return create(loop, db != NULL ? db : db_open(":memory:", opened, error), error);
}

static void put(struct svc_store *store, struct item *item)
{
	pthread_mutex_lock(&store->mutex);
	queue_put(&store->pending, item);
	pthread_cond_signal(&store->posted);
	pthread_mutex_unlock(&store->mutex);
}

static void post(struct svc_store *store, const struct item *wanted)
{
	struct item *item = malloc(sizeof *item);
	if (item == NULL) {
		struct mmt_error error;
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory to reach the database");
		if (wanted->done != NULL)
			wanted->done(wanted->context, -1, &error);
		return;
	}
	*item = *wanted;
	if (store->under_way++ == 0)
		uv_ref((uv_handle_t *)&store->async);
	put(store, item);
}

void svc_store_post(struct svc_store *store, svc_store_work *work, svc_store_done *done, void *context)
{
	post(store, &(struct item){.patience = ORDINARY, .work = work, .done = done, .context = context});
}

void svc_store_post_read(struct svc_store *store, svc_store_work *work, svc_store_done *done, void *context)
{
	post(store, &(struct item){.patience = READ, .work = work, .done = done, .context = context});
}

void svc_store_post_patiently(struct svc_store *store, svc_store_work *work, svc_store_done *done, void *context)
{
	post(store, &(struct item){.patience = PATIENT, .work = work, .done = done, .context = context});
}

void svc_store_hurry(struct svc_store *store)
{
	pthread_mutex_lock(&store->mutex);
	if (store->hurried_ms == 0)
		store->hurried_ms = now_ms();
	pthread_mutex_unlock(&store->mutex);
}

int svc_store_run(struct svc_store *store, svc_store_work *work, void *context, struct mmt_error *error)
{
	struct item item = {.work = work, .context = context, .waited_for = true};
	put(store, &item);
	pthread_mutex_lock(&store->mutex);
	while (!item.over)
		pthread_cond_wait(&store->over, &store->mutex);
	pthread_mutex_unlock(&store->mutex);
	if (item.status != 0 && error != NULL)
		*error = item.error;
	return item.status;
}

void svc_store_destroy(struct svc_store *store)
{
	struct item *item;
	if (store == NULL)
		return;
	pthread_mutex_lock(&store->mutex);
	store->ending = true;
	pthread_cond_signal(&store->posted);
	pthread_mutex_unlock(&store->mutex);
	svc_store_hurry(store);
	pthread_join(store->thread, NULL);
	/* what a done posts now has no other thread to run on */
	for (tell_finished(store); (item = queue_take(&store->pending)) != NULL; tell_finished(store))
		finish(store, item);
	release(store);
}
