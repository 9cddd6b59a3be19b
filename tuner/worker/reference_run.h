/* reference_run.h: one reference through verification and measurement, into a kern_result.
 *
 * As for a candidate: whatever goes wrong is an outcome of the result, and the
 * bench is fit for the next request, or its session lost.
 *
 * Thread: belongs to its session's. */
#ifndef MMT_WORKER_REFERENCE_RUN_H
#define MMT_WORKER_REFERENCE_RUN_H

#include <jansson.h>

#include "candidate.h"

/* [{"name","summary","kind"}]; caller owns the reference; NULL: memory. */
json_t *worker_reference_list(void);

/* The problem's operands must have been selected. give_up_ns: slower ones have one run only; 0: no limit. */
void worker_reference_run(struct worker_bench *bench, const char *name, double give_up_ns, struct kern_result *result);

#endif
