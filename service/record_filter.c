/* record_filter.c: see record_filter.h. */
#include "record_filter.h"

#include <string.h>

#include "devices.h"
#include "problem_json.h"

int svc_record_filter_init(struct svc_record_filter *filter, struct service *service, const json_t *parameters,
			   const char *device_name, int64_t job_id, struct mmt_error *error)
{
	memset(filter, 0, sizeof *filter);
	filter->judged_problem_id = -1;
	filter->job_id = job_id;
	if (svc_parameters_filter(parameters, &filter->problem, error) != 0)
		return -1;
	if (device_name == NULL)
		return 0;
	const struct svc_device *device = svc_devices_find(service->devices, device_name, error);
	if (device == NULL)
		return -1;
	filter->device_id = device->id;
	return 0;
}

bool svc_record_filter_matches(struct svc_record_filter *filter, const struct db_trial *trial)
{
	if (filter->job_id != 0 && trial->job_id != filter->job_id)
		return false;
	if (trial->problem_id == filter->judged_problem_id)
		return filter->judgement;
	struct mmt_problem problem;
	json_t *object = trial->problem != NULL ? json_loads(trial->problem, 0, NULL) : NULL;
	filter->judgement = object != NULL && problem_from_json(object, &problem, NULL) == 0 &&
			    svc_problem_filter_matches(&filter->problem, &problem);
	filter->judged_problem_id = trial->problem_id;
	json_decref(object);
	return filter->judgement;
}
