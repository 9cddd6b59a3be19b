/* trial_record.h: a measured configuration as a row of the database.
 *
 * Thread: pure functions. */
#ifndef MMT_SERVICE_TRIAL_RECORD_H
#define MMT_SERVICE_TRIAL_RECORD_H

#include "db.h"
#include "devices.h"
#include "plan.h"
#include "trial.h"

struct trial_facts {
	int64_t job_id; /* 0: none */
	const struct svc_device *device;
	int64_t environment_id; /* that it was measured in: a driver may be updated meanwhile */
	const struct mmt_problem *problem;
	const char *problem_text; /* the same as JSON */
	int64_t problem_id;
	const struct kern_variant *variant;
	int64_t variant_id;
	const uint16_t *indices;
	const struct kern_plan *plan; /* NULL: it was refused */
	const struct kern_result *result;
};

/* Strings are copies: db_trial_finish. -1: memory; what is there is to be finished all the same. */
int trial_record(struct db_trial *out, const struct trial_facts *facts);

#endif
