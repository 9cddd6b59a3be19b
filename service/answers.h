/* answers.h: every best in memory, and the answers made from them.
 *
 * Loaded from the database at start, updated at each promotion. An answer is
 * `exact` (this problem was tuned here with these very kernels), `near` (a tuned
 * neighbour's configuration, re-derived and checked for this size) or
 * `default` (the variant of highest priority that can run here).
 *
 * Replies to exact answers are kept as prepared bytes, keyed by the bytes of
 * the call, so that a hot query costs one hash look-up; a promotion drops them.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_ANSWERS_H
#define MMT_SERVICE_ANSWERS_H

#include <jansson.h>

#include "devices.h"
#include "mmtune/problem.h"
#include "service.h"

struct db_trial;
struct svc_best;

struct svc_answers *svc_answers_create(struct service *service, struct mmt_error *error); /* loads every best */
void svc_answers_destroy(struct svc_answers *answers);

/* The contract's object (design, section 8). *untuned: match is not exact, or stale: a job is worth queueing.
 * NULL with MMT_TOO_LARGE, MMT_NOT_SUPPORTED, MMT_NO_ANSWER, MMT_INVALID_ARGUMENT. Caller owns the reference. */
json_t *svc_answers_query(struct svc_answers *answers, struct svc_device *device, const struct mmt_problem *problem,
			  bool with_source, bool *untuned, struct mmt_error *error);

/* A trial became the best of its device and problem (a copy is made). */
int svc_answers_promoted(struct svc_answers *answers, const struct db_trial *trial, struct mmt_error *error);
/* Whether there is an exact answer, measured under the present driver with the present kernel. */
bool svc_answers_is_tuned(const struct svc_answers *answers, const struct svc_device *device,
			  const struct mmt_problem *problem);
/* The stored best of exactly this problem; NULL: none. Borrowed until the next promotion. */
const struct db_trial *svc_answers_best(const struct svc_answers *answers, int64_t device_id,
					const struct mmt_problem *problem);
/* What a search for this problem on this device may start from, most promising first (neighbours.h; this problem itself
 * is the nearest where it was tuned), at most max, which is at most SVC_ANSWERS_PRIORS; returns how many. A
 * configuration may not hold here. Borrowed until the next promotion. */
#define SVC_ANSWERS_PRIORS 32
size_t svc_answers_priors(const struct svc_answers *answers, const struct svc_device *device,
			  const struct mmt_problem *problem, const struct svc_best **out, size_t max);
/* The measured peaks of a device, by the best run of the best kernel; 0: not measured yet. */
double svc_answers_peak_gbps(const struct svc_answers *answers, const struct svc_device *device);
double svc_answers_peak_gflops(const struct svc_answers *answers, const struct svc_device *device, enum mmt_type type);
size_t svc_answers_count(const struct svc_answers *answers);

/* Prepared replies: by the raw bytes of a call. remember copies both. */
const char *svc_answers_recall(struct svc_answers *answers, const char *call, size_t call_length, size_t *length);
void svc_answers_remember(struct svc_answers *answers, const char *call, size_t call_length, const char *reply,
			  size_t length);
void svc_answers_forget(struct svc_answers *answers); /* all prepared replies */

#endif
