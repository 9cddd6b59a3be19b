/* tile: a work-group transposes a square of TILE x TILE in local memory, so
 * that it reads and writes along rows. A work-item carries ROWS elements of
 * the square, TILE / ROWS apart. PAD elements are added to each row of the
 * square, so that a walk down a column changes banks. */
#ifndef REAL /* mmtune sets it; other tuners get float */
#define REAL float
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define STEP (TILE / ROWS)

__kernel __attribute__((reqd_work_group_size(TILE, STEP, 1))) void
transpose(const int m, const int n, __global const REAL *restrict a, const int lda, __global REAL *restrict b,
	  const int ldb)
{
	__local REAL tile[TILE][TILE + PAD];
	const uint x = get_local_id(0), y = get_local_id(1);
	/* The square's corner in A. uint: an index rounded up may pass the largest int. */
	const uint row = get_group_id(1) * TILE, column = get_group_id(0) * TILE;

#pragma unroll
	for (uint s = 0; s < ROWS; s++) {
		const uint r = y + s * STEP;
		if (row + r < m && column + x < n)
			tile[r][x] = a[(size_t)(row + r) * lda + column + x];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint s = 0; s < ROWS; s++) {
		const uint r = y + s * STEP;
		if (row + x < m && column + r < n)
			b[(size_t)(column + r) * ldb + row + x] = tile[x][r];
	}
}
