/* chunk: for CPU devices. As many work-items as CHUNKS (work-group size 1),
 * each with one run of elements: the sums of the chunks first, then each
 * chunk's prefix sum from the sum of those before it. A vector of VW elements
 * is scanned by log2(VW) shifted additions; what is carried from vector to
 * vector costs one addition. */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(REAL, VW)
#define LOAD JOIN(vload, VW)
#define STORE JOIN(vstore, VW)
#define ZEROS(count) ((JOIN(REAL, count))0)
#define SUMS 4 /* vectors summed side by side, to hide the latency of an addition */

/* A chunk's first element and its end; all but the last are whole vectors. uint: first may pass the largest int. */
inline uint2 chunk_of(uint n)
{
	const uint vectors = (n - 1) / VW + 1, each = (vectors - 1) / CHUNKS + 1;
	const uint first = min(get_global_id(0) * each, (ulong)vectors) * VW;

	return (uint2)(min(first, n), min(first + each * VW, n));
}

#if VW > 1
inline VECTOR scan_vector(VECTOR v)
{
#if VW == 4
	v += (VECTOR)(0, v.s012);
	v += (VECTOR)(0, 0, v.s01);
#elif VW == 8
	v += (VECTOR)(0, v.s012, v.s3456);
	v += (VECTOR)(0, 0, v.s01, v.s2345);
	v += (VECTOR)(ZEROS(4), v.lo);
#else
	v += (VECTOR)(0, v.s012, v.s3456, v.s789a, v.sbcde);
	v += (VECTOR)(0, 0, v.s01, v.s2345, v.s6789, v.sabcd);
	v += (VECTOR)(ZEROS(4), v.s0123, v.s4567, v.s89ab);
	v += (VECTOR)(ZEROS(8), v.lo);
#endif
	return v;
}

#if VW == 4
#define LAST s3
#elif VW == 8
#define LAST s7
#else
#define LAST sf
#endif
#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sum_chunks(const int n, __global const REAL *x,
									__global REAL *sums)
{
	const uint2 chunk = chunk_of(n);
	uint i = chunk.x;
	REAL sum = 0;

#if VW > 1
	VECTOR partial[SUMS];
#pragma unroll
	for (uint s = 0; s < SUMS; s++)
		partial[s] = 0;
	for (; i + SUMS * VW <= chunk.y; i += SUMS * VW) {
#pragma unroll
		for (uint s = 0; s < SUMS; s++)
			partial[s] += LOAD(s, x + i);
	}
	sum = scan_vector((partial[0] + partial[1]) + (partial[2] + partial[3])).LAST;
#endif
	for (; i < chunk.y; i++)
		sum += x[i];
	sums[get_global_id(0)] = sum;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_chunks(const int n, __global const REAL *x,
									 __global REAL *y, __global const REAL *sums)
{
	const uint2 chunk = chunk_of(n);
	uint i = chunk.x;
	REAL carry = 0;

	for (uint before = 0; before < get_global_id(0); before++)
		carry += sums[before];
#if VW > 1
	for (; i + VW <= chunk.y; i += VW) {
		const VECTOR v = scan_vector(LOAD(0, x + i));
		STORE(v + carry, 0, y + i);
		carry += v.LAST;
	}
#endif
	for (; i < chunk.y; i++) {
		carry += x[i];
		y[i] = carry;
	}
}
