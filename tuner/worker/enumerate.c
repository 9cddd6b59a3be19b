/* enumerate.c: see enumerate.h. */
#include "enumerate.h"

#include <CL/cl_ext.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "driver.h"
#include "text.h"

static int append(struct worker_devices *list, cl_platform_id platform, cl_device_id id,
		  const struct kern_device *device, struct mmt_error *error)
{
	size_t n = list->n_devices + 1;
	struct kern_device *devices = realloc(list->devices, n * sizeof *devices);
	struct worker_device *handles;

	if (devices == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu devices", n);
	list->devices = devices;
	handles = realloc(list->handles, n * sizeof *handles);
	if (handles == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %zu devices", n);
	list->handles = handles;
	devices[n - 1] = *device;
	handles[n - 1] = (struct worker_device){platform, id};
	list->n_devices = n;
	return 0;
}

static int add_device(struct worker_devices *list, cl_platform_id platform, cl_device_id id, const char *platform_name,
		      struct mmt_error *error)
{
	struct kern_device *device = malloc(sizeof *device); /* 8 KB: not on the stack of a loop */
	struct mmt_error why;
	int status = 0;

	if (device == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a device");
	if (worker_describe(platform, id, device, &why) == 0)
		status = append(list, platform, id, device, error);
	else
		worker_hints_add(&list->hints, "platform '%s': a device was left out: %s", platform_name, why.message);
	free(device);
	return status;
}

static void platform_text(cl_platform_id platform, char *out, size_t bytes)
{
	char text[KERN_NAME_BYTES] = "";

	if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text - 1, text, NULL) != CL_SUCCESS)
		strcpy(text, "(without a name)");
	text[sizeof text - 1] = '\0';
	kern_text_sanitise(out, bytes, text, strlen(text));
}

static int add_platform(struct worker_devices *list, cl_platform_id platform, struct mmt_error *error)
{
	char name[KERN_NAME_BYTES];
	cl_device_id *ids = NULL;
	cl_uint n = 0;
	cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
	int result = 0;

	platform_text(platform, name, sizeof name);
	if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && n == 0)) {
		worker_hints_add(&list->hints, "platform '%s' is there, but has no device", name);
		return 0;
	}
	ids = calloc(n != 0 ? n : 1, sizeof(cl_device_id));
	if (ids == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %u devices", n);
	if (status == CL_SUCCESS)
		status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids, NULL);
	if (status != CL_SUCCESS) {
		worker_hints_add(&list->hints, "platform '%s' does not tell its devices: %s (%d)", name,
				 worker_cl_name(status), status);
		n = 0;
	}
	for (cl_uint i = 0; i < n && result == 0; i++)
		result = add_device(list, platform, ids[i], name, error);
	free(ids);
	return result;
}

int worker_devices_init(struct worker_devices *list, struct mmt_error *error)
{
	cl_platform_id *platforms = NULL;
	cl_uint n = 0;
	cl_int status;
	int result = 0;

	memset(list, 0, sizeof *list);
	status = clGetPlatformIDs(0, NULL, &n);
	if (status == CL_SUCCESS && n > 0) {
		platforms = calloc(n, sizeof(cl_platform_id));
		if (platforms == NULL)
			return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for %u platforms", n);
		status = clGetPlatformIDs(n, platforms, NULL);
	}
	if (status != CL_SUCCESS && status != CL_PLATFORM_NOT_FOUND_KHR)
		worker_hints_add(&list->hints, "the OpenCL loader fails: %s (%d)", worker_cl_name(status), status);
	if (status != CL_SUCCESS || n == 0) {
		worker_hints_add(&list->hints, "no OpenCL platform: no driver was found by the loader");
		n = 0;
	}
	for (cl_uint i = 0; i < n && result == 0; i++)
		result = add_platform(list, platforms[i], error);
	kern_devices_identify(list->devices, list->n_devices);
	free(platforms);
	if (result == 0 && list->hints.failed)
		result = mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for the hints");
	return result;
}

void worker_devices_finish(struct worker_devices *list)
{
	free(list->devices);
	free(list->handles);
	worker_hints_finish(&list->hints);
	memset(list, 0, sizeof *list);
}

int worker_devices_find(const struct worker_devices *list, const char *fingerprint, size_t *index,
			struct mmt_error *error)
{
	for (size_t i = 0; i < list->n_devices; i++) {
		if (strcmp(list->devices[i].fingerprint, fingerprint) == 0) {
			*index = i;
			return 0;
		}
	}
	return mmt_error_set(error, MMT_NO_SUCH_DEVICE, 0, "none of the %zu devices has the fingerprint %s",
			     list->n_devices, fingerprint);
}
