/* rates.c: see rates.h. Thread: pure functions. */
#include "rates.h"

struct svc_rates svc_rates(const struct kern_family *family, const struct mmt_problem *problem,
			   const struct kern_plan *plan, double time_ns)
{
	struct svc_rates rates = {0};
	if (!(time_ns > 0))
		return rates;
	rates.gflops = family->operations(problem) / time_ns;
	rates.effective_gbps = (plan->bytes_read + plan->bytes_written) / time_ns;
	rates.compulsory_gbps = family->compulsory_bytes(problem) / time_ns;
	return rates;
}
