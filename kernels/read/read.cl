/* read: sum = x[0] + ... + x[n - 1], as vectors of VW, in two launches. In the
 * first, GROUPS work-groups share the vectors, each work-item with CHAINS sums
 * that do not wait for each other; ORDER says who reads which: 0: neighbouring
 * work-items read neighbouring vectors (GPUs); 1: each has a block of its own
 * (CPUs). The second adds the work-groups' sums.
 *
 * The variant says the order in memory: with an OFFSET the vectors begin that
 * many elements later, where none is aligned (unaligned); with STRIDE they are
 * a matrix of STRIDE columns, read column by column (strided); with SHUFFLE
 * they are shuffled (random). What makes no whole row or vector is read by one
 * work-item. */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
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
#define READ(vector) PASTE(vload, VW)(vector, x + OFFSET)
#else
#define READ(vector) (((__global const VECTOR *)x)[vector])
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

/* The sum of the work-group's values, for work-item 0. */
REAL add_up(REAL value, __local REAL *values)
{
	const uint me = get_local_id(0);

	values[me] = value;
	for (uint half_count = WGS / 2; half_count > 0; half_count /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (me < half_count)
			values[me] += values[me + half_count];
	}
	return values[me];
}

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void sum_blocks(const long n, __global const REAL *restrict x,
									  __global REAL *restrict sums)
{
	__local REAL values[WGS];
	VECTOR chains[CHAINS];
	union {
		VECTOR vector;
		REAL lanes[VW];
	} total;
	const uint rows = n > OFFSET ? (n - OFFSET) / ((long)VW * COLUMNS) : 0;
#if ORDER == 0
	const size_t first = get_global_id(0), step = get_global_size(0), end = rows;
#else
	const size_t block = (rows + get_global_size(0) - 1) / get_global_size(0), step = 1;
	const size_t first = min(get_global_id(0) * block, (size_t)rows), end = min(first + block, (size_t)rows);
#endif

#pragma unroll
	for (uint chain = 0; chain < CHAINS; chain++)
		chains[chain] = 0;
	for (uint column = 0; column < COLUMNS; column++) {
		size_t row = first;
		for (; row + (CHAINS - 1) * step < end; row += CHAINS * step) {
#pragma unroll
			for (uint chain = 0; chain < CHAINS; chain++)
				chains[chain] += READ(place(row + chain * step, column, rows));
		}
		for (; row < end; row += step)
			chains[0] += READ(place(row, column, rows));
	}
#pragma unroll
	for (uint chain = 1; chain < CHAINS; chain++)
		chains[0] += chains[chain];
	total.vector = chains[0];

	REAL sum = 0;
	for (uint lane = 0; lane < VW; lane++)
		sum += total.lanes[lane];
	if (get_global_id(0) == 0) {
		for (size_t i = 0; i < OFFSET && i < n; i++)
			sum += x[i];
		for (size_t i = OFFSET + (size_t)rows * COLUMNS * VW; i < n; i++)
			sum += x[i];
	}
	sum = add_up(sum, values);
	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = sum;
}

__kernel __attribute__((reqd_work_group_size(WGS, 1, 1))) void add_sums(__global const REAL *restrict sums,
									__global REAL *restrict sum)
{
	__local REAL values[WGS];
	REAL mine = 0;

	for (uint i = get_local_id(0); i < GROUPS; i += WGS)
		mine += sums[i];
	mine = add_up(mine, values);
	if (get_local_id(0) == 0)
		sum[0] = mine;
}
