/* plan_launch.h: a launch plan as `mmtune query --json --source` prints it,
 * built and enqueued as an application would that knows OpenCL, a JSON parser
 * and nothing else of mmtune. For tests and benchmarks: whatever fails says so
 * on stderr and ends the program with status 1 (77 without a device).
 *
 * Thread: one. */
#ifndef MMT_BENCH_PLAN_LAUNCH_H
#define MMT_BENCH_PLAN_LAUNCH_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <jansson.h>

/* Where the plan runs: the device that the answer names. */
struct plan_device {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
};

struct plan_launch;

void plan_device_init(struct plan_device *where, const json_t *answer);
void plan_device_finish(struct plan_device *where);

/* A buffer of its own; data (bytes of it) is copied, NULL: not filled. Caller releases. */
cl_mem plan_buffer(const struct plan_device *where, const void *data, size_t bytes);

/* Builds the steps and makes the temporaries; numbers have the plan's values. where and answer are borrowed. */
struct plan_launch *plan_launch_create(const struct plan_device *where, const json_t *answer);
void plan_launch_destroy(struct plan_launch *plan);

/* The caller's operand for every argument of that name. */
void plan_launch_bind(struct plan_launch *plan, const char *name, cl_mem memory);
/* A number of that name instead of the plan's; one that no step takes is ignored. */
void plan_launch_set(struct plan_launch *plan, const char *name, double value);
/* The plan's own number; 0 where no step takes it. */
double plan_launch_number(const struct plan_launch *plan, const char *name);

/* Enqueues every step; the queue is in order. Returns when they are done. */
void plan_launch_run(struct plan_launch *plan);

/* The string, or the whole number, at an object's key; a missing one ends the program. */
const char *plan_text(const json_t *object, const char *key);
long plan_integer(const json_t *object, const char *key);
void plan_check(cl_int status, const char *what);
void plan_fail(const char *what, long code) __attribute__((noreturn));

#endif
