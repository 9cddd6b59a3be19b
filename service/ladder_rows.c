/* ladder_rows.c: see ladder_state.h: from a problem to a list of rows, and from a row to the database. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "ladder_state.h"
#include "store.h"
#include "trial_record.h"

/* ---- variants ---- */

/* Those that teach come first, in their order. */
static int compare_variants(const void *left, const void *right)
{
	const struct kern_variant *a = ((const struct ladder_variant *)left)->variant;
	const struct kern_variant *b = ((const struct ladder_variant *)right)->variant;
	int rung_a = a->rung > 0 ? a->rung : INT_MAX, rung_b = b->rung > 0 ? b->rung : INT_MAX;
	return rung_a != rung_b ? (rung_a < rung_b ? -1 : 1) : strcmp(a->name, b->name);
}

int ladder_choose_variants(struct ladder *ladder, struct mmt_error *error)
{
	const struct kern_registry *kernels = &ladder->service->kernels;
	ladder->variants = calloc(kernels->n_variants + 1, sizeof *ladder->variants);
	if (!ladder->variants)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the variants");
	for (size_t i = 0; i < kernels->n_variants; i++) {
		const struct kern_variant *variant = kernels->variants[i];
		if (strcmp(variant->family, ladder->problem.family) == 0 &&
		    (!ladder->only || strcmp(variant->name, ladder->only) == 0))
			ladder->variants[ladder->n_variants++].variant = variant;
	}
	qsort(ladder->variants, ladder->n_variants, sizeof ladder->variants[0], compare_variants);
	return 0;
}

static int note_trial(void *context, const struct db_trial *trial)
{
	struct ladder *ladder = context;
	for (size_t i = 0; i < ladder->n_variants; i++) {
		struct ladder_variant *known = &ladder->variants[i];
		if (strcmp(known->variant->name, trial->variant) != 0 ||
		    !answer_variant_unchanged(known->variant, trial))
			continue;
		known->searched = known->searched || trial->job_id != 0;
		uint16_t indices[EXPR_LIMIT_NAMES];
		json_t *configuration = json_loads(trial->configuration, 0, NULL);
		if (configuration && !(known->best_ns > 0 && known->best_ns <= trial->time_ns) &&
		    kern_configuration_from_json(known->variant, configuration, indices, NULL) == 0) {
			known->best_ns = trial->time_ns;
			memcpy(known->best, indices, sizeof indices[0] * known->variant->n_parameters);
		}
		json_decref(configuration);
	}
	return 0;
}

int ladder_load(struct db *db, void *context, struct mmt_error *error)
{
	struct ladder *ladder = context;
	if (db_problem(db, ladder->problem_text, &ladder->problem_id, error) != 0)
		return -1;
	for (size_t i = 0; i < ladder->n_variants; i++) {
		const struct kern_variant *variant = ladder->variants[i].variant;
		if (db_variant(db, variant->family, variant->name, variant->spec_sha256, variant->source_sha256,
			       &ladder->variants[i].id, error) != 0)
			return -1;
	}
	struct db_trial_filter filter = {
		.device_id = ladder->device->id,
		.problem_id = ladder->problem_id,
		.environment_id = ladder->environment_id,
		.outcome = kern_outcome_name(KERN_OUTCOME_OK),
	};
	return db_trials(db, &filter, note_trial, ladder, error);
}

/* ---- rows ---- */

static void add_reference(struct ladder *ladder, const json_t *reference, bool *failed)
{
	const char *name = json_string_value(json_object_get(reference, "name"));
	const char *kind = json_string_value(json_object_get(reference, "kind"));
	if (!name || !kind)
		return;
	struct ladder_row *row = &ladder->rows[ladder->n_rows++];
	row->reference = strdup(name);
	row->kind = strdup(kind);
	*failed = *failed || !row->reference || !row->kind;
}

/* A point that is there already is only marked as one of the textbook. */
static void add_point(struct ladder *ladder, const struct ladder_variant *variant, const uint16_t *indices,
		      const char *from, bool textbook)
{
	size_t bytes = variant->variant->n_parameters * sizeof indices[0];
	for (size_t i = 0; i < ladder->n_rows; i++) {
		struct ladder_row *row = &ladder->rows[i];
		if (row->variant == variant && memcmp(row->indices, indices, bytes) == 0) {
			row->textbook = row->textbook || textbook;
			return;
		}
	}
	struct ladder_row *row = &ladder->rows[ladder->n_rows++];
	row->variant = variant;
	row->from = from;
	row->textbook = textbook;
	memcpy(row->indices, indices, bytes);
}

static void add_variant(struct ladder *ladder, const struct ladder_variant *known)
{
	const struct kern_variant *variant = known->variant;
	const struct kern_device *device = &ladder->device->properties;
	uint16_t indices[EXPR_LIMIT_NAMES];
	kern_default_configuration(variant, &ladder->problem, device, indices);
	if (known->best_ns > 0)
		add_point(ladder, known, known->best, "best", false);
	else
		add_point(ladder, known, indices, "default", false);
	for (size_t point = 0; point < variant->n_textbook; point++) {
		kern_textbook_point(variant, point, &ladder->problem, device, indices);
		add_point(ladder, known, indices, "textbook", true);
	}
}

int ladder_make_rows(struct ladder *ladder, const json_t *references, struct mmt_error *error)
{
	size_t most = json_array_size(references);
	bool failed = false;
	for (size_t i = 0; i < ladder->n_variants; i++)
		most += 1 + ladder->variants[i].variant->n_textbook;
	ladder->rows = calloc(most + 1, sizeof *ladder->rows);
	if (!ladder->rows)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the rows");
	for (size_t i = 0; i < json_array_size(references); i++)
		add_reference(ladder, json_array_get(references, i), &failed);
	for (size_t i = 0; i < ladder->n_variants; i++)
		add_variant(ladder, &ladder->variants[i]);
	return failed ? mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the rows") : 0;
}

void ladder_finish_rows(struct ladder *ladder)
{
	for (size_t i = 0; i < ladder->n_rows; i++) {
		struct ladder_row *row = &ladder->rows[i];
		free(row->reference);
		free(row->kind);
		if (row->planned)
			kern_plan_finish(&row->plan);
	}
	free(ladder->rows);
	free(ladder->variants);
}

/* ---- storing ---- */

struct storing {
	struct ladder *ladder;
	struct db_trial trial;
	void (*done)(struct ladder *ladder, const struct mmt_error *error);
};

static int store_work(struct db *db, void *context, struct mmt_error *error)
{
	struct storing *storing = context;
	return db_trial_add(db, &storing->trial, error);
}

static void on_stored(void *context, int status, const struct mmt_error *error)
{
	struct storing *storing = context;
	struct ladder *ladder = storing->ladder;
	void (*done)(struct ladder * ladder, const struct mmt_error *error) = storing->done;
	db_trial_finish(&storing->trial);
	free(storing);
	ladder->posts--;
	done(ladder, status == 0 ? NULL : error);
}

int ladder_store_row(struct ladder *ladder, const struct ladder_row *row,
		     void (*done)(struct ladder *ladder, const struct mmt_error *error), struct mmt_error *error)
{
	const struct trial_facts facts = {
		.device = ladder->device,
		.environment_id = ladder->environment_id,
		.problem = &ladder->problem,
		.problem_text = ladder->problem_text,
		.problem_id = ladder->problem_id,
		.variant = row->variant->variant,
		.variant_id = row->variant->id,
		.indices = row->indices,
		.plan = row->planned ? &row->plan : NULL,
		.result = &row->result,
	};
	struct storing *storing = calloc(1, sizeof *storing);
	if (!storing || trial_record(&storing->trial, &facts) != 0) {
		if (storing)
			db_trial_finish(&storing->trial);
		free(storing);
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory to record a result");
	}
	storing->ladder = ladder;
	storing->done = done;
	ladder->posts++;
	svc_store_post(ladder->service->store, store_work, on_stored, storing);
	return 0;
}
