/* block: for CPU devices. A work-item (work-group size 1, no barrier)
 * transposes BLOCKS squares of SIZE x SIZE, one after the other, by vectors
 * that stay in registers: SIZE loads along rows of A, SIZE stores along rows of B,
 * shuffles between. ALONG names the matrix whose rows the squares of a
 * work-item follow, 0: A's, 1: B's. */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(REAL, SIZE)
#define LOAD JOIN(vload, SIZE)
#define STORE JOIN(vstore, SIZE)

/* Halves of the square are exchanged, then quarters, ...: log2(SIZE) rounds of
 * SIZE / 2 exchanges between rows that lie `apart`. In the round of distance d,
 * position p of the upper row takes its own element where p has no bit d, else
 * the lower row's at p - d; the lower row takes the upper's at p + d, else its own. */
#define EXCHANGE(apart, upper, lower)                                                                                  \
	_Pragma("unroll") for (int r = 0; r < SIZE; r++)                                                               \
	{                                                                                                              \
		if ((r & (apart)) == 0) {                                                                              \
			const VECTOR first = rows[r], second = rows[r + (apart)];                                      \
			rows[r] = (VECTOR)upper;                                                                       \
			rows[r + (apart)] = (VECTOR)lower;                                                             \
		}                                                                                                      \
	}

inline void transpose_square(VECTOR rows[SIZE])
{
#if SIZE == 4
	EXCHANGE(2, (first.s01, second.s01), (first.s23, second.s23))
	EXCHANGE(1, (first.s0, second.s0, first.s2, second.s2), (first.s1, second.s1, first.s3, second.s3))
#elif SIZE == 8
	EXCHANGE(4, (first.lo, second.lo), (first.hi, second.hi))
	EXCHANGE(2, (first.s01, second.s01, first.s45, second.s45), (first.s23, second.s23, first.s67, second.s67))
	EXCHANGE(1, (first.s0, second.s0, first.s2, second.s2, first.s4, second.s4, first.s6, second.s6),
		 (first.s1, second.s1, first.s3, second.s3, first.s5, second.s5, first.s7, second.s7))
#else
	EXCHANGE(8, (first.lo, second.lo), (first.hi, second.hi))
	EXCHANGE(4, (first.s0123, second.s0123, first.s89ab, second.s89ab),
		 (first.s4567, second.s4567, first.scdef, second.scdef))
	EXCHANGE(2, (first.s01, second.s01, first.s45, second.s45, first.s89, second.s89, first.scd, second.scd),
		 (first.s23, second.s23, first.s67, second.s67, first.sab, second.sab, first.sef, second.sef))
	EXCHANGE(1,
		 (first.s0, second.s0, first.s2, second.s2, first.s4, second.s4, first.s6, second.s6, first.s8,
		  second.s8, first.sa, second.sa, first.sc, second.sc, first.se, second.se),
		 (first.s1, second.s1, first.s3, second.s3, first.s5, second.s5, first.s7, second.s7, first.s9,
		  second.s9, first.sb, second.sb, first.sd, second.sd, first.sf, second.sf))
#endif
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
transpose(const int m, const int n, __global const REAL *restrict a, const int lda, __global REAL *restrict b,
	  const int ldb)
{
	VECTOR rows[SIZE];

	for (uint block = 0; block < BLOCKS; block++) {
		const uint along = get_global_id(0) * BLOCKS + block, across = get_global_id(1);
		/* The square's corner in A. uint: an index rounded up may pass the largest int. */
		const uint i = SIZE * (ALONG ? along : across), j = SIZE * (ALONG ? across : along);

		if (i + SIZE <= m && j + SIZE <= n) {
#pragma unroll
			for (int r = 0; r < SIZE; r++)
				rows[r] = LOAD(0, a + (size_t)(i + r) * lda + j);
			transpose_square(rows);
#pragma unroll
			for (int r = 0; r < SIZE; r++)
				STORE(rows[r], 0, b + (size_t)(j + r) * ldb + i);
		} else {
			for (uint r = j; r < min(j + SIZE, (uint)n); r++)
				for (uint c = i; c < min(i + SIZE, (uint)m); c++)
					b[(size_t)r * ldb + c] = a[(size_t)c * lda + r];
		}
	}
}
