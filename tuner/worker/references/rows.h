/* rows.h: a template of loops.h: the inner loop of ikj and kij, which runs along rows of B and C. */

static inline __attribute__((always_inline)) void NAMED(scale_row)(const struct worker_gemm *gemm, int64_t i)
{
	const REAL beta = (REAL)gemm->beta;
	REAL *c = (REAL *)gemm->c + i * gemm->ldc;

	for (int64_t j = 0; j < gemm->n; j++)
		c[j] = beta == 0 ? 0 : beta * c[j];
}

/* Row i of C += alpha op(A)(i, p) times row p of op(B). */
static inline __attribute__((always_inline)) void NAMED(add_row)(const struct worker_gemm *gemm, int64_t i, int64_t p)
{
	const struct loop_steps a_step = loop_steps_a(gemm), b_step = loop_steps_b(gemm);
	const REAL factor = (REAL)gemm->alpha * ((const REAL *)gemm->a)[i * a_step.row + p * a_step.column];
	const REAL *restrict b = (const REAL *)gemm->b + p * b_step.row;
	REAL *restrict c = (REAL *)gemm->c + i * gemm->ldc;
	const int64_t n = gemm->n;

	if (b_step.column == 1) {
		for (int64_t j = 0; j < n; j++)
			c[j] += factor * b[j];
	} else {
		for (int64_t j = 0; j < n; j++)
			c[j] += factor * b[j * b_step.column];
	}
}
