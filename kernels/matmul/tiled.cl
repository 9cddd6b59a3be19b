/* tiled: a work-group of TILE x TILE computes a square of C from squares of A
 * and B that it stages in local memory. PAD elements are added to each row of
 * the squares, so that a walk down a column changes banks.
 *
 * Dimension 0 runs along whatever is contiguous in memory, also where an
 * operand is transposed. Squares over an edge are filled up with zeros, so
 * that every work-item reaches every barrier and the innermost loop has one
 * constant length. */
#ifndef REAL /* mmtune sets these; other tuners get float, nothing transposed */
#define REAL       float
#define ACCUMULATE float
#define TRANS_A    0
#define TRANS_B    0
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

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
matmul(const int m, const int n, const int k, const ACCUMULATE alpha, __global const REAL *restrict a, const int lda,
       __global const REAL *restrict b, const int ldb, const ACCUMULATE beta, __global REAL *restrict c, const int ldc)
{
	__local ACCUMULATE a_tile[TILE][TILE + PAD], b_tile[TILE][TILE + PAD];
	const uint x = get_local_id(0), y = get_local_id(1);
	const uint row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;
	const uint i = row + y, j = column + x;
	/* (uint: an index rounded up may pass the largest int.) What this work-item fetches: x is the contiguous index. */
	const uint a_y = TRANS_A ? x : y, a_x = TRANS_A ? y : x;
	const uint b_y = TRANS_B ? x : y, b_x = TRANS_B ? y : x;

	ACCUMULATE sum = 0;
	for (uint start = 0; start < k; start += TILE) {
		a_tile[a_y][a_x] = row + a_y < m && start + a_x < k ? A(row + a_y, start + a_x) : 0;
		b_tile[b_y][b_x] = start + b_y < k && column + b_x < n ? B(start + b_y, column + b_x) : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int p = 0; p < TILE; p++)
			sum += a_tile[y][p] * b_tile[p][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (i >= m || j >= n)
		return;
	const size_t at = (size_t)i * ldc + j;
	STORE(beta == 0 ? alpha * sum : alpha * sum + beta * LOAD(c, at), c, at);
}
