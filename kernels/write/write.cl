/* write: y[i] = value, n elements, as vectors of VW. A work-item writes ITEMS
 * vectors; ORDER says which: 0: its work-group's block is shared out in turn,
 * so that neighbouring work-items touch neighbouring vectors (GPUs); 1: each
 * has ITEMS vectors on end (CPUs). STREAM writes past the caches where the
 * compiler knows how.
 *
 * The variant says the order in memory: with an OFFSET the vectors begin that
 * many elements later, where none is aligned (unaligned); with STRIDE they are
 * a matrix of STRIDE columns, written column by column (strided); with SHUFFLE
 * they are shuffled (random). What makes no whole row or vector is written by
 * one work-item. */
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
#ifndef ACCUMULATE
#define ACCUMULATE float
#endif

#define IS_ushort 1 /* bfloat16; the others: 0, as every name that is no macro */
#if PASTE(IS_, REAL)
#define ELEMENT bfloat16_of(value)
/* The upper half of a float, rounded to nearest, ties to even; a NaN stays one. */
static inline ushort bfloat16_of(const float value)
{
	const uint bits = as_uint(value);
	return (isnan(value) ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
#else
#define ELEMENT (REAL)value
#endif

#ifndef OFFSET
#define OFFSET 0
#endif
#if OFFSET
#define WRITE(vector) PASTE(vstore, VW)((VECTOR)ELEMENT, vector, y + OFFSET)
#endif
#ifdef __has_builtin
#if !OFFSET && defined(STREAM) && STREAM && __has_builtin(__builtin_nontemporal_store)
#define WRITE(vector) __builtin_nontemporal_store((VECTOR)ELEMENT, (__global VECTOR *)y + (vector))
#endif
#endif
#ifndef WRITE
#define WRITE(vector) (((__global VECTOR *)y)[vector] = (VECTOR)ELEMENT)
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
#elif !defined(SHUFFLE)
	return row;
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

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void write(const long n, const ACCUMULATE value,
								     __global REAL *restrict y)
{
	const uint rows = n > OFFSET ? (n - OFFSET) / ((long)VW * COLUMNS) : 0, column = get_global_id(1);
#if ORDER == 0
	const size_t first = get_group_id(0) * ((size_t)WGS * ITEMS) + get_local_id(0), step = WGS;
#else
	const size_t first = get_global_id(0) * ITEMS, step = 1;
#endif

	if (first + (ITEMS - 1) * step < rows) {
		for (size_t item = 0; item < ITEMS; item++)
			WRITE(place(first + item * step, column, rows));
	} else {
		for (size_t item = 0; item < ITEMS && first + item * step < rows; item++)
			WRITE(place(first + item * step, column, rows));
	}
	if (get_global_id(0) == 0 && column == 0) {
		for (size_t i = 0; i < OFFSET && i < n; i++)
			y[i] = ELEMENT;
		for (size_t i = OFFSET + (size_t)rows * COLUMNS * VW; i < n; i++)
			y[i] = ELEMENT;
	}
}
