/* runner_prepare.c: see runner_state.h: from a problem to a search that knows what was measured before.
 *
 * The spaces are expanded in the thread pool, since a large one takes seconds
 * and queries are answered meanwhile; earlier trials are read in the store. Both
 * touch only what belongs to them until they are done. */
#include "runner_state.h"

#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "store.h"

#define PRIORS 8

/* ---- which variants ---- */

/* No configuration can run: a type, a requirement, an accuracy that it lacks. */
static bool is_out_of_question(const struct kern_variant *variant, const struct runner *runner, struct mmt_error *error)
{
	const struct svc_job *job = runner->job;
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct kern_plan plan;
	kern_default_configuration(variant, &job->problem, &job->device->properties, indices);
	if (variant->accuracy > job->problem.accuracy) {
		mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s is less accurate than %s", variant->name,
			      mmt_accuracy_name(job->problem.accuracy));
		return true;
	}
	if (kern_plan_init(&plan, variant, &job->problem, indices, &job->device->properties, error) == 0) {
		kern_plan_finish(&plan);
		return false;
	}
	return error->code == MMT_NOT_SUPPORTED;
}

static int choose_variants(struct runner *runner, struct mmt_error *error)
{
	const struct svc_job *job = runner->job;
	size_t count;
	struct mmt_error why = {0};
	const struct kern_variant **all =
		answer_variants(&runner->service->kernels, job->problem.family, job->device->properties.type, &count);
	runner->variants = calloc(count + 1, sizeof *runner->variants);
	runner->spaces = calloc(count + 1, sizeof *runner->spaces);
	runner->promises = calloc(count + 1, sizeof *runner->promises);
	if (!all || !runner->variants || !runner->spaces || !runner->promises) {
		free(all);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the variants");
	}
	for (size_t i = 0; i < count; i++)
		if ((job->variant ? strcmp(job->variant, all[i]->name) == 0 : !all[i]->by_name_only) &&
		    !is_out_of_question(all[i], runner, &why))
			runner->variants[runner->n_variants++].variant = all[i];
	free(all);
	if (runner->n_variants > 0)
		return 0;
	return mmt_error_set(error, MMT_NO_VALID_CONFIGURATION, 0, "no variant of %s can run on %s: %s",
			     job->problem.family, job->device->name, why.code ? why.message : "there is none");
}

/* ---- spaces ---- */

static void expand(struct runner_variant *variant, const struct mmt_problem *problem, const struct kern_device *device)
{
	const struct kern_variant *kernel = variant->variant;
	struct search_parameter parameters[EXPR_LIMIT_NAMES];
	const int64_t sizes[KERN_SIZES] = {problem->m, problem->n, problem->k};
	uint16_t defaults[EXPR_LIMIT_NAMES];
	struct mmt_error error = {0};
	kern_default_configuration(kernel, problem, device, defaults);
	for (size_t i = 0; i < kernel->n_parameters; i++)
		parameters[i] = (struct search_parameter){
			.name = kernel->parameters[i].name,
			.values = kernel->parameters[i].values,
			.n_values = kernel->parameters[i].n_values,
			.default_index = defaults[i],
		};
	struct search_space_spec spec = {
		.parameters = parameters,
		.n_parameters = kernel->n_parameters,
		.conditions = (const struct expr *const *)kernel->conditions,
		.n_conditions = kernel->n_conditions,
		.sizes = sizes,
	};
	variant->space = search_space_create(&spec, &error);
	if (variant->space && search_space_points(variant->space) == 0) {
		mmt_error_set(&error, MMT_NO_VALID_CONFIGURATION, 0,
			      "the conditions of %s leave no configuration for this problem", kernel->name);
		search_space_destroy(variant->space);
		variant->space = NULL;
	}
	if (!variant->space)
		memcpy(variant->problem, error.message, sizeof variant->problem);
}

static void expand_work(uv_work_t *work)
{
	struct runner *runner = work->data;
	for (size_t i = 0; i < runner->n_variants; i++)
		expand(&runner->variants[i], &runner->job->problem, &runner->job->device->properties);
}

/* A variant's priority is also the best guess at its rate: on a CPU the textbook's rungs are a hundred times slower
 * than what is packed, and each costs seconds. */
static double promise(const struct kern_variant *variant, enum kern_device_type type)
{
	return variant->priority[type] > 0 ? variant->priority[type] : 1;
}

/* Those without a space go, with a word why. */
static void drop_spaceless(struct runner *runner)
{
	size_t kept = 0;
	for (size_t i = 0; i < runner->n_variants; i++) {
		struct runner_variant *variant = &runner->variants[i];
		if (variant->space) {
			runner->spaces[kept] = variant->space;
			runner->promises[kept] = promise(variant->variant, runner->job->device->properties.type);
			runner->variants[kept++] = *variant;
			continue;
		}
		svc_log(6, "%s is left out: %s", variant->variant->name, variant->problem);
		if (runner->first_failure[0] == '\0')
			memcpy(runner->first_failure, variant->problem, sizeof runner->first_failure);
	}
	runner->n_variants = kept;
}

/* ---- earlier trials ---- */

static bool find_point(const struct runner *runner, const struct db_trial *trial, struct search_point *out)
{
	for (size_t i = 0; i < runner->n_variants; i++) {
		const struct kern_variant *variant = runner->variants[i].variant;
		if (!trial->variant || strcmp(variant->name, trial->variant) != 0)
			continue;
		uint16_t indices[EXPR_LIMIT_NAMES];
		json_t *configuration = json_loads(trial->configuration, 0, NULL);
		size_t point = SEARCH_NO_POINT;
		if (configuration && kern_configuration_from_json(variant, configuration, indices, NULL) == 0)
			point = search_space_find(runner->variants[i].space, indices);
		json_decref(configuration);
		*out = (struct search_point){(uint32_t)i, (uint32_t)point};
		return point != SEARCH_NO_POINT;
	}
	return false;
}

static int keep_earlier(void *context, const struct db_trial *trial)
{
	struct runner *runner = context;
	struct runner_earlier earlier = {.trial_id = trial->id, .measured_at = trial->measured_at};
	if (!find_point(runner, trial, &earlier.point) ||
	    !answer_variant_unchanged(runner->variants[earlier.point.space].variant, trial) ||
	    kern_outcome_parse(trial->outcome, &earlier.result.outcome, NULL) != 0)
		return 0;
	if ((runner->n_earlier & (runner->n_earlier - 1)) == 0) { /* grow at powers of two */
		size_t capacity = runner->n_earlier ? 2 * runner->n_earlier : 1;
		struct runner_earlier *list = realloc(runner->earlier, capacity * sizeof *list);
		if (!list)
			return -1;
		runner->earlier = list;
	}
	earlier.result.time_ns = trial->time_ns;
	earlier.result.minimum_ns = trial->minimum_ns;
	earlier.result.spread = trial->spread;
	earlier.result.runs = (unsigned)trial->runs;
	earlier.result.relative_error = trial->relative_error;
	runner->earlier[runner->n_earlier++] = earlier;
	return 0;
}

static int load_work(struct db *db, void *context, struct mmt_error *error)
{
	struct runner *runner = context;
	runner->n_earlier = 0; /* the store repeats what met a lock */
	if (db_problem(db, runner->problem_text, &runner->problem_id, error) != 0)
		return -1;
	for (size_t i = 0; i < runner->n_variants; i++) {
		const struct kern_variant *variant = runner->variants[i].variant;
		if (db_variant(db, variant->family, variant->name, variant->spec_sha256, variant->source_sha256,
			       &runner->variants[i].id, error) != 0)
			return -1;
	}
	struct db_trial_filter filter = {
		.device_id = runner->job->device->id,
		.problem_id = runner->problem_id,
		.environment_id = runner->environment_id,
	};
	return db_trials(db, &filter, keep_earlier, runner, error);
}

/* ---- the search ---- */

static bool is_listed(const struct search_prior *priors, size_t count, struct search_point point)
{
	for (size_t i = 0; i < count; i++)
		if (priors[i].point.space == point.space && priors[i].point.point == point.point)
			return true;
	return false;
}

/* The point of a configuration found elsewhere, where it may run here: it is in the space, whose conditions know this
 * size, and within the limits of this device. */
static bool find_prior(const struct runner *runner, const struct svc_best *best, struct search_point *out)
{
	struct kern_plan plan;
	if (!find_point(runner, &best->trial, out))
		return false;
	const struct runner_variant *variant = &runner->variants[out->space];
	if (kern_plan_init(&plan, variant->variant, &runner->job->problem, search_space_get(variant->space, out->point),
			   &runner->job->device->properties, NULL) != 0)
		return false;
	kern_plan_finish(&plan);
	return true;
}

/* Winners of other problems and devices, each point once, as places to look at first. What they took there says nothing
 * here: they are measured as any other. */
static size_t gather_priors(const struct runner *runner, struct search_prior *priors)
{
	const struct svc_best *bests[SVC_ANSWERS_PRIORS];
	size_t count = svc_answers_priors(runner->service->answers, runner->job->device, &runner->job->problem, bests,
					  SVC_ANSWERS_PRIORS);
	size_t kept = 0;
	for (size_t i = 0; i < count && kept < PRIORS; i++) {
		struct search_point point;
		if (find_prior(runner, bests[i], &point) && !is_listed(priors, kept, point))
			priors[kept++] = (struct search_prior){.point = point};
	}
	return kept;
}

static int create_search(struct runner *runner, struct mmt_error *error)
{
	struct search_prior priors[PRIORS];
	struct search_spec spec = {
		.strategy = runner->job->strategy,
		.spaces = runner->spaces,
		.n_spaces = runner->n_variants,
		.promises = runner->promises,
		.seed = runner->job->seed ? runner->job->seed : (uint64_t)runner->job->id,
		.priors = priors,
		.n_priors = gather_priors(runner, priors),
	};
	runner->search = search_create(&spec, error);
	if (!runner->search)
		return -1;
	for (size_t i = 0; i < runner->n_earlier; i++) {
		const struct runner_earlier *earlier = &runner->earlier[i];
		bool ok = earlier->result.outcome == KERN_OUTCOME_OK;
		search_tell(runner->search, earlier->point, ok ? SEARCH_OK : SEARCH_INVALID, earlier->result.time_ns);
		struct runner_top entry = {earlier->point, earlier->trial_id, earlier->measured_at,
					   earlier->result.time_ns, earlier->result};
		runner_note_result(runner, &entry);
	}
	free(runner->earlier);
	runner->earlier = NULL;
	return 0;
}

static void on_loaded(void *context, int status, const struct mmt_error *store_error)
{
	struct runner *runner = context;
	struct mmt_error error = {0};
	runner->posts--;
	if (runner->phase == RUNNER_ENDING || runner->stop_asked)
		; /* nothing to prepare for any more */
	else if (status != 0)
		runner_end(runner, RUNNER_FAILED, "%s", store_error->message);
	else if (create_search(runner, &error) != 0)
		runner_end(runner, RUNNER_FAILED, "%s", error.message);
	else
		runner->phase = RUNNER_SEARCHING;
	runner_step(runner);
}

static void on_expanded(uv_work_t *work, int status)
{
	struct runner *runner = work->data;
	(void)status; /* it is never cancelled */
	runner->posts--;
	drop_spaceless(runner);
	if (runner->phase == RUNNER_ENDING || runner->stop_asked) {
		runner_step(runner);
	} else if (runner->n_variants == 0) {
		runner_end(runner, RUNNER_FAILED, "no valid configuration: %s", runner->first_failure);
	} else {
		runner->posts++;
		svc_store_post_patiently(runner->service->store, load_work, on_loaded, runner);
	}
}

void runner_prepare(struct runner *runner)
{
	struct mmt_error error = {0};
	if (choose_variants(runner, &error) != 0) {
		runner_end(runner, RUNNER_FAILED, "%s", error.message);
		return;
	}
	runner->expansion.data = runner;
	runner->posts++;
	uv_queue_work(runner->service->loop, &runner->expansion, expand_work, on_expanded);
}
