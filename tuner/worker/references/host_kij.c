/* host_kij.c: C as a sum of outer products (-O3). */
#define LOOPS(name) host_kij_##name
#include "loops.h"

#define LOOP_TEMPLATE "kij.h"
#include "both_types.h"

static int run(void *library, const struct worker_gemm *gemm, struct mmt_error *error)
{
	(void)library;
	(void)error;
	if (gemm->type == MMT_F64)
		LOOPS(kij_f64)(gemm);
	else
		LOOPS(kij_f32)(gemm);
	return 0;
}

const struct worker_reference worker_reference_host_kij = {
	.name = "host_kij",
	.summary = "loops k i j, -O3",
	.kind = WORKER_REFERENCE_HOST,
	.type_mask = WORKER_F32 | WORKER_F64,
	.run = run,
};
