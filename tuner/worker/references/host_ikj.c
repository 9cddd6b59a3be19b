/* host_ikj.c: rows of B added to a row of C (-O3): the best order of the three for row-major matrices. */
#define LOOPS(name) host_ikj_##name
#include "loops.h"

#define LOOP_TEMPLATE "ikj.h"
#include "both_types.h"

static int run(void *library, const struct worker_gemm *gemm, struct mmt_error *error)
{
	(void)library;
	(void)error;
	if (gemm->type == MMT_F64)
		LOOPS(ikj_f64)(gemm, 0, gemm->m);
	else
		LOOPS(ikj_f32)(gemm, 0, gemm->m);
	return 0;
}

const struct worker_reference worker_reference_host_ikj = {
	.name = "host_ikj",
	.summary = "loops i k j, -O3",
	.kind = WORKER_REFERENCE_HOST,
	.type_mask = WORKER_F32 | WORKER_F64,
	.run = run,
};
