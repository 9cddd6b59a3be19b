/* permuted: dst = src, n elements, but in another order than they lie in
 * memory, as vectors of VW. With STRIDE (variant strided) the vectors are a
 * matrix of STRIDE columns, copied column by column; without (variant random)
 * they are shuffled. A work-item copies ITEMS vectors; ORDER says which, as in
 * copy.cl.
 *
 * What makes no whole row or vector is copied in order by one work-item. */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define PASTE_(x, y) x##y
#define PASTE(x, y)  PASTE_(x, y)
#if VW == 1
#define VECTOR REAL
#else
#define VECTOR PASTE(REAL, VW)
#endif

#ifdef STRIDE
#define COLUMNS STRIDE
#else
#define COLUMNS 1
#endif

/* Where the row-th vector of a column lies among all of them. */
uint place(uint row, uint column, uint vectors)
{
#ifdef STRIDE
	return row * STRIDE + column;
#else
	/* Multiplications by odd numbers and shifts that fold the upper half of the bits onto the lower permute the
	 * numbers below a power of two; what leaves [0, vectors) goes on until it is back. */
	const uint mask = vectors > 1 ? 0xffffffff >> clz(vectors - 1) : 0;
	const uint half_width = (33 - clz(mask)) / 2;
	do {
		row = (row * 0x9e3779b1) & mask;
		row ^= row >> half_width;
		row = (row * 0x85ebca6b) & mask;
		row ^= row >> half_width;
	} while (row >= vectors);
	return row;
#endif
}

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void copy(const long n, __global const REAL *restrict src,
								    __global REAL *restrict dst)
{
	const uint rows = n / ((long)VW * COLUMNS), column = get_global_id(1);
	__global const VECTOR *from = (__global const VECTOR *)src;
	__global VECTOR *to = (__global VECTOR *)dst;
#if ORDER == 0
	const size_t first = get_group_id(0) * ((size_t)WGS * ITEMS) + get_local_id(0), step = WGS;
#else
	const size_t first = get_global_id(0) * ITEMS, step = 1;
#endif

	for (size_t item = 0; item < ITEMS && first + item * step < rows; item++) {
		const uint at = place(first + item * step, column, rows);
		to[at] = from[at];
	}
	if (get_global_id(0) == 0 && column == 0) {
		for (size_t i = (size_t)rows * COLUMNS * VW; i < n; i++)
			dst[i] = src[i];
	}
}
