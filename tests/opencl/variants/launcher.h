/* launcher.h: runs a launch plan with plain OpenCL calls, as an application would.
 *
 * It shares nothing with the worker, so that a mistake there cannot hide one
 * in a kernel. Programs are kept; the sizes of the problem (-DPROBLEM_M ...)
 * are left out of the options of sources that do not name them, so that one
 * build serves all sizes.
 *
 * Thread: one. */
#ifndef MMT_TESTS_OPENCL_LAUNCHER_H
#define MMT_TESTS_OPENCL_LAUNCHER_H

#include <CL/cl.h>

#include "plan.h"

struct launcher_program;

struct launcher {
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	struct kern_device device;
	struct launcher_program *programs;
};

/* What an argument gets in place of the plan's value: a buffer, or a scalar. */
struct launcher_value {
	const char *name;
	cl_mem buffer;
	int64_t integer;
	double real;
};

/* Opens the first device of the first platform that has one; MMT_NO_SUCH_DEVICE: there is none. */
int launcher_init(struct launcher *launcher, struct mmt_error *error);
void launcher_finish(struct launcher *launcher);

/* Builds and runs all steps, and waits. Every buffer of the plan must be among the values. */
int launcher_run(struct launcher *launcher, const struct kern_plan *plan, const struct launcher_value *values,
		 size_t n_values, struct mmt_error *error);

#endif
