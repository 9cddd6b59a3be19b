/* host_ijk.c: dot products, optimised under the rules of IEEE arithmetic (-O3; a sum's order is kept). */
#define LOOPS(name) host_ijk_##name
#include "loops.h"

#define LOOP_TEMPLATE "ijk.h"
#include "both_types.h"

static int run(void *library, const struct worker_gemm *gemm, struct mmt_error *error)
{
	(void)library;
	(void)error;
	if (gemm->type == MMT_F64)
		LOOPS(ijk_f64)(gemm);
	else
		LOOPS(ijk_f32)(gemm);
	return 0;
}

const struct worker_reference worker_reference_host_ijk = {
	.name = "host_ijk",
	.summary = "loops i j k, -O3",
	.kind = WORKER_REFERENCE_HOST,
	.type_mask = WORKER_F32 | WORKER_F64,
	.run = run,
};
