/* host_ijk_fast.c: dot products, optimised with -O3 -ffast-math: sums may be reordered, and so made of vectors. */
#define LOOPS(name) host_ijk_fast_##name
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

const struct worker_reference worker_reference_host_ijk_fast = {
	.name = "host_ijk_fast",
	.summary = "loops i j k, -O3 -ffast-math",
	.kind = WORKER_REFERENCE_HOST,
	.type_mask = WORKER_F32 | WORKER_F64,
	.run = run,
};
