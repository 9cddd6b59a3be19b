/* copy: dst = src, n elements, as vectors of VW. A work-item copies ITEMS
 * vectors. ORDER says which: 0: its work-group's block is shared out in turn,
 * so that neighbouring work-items touch neighbouring vectors (GPUs); 1: each
 * has ITEMS vectors on end (CPUs). STREAM writes past the caches where the
 * compiler knows how.
 *
 * Elements past the last whole vector are copied by work-item 0. */
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

#ifdef __has_builtin
#if STREAM && __has_builtin(__builtin_nontemporal_store)
#define WRITE(to, value) __builtin_nontemporal_store(value, to)
#endif
#endif
#ifndef WRITE
#define WRITE(to, value) (*(to) = (value))
#endif

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void copy(const long n, __global const REAL *restrict src,
								    __global REAL *restrict dst)
{
	const size_t vectors = n / VW;
	__global const VECTOR *from = (__global const VECTOR *)src;
	__global VECTOR *to = (__global VECTOR *)dst;
#if ORDER == 0
	const size_t first = get_group_id(0) * ((size_t)WGS * ITEMS) + get_local_id(0), step = WGS;
#else
	const size_t first = get_global_id(0) * ITEMS, step = 1;
#endif

	if (first + (ITEMS - 1) * step < vectors) {
		for (size_t item = 0; item < ITEMS; item++)
			WRITE(&to[first + item * step], from[first + item * step]);
	} else {
		for (size_t item = 0; item < ITEMS && first + item * step < vectors; item++)
			WRITE(&to[first + item * step], from[first + item * step]);
	}
	if (get_global_id(0) == 0) {
		for (size_t i = vectors * VW; i < n; i++)
			dst[i] = src[i];
	}
}
