/* ikj.h: a template of loops.h: rows of B are added to a row of C. */
#include "rows.h"

CLONES static void NAMED(ikj)(const struct worker_gemm *gemm, int64_t first, int64_t end)
{
	for (int64_t i = first; i < end; i++) {
		NAMED(scale_row)(gemm, i);
		for (int64_t p = 0; p < gemm->k; p++)
			NAMED(add_row)(gemm, i, p);
	}
}
