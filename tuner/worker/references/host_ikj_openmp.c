/* host_ikj_openmp.c: host_ikj with its rows shared out over all cores by OpenMP. */
#define LOOPS(name) host_ikj_openmp_##name
#include "loops.h"

#define LOOP_TEMPLATE "ikj.h"
#include "both_types.h"

#ifdef _OPENMP
#define MISSING NULL
#else
#define MISSING "this build has no OpenMP: its compiler lacks it"
#endif

static int run(void *library, const struct worker_gemm *gemm, struct mmt_error *error)
{
	(void)library;
	(void)error;
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
	for (int64_t i = 0; i < gemm->m; i++) {
		if (gemm->type == MMT_F64)
			LOOPS(ikj_f64)(gemm, i, i + 1);
		else
			LOOPS(ikj_f32)(gemm, i, i + 1);
	}
	return 0;
}

const struct worker_reference worker_reference_host_ikj_openmp = {
	.name = "host_ikj_openmp",
	.summary = "loops i k j, -O3, OpenMP on all cores",
	.kind = WORKER_REFERENCE_PARALLEL,
	.type_mask = WORKER_F32 | WORKER_F64,
	.missing = MISSING,
	.run = run,
};
