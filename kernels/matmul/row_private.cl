/* row_private: one work-item computes one row of C, and first copies its row
 * of A to private memory, which it then reads n times.
 *
 * The private array has the size of the problem at hand (PROBLEM_K). */
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
	const size_t i = get_global_id(0);
	if (i >= m)
		return;
	REAL a_row[PROBLEM_K];
	for (int p = 0; p < k; p++)
		a_row[p] = A(i, p);
	for (int j = 0; j < n; j++) {
		ACCUMULATE sum = 0;
		for (int p = 0; p < k; p++)
			sum += (ACCUMULATE)a_row[p] * B(p, j);
		C(i, j) = beta == 0 ? alpha * sum : alpha * sum + beta * C(i, j);
	}
}
