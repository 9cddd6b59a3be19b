/* element: one work-item computes one element of C: the direct translation of
 * the two outer loops. DIMENSION_0 says which index runs along dimension 0,
 * and so whether neighbouring work-items touch neighbouring addresses: 0: j
 * (columns, contiguous in B and C), 1: i (rows, a stride of ld). COLLAPSE
 * makes one dimension of both indices.
 *
 * Work-items beyond the edges do nothing. C is not read when beta is 0. */
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

__kernel void matmul(const int m, const int n, const int k, const ACCUMULATE alpha, __global const REAL *restrict a,
		     const int lda, __global const REAL *restrict b, const int ldb, const ACCUMULATE beta,
		     __global REAL *restrict c, const int ldc)
{
#if COLLAPSE
	const size_t element = get_global_id(0);
	if (element >= (size_t)m * n)
		return;
#if DIMENSION_0 == 0
	const size_t i = element / n, j = element % n;
#else
	const size_t i = element % m, j = element / m;
#endif
#else
	const size_t i = get_global_id(DIMENSION_0 == 0 ? 1 : 0);
	const size_t j = get_global_id(DIMENSION_0 == 0 ? 0 : 1);
	if (i >= m || j >= n)
		return;
#endif
	ACCUMULATE sum = 0;
	for (int p = 0; p < k; p++)
		sum += A(i, p) * B(p, j);
	const size_t at = i * ldc + j;
	STORE(beta == 0 ? alpha * sum : alpha * sum + beta * LOAD(c, at), c, at);
}
