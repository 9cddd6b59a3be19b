/* ijk.h: a template of loops.h: each element as one dot product, as everyone writes it first. */
CLONES static void NAMED(ijk)(const struct worker_gemm *gemm)
{
	const struct loop_steps a_step = loop_steps_a(gemm), b_step = loop_steps_b(gemm);
	const int64_t n = gemm->n, k = gemm->k;
	const REAL alpha = (REAL)gemm->alpha, beta = (REAL)gemm->beta;

	for (int64_t i = 0; i < gemm->m; i++) {
		for (int64_t j = 0; j < n; j++) {
			const REAL *a = (const REAL *)gemm->a + i * a_step.row;
			const REAL *b = (const REAL *)gemm->b + j * b_step.column;
			REAL *c = (REAL *)gemm->c + i * gemm->ldc + j;
			REAL sum = 0;

			if (a_step.column == 1 && b_step.row == 1) {
				for (int64_t p = 0; p < k; p++)
					sum += a[p] * b[p];
			} else {
				for (int64_t p = 0; p < k; p++)
					sum += a[p * a_step.column] * b[p * b_step.row];
			}
			*c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
		}
	}
}
