/* answer.h: one answer in the making: a variant, its configuration, its plan.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_ANSWER_H
#define MMT_SERVICE_ANSWER_H

#include "db.h"
#include "devices.h"
#include "mmtune/problem.h"
#include "plan.h"
#include "registry.h"

/* A current best, as kept in memory. */
struct svc_best {
	struct db_trial trial;
	struct mmt_problem problem;
	json_t *configuration;
};

enum answer_match { ANSWER_EXACT, ANSWER_NEAR, ANSWER_DEFAULT };

struct answer {
	enum answer_match match;
	bool stale;
	const struct kern_variant *variant;
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct kern_plan plan;
	const struct svc_best *best;                   /* what it rests on; NULL for a default */
	double doublings, efficiency, expected_gflops; /* of a near one: near.h */
	double peak_gflops, peak_gbps;
};

/* A variant that can answer for the problem at its accuracy, with a known configuration: makes the plan. */
int answer_from_best(struct answer *answer, const struct kern_registry *kernels, const struct svc_best *best,
		     const struct mmt_problem *problem, const struct svc_device *device, struct mmt_error *error);
/* Whether the variant is the very one that was measured: source and spec unchanged. */
bool answer_variant_unchanged(const struct kern_variant *variant, const struct db_trial *trial);

/* The variant of highest priority that runs here, in its default configuration or one near to it.
 * MMT_NO_ANSWER tells why the first choice would not do. */
int answer_default(struct answer *answer, const struct kern_registry *kernels, const struct mmt_problem *problem,
		   const struct svc_device *device, struct mmt_error *error);
/* The family's variants in the order in which they are tried on this type of device; caller frees. */
const struct kern_variant **answer_variants(const struct kern_registry *kernels, const char *family,
					    enum kern_device_type type, size_t *count);

/* The contract's object; NULL: memory. The caller owns the reference. */
json_t *answer_to_json(const struct answer *answer, const struct svc_device *device, const struct mmt_problem *problem,
		       bool with_source);

#endif
