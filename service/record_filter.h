/* record_filter.h: which records a listing wants: of a device, a job, problems with parts left open.
 *
 * Thread: read on the loop's, used on the store's. */
#ifndef MMT_SERVICE_RECORD_FILTER_H
#define MMT_SERVICE_RECORD_FILTER_H

#include "db.h"
#include "parameters.h"
#include "service.h"

struct svc_record_filter {
	struct svc_problem_filter problem;
	int64_t device_id, job_id; /* 0: any */
	/* Records of one problem come in runs: the last judgement is kept. */
	int64_t judged_problem_id;
	bool judgement;
};

/* From a call's parameters; device_name NULL: any. MMT_INVALID_ARGUMENT, MMT_NO_SUCH_DEVICE. */
int svc_record_filter_init(struct svc_record_filter *filter, struct service *service, const json_t *parameters,
			   const char *device_name, int64_t job_id, struct mmt_error *error);
/* The job and the problem; the device is db_trials' part. */
bool svc_record_filter_matches(struct svc_record_filter *filter, const struct db_trial *trial);

#endif
