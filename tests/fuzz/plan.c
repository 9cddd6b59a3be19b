/* plan.c: any JSON as a plan, a device or a result, as a worker's peer might
 * send; what is accepted must survive being written and read again. */
#include <stdint.h>
#include <stdlib.h>

#include "plan.h"
#include "trial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void as_plan(const json_t *json)
{
	struct mmt_error error;
	struct kern_plan plan;
	if (kern_plan_from_json(json, &plan, &error))
		return;
	json_t *again = kern_plan_to_json(&plan, true);
	kern_plan_finish(&plan);
	if (!again || kern_plan_from_json(again, &plan, &error))
		abort();
	json_decref(again);
	kern_plan_finish(&plan);
}

static void as_device(const json_t *json)
{
	struct mmt_error error;
	struct kern_device device, back;
	if (kern_device_from_json(json, &device, &error))
		return;
	json_t *again = kern_device_to_json(&device);
	if (!again || kern_device_from_json(again, &back, &error))
		abort();
	json_decref(again);
	kern_device_fingerprint(&device);
}

static void as_result(const json_t *json)
{
	struct mmt_error error;
	struct kern_result result, back;
	if (kern_result_from_json(json, &result, &error))
		return;
	json_t *again = kern_result_to_json(&result);
	if (!again || kern_result_from_json(again, &back, &error))
		abort();
	json_decref(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	json_t *json = json_loadb((const char *)data, bytes, 0, NULL);
	as_plan(json);
	as_device(json);
	as_result(json);
	json_decref(json);
	return 0;
}
