/* subgroup: the lanes of a sub-group hold neighbouring columns of C, and hand
 * each other the elements of A: each lane loads one of every row, and a
 * broadcast gives it to all, through registers instead of local memory and
 * without a barrier.
 *
 * A work-item owns ROWS rows of COLUMNS columns, WGS apart, so that the lanes
 * read B and write C side by side. The size of a sub-group is asked when the
 * kernel runs; the last one of a work-group may be smaller. Broadcasts need
 * every lane: past the edges, lanes go on with the last row and column that
 * there are, and store nothing. */
#ifndef REAL /* mmtune sets these; other tuners get float, nothing transposed */
#define REAL       float
#define ACCUMULATE float
#define TRANS_A    0
#define TRANS_B    0
#endif
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* Half, and bfloat16 in a ushort, are loaded and stored only, which needs no extension; everything between is float. */
#define IS_half 1 /* IS_float, IS_double: 0, as every name that is no macro */
#define IS_ushort 2
#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#if JOIN(IS_, REAL) == 1
#define LOAD(from, at)       vload_half(at, from)
#define STORE(value, to, at) vstore_half(value, at, to)
#elif JOIN(IS_, REAL) == 2
#define LOAD(from, at)       as_float((uint)(from)[at] << 16)
#define STORE(value, to, at) ((to)[at] = bfloat16_of(value))
/* The upper half of a float, rounded to nearest, ties to even; a NaN stays one. */
static inline ushort bfloat16_of(const float value)
{
	const uint bits = as_uint(value);
	return (isnan(value) ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
#else
#define LOAD(from, at)       (from)[at]
#define STORE(value, to, at) ((to)[at] = (value))
#endif

/* op(A)(i, p) and op(B)(p, j); size_t, since a product of two int may pass 2^31. */
#if TRANS_A
#define A(i, p) LOAD(a, (size_t)(p) * lda + (i))
#else
#define A(i, p) LOAD(a, (size_t)(i) * lda + (p))
#endif
#if TRANS_B
#define B(p, j) LOAD(b, (size_t)(j) * ldb + (p))
#else
#define B(p, j) LOAD(b, (size_t)(p) * ldb + (j))
#endif

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void
matmul(const int m, const int n, const int k, const ACCUMULATE alpha, __global const REAL *restrict a, const int lda,
       __global const REAL *restrict b, const int ldb, const ACCUMULATE beta, __global REAL *restrict c, const int ldc)
{
	const uint first_column = get_group_id(0) * (WGS * COLUMNS) + get_local_id(0); /* uint: may pass the largest int */
	const uint first_row = get_group_id(1) * ROWS;
	const uint lanes = get_sub_group_size(), lane = get_sub_group_local_id();
	ACCUMULATE sums[ROWS][COLUMNS], mine[ROWS];

#pragma unroll
	for (int x = 0; x < ROWS; x++)
#pragma unroll
		for (int y = 0; y < COLUMNS; y++)
			sums[x][y] = 0;
	for (uint start = 0; start < k; start += lanes) {
#pragma unroll
		for (int x = 0; x < ROWS; x++)
			mine[x] = A(min(first_row + x, (uint)m - 1), min(start + lane, (uint)k - 1));
		const uint count = min(lanes, k - start);
		for (uint p = 0; p < count; p++) {
			ACCUMULATE row[COLUMNS];
#pragma unroll
			for (int y = 0; y < COLUMNS; y++)
				row[y] = B(start + p, min(first_column + y * WGS, (uint)n - 1));
#pragma unroll
			for (int x = 0; x < ROWS; x++) {
				const ACCUMULATE element = sub_group_broadcast(mine[x], p);
#pragma unroll
				for (int y = 0; y < COLUMNS; y++)
					sums[x][y] = fma(element, row[y], sums[x][y]);
			}
		}
	}
#pragma unroll
	for (int x = 0; x < ROWS; x++)
#pragma unroll
		for (int y = 0; y < COLUMNS; y++) {
			const uint i = first_row + x, j = first_column + y * WGS;
			const size_t at = (size_t)i * ldc + j;
			if (i < m && j < n)
				STORE(beta == 0 ? alpha * sums[x][y] : alpha * sums[x][y] + beta * LOAD(c, at), c, at);
		}
}
