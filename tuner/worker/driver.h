/* driver.h: what every OpenCL call here needs: error names, and a meter of the time inside.
 *
 * Thread: a meter belongs to one thread. */
#ifndef MMT_WORKER_DRIVER_H
#define MMT_WORKER_DRIVER_H

#include <CL/cl.h>

#include "mmtune/error.h"

/* CLOCK_MONOTONIC in nanoseconds. */
double worker_now_ns(void);

/* Wall time between enter and leave, summed: the driver's share of a trial. */
struct worker_meter {
	double driver_ns;
	double entered_ns;
};

void worker_meter_enter(struct worker_meter *meter);
void worker_meter_leave(struct worker_meter *meter);

/* "CL_INVALID_WORK_GROUP_SIZE"; "unknown OpenCL error" for a code that is not in the standard. */
const char *worker_cl_name(cl_int status);

/* Fills *error from a failed call ("clCreateBuffer of c"): MMT_NO_MEMORY where
 * the device or the host ran out of memory, else MMT_OPENCL. Returns -1. */
int worker_cl_error(struct mmt_error *error, cl_int status, const char *what);

#endif
