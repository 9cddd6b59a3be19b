/* ladder.c: see ladder.h and ladder_state.h: the life of a ladder. Thread: the loop's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder_state.h"
#include "problem_json.h"
#include "store.h"

/* A row slower than this is measured once: a ladder has many, and none of them is close to another. */
#define GIVE_UP_NS 2e9
/* What is known to be slow is what this is about: a run may take so long. */
#define LEAST_LAUNCH_DEADLINE_S 120.0
/* Workers that die in a row before the ladder gives up */
#define DEATHS_LIMIT 4

static void step(struct ladder *ladder);

/* ---- ending ---- */

static void on_closed(uv_handle_t *handle)
{
	struct ladder *ladder = handle->data;
	struct svc_jobs *jobs = ladder->service->jobs;
	if (ladder->entered)
		svc_jobs_leave(jobs, &ladder->guest);
	ladder_finish_rows(ladder);
	free(ladder->problem_text);
	free(ladder->only);
	free(ladder);
}

static void on_again(uv_timer_t *timer)
{
	step(timer->data);
}

static void step_later(struct ladder *ladder)
{
	if (!uv_is_closing((uv_handle_t *)&ladder->again))
		uv_timer_start(&ladder->again, on_again, 0, 0);
}

static void end(struct ladder *ladder)
{
	if (ladder->phase == LADDER_ENDING)
		return;
	ladder->phase = LADDER_ENDING;
	if (ladder->worker && ladder->in_flight)
		svc_worker_kill(ladder->worker);
	else if (ladder->worker)
		svc_worker_close(ladder->worker);
	step_later(ladder);
}

static void fail(struct ladder *ladder, const struct mmt_error *error)
{
	struct svc_call *call = ladder->call;
	ladder->call = NULL;
	end(ladder);
	if (call)
		svc_call_error(call, error);
}

static void on_client_gone(void *context)
{
	struct ladder *ladder = context;
	ladder->call = NULL;
	end(ladder);
}

static void on_stop(void *context)
{
	struct mmt_error error;
	mmt_error_set(&error, MMT_CANCELLED, 0, "the service is ending");
	fail(context, &error);
}

/* Takes the reference to either, which may be null. */
static json_t *reply_of(const struct ladder *ladder, json_t *row, json_t *whole)
{
	return json_pack("{s:o, s:I, s:I, s:o}", "row", row, "done", (json_int_t)ladder->next, "count",
			 (json_int_t)ladder->n_rows, "ladder", whole);
}

static void succeed(struct ladder *ladder)
{
	struct svc_call *call = ladder->call;
	json_t *reply = reply_of(ladder, json_null(), ladder_to_json(ladder));
	ladder->call = NULL;
	end(ladder);
	if (call)
		svc_call_reply(call, reply, false);
	else
		json_decref(reply);
}

/* ---- the worker ---- */

static void on_ready(void *context)
{
	struct ladder *ladder = context;
	ladder->worker_ready = true;
	step(ladder);
}

static void conclude(struct ladder *ladder, const struct kern_result *result);

static void on_results(void *context, const json_t *results)
{
	struct ladder *ladder = context;
	struct kern_result result;
	struct mmt_error error = {0};
	ladder->in_flight = false;
	ladder->deaths = 0;
	if (json_array_size(results) != 1 || kern_result_from_json(json_array_get(results, 0), &result, &error) != 0)
		result = svc_worker_lost_result(SVC_WORKER_CRASHED, "the worker's result cannot be read");
	if (result.device_lost || error.code) {
		svc_worker_kill(ladder->worker);
		ladder->worker_ready = false;
	}
	if (ladder->phase == LADDER_MEASURING)
		conclude(ladder, &result);
	step(ladder);
}

static void on_gone(void *context, enum svc_worker_end how, const char *explanation)
{
	struct ladder *ladder = context;
	bool in_flight = ladder->in_flight;
	ladder->worker = NULL;
	ladder->worker_ready = ladder->in_flight = false;
	if (ladder->phase == LADDER_MEASURING && in_flight) {
		struct kern_result result = svc_worker_lost_result(how, explanation);
		conclude(ladder, &result);
	}
	if (ladder->phase != LADDER_ENDING && how != SVC_WORKER_EXITED && how != SVC_WORKER_TIMED_OUT &&
	    ++ladder->deaths >= DEATHS_LIMIT) {
		struct mmt_error error;
		mmt_error_set(&error, MMT_FAILED, 0, "the device cannot be used: %s", explanation);
		fail(ladder, &error);
	}
	step(ladder);
}

static const struct svc_worker_events worker_events = {on_ready, NULL, on_results, on_gone};

static void start_worker(struct ladder *ladder)
{
	struct mmt_error error;
	ladder->worker_ready = false;
	ladder->worker =
		svc_worker_create(ladder->service, ladder->device->properties.fingerprint, &worker_events, ladder);
	if (ladder->worker)
		return;
	mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for a worker");
	fail(ladder, &error);
}

/* ---- rows ---- */

static void on_row_stored(struct ladder *ladder, const struct mmt_error *error)
{
	if (error)
		fail(ladder, error);
	step(ladder);
}

static void fill_rates(struct ladder *ladder, struct ladder_row *row)
{
	const struct kern_family *family = kern_family_find(ladder->problem.family);
	if (row->result.outcome != KERN_OUTCOME_OK)
		return;
	if (row->planned) {
		row->rates = svc_rates(family, &ladder->problem, &row->plan, row->result.time_ns);
		return;
	}
	row->rates.gflops = family->operations(&ladder->problem) / row->result.time_ns;
	row->rates.compulsory_gbps = family->compulsory_bytes(&ladder->problem) / row->result.time_ns;
}

/* The row in hand is settled: stored, told. */
static void conclude(struct ladder *ladder, const struct kern_result *result)
{
	struct ladder_row *row = &ladder->rows[ladder->next];
	struct mmt_error error = {0};
	row->result = *result;
	row->measured = true;
	fill_rates(ladder, row);
	int status = row->variant ? ladder_store_row(ladder, row, on_row_stored, &error) : 0;
	if (row->planned)
		kern_plan_finish(&row->plan);
	row->planned = false;
	ladder->next++;
	if (status != 0)
		fail(ladder, &error);
	else if (ladder->call && svc_call_more(ladder->call))
		svc_call_reply(ladder->call, reply_of(ladder, ladder_row_to_json(ladder, row), json_null()), true);
}

/* A request for the row; NULL where its plan is refused, which *error tells. */
static json_t *request_for(struct ladder *ladder, struct ladder_row *row, struct mmt_error *error)
{
	json_t *problem = problem_to_json(&ladder->problem);
	if (!row->variant)
		return json_pack("{s:s, s:o, s:s, s:f}", "op", "reference", "problem", problem, "name", row->reference,
				 "give_up_ns", GIVE_UP_NS);
	const struct kern_variant *variant = row->variant->variant;
	if (variant->accuracy > ladder->problem.accuracy)
		mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s is less accurate than %s", variant->name,
			      mmt_accuracy_name(ladder->problem.accuracy));
	else
		row->planned = row->planned || kern_plan_init(&row->plan, variant, &ladder->problem, row->indices,
							      &ladder->device->properties, error) == 0;
	if (!row->planned) {
		json_decref(problem);
		return NULL;
	}
	return json_pack("{s:s, s:o, s:o, s:f, s:b}", "op", "trial", "problem", problem, "plan",
			 kern_plan_to_json(&row->plan, true), "give_up_ns", GIVE_UP_NS, "general", 0);
}

static void send_next(struct ladder *ladder)
{
	struct ladder_row *row = &ladder->rows[ladder->next];
	struct mmt_error error = {0};
	double deadline_s = (double)ladder->service->config.launch_deadline_s;
	json_t *request = request_for(ladder, row, &error);
	if (!request && error.code) {
		struct kern_result refused = {.outcome = KERN_OUTCOME_SKIPPED};
		memcpy(refused.message, error.message, sizeof refused.message);
		conclude(ladder, &refused);
		step_later(ladder);
		return;
	}
	svc_worker_set_launch_deadline(ladder->worker,
				       deadline_s > LEAST_LAUNCH_DEADLINE_S ? deadline_s : LEAST_LAUNCH_DEADLINE_S);
	if (!request) {
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for a row");
		fail(ladder, &error);
	} else if (svc_worker_send(ladder->worker, request, &error) == 0) {
		ladder->in_flight = true;
	} else { /* it is going; the row stays in hand for the next worker */
		svc_worker_kill(ladder->worker);
		ladder->worker_ready = false;
	}
	json_decref(request);
}

/* ---- the step ---- */

static void measure(struct ladder *ladder)
{
	if (ladder->in_flight)
		return;
	if (ladder->next == ladder->n_rows) {
		if (ladder->posts == 0)
			succeed(ladder);
	} else if (!ladder->worker) {
		start_worker(ladder);
	} else if (ladder->worker_ready && !svc_jobs_must_wait(ladder->service->jobs, &ladder->guest)) {
		send_next(ladder);
	}
}

static void begin(struct ladder *ladder)
{
	struct mmt_error error = {0};
	if (!ladder->worker) {
		start_worker(ladder);
	} else if (ladder->loaded && ladder->worker_ready) {
		ladder->phase = LADDER_MEASURING;
		if (ladder_make_rows(ladder, svc_worker_references(ladder->worker), &error) != 0)
			fail(ladder, &error);
		else
			measure(ladder);
	}
}

static void step(struct ladder *ladder)
{
	switch (ladder->phase) {
	case LADDER_TUNING:
		if (ladder->posts > 0)
			break;
		ladder->phase = LADDER_WAITING;
		ladder->entered = true;
		svc_jobs_enter(ladder->service->jobs, &ladder->guest);
		break;
	case LADDER_WAITING:
		break;
	case LADDER_LOADING:
		begin(ladder);
		break;
	case LADDER_MEASURING:
		measure(ladder);
		break;
	case LADDER_ENDING:
		if (!ladder->worker && ladder->posts == 0 && !uv_is_closing((uv_handle_t *)&ladder->again))
			uv_close((uv_handle_t *)&ladder->again, on_closed);
		break;
	}
}

/* ---- until its turn ---- */

static void on_loaded(void *context, int status, const struct mmt_error *error)
{
	struct ladder *ladder = context;
	ladder->posts--;
	ladder->loaded = true;
	if (status != 0)
		fail(ladder, error);
	step(ladder);
}

static void on_go(void *context)
{
	struct ladder *ladder = context;
	struct mmt_error error;
	if (ladder->phase != LADDER_WAITING) {
		step_later(ladder);
		return;
	}
	if (!ladder->device->present) {
		mmt_error_set(&error, MMT_NO_SUCH_DEVICE, 0, "the device %s is not there any more",
			      ladder->device->name);
		fail(ladder, &error);
		return;
	}
	ladder->phase = LADDER_LOADING;
	ladder->environment_id = ladder->device->environment_id;
	ladder->posts++;
	svc_store_post(ladder->service->store, ladder_load, on_loaded, ladder);
	step_later(ladder); /* not within the queue's own doing */
}

static void on_tuning_queued(void *context, int64_t job_id, const struct mmt_error *error)
{
	struct ladder *ladder = context;
	(void)job_id;
	ladder->posts--;
	if (error)
		svc_log(4, "a variant is not tuned for the ladder: %s", error->message);
	step_later(ladder);
}

/* One job for each variant that was never tuned for this problem; they go before the ladder. */
static void queue_tuning(struct ladder *ladder)
{
	for (size_t i = 0; i < ladder->n_variants; i++) {
		const struct ladder_variant *known = &ladder->variants[i];
		struct svc_job_request request = {
			.device = ladder->device,
			.problem = ladder->problem,
			.origin = SVC_JOB_CLIENT,
			.variant = known->variant->name,
			.budget_s = ladder->budget_s,
		};
		if (known->searched || known->variant->accuracy > ladder->problem.accuracy)
			continue;
		ladder->posts++;
		svc_jobs_add(ladder->service->jobs, &request, on_tuning_queued, ladder);
	}
}

static void on_loaded_for_tuning(void *context, int status, const struct mmt_error *error)
{
	struct ladder *ladder = context;
	ladder->posts--;
	if (status != 0)
		fail(ladder, error);
	else if (ladder->phase == LADDER_TUNING)
		queue_tuning(ladder);
	step_later(ladder);
}

/* ---- life ---- */

static int init(struct ladder *ladder, const struct svc_ladder_request *request, struct mmt_error *error)
{
	json_t *problem = problem_to_json(&request->problem);
	ladder->device = request->device;
	ladder->problem = request->problem;
	ladder->budget_s = request->budget_s;
	ladder->problem_text = problem ? json_dumps(problem, JSON_COMPACT) : NULL;
	ladder->only = request->variant ? strdup(request->variant) : NULL;
	ladder->guest = (struct svc_jobs_guest){.device = request->device, .go = on_go, .stop = on_stop};
	ladder->guest.context = ladder;
	ladder->environment_id = request->device->environment_id;
	json_decref(problem);
	if (!ladder->problem_text || (request->variant && !ladder->only))
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a ladder");
	return ladder_choose_variants(ladder, error);
}

void svc_ladder_start(struct svc_call *call, const struct svc_ladder_request *request)
{
	struct service *service = svc_call_service(call);
	struct ladder *ladder = calloc(1, sizeof *ladder);
	struct mmt_error error = {0};
	if (!ladder) {
		mmt_error_set(&error, MMT_NO_MEMORY, 0, "no memory for a ladder");
		svc_call_error(call, &error);
		return;
	}
	ladder->service = service;
	ladder->call = call;
	uv_timer_init(service->loop, &ladder->again);
	ladder->again.data = ladder;
	svc_call_on_gone(call, on_client_gone, ladder);
	if (init(ladder, request, &error) != 0) {
		fail(ladder, &error);
		return;
	}
	svc_jobs_add_peaks(service->jobs, ladder->device, ladder->problem.type);
	if (ladder->budget_s > 0) {
		ladder->posts++;
		svc_store_post(service->store, ladder_load, on_loaded_for_tuning, ladder);
	} else {
		step_later(ladder);
	}
}
