/* ladder_state.h: a ladder's state, for its files.
 *
 *	ladder.c        life: the queue, the worker, one row after the other, the end
 *	ladder_rows.c   which rows there are, and storing them
 *	ladder_json.c   what is told of them
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_LADDER_STATE_H
#define MMT_SERVICE_LADDER_STATE_H

#include "db.h"
#include "jobs.h"
#include "ladder.h"
#include "plan.h"
#include "rates.h"
#include "worker.h"

enum ladder_phase { LADDER_TUNING, LADDER_WAITING, LADDER_LOADING, LADDER_MEASURING, LADDER_ENDING };

/* A variant as the database knows it. */
struct ladder_variant {
	const struct kern_variant *variant;
	int64_t id;
	double best_ns; /* of the stored trials for this problem on this driver; 0: none is ok */
	uint16_t best[EXPR_LIMIT_NAMES];
	bool searched; /* some of them are a job's: it was tuned, not only shown */
};

struct ladder_row {
	char *reference, *kind;               /* NULL: a variant */
	const struct ladder_variant *variant; /* NULL: a reference */
	uint16_t indices[EXPR_LIMIT_NAMES];
	const char *from; /* "best", "default", "textbook"; NULL: a reference */
	bool textbook;    /* also where it is the best known or the default */
	bool measured;
	struct kern_plan plan; /* where it is planned; until the row is stored */
	bool planned;
	struct kern_result result;
	struct svc_rates rates;
};

struct ladder {
	struct service *service;
	struct svc_call *call; /* NULL: its client is gone, or was told the end */
	struct svc_device *device;
	struct mmt_problem problem;
	char *problem_text;
	char *only; /* the one variant, or NULL */
	double budget_s;
	enum ladder_phase phase;
	struct svc_jobs_guest guest;
	bool entered;
	unsigned posts; /* under way elsewhere, and referring to this */
	uv_timer_t again;

	int64_t problem_id, environment_id;
	struct ladder_variant *variants;
	size_t n_variants;
	struct ladder_row *rows;
	size_t n_rows, next; /* next: the row in flight, or to be sent */

	struct svc_worker *worker;
	bool worker_ready, in_flight, loaded;
	unsigned deaths; /* of workers in a row, without a result */
};

/* ladder_rows.c */
int ladder_choose_variants(struct ladder *ladder, struct mmt_error *error);
/* Reads the variants' ids and their best known configurations; on the store's thread. */
int ladder_load(struct db *db, void *context, struct mmt_error *error);
/* references: as the worker's hello gave them. */
int ladder_make_rows(struct ladder *ladder, const json_t *references, struct mmt_error *error);
void ladder_finish_rows(struct ladder *ladder);
/* Stores a variant's row; done comes with the ladder as its context, posts counts it. */
int ladder_store_row(struct ladder *ladder, const struct ladder_row *row,
		     void (*done)(struct ladder *ladder, const struct mmt_error *error), struct mmt_error *error);

/* ladder_json.c: new references; NULL: memory. */
json_t *ladder_row_to_json(const struct ladder *ladder, const struct ladder_row *row);
json_t *ladder_to_json(const struct ladder *ladder);

#endif
