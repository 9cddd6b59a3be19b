/* work_group: the prefix sum of a work-group in local memory (Blelloch,
 * "Prefix sums and their applications", CMU-CS-90-190, 1990: up-sweep and
 * down-sweep), made a prefix sum of the device by a second one over the blocks'
 * totals. A block is WGS * ITEMS elements, ITEMS of them a work-item's own.
 *
 * REDUCE_FIRST 0: scan each block, scan the totals, add them: x once, y twice.
 * REDUCE_FIRST 1: total of each block, scan the totals, scan each block from its
 * offset: x twice, y once.
 *
 * With PAD 1 a cell is skipped in local memory after each 32, the number of
 * banks: the sweeps' strides are powers of two, which would all meet in a few
 * banks (Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA",
 * GPU Gems 3, 2007, section 39.2.3). */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define BLOCK (WGS * ITEMS)
#define CELL(i) ((i) + PAD * ((i) / 32))
#define CELLS (BLOCK + PAD * (BLOCK / 32))
#define GROUP __attribute__((reqd_work_group_size(WGS, 1, 1)))

/* The exclusive prefix sum of the first WGS cells, in place; *total: of all. Every work-item calls it, its own cell
 * written; after it every cell may be read. */
inline void sweep(__local REAL *cells, REAL *total)
{
	const uint id = get_local_id(0);

	for (uint stride = 1; stride < WGS; stride *= 2) {
		const uint right = 2 * stride * (id + 1) - 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (right < WGS)
			cells[CELL(right)] += cells[CELL(right - stride)];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	*total = cells[CELL(WGS - 1)];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (id == 0)
		cells[CELL(WGS - 1)] = 0;
	for (uint stride = WGS / 2; stride > 0; stride /= 2) {
		const uint right = 2 * stride * (id + 1) - 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (right < WGS) {
			const REAL left = cells[CELL(right - stride)];
			cells[CELL(right - stride)] = cells[CELL(right)];
			cells[CELL(right)] += left;
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

/* The inclusive prefix sum of count <= BLOCK elements plus offset; returns the total, without offset. Memory is
 * accessed contiguously over the work-items, and each gets its own by way of local memory. in and out may be the
 * same. */
inline REAL scan_block(__global const REAL *in, __global REAL *out, uint count, REAL offset, __local REAL *cells)
{
	const uint id = get_local_id(0);
	REAL own[ITEMS], total;

	for (uint i = id; i < BLOCK; i += WGS)
		cells[CELL(i)] = i < count ? in[i] : (REAL)0;
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint i = 0; i < ITEMS; i++)
		own[i] = cells[CELL(id * ITEMS + i)] + (i > 0 ? own[i > 0 ? i - 1 : 0] : (REAL)0);
	barrier(CLK_LOCAL_MEM_FENCE);
	cells[CELL(id)] = own[ITEMS - 1];
	sweep(cells, &total);
	offset += cells[CELL(id)];
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint i = 0; i < ITEMS; i++)
		cells[CELL(id * ITEMS + i)] = own[i] + offset;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = id; i < count; i += WGS)
		out[i] = cells[CELL(i)];
	barrier(CLK_LOCAL_MEM_FENCE);
	return total;
}

__kernel GROUP void scan_blocks(const int n, __global const REAL *x, __global REAL *y, __global REAL *sums)
{
	__local REAL cells[CELLS];
	const uint first = get_group_id(0) * BLOCK;
	const REAL total = scan_block(x + first, y + first, min((uint)BLOCK, n - first), 0, cells);

	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = total;
}

/* The inclusive prefix sum of the totals, by one work-group. */
__kernel GROUP void scan_sums(const int n, __global REAL *sums)
{
	__local REAL cells[CELLS];
	const uint blocks = (n - 1) / BLOCK + 1;
	REAL carry = 0;

	for (uint first = 0; first < blocks; first += BLOCK)
		carry += scan_block(sums + first, sums + first, min((uint)BLOCK, blocks - first), carry, cells);
}

__kernel GROUP void add_offsets(const int n, __global REAL *y, __global const REAL *sums)
{
	const uint block = get_group_id(0), first = block * BLOCK, count = min((uint)BLOCK, n - first);

	if (block == 0)
		return;
	const REAL offset = sums[block - 1];
	for (uint i = get_local_id(0); i < count; i += WGS)
		y[first + i] += offset;
}

__kernel GROUP void reduce_blocks(const int n, __global const REAL *x, __global REAL *sums)
{
	__local REAL cells[WGS];
	const uint id = get_local_id(0), first = get_group_id(0) * BLOCK, count = min((uint)BLOCK, n - first);
	REAL sum = 0;

	for (uint i = id; i < count; i += WGS)
		sum += x[first + i];
	cells[id] = sum;
	for (uint stride = WGS / 2; stride > 0; stride /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < stride)
			cells[id] += cells[id + stride];
	}
	if (id == 0)
		sums[get_group_id(0)] = cells[0];
}

__kernel GROUP void scan_from_offsets(const int n, __global const REAL *x, __global REAL *y,
				      __global const REAL *sums)
{
	__local REAL cells[CELLS];
	const uint block = get_group_id(0), first = block * BLOCK;

	scan_block(x + first, y + first, min((uint)BLOCK, n - first), block > 0 ? sums[block - 1] : (REAL)0, cells);
}
