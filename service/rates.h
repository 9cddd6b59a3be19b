/* rates.h: what a time means: operations and bytes a second.
 *
 * Thread: pure functions. */
#ifndef MMT_SERVICE_RATES_H
#define MMT_SERVICE_RATES_H

#include "family.h"
#include "plan.h"

/* Operations a nanosecond are 1e9 operations a second, and bytes likewise. */
struct svc_rates {
	double gflops;          /* the family's operations / time */
	double effective_gbps;  /* (bytes read + bytes written by the kernel) / time */
	double compulsory_gbps; /* every operand once / time */
};

/* All zero where time_ns is not positive. */
struct svc_rates svc_rates(const struct kern_family *family, const struct mmt_problem *problem,
			   const struct kern_plan *plan, double time_ns);

#endif
