/* answers.c: see answers.h. Thread: the loop's; the bests are loaded on the store's while the loop waits. */
#include "answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "near.h"
#include "prepared.h"
#include "problem_json.h"
#include "store.h"
#include "trial_copy.h"

/* A list of its own, so that the store can make one while answers go by another. */
struct winner_times {
	struct svc_winner_time *list;
	size_t count;
};

struct svc_answers {
	struct service *service;
	struct svc_best *bests;
	size_t count;
	struct winner_times times;
	struct reading *reading; /* the next times, in the store's hands; NULL: none */
	bool read_again;         /* a promotion came meanwhile */
	struct prepared prepared;
};

/* ---- every best ---- */

static void finish_best(struct svc_best *best)
{
	db_trial_finish(&best->trial);
	json_decref(best->configuration);
}

static int init_best(struct svc_best *best, const struct db_trial *trial, struct mmt_error *error)
{
	memset(best, 0, sizeof *best);
	json_t *problem = trial->problem ? json_loads(trial->problem, JSON_REJECT_DUPLICATES, NULL) : NULL;
	best->configuration = trial->configuration ? json_loads(trial->configuration, 0, NULL) : NULL;
	int status = -1;
	if (!problem || !best->configuration || !trial->variant)
		mmt_error_set(error, MMT_DATABASE, 0, "trial %lld cannot be read", (long long)trial->id);
	else if (problem_from_json(problem, &best->problem, error) == 0)
		status = trial_copy(&best->trial, trial) == 0
				 ? 0
				 : mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a result");
	json_decref(problem);
	if (status != 0)
		json_decref(best->configuration);
	return status;
}

static struct svc_best *find_best(const struct svc_answers *answers, int64_t device_id,
				  const struct mmt_problem *problem)
{
	for (size_t i = 0; i < answers->count; i++)
		if (answers->bests[i].trial.device_id == device_id &&
		    mmt_problem_equal(&answers->bests[i].problem, problem))
			return &answers->bests[i];
	return NULL;
}

static int keep_best(struct svc_answers *answers, const struct db_trial *trial, struct mmt_error *error)
{
	struct svc_best best;
	if (init_best(&best, trial, error) != 0)
		return -1;
	struct svc_best *old = find_best(answers, trial->device_id, &best.problem);
	if (old) {
		finish_best(old);
		*old = best;
		return 0;
	}
	struct svc_best *bests = realloc(answers->bests, (answers->count + 1) * sizeof *bests);
	if (!bests) {
		finish_best(&best);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a result");
	}
	answers->bests = bests;
	bests[answers->count++] = best;
	return 0;
}

static int load_one(void *context, const struct db_trial *trial)
{
	struct mmt_error error = {0};
	/* one that cannot be read is as good as not there: the problem is tuned again */
	return keep_best(context, trial, &error) != 0 && error.code == MMT_NO_MEMORY;
}

/* ---- how fast winners are elsewhere ---- */

struct reading {
	struct svc_answers *answers; /* NULL: gone */
	struct winner_times times;
};

static void finish_times(struct winner_times *times)
{
	for (size_t i = 0; i < times->count; i++)
		free(times->list[i].configuration);
	free(times->list);
	*times = (struct winner_times){0};
}

static int keep_time(void *context, const struct db_winner_time *row)
{
	struct winner_times *times = context;
	struct svc_winner_time time = {row->device_id, row->variant_id, .minimum_ns = row->minimum_ns};
	json_t *problem = row->problem ? json_loads(row->problem, JSON_REJECT_DUPLICATES, NULL) : NULL;
	bool readable = problem && row->configuration && problem_from_json(problem, &time.problem, NULL) == 0;
	json_decref(problem);
	if (!readable)
		return 0;
	struct svc_winner_time *list = realloc(times->list, (times->count + 1) * sizeof *list);
	if (!list)
		return -1;
	times->list = list;
	time.configuration = strdup(row->configuration);
	if (!time.configuration)
		return -1;
	list[times->count++] = time;
	return 0;
}

static int read_times(struct db *db, struct winner_times *times, struct mmt_error *error)
{
	finish_times(times); /* the store repeats what met a lock */
	return db_winner_times(db, keep_time, times, error);
}

static int reading_work(struct db *db, void *context, struct mmt_error *error)
{
	struct reading *reading = context;
	return read_times(db, &reading->times, error);
}

static void refresh_times(struct svc_answers *answers);

static void on_times_read(void *context, int status, const struct mmt_error *error)
{
	struct reading *reading = context;
	struct svc_answers *answers = reading->answers;
	if (status != 0)
		svc_log(4, "answers for sizes between go by older times: %s", error->message);
	if (answers && status == 0) {
		struct winner_times before = answers->times;
		answers->times = reading->times;
		reading->times = before;
	}
	finish_times(&reading->times);
	free(reading);
	if (!answers)
		return;
	answers->reading = NULL;
	if (answers->read_again)
		refresh_times(answers);
}

static void refresh_times(struct svc_answers *answers)
{
	answers->read_again = answers->reading != NULL;
	if (answers->reading)
		return;
	answers->reading = calloc(1, sizeof *answers->reading);
	if (!answers->reading)
		return; /* the next promotion tries again */
	answers->reading->answers = answers;
	svc_store_post(answers->service->store, reading_work, on_times_read, answers->reading);
}

static int load_work(struct db *db, void *context, struct mmt_error *error)
{
	struct svc_answers *answers = context;
	return db_bests(db, load_one, answers, error) == 0 ? read_times(db, &answers->times, error) : -1;
}

struct svc_answers *svc_answers_create(struct service *service, struct mmt_error *error)
{
	struct svc_answers *answers = calloc(1, sizeof *answers);
	if (!answers) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the answers");
		return NULL;
	}
	answers->service = service;
	prepared_init(&answers->prepared);
	if (svc_store_run(service->store, load_work, answers, error) != 0) {
		svc_answers_destroy(answers);
		return NULL;
	}
	return answers;
}

void svc_answers_destroy(struct svc_answers *answers)
{
	if (!answers)
		return;
	for (size_t i = 0; i < answers->count; i++)
		finish_best(&answers->bests[i]);
	free(answers->bests);
	finish_times(&answers->times);
	if (answers->reading)
		answers->reading->answers = NULL;
	prepared_clear(&answers->prepared);
	free(answers);
}

int svc_answers_promoted(struct svc_answers *answers, const struct db_trial *trial, struct mmt_error *error)
{
	prepared_clear(&answers->prepared);
	refresh_times(answers);
	return keep_best(answers, trial, error);
}

const struct db_trial *svc_answers_best(const struct svc_answers *answers, int64_t device_id,
					const struct mmt_problem *problem)
{
	const struct svc_best *best = find_best(answers, device_id, problem);
	return best ? &best->trial : NULL;
}

size_t svc_answers_count(const struct svc_answers *answers)
{
	return answers->count;
}

/* ---- neighbours ---- */

size_t svc_answers_priors(const struct svc_answers *answers, const struct svc_device *device,
			  const struct mmt_problem *problem, const struct svc_best **out, size_t max)
{
	struct neighbour neighbours[SVC_ANSWERS_PRIORS];
	const struct neighbour_target target = {answers->service, device, problem};
	size_t count = neighbours_for_search(answers->bests, answers->count, &target, neighbours,
					     max < SVC_ANSWERS_PRIORS ? max : SVC_ANSWERS_PRIORS);
	for (size_t i = 0; i < count; i++)
		out[i] = neighbours[i].best;
	return count;
}

/* ---- peaks ---- */

static const struct db_trial *peak_trial(const struct svc_answers *answers, const struct svc_device *device,
					 enum mmt_type type, const char *wanted)
{
	for (const struct kern_family *const *family = kern_families(); *family; family++) {
		const char *which;
		struct mmt_problem problem;
		if (!kern_family_peak(*family, type, device->properties.global_memory_bytes, &which, &problem) ||
		    strcmp(which, wanted) != 0)
			continue;
		const struct db_trial *trial = svc_answers_best(answers, device->id, &problem);
		if (trial)
			return trial;
	}
	return NULL;
}

/* A peak is what the device can give: the best run of the best kernel, as STREAM counts it (McCalpin, 1995), not the
 * median, which tells of those who used the device meanwhile. */
static double at_best(const struct db_trial *trial, double rate)
{
	return trial->minimum_ns > 0 ? rate * trial->time_ns / trial->minimum_ns : rate;
}

double svc_answers_peak_gbps(const struct svc_answers *answers, const struct svc_device *device)
{
	double peak = 0;
	for (int type = 0; type < MMT_TYPE_COUNT; type++) {
		const struct db_trial *trial = peak_trial(answers, device, (enum mmt_type)type, "bandwidth");
		if (trial)
			peak = fmax(peak, at_best(trial, trial->effective_gbps));
	}
	return peak;
}

double svc_answers_peak_gflops(const struct svc_answers *answers, const struct svc_device *device, enum mmt_type type)
{
	const struct db_trial *trial = peak_trial(answers, device, type, "rate");
	return trial ? at_best(trial, trial->gflops) : 0;
}

/* ---- the answer ---- */

/* Measured under another driver or compiler than the device has now. */
static bool is_stale(const struct db_trial *trial, const struct svc_device *device)
{
	if (trial->environment_id == device->environment_id)
		return false;
	return !trial->driver || !trial->platform_version || strcmp(trial->driver, device->properties.driver) != 0 ||
	       strcmp(trial->platform_version, device->properties.platform_version) != 0;
}

/* The best of this very problem, where its kernel is still the one that was measured; NULL: none. */
static const struct svc_best *exact_best(const struct svc_answers *answers, const struct svc_device *device,
					 const struct mmt_problem *problem)
{
	const struct svc_best *best = find_best(answers, device->id, problem);
	const struct kern_variant *variant =
		best ? kern_registry_find(&answers->service->kernels, problem->family, best->trial.variant) : NULL;
	return variant && answer_variant_unchanged(variant, &best->trial) ? best : NULL;
}

bool svc_answers_is_tuned(const struct svc_answers *answers, const struct svc_device *device,
			  const struct mmt_problem *problem)
{
	const struct svc_best *best = exact_best(answers, device, problem);
	return best && !is_stale(&best->trial, device);
}

static bool answer_exactly(const struct svc_answers *answers, struct answer *answer, const struct mmt_problem *problem,
			   const struct svc_device *device)
{
	const struct svc_best *best = exact_best(answers, device, problem);
	if (!best || answer_from_best(answer, &answers->service->kernels, best, problem, device, NULL) != 0)
		return false;
	answer->match = ANSWER_EXACT;
	answer->stale = is_stale(&best->trial, device);
	return true;
}

static bool answer_nearly(const struct svc_answers *answers, struct answer *answer, const struct mmt_problem *problem,
			  const struct svc_device *device)
{
	struct near_choice choices[NEAR_MOST];
	const struct near_known known = {answers->bests, answers->count, answers->times.list, answers->times.count};
	const struct neighbour_target target = {answers->service, device, problem};
	size_t count = near_rank(&known, &target, choices);
	for (size_t i = 0; i < count; i++) {
		if (answer_from_best(answer, &answers->service->kernels, choices[i].best, problem, device, NULL) != 0)
			continue;
		answer->match = ANSWER_NEAR;
		answer->doublings = choices[i].doublings;
		answer->efficiency = choices[i].efficiency;
		answer->expected_gflops = choices[i].expected_gflops;
		return true;
	}
	return false;
}

static int find_answer(const struct svc_answers *answers, struct answer *answer, const struct mmt_problem *problem,
		       const struct svc_device *device, struct mmt_error *error)
{
	const struct kern_family *family = kern_family_find(problem->family);
	if (!family)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "no family of kernels is called '%s'",
				     problem->family);
	if (family->check(problem, error) != 0 || kern_problem_fits(problem, &device->properties, error) != 0)
		return -1;
	if (answer_exactly(answers, answer, problem, device) || answer_nearly(answers, answer, problem, device))
		return 0;
	answer->match = ANSWER_DEFAULT;
	return answer_default(answer, &answers->service->kernels, problem, device, error);
}

json_t *svc_answers_query(struct svc_answers *answers, struct svc_device *device, const struct mmt_problem *problem,
			  bool with_source, bool *untuned, struct mmt_error *error)
{
	struct answer answer = {0};
	if (find_answer(answers, &answer, problem, device, error) != 0)
		return NULL;
	answer.peak_gbps = svc_answers_peak_gbps(answers, device);
	answer.peak_gflops = svc_answers_peak_gflops(answers, device, problem->type);
	json_t *object = answer_to_json(&answer, device, problem, with_source);
	kern_plan_finish(&answer.plan);
	*untuned = answer.match != ANSWER_EXACT || answer.stale;
	if (!object)
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for an answer");
	return object;
}

/* ---- prepared replies ---- */

const char *svc_answers_recall(struct svc_answers *answers, const char *call, size_t call_length, size_t *length)
{
	return prepared_get(&answers->prepared, call, call_length, length);
}

void svc_answers_remember(struct svc_answers *answers, const char *call, size_t call_length, const char *reply,
			  size_t length)
{
	prepared_put(&answers->prepared, call, call_length, reply, length);
}

void svc_answers_forget(struct svc_answers *answers)
{
	prepared_clear(&answers->prepared);
}
