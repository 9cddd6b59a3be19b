/* row_private_local: one work-item computes one row of C from its row of A in
 * private memory and from B's column in local memory, which the work-group
 * fetches together, one column after another.
 *
 * Both arrays have the size of the problem at hand (PROBLEM_K). Every
 * work-item reaches every barrier; those beyond the last row only fetch. */
#ifndef REAL /* mmtune sets these; other tuners get float, nothing transposed */
#define REAL       float
#define ACCUMULATE float
#define TRANS_A    0
#define TRANS_B    0
#define PROBLEM_K  1000
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* op(A)(i, p) and op(B)(p, j); size_t, since a product of two int may pass 2^31. */
#if TRANS_A
#define A(i, p) a[(size_t)(p) * lda + (i)]
#else
#define A(i, p) a[(size_t)(i) * lda + (p)]
#endif
#if TRANS_B
#define B(p, j) b[(size_t)(j) * ldb + (p)]
#else
#define B(p, j) b[(size_t)(p) * ldb + (j)]
#endif
#define C(i, j) c[(size_t)(i) * ldc + (j)]

__kernel void matmul(const int m, const int n, const int k, const ACCUMULATE alpha, __global const REAL *restrict a,
		     const int lda, __global const REAL *restrict b, const int ldb, const ACCUMULATE beta,
		     __global REAL *restrict c, const int ldc)
{
	__local REAL b_column[PROBLEM_K];
	REAL a_row[PROBLEM_K];
	const size_t i = get_global_id(0);
	const int inside = i < m;

	if (inside) {
		for (int p = 0; p < k; p++)
			a_row[p] = A(i, p);
	}
	for (int j = 0; j < n; j++) {
		for (int p = get_local_id(0); p < k; p += WGS)
			b_column[p] = B(p, j);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (inside) {
			ACCUMULATE sum = 0;
			for (int p = 0; p < k; p++)
				sum += (ACCUMULATE)a_row[p] * b_column[p];
			C(i, j) = beta == 0 ? alpha * sum : alpha * sum + beta * C(i, j);
		}
		barrier(CLK_LOCAL_MEM_FENCE); /* nobody fetches the next column before all have used this one */
	}
}
