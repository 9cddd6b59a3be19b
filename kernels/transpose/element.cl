/* element: one work-item an element, as the formula says. One side is
 * contiguous over the work-items of a group, the other jumps by a leading
 * dimension: BY_ROWS_OF names the matrix whose rows dimension 0 runs along,
 * 0: A's (reads are contiguous), 1: B's (writes are). */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

__kernel __attribute__((reqd_work_group_size(WGX, WGY, 1))) void
transpose(const int m, const int n, __global const REAL *restrict a, const int lda, __global REAL *restrict b,
	  const int ldb)
{
	/* uint: an index rounded up may pass the largest int */
	const uint i = get_global_id(BY_ROWS_OF ? 0 : 1), j = get_global_id(BY_ROWS_OF ? 1 : 0);

	if (i < m && j < n)
		b[(size_t)j * ldb + i] = a[(size_t)i * lda + j];
}
