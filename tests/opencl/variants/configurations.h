/* configurations.h: which configurations of a variant a test tries.
 *
 * Thread: one. */
#ifndef MMT_TESTS_OPENCL_CONFIGURATIONS_H
#define MMT_TESTS_OPENCL_CONFIGURATIONS_H

#include "launcher.h"

/* Whether $MMTUNE_TEST_FULL asks for the long sweep: it says how many random configurations that tries. */
bool configurations_full(void);
/* That number; in the short test, the other. */
unsigned configurations_count(unsigned otherwise);

/* The number-th of a repeatable sequence of random configurations (every other one near the default) that keep the
 * conditions and the device's limits for this problem. false: none was found among many tries. */
bool configurations_random(const struct kern_variant *variant, const struct mmt_problem *problem,
			   const struct kern_device *device, unsigned number, uint16_t indices[EXPR_LIMIT_NAMES]);

/* The configuration as text, for a message. */
const char *configurations_text(const struct kern_variant *variant, const uint16_t *indices, char *out, size_t bytes);

#endif
