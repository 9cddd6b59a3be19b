/* describe.h: fills a struct kern_device from what the driver says.
 *
 * Thread: no state. */
#ifndef MMT_WORKER_DESCRIBE_H
#define MMT_WORKER_DESCRIBE_H

#include <CL/cl.h>

#include "device.h"

/* All but ordinal and fingerprint. What the driver does not tell stays 0 or "". -1 (MMT_OPENCL) where it
 * tells neither type nor name, MMT_NOT_SUPPORTED for a device that runs no OpenCL C (CL_DEVICE_TYPE_CUSTOM). */
int worker_describe(cl_platform_id platform, cl_device_id id, struct kern_device *device, struct mmt_error *error);

#endif
