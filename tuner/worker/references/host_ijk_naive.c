/* host_ijk_naive.c: dot products, not optimised (-O0): what a first program measures. */
#define LOOPS_PLAIN
#define LOOPS(name) host_ijk_naive_##name
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

const struct worker_reference worker_reference_host_ijk_naive = {
	.name = "host_ijk_naive",
	.summary = "loops i j k, -O0: the naive reference",
	.kind = WORKER_REFERENCE_NAIVE,
	.type_mask = WORKER_F32 | WORKER_F64,
	.run = run,
};
