/* demand.c: see demand.h. */
#include "demand.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db.h"
#include "problem_json.h"
#include "store.h"

#define WRITE_AFTER_MS 5000

struct wish {
	int64_t device_id;
	struct mmt_problem problem;
	int64_t asks, last_asked_at;
};

struct svc_demand {
	struct service *service;
	struct wish list[SVC_DEMAND_LIMIT];
	size_t count;
	uv_timer_t timer; /* runs while something is not written; its close frees all this */
};

/* ---- the list ---- */

static struct wish *find(const struct svc_demand *demand, int64_t device_id, const struct mmt_problem *problem)
{
	for (size_t i = 0; i < demand->count; i++)
		if (demand->list[i].device_id == device_id && mmt_problem_equal(&demand->list[i].problem, problem))
			return (struct wish *)&demand->list[i];
	return NULL;
}

static bool is_less(const struct wish *a, const struct wish *b)
{
	return a->asks != b->asks ? a->asks < b->asks : a->last_asked_at < b->last_asked_at;
}

static struct wish *least(struct svc_demand *demand)
{
	struct wish *found = &demand->list[0];
	for (size_t i = 1; i < demand->count; i++)
		if (is_less(&demand->list[i], found))
			found = &demand->list[i];
	return found;
}

/* A place for a new one, in that of the least asked where the list is full. */
static struct wish *place(struct svc_demand *demand)
{
	return demand->count < SVC_DEMAND_LIMIT ? &demand->list[demand->count++] : least(demand);
}

/* ---- the database ---- */

struct writing {
	struct db_demand rows[SVC_DEMAND_LIMIT];
	size_t count;
};

static void free_writing(struct writing *writing)
{
	for (size_t i = 0; i < writing->count; i++)
		free((char *)writing->rows[i].problem);
	free(writing);
}

static int write_work(struct db *db, void *context, struct mmt_error *error)
{
	const struct writing *writing = context;
	return db_demand_replace(db, writing->rows, writing->count, error);
}

static void on_written(void *context, int status, const struct mmt_error *error)
{
	if (status != 0)
		svc_log(4, "what is asked for cannot be stored: %s", error->message);
	free_writing(context);
}

/* A device that the database would not take has a number below 0 and no row to refer to. */
static struct writing *copy_rows(const struct svc_demand *demand)
{
	struct writing *writing = calloc(1, sizeof *writing);
	for (size_t i = 0; writing && i < demand->count; i++) {
		const struct wish *wish = &demand->list[i];
		json_t *problem = problem_to_json(&wish->problem);
		char *text = problem ? json_dumps(problem, JSON_COMPACT) : NULL;
		json_decref(problem);
		if (text && wish->device_id > 0)
			writing->rows[writing->count++] =
				(struct db_demand){wish->device_id, text, wish->asks, wish->last_asked_at};
		else
			free(text);
	}
	return writing;
}

static void write_out(struct svc_demand *demand)
{
	struct writing *writing = copy_rows(demand);
	if (writing)
		svc_store_post(demand->service->store, write_work, on_written, writing);
}

static void on_timer(uv_timer_t *timer)
{
	write_out(timer->data);
}

void svc_demand_flush(struct svc_demand *demand)
{
	if (!demand || !uv_is_active((uv_handle_t *)&demand->timer))
		return;
	uv_timer_stop(&demand->timer);
	write_out(demand);
}

static void changed(struct svc_demand *demand)
{
	if (!uv_is_active((uv_handle_t *)&demand->timer))
		uv_timer_start(&demand->timer, on_timer, WRITE_AFTER_MS, 0);
}

static int load_one(void *context, const struct db_demand *row)
{
	struct svc_demand *demand = context;
	struct wish wish = {row->device_id, .asks = row->asks, .last_asked_at = row->last_asked_at};
	json_t *problem = row->problem ? json_loads(row->problem, JSON_REJECT_DUPLICATES, NULL) : NULL;
	if (problem && problem_from_json(problem, &wish.problem, NULL) == 0 && demand->count < SVC_DEMAND_LIMIT)
		demand->list[demand->count++] = wish;
	json_decref(problem);
	return 0;
}

static int load_work(struct db *db, void *context, struct mmt_error *error)
{
	return db_demand(db, load_one, context, error);
}

/* ---- life ---- */

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

struct svc_demand *svc_demand_create(struct service *service, struct mmt_error *error)
{
	struct svc_demand *demand = calloc(1, sizeof *demand);
	if (!demand) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for what is asked for");
		return NULL;
	}
	demand->service = service;
	uv_timer_init(service->loop, &demand->timer);
	demand->timer.data = demand;
	uv_unref((uv_handle_t *)&demand->timer);
	if (svc_store_run(service->store, load_work, demand, error) != 0) {
		svc_demand_destroy(demand);
		return NULL;
	}
	return demand;
}

void svc_demand_destroy(struct svc_demand *demand)
{
	if (demand)
		uv_close((uv_handle_t *)&demand->timer, on_closed);
}

/* ---- the rest of the interface ---- */

int64_t svc_demand_ask(struct svc_demand *demand, int64_t device_id, const struct mmt_problem *problem)
{
	struct wish *wish = find(demand, device_id, problem);
	if (!wish) {
		wish = place(demand);
		*wish = (struct wish){.device_id = device_id, .problem = *problem};
	}
	wish->asks++;
	wish->last_asked_at = (int64_t)time(NULL);
	changed(demand);
	return wish->asks;
}

int64_t svc_demand_asks(const struct svc_demand *demand, int64_t device_id, const struct mmt_problem *problem)
{
	const struct wish *wish = find(demand, device_id, problem);
	return wish ? wish->asks : 0;
}

void svc_demand_forget(struct svc_demand *demand, int64_t device_id, const struct mmt_problem *problem)
{
	struct wish *wish = find(demand, device_id, problem);
	if (!wish)
		return;
	*wish = demand->list[--demand->count];
	changed(demand);
}

bool svc_demand_most_asked(const struct svc_demand *demand, svc_demand_takes *takes, void *context, int64_t *device_id,
			   struct mmt_problem *problem)
{
	const struct wish *most = NULL;
	for (size_t i = 0; i < demand->count; i++) {
		const struct wish *wish = &demand->list[i];
		if ((!most || is_less(most, wish)) && takes(context, wish->device_id, &wish->problem))
			most = wish;
	}
	if (!most)
		return false;
	*device_id = most->device_id;
	*problem = most->problem;
	return true;
}

size_t svc_demand_count(const struct svc_demand *demand)
{
	return demand->count;
}
