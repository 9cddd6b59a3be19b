/* runner_ahead.c: see runner_state.h: candidates built ahead, while the worker measures another. Thread: the loop's.
 *
 * On a CPU a build would disturb what is measured: there builders and worker take turns. The builders build as many as
 * there are cores, each on one, then all rest while those are measured. And there a builder runs each candidate once:
 * PoCL compiles most of a kernel at its first launch, and keeps that too.
 *
 * A slot is a builder, which is a worker that is sent builds only, and the candidate in its hands:
 *
 *	empty --asked--> waiting --builder ready--> building --built--> built --taken to be measured--> empty
 *		waiting, building --the build failed, the builder crashed or hung--> empty, and told so
 *		waiting --no builder can be started--> built, though it is not
 *
 * What is built reaches the worker through the driver's own cache on the disk (svc_paths_make_cache), and not as
 * program binaries: NVIDIA's are PTX, whose assembly is the longer half of a build, and which the cache holds
 * assembled. The worker builds every candidate from its source, cached or not, so a cache that is full or damaged costs
 * time only; where the worker's own builds show that there is none, the builders end.
 *
 * A built candidate keeps its slot until it is taken: so many are asked and not told, and no more. */
#include "runner_state.h"

#include <math.h>
#include <stdlib.h>

#include "problem_json.h"

/* A builder is replaced after so many builds, and none is started after so many in a row that did not start. */
#define BUILDER_BUILDS 500
#define IDLE_DEATHS    3
/* A build is useless where the worker takes more than this part of it for its own; judged after so many that took so
 * long: quicker ones were in the cache before. */
#define USELESS_SHARE   0.5
#define JUDGED          8
#define JUDGED_LEAST_NS 1e8
#define SMOOTHING       0.2
/* A context takes some hundred megabytes of a GPU. */
#define BUILDER_MEMORY_BYTES ((uint64_t)1 << 30)
/* On a CPU: the compiler; the operands on the device, on the host, and what is read back; all of them no more than this
 * part of the memory. */
#define COMPILER_MEMORY_BYTES ((uint64_t)1 << 28)
#define OPERAND_COPIES        3
#define MEMORY_PART           4
#define MOST_BUILDERS         64

static const struct svc_worker_events builder_events;

/* For tests: exactly so many, on whatever device. -1: not set. */
static long forced_count(void)
{
	const char *text = getenv("MMTUNE_BUILDERS");
	char *end;
	long count = text ? strtol(text, &end, 10) : -1;
	return text && *text != '\0' && *end == '\0' && count >= 0 && count <= MOST_BUILDERS ? count : -1;
}

/* Builders that take turns with the worker: fewer than two would gain nothing. */
static uint64_t fit_in_turns(const struct runner *runner, uint64_t memory_bytes)
{
	uint64_t each = COMPILER_MEMORY_BYTES + OPERAND_COPIES * kern_problem_bytes(&runner->job->problem);
	uint64_t count = memory_bytes / MEMORY_PART / each;
	return count > 1 ? count : 0;
}

static size_t builders_for(const struct runner *runner)
{
	const struct kern_device *device = &runner->job->device->properties;
	uint64_t count = (uint64_t)runner->service->config.builders, cores = uv_available_parallelism();
	uint64_t fit = device->global_memory_bytes / BUILDER_MEMORY_BYTES, most = cores - 1;
	if (forced_count() >= 0)
		return (size_t)forced_count();
	if (cores < 2)
		return 0;
	if (runner->ahead.in_turns) {
		fit = fit_in_turns(runner, device->global_memory_bytes);
		most = cores;
	}
	count = count < most ? count : most;
	return (size_t)(count < fit ? count : fit);
}

int runner_ahead_init(struct runner *runner)
{
	struct runner_ahead *ahead = &runner->ahead;
	ahead->in_turns = runner->job->device->properties.type == KERN_CPU;
	ahead->n_slots = builders_for(runner);
	ahead->slots = calloc(ahead->n_slots + 1, sizeof *ahead->slots);
	for (size_t i = 0; ahead->slots && i < ahead->n_slots; i++)
		ahead->slots[i].runner = runner;
	return ahead->slots ? 0 : -1;
}

void runner_ahead_finish(struct runner *runner)
{
	free(runner->ahead.slots);
	runner->ahead.slots = NULL;
	runner->ahead.n_slots = 0;
}

bool runner_ahead_is_on(const struct runner *runner)
{
	return runner->ahead.n_slots > 0 && (!runner->ahead.over || runner_ahead_count(runner) > 0);
}

static size_t count_in(const struct runner *runner, enum runner_slot_state state)
{
	size_t count = 0;
	for (size_t i = 0; i < runner->ahead.n_slots; i++)
		count += runner->ahead.slots[i].state == state;
	return count;
}

size_t runner_ahead_count(const struct runner *runner)
{
	return runner->ahead.n_slots - count_in(runner, RUNNER_SLOT_EMPTY);
}

bool runner_ahead_is_gone(const struct runner *runner)
{
	for (size_t i = 0; i < runner->ahead.n_slots; i++)
		if (runner->ahead.slots[i].builder)
			return false;
	return true;
}

/* ---- builders ---- */

static void close_builder(struct runner_slot *slot)
{
	if (!slot->builder)
		return;
	if (slot->ready && slot->state != RUNNER_SLOT_BUILDING)
		svc_worker_close(slot->builder);
	else
		svc_worker_kill(slot->builder);
	slot->ready = false;
}

/* What is asked and not built is built by the worker. */
static void give_up(struct runner *runner, const char *why)
{
	struct runner_ahead *ahead = &runner->ahead;
	if (!ahead->over)
		svc_log(6, "%s: nothing is built ahead any more: %s", runner->job->device->name, why);
	ahead->over = true;
	for (size_t i = 0; i < ahead->n_slots; i++) {
		close_builder(&ahead->slots[i]);
		if (ahead->slots[i].state != RUNNER_SLOT_EMPTY)
			ahead->slots[i].state = RUNNER_SLOT_BUILT;
	}
}

/* In turns the worker rests meanwhile: the time is spent building, and in the driver. */
static void account_builds(struct runner *runner)
{
	struct runner_ahead *ahead = &runner->ahead;
	bool building = count_in(runner, RUNNER_SLOT_BUILDING) > 0;
	if (!ahead->in_turns || building == (ahead->building_since_ns > 0))
		return;
	if (!building) {
		double took_ns = (double)(uv_hrtime() - ahead->building_since_ns);
		runner->driver_ns += took_ns;
		runner->build_ns += took_ns;
	}
	ahead->building_since_ns = building ? uv_hrtime() : 0;
}

void runner_ahead_stop(struct runner *runner)
{
	for (size_t i = 0; i < runner->ahead.n_slots; i++) {
		struct runner_slot *slot = &runner->ahead.slots[i];
		close_builder(slot);
		if (slot->state != RUNNER_SLOT_EMPTY)
			runner_candidate_finish(&slot->candidate);
		slot->state = RUNNER_SLOT_EMPTY;
	}
	account_builds(runner);
	runner->ahead.over = true;
}

static json_t *build_request(const struct runner_slot *slot)
{
	const struct runner *runner = slot->runner;
	json_t *plan = kern_plan_to_json(&slot->candidate.plan, true);
	if (!runner->ahead.in_turns)
		return json_pack("{s:s, s:o}", "op", "build", "plan", plan);
	return json_pack("{s:s, s:o, s:o}", "op", "rehearse", "problem", problem_to_json(&runner->job->problem), "plan",
			 plan);
}

static void send_build(struct runner_slot *slot)
{
	struct mmt_error error = {0};
	json_t *request = build_request(slot);
	if (request && svc_worker_send(slot->builder, request, &error) == 0) {
		slot->state = RUNNER_SLOT_BUILDING;
		slot->sent_ns = uv_hrtime();
		slot->builds++;
		account_builds(slot->runner);
	} else { /* it is going: the next builder gets the candidate */
		close_builder(slot);
	}
	json_decref(request);
}

/* Brings a slot that waits on its way. */
static void push(struct runner_slot *slot)
{
	struct runner *runner = slot->runner;
	if (slot->state != RUNNER_SLOT_WAITING)
		return;
	if (slot->builder && slot->ready) {
		send_build(slot);
	} else if (!slot->builder) {
		slot->builder = svc_worker_create_builder(runner->service, runner->job->device->properties.fingerprint,
							  &builder_events, slot);
		if (!slot->builder)
			give_up(runner, "no memory for a builder");
	}
}

static double smoothed(double mean, double sample)
{
	return mean > 0 ? mean + SMOOTHING * (sample - mean) : sample;
}

/* The candidate's build is over; NULL: it is built. */
static void settle_build(struct runner_slot *slot, const struct kern_result *failed)
{
	struct runner *runner = slot->runner;
	double took_ns = (double)(uv_hrtime() - slot->sent_ns);
	runner->ahead.build_ns = smoothed(runner->ahead.build_ns, took_ns);
	slot->candidate.built_ns = took_ns;
	slot->state = failed ? RUNNER_SLOT_EMPTY : RUNNER_SLOT_BUILT;
	account_builds(runner);
	if (failed)
		runner_conclude(runner, &slot->candidate, failed);
}

static bool is_at_work(const struct runner *runner)
{
	return runner->phase == RUNNER_SEARCHING && !runner->stop_asked;
}

static void on_ready(void *context)
{
	struct runner_slot *slot = context;
	slot->ready = true;
	slot->runner->ahead.idle_deaths = 0;
	runner_step(slot->runner);
}

static void on_results(void *context, const json_t *results)
{
	struct runner_slot *slot = context;
	struct runner *runner = slot->runner;
	struct kern_result failed;
	size_t n = json_array_size(results);
	if (!is_at_work(runner) || slot->state != RUNNER_SLOT_BUILDING)
		return;
	if (n > 0 && (n > 1 || kern_result_from_json(json_array_get(results, 0), &failed, NULL) != 0)) {
		failed = svc_worker_lost_result(SVC_WORKER_CRASHED, "the builder's result cannot be read");
		close_builder(slot);
	}
	/* What several cannot have beside each other one may have alone */
	bool has_failed = n > 0 && !(runner->ahead.in_turns && failed.outcome == KERN_OUTCOME_OUT_OF_MEMORY);
	settle_build(slot, has_failed ? &failed : NULL);
	if (slot->builds >= BUILDER_BUILDS || (n > 0 && failed.device_lost))
		close_builder(slot); /* a broken context would blame the next candidate */
	runner_step(runner);
}

static void on_gone(void *context, enum svc_worker_end end, const char *explanation)
{
	struct runner_slot *slot = context;
	struct runner *runner = slot->runner;
	bool was_ready = slot->ready;
	slot->builder = NULL;
	slot->ready = false;
	slot->builds = 0;
	if (is_at_work(runner) && slot->state == RUNNER_SLOT_BUILDING) {
		struct kern_result lost = svc_worker_lost_result(end, explanation);
		settle_build(slot, &lost);
		runner_count_crash(runner, end, explanation);
	} else if (is_at_work(runner) && !was_ready && end != SVC_WORKER_EXITED &&
		   ++runner->ahead.idle_deaths >= IDLE_DEATHS) {
		give_up(runner, explanation);
	}
	runner_step(runner);
}

static const struct svc_worker_events builder_events = {on_ready, NULL, on_results, on_gone};

/* ---- the search's side ---- */

/* As many as keep the worker busy: those that are built while one is measured, and one that is ready. */
static size_t wanted(const struct runner *runner)
{
	const struct runner_ahead *ahead = &runner->ahead;
	if (ahead->in_turns || ahead->build_ns == 0 || ahead->turn_ns == 0)
		return ahead->n_slots;
	double count = 1 + ceil(ahead->build_ns / ahead->turn_ns);
	return count < (double)ahead->n_slots ? (size_t)count : ahead->n_slots;
}

static struct runner_slot *empty_slot(struct runner *runner)
{
	for (size_t i = 0; i < runner->ahead.n_slots; i++)
		if (runner->ahead.slots[i].state == RUNNER_SLOT_EMPTY)
			return &runner->ahead.slots[i];
	return NULL;
}

/* In turns: not before all are measured that were built last. */
static bool is_builders_turn(const struct runner *runner)
{
	return !runner->ahead.in_turns ||
	       (!runner->in_flight && !runner->candidate.planned && count_in(runner, RUNNER_SLOT_BUILT) == 0);
}

static bool is_workers_turn(const struct runner *runner)
{
	return !runner->ahead.in_turns ||
	       count_in(runner, RUNNER_SLOT_WAITING) + count_in(runner, RUNNER_SLOT_BUILDING) == 0;
}

void runner_ahead_fill(struct runner *runner)
{
	while (!runner->ahead.over && is_builders_turn(runner) && runner_ahead_count(runner) < wanted(runner) &&
	       runner_may_ask(runner)) {
		struct runner_slot *slot = empty_slot(runner);
		if (!runner_next(runner, &slot->candidate))
			break;
		slot->state = RUNNER_SLOT_WAITING;
		slot->order = ++runner->ahead.n_asked;
	}
	for (size_t i = 0; i < runner->ahead.n_slots; i++)
		push(&runner->ahead.slots[i]);
}

/* Of the built, the one asked first: a search asks for what is most likely to be good first, and its time may be short.
 * So the very first is waited for, too, though another be built by then. */
bool runner_ahead_take(struct runner *runner)
{
	struct runner_ahead *ahead = &runner->ahead;
	struct runner_slot *first = NULL;
	if (!is_workers_turn(runner))
		return false;
	for (size_t i = 0; i < ahead->n_slots; i++) {
		struct runner_slot *slot = &ahead->slots[i];
		bool counts = ahead->opened ? slot->state == RUNNER_SLOT_BUILT : slot->state != RUNNER_SLOT_EMPTY;
		if (counts && (!first || slot->order < first->order))
			first = slot;
	}
	if (!first || first->state != RUNNER_SLOT_BUILT)
		return false;
	ahead->opened = true;
	runner->candidate = first->candidate;
	first->candidate.planned = false;
	first->state = RUNNER_SLOT_EMPTY;
	return true;
}

void runner_ahead_measured(struct runner *runner, double built_ns, const struct kern_result *result, double turn_ns)
{
	struct runner_ahead *ahead = &runner->ahead;
	ahead->turn_ns = smoothed(ahead->turn_ns, turn_ns);
	if (built_ns < JUDGED_LEAST_NS || ahead->over || forced_count() >= 0)
		return;
	ahead->judged_ns += built_ns;
	ahead->again_ns += result->build_ns;
	if (++ahead->n_judged >= JUDGED && ahead->again_ns > USELESS_SHARE * ahead->judged_ns)
		give_up(runner, "its driver keeps no builds");
}
