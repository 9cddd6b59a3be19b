/* kij.h: a template of loops.h: C as a sum of outer products. */
#include "rows.h"

CLONES static void NAMED(kij)(const struct worker_gemm *gemm)
{
	for (int64_t i = 0; i < gemm->m; i++)
		NAMED(scale_row)(gemm, i);
	for (int64_t p = 0; p < gemm->k; p++) {
		for (int64_t i = 0; i < gemm->m; i++)
			NAMED(add_row)(gemm, i, p);
	}
}
