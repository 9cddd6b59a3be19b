/* copy: dst = src, n elements, as vectors of VW. A work-item copies ITEMS
 * vectors. ORDER says which: 0: its work-group's block is shared out in turn,
 * so that neighbouring work-items touch neighbouring vectors (GPUs); 1: each
 * has ITEMS vectors on end (CPUs). STREAM writes past the caches where the
 * compiler knows how.
 *
 * With an OFFSET the vectors begin that many elements later, where no vector
 * is aligned (variant unaligned). Elements before the first whole vector and
 * past the last are copied by work-item 0. */
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

#ifndef OFFSET
#define OFFSET 0
#endif
#if OFFSET
#define READ(vector)         PASTE(vload, VW)(vector, src + OFFSET)
#define WRITE(vector, value) PASTE(vstore, VW)(value, vector, dst + OFFSET)
#else
#define READ(vector) (((__global const VECTOR *)src)[vector])
#endif

#ifdef __has_builtin
#if !OFFSET && STREAM && __has_builtin(__builtin_nontemporal_store)
#define WRITE(vector, value) __builtin_nontemporal_store(value, (__global VECTOR *)dst + (vector))
#endif
#endif
#ifndef WRITE
#define WRITE(vector, value) (((__global VECTOR *)dst)[vector] = (value))
#endif

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void copy(const long n, __global const REAL *restrict src,
								    __global REAL *restrict dst)
{
	const size_t vectors = n > OFFSET ? (n - OFFSET) / VW : 0;
#if ORDER == 0
	const size_t first = get_group_id(0) * ((size_t)WGS * ITEMS) + get_local_id(0), step = WGS;
#else
	const size_t first = get_global_id(0) * ITEMS, step = 1;
#endif

	if (first + (ITEMS - 1) * step < vectors) {
		for (size_t item = 0; item < ITEMS; item++)
			WRITE(first + item * step, READ(first + item * step));
	} else {
		for (size_t item = 0; item < ITEMS && first + item * step < vectors; item++)
			WRITE(first + item * step, READ(first + item * step));
	}
	if (get_global_id(0) == 0) {
		for (size_t i = 0; i < OFFSET && i < n; i++)
			dst[i] = src[i];
		for (size_t i = OFFSET + vectors * VW; i < n; i++)
			dst[i] = src[i];
	}
}
