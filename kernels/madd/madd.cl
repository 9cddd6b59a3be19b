/* madd: y = what k steps v = factor v + term make of x, n elements. A
 * work-item has CHAINS independent vectors of VW elements, so that one step
 * need not wait for the one before; vectors are dealt out in turn, for whole
 * accesses.
 *
 * The last vector may be a part of one: missing elements are taken as 0. */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define PASTE_(x, y) x##y
#define PASTE(x, y)  PASTE_(x, y)
#if VW == 1
#define VECTOR             REAL
#define LOAD(from)         (*(from))
#define STORE(vector, to)  (*(to) = (vector))
#define ELEMENT(vector, e) (*(vector))
#else
#define VECTOR             PASTE(REAL, VW)
#define LOAD(from)         PASTE(vload, VW)(0, from)
#define STORE(vector, to)  PASTE(vstore, VW)(vector, 0, to)
#define ELEMENT(vector, e) ((REAL *)(vector))[e]
#endif

static VECTOR load(__global const REAL *x, const size_t first, const uint n)
{
	if (first + VW <= n)
		return LOAD(&x[first]);
	VECTOR result = 0;
	for (uint e = 0; first + e < n; e++)
		ELEMENT(&result, e) = x[first + e];
	return result;
}

static void store(VECTOR value, __global REAL *y, const size_t first, const uint n)
{
	if (first + VW <= n) {
		STORE(value, &y[first]);
		return;
	}
	for (uint e = 0; first + e < n; e++)
		y[first + e] = ELEMENT(&value, e);
}

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void
madd(const int n, const int k, const REAL factor, const REAL term, __global const REAL *restrict x,
     __global REAL *restrict y)
{
	const size_t first = get_global_id(0) * VW, step = get_global_size(0) * VW;
	VECTOR values[CHAINS];

#pragma unroll
	for (uint chain = 0; chain < CHAINS; chain++)
		values[chain] = load(x, first + chain * step, n);
#pragma unroll 4
	for (int i = 0; i < k; i++) {
#pragma unroll
		for (uint chain = 0; chain < CHAINS; chain++)
			values[chain] = fma((VECTOR)factor, values[chain], (VECTOR)term);
	}
#pragma unroll
	for (uint chain = 0; chain < CHAINS; chain++)
		store(values[chain], y, first + chain * step, n);
}
