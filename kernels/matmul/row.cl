/* row: one work-item computes one row of C: only the outer loop is parallel.
 * ORDER says how the two inner loops nest. 0: ijk, a dot product an element,
 * which walks down B's columns. 1: ikj, multiples of B's rows are added to C's
 * row, so that the innermost loop runs along contiguous B and C.
 *
 * C is not read before it was written when beta is 0. */
#ifndef REAL /* mmtune sets these; other tuners get float, nothing transposed */
#define REAL       float
#define ACCUMULATE float
#define TRANS_A    0
#define TRANS_B    0
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
	const size_t i = get_global_id(0);
	if (i >= m)
		return;
#if ORDER == 0
	for (int j = 0; j < n; j++) {
		ACCUMULATE sum = 0;
		for (int p = 0; p < k; p++)
			sum += (ACCUMULATE)A(i, p) * B(p, j);
		C(i, j) = beta == 0 ? alpha * sum : alpha * sum + beta * C(i, j);
	}
#else
	for (int j = 0; j < n; j++)
		C(i, j) = beta == 0 ? 0 : beta * C(i, j);
	for (int p = 0; p < k; p++) {
		const ACCUMULATE factor = alpha * A(i, p);
		for (int j = 0; j < n; j++)
			C(i, j) += factor * B(p, j);
	}
#endif
}
