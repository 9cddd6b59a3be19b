/* plan_limits.h: what a device can hold and launch, checked before any driver
 * is asked. Each refusal names the limit, what is needed and what is there.
 * kern_problem_fits (plan.h) lives in plan_limits.c too. Internal.
 *
 * Thread: no state. */
#ifndef MMT_KERNELS_PLAN_LIMITS_H
#define MMT_KERNELS_PLAN_LIMITS_H

#include "plan.h"

/* MMT_SKIPPED for local memory of a work-group or private arrays of a work-item over the limit. */
int kern_limits_on_chip(const struct kern_device *device, uint64_t local_bytes, uint64_t private_bytes,
			struct mmt_error *error);

/* MMT_SKIPPED for a work-group, its private arrays or a global size over the limit; MMT_INVALID_ARGUMENT where global
 * is not a multiple of local. private_bytes: of a work-item. */
int kern_limits_sizes(const struct kern_device *device, const struct kern_launch *launch, uint64_t private_bytes,
		      struct mmt_error *error);

/* For a temporary image: MMT_NOT_SUPPORTED without images, MMT_SKIPPED over the limit. */
int kern_limits_image(const struct kern_device *device, const char *name, uint64_t width, uint64_t height,
		      struct mmt_error *error);

/* MMT_TOO_LARGE where the caller's buffers and the plan's temporaries together do not fit. */
int kern_limits_temporaries(const struct kern_device *device, const struct mmt_problem *problem,
			    const struct kern_plan *plan, struct mmt_error *error);

#endif
