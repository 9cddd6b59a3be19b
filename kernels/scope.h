/* scope.h: the names that a variant's expressions may use, as slots.
 *
 * One table for all: slots 0 ... P-1 are the tuning parameters, then come the
 * problem's names, then the device's. T1's own expressions are compiled with
 * the parameters only (their ProblemSize is expr's), Mmtune's with all; so one
 * array of values serves every expression of the variant.
 *
 * Thread: no state. */
#ifndef MMT_KERNELS_SCOPE_H
#define MMT_KERNELS_SCOPE_H

#include <stdbool.h>

#include "variant.h"

#define KERN_SCOPE_NAMES    17 /* of problem and device */
#define KERN_MAX_PARAMETERS (EXPR_LIMIT_NAMES - KERN_SCOPE_NAMES)

extern const char *const kern_scope_names[KERN_SCOPE_NAMES];

/* Whether a parameter may not have this name: one of the above, or a macro that
 * every build defines (REAL, TRANS_A, PROBLEM_M ...). */
bool kern_scope_is_reserved(const char *name);

struct kern_scope {
	struct expr_value slots[EXPR_LIMIT_NAMES];
	int64_t sizes[KERN_SIZES];
};

/* Strings are borrowed from the variant. */
void kern_scope_init(struct kern_scope *scope, const struct kern_variant *variant, const uint16_t *indices,
		     const struct mmt_problem *problem, const struct kern_device *device);

#endif
