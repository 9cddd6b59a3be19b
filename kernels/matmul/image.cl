/* image: op(A), op(B) or both are copied into images first (steps pack_a,
 * pack_b), and the multiplication reads them through the texture cache.
 *
 * A pixel is 16 bytes: PIXEL elements, side by side along m in op(A)'s image and along n
 * in op(B)'s; the row of the image is k. So one read feeds PIXEL rows or columns of
 * a work-item's tile, transposes are gone after the copy, and edges need no
 * test: a pixel is filled up with zeros, and what lies outside the image reads
 * as zeros. A work-item computes MPIXELS * PIXEL x NPIXELS * PIXEL elements of C.
 * An operand that is not in an image is read from its buffer. */
#ifndef REAL /* mmtune sets these; other tuners get float, nothing transposed */
#define REAL       float
#define ACCUMULATE float
#define TRANS_A    0
#define TRANS_B    0
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define PIXEL (16 / (int)sizeof(REAL))
#define ROWS (MPIXELS * PIXEL)
#define COLUMNS (NPIXELS * PIXEL)

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

union pixel {
	uint4 bits;
	REAL values[16 / sizeof(REAL)];
};

__constant sampler_t zeros_outside = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

/* The copies' work-group is fixed: left to the driver it would depend on the size, and one that compiles for a
 * work-group (PoCL) would compile them again for each problem. */
#if IMAGE_A
__kernel void pack_a(const int m, const int k, __global const REAL *restrict a, const int lda,
		     write_only image2d_t image_a)
{
	const int x = get_global_id(0), p = get_global_id(1);
	union pixel pixel;

	if ((uint)x * PIXEL >= m) /* uint: it may pass the largest int */
		return;
	for (int e = 0; e < PIXEL; e++)
		pixel.values[e] = (uint)x * PIXEL + e < m ? A((uint)x * PIXEL + e, p) : (REAL)0;
	write_imageui(image_a, (int2)(x, p), pixel.bits);
}
#endif

#if IMAGE_B
__kernel void pack_b(const int n, const int k, __global const REAL *restrict b, const int ldb,
		     write_only image2d_t image_b)
{
	const int x = get_global_id(0), p = get_global_id(1);
	union pixel pixel;

	if ((uint)x * PIXEL >= n)
		return;
	for (int e = 0; e < PIXEL; e++)
		pixel.values[e] = (uint)x * PIXEL + e < n ? B(p, (uint)x * PIXEL + e) : (REAL)0;
	write_imageui(image_b, (int2)(x, p), pixel.bits);
}
#endif

/* One step of k: the tile's rows of op(A) and columns of op(B), the latter from pixel x on. */
#if IMAGE_A
#define LOAD_A(p)                                                                                                      \
	_Pragma("unroll") for (int v = 0; v < MPIXELS; v++)                                                            \
	{                                                                                                              \
		union pixel pixel;                                                                                     \
		pixel.bits = read_imageui(a, zeros_outside, (int2)(y + v, p));                                         \
		_Pragma("unroll") for (int e = 0; e < PIXEL; e++) left[v * PIXEL + e] = pixel.values[e];               \
	}
#else
#define LOAD_A(p) _Pragma("unroll") for (int r = 0; r < ROWS; r++) left[r] = A(min(i + r, (uint)m - 1), p);
#endif
#if IMAGE_B
#define LOAD_B(p)                                                                                                      \
	_Pragma("unroll") for (int v = 0; v < NPIXELS; v++)                                                            \
	{                                                                                                              \
		union pixel pixel;                                                                                     \
		pixel.bits = read_imageui(b, zeros_outside, (int2)(x + v, p));                                         \
		_Pragma("unroll") for (int e = 0; e < PIXEL; e++) right[v * PIXEL + e] = pixel.values[e];              \
	}
#else
#define LOAD_B(p) _Pragma("unroll") for (int s = 0; s < COLUMNS; s++) right[s] = B(p, min(j + s, (uint)n - 1));
#endif

#if IMAGE_A
#define OPERAND_A read_only image2d_t a
#else
#define OPERAND_A __global const REAL *restrict a
#endif
#if IMAGE_B
#define OPERAND_B read_only image2d_t b
#else
#define OPERAND_B __global const REAL *restrict b
#endif

__kernel __attribute__((reqd_work_group_size(WGX, WGY, 1))) void
matmul(const int m, const int n, const int k, const ACCUMULATE alpha, OPERAND_A, const int lda, OPERAND_B,
       const int ldb, const ACCUMULATE beta, __global REAL *restrict c, const int ldc)
{
	const int x = get_global_id(0) * NPIXELS, y = get_global_id(1) * MPIXELS; /* pixels */
	const uint i = (uint)y * PIXEL, j = (uint)x * PIXEL;
	ACCUMULATE sums[ROWS][COLUMNS];

	_Pragma("unroll") for (int r = 0; r < ROWS; r++)
		_Pragma("unroll") for (int s = 0; s < COLUMNS; s++) sums[r][s] = 0;
	_Pragma("unroll UNROLL") for (int p = 0; p < k; p++)
	{
		REAL left[ROWS], right[COLUMNS];
		LOAD_A(p)
		LOAD_B(p)
		_Pragma("unroll") for (int r = 0; r < ROWS; r++)
			_Pragma("unroll") for (int s = 0; s < COLUMNS; s++)
				sums[r][s] += (ACCUMULATE)left[r] * right[s];
	}
	_Pragma("unroll") for (int r = 0; r < ROWS; r++)
		_Pragma("unroll") for (int s = 0; s < COLUMNS; s++)
			if (i + r < m && j + s < n)
				C(i + r, j + s) = beta == 0 ? alpha * sums[r][s]
							    : alpha * sums[r][s] + beta * C(i + r, j + s);
}
