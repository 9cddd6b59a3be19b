/* Devices: what this machine has, under the names that queries use. */
#include "devices.h"

#include "answers.h"
#include "parameters.h"
#include "records.h"
#include "server.h"

static json_t *measured(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *peaks(struct service *service, const struct svc_device *device)
{
	return json_pack("{s:o, s:o, s:o}", "gbps", measured(svc_answers_peak_gbps(service->answers, device)),
			 "gflops_f32", measured(svc_answers_peak_gflops(service->answers, device, MMT_F32)),
			 "gflops_f64", measured(svc_answers_peak_gflops(service->answers, device, MMT_F64)));
}

static json_t *quarantine(const struct svc_device *device)
{
	if (device->quarantined_until == 0)
		return json_null();
	return json_pack("{s:o, s:s}", "until", svc_time_to_json(device->quarantined_until), "reason",
			 device->quarantine_reason);
}

/* The device's own properties; `name` is the one given here, `device_name` the driver's. */
static json_t *describe(struct service *service, const struct svc_device *device)
{
	json_t *object = json_object(), *properties = kern_device_to_json(&device->properties);
	json_object_set_new(object, "name", json_string(device->name));
	json_object_set_new(object, "device_name", json_string(device->properties.name));
	json_object_set_new(object, "present", json_boolean(device->present));
	json_object_set_new(object, "quarantine", quarantine(device));
	json_object_set_new(object, "peaks", peaks(service, device));
	json_object_update_missing(object, properties);
	json_decref(properties);
	return object;
}

static json_t *list(struct service *service)
{
	json_t *devices = json_array(), *hints = json_array();
	for (size_t i = 0; i < svc_devices_count(service->devices); i++)
		json_array_append_new(devices, describe(service, svc_devices_at(service->devices, i)));
	const char *const *hint = svc_devices_hints(service->devices);
	for (; hint != NULL && *hint != NULL; hint++)
		json_array_append_new(hints, json_string(*hint));
	return json_pack("{s:o, s:o}", "devices", devices, "hints", hints);
}

static void handle(struct service *service, struct svc_call *call)
{
	bool rescan = false;
	const struct svc_parameter table[] = {{"rescan", SVC_BOOLEAN, SVC_OPTIONAL, &rescan}, {0}};
	struct mmt_error error;
	if (svc_parameters_read(svc_call_parameters(call), table, SVC_NO_PROBLEM, &error) != 0) {
		svc_call_error(call, &error);
		return;
	}
	if (rescan && !svc_call_is_admin(call)) {
		mmt_error_set(&error, MMT_PERMISSION, 0,
			      "looking for devices anew is for root, the service's user and the group '%s'",
			      service->config.admin_group);
		svc_call_error(call, &error);
		return;
	}
	if (rescan && !svc_call_was_held(call)) {
		svc_call_hold(call);
		svc_rescan(service);
		return;
	}
	svc_call_reply(call, list(service), false);
}

const struct svc_verb svc_verb_devices = {
	.method = "org.mmtune.Tuner.Devices",
	.needs_devices = true,
	.handle = handle,
};
