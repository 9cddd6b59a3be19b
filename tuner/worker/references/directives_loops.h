/* directives_loops.h: a template of loops.h: see directives.h. */
static void NAMED(product)(const struct worker_gemm *gemm)
{
	const struct loop_steps a_step = loop_steps_a(gemm), b_step = loop_steps_b(gemm);
	const int64_t m = gemm->m, n = gemm->n, k = gemm->k, ldc = gemm->ldc;
	const int64_t a_count = (m - 1) * a_step.row + (k - 1) * a_step.column + 1;
	const int64_t b_count = (k - 1) * b_step.row + (n - 1) * b_step.column + 1;
	const int64_t c_count = (m - 1) * ldc + n;
	const REAL alpha = (REAL)gemm->alpha, beta = (REAL)gemm->beta;
	const REAL *restrict a = gemm->a, *restrict b = gemm->b;
	REAL *restrict c = gemm->c;

	(void)a_count, (void)b_count, (void)c_count;
	EXPANDED(acc data copyin(a [0:a_count], b [0:b_count]) copy(c [0:c_count]))
	{
		EXPANDED(ACC_ROWS)
		for (int64_t i = 0; i < m; i++) {
#ifdef ACC_COLUMNS
			EXPANDED(ACC_COLUMNS)
#endif
			for (int64_t j = 0; j < n; j++) {
				REAL sum = 0;
#ifdef ACC_TERMS
				EXPANDED(ACC_TERMS)
#endif
				for (int64_t p = 0; p < k; p++)
					sum += a[i * a_step.row + p * a_step.column] *
					       b[p * b_step.row + j * b_step.column];
				c[i * ldc + j] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * ldc + j];
			}
		}
	}
}
