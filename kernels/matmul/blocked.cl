/* blocked: a work-group of NDIM x MDIM work-items computes a tile of C of MWG
 * rows and NWG columns; a work-item keeps MWG/MDIM rows of NWG/NDIM columns in
 * registers, as vectors of VW columns. Neighbouring work-items own
 * neighbouring vectors, and contiguous rows.
 *
 * A and B are each staged in local memory, KWG steps of k at a time, or read
 * directly (STAGE_A, STAGE_B). Where neither is staged there is no barrier at
 * all: with MDIM = NDIM = 1 that is the right shape for a CPU. PAD lengthens
 * the rows of the staged tiles: A's by elements, B's by vectors.
 *
 * Edges cost nothing in the loop over k: a tile that would pass an edge is
 * moved back inside (it computes some of its neighbour's elements again and
 * does not store them), so that every load is whole. Only a matrix smaller
 * than one tile goes the careful way: rows are clamped, columns checked.
 *
 * C is not read when beta is 0. */
#ifndef REAL /* mmtune sets these; other tuners get float, nothing transposed */
#define REAL       float
#define ACCUMULATE float
#define TRANS_A    0
#define TRANS_B    0
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* op(A)(i, p) and op(B)(p, j); size_t, since a product of two int may pass 2^31. */
#if TRANS_A
#define A(i, p) a[(size_t)(p) * lda + (i)]
#else
#define A(i, p) a[(size_t)(i) * lda + (p)]
#endif
#if TRANS_B
#define B(p, j) b[(size_t)(j) * ldb + (p)]
#else
#define B(p, j) b[(size_t)(p) * ldb + (j)]
#endif
#define C(i, j) c[(size_t)(i) * ldc + (j)]

#define PASTE_(x, y) x##y
#define PASTE(x, y)  PASTE_(x, y)
#if VW == 1
#define VECTOR              REAL
#define LOAD(from)          (*(from))
#define STORE(vector, to)   (*(to) = (vector))
#define ELEMENT(vector, e)  (*(vector))
#else
#define VECTOR              PASTE(REAL, VW)
#define LOAD(from)          PASTE(vload, VW)(0, from)
#define STORE(vector, to)   PASTE(vstore, VW)(vector, 0, to)
#define ELEMENT(vector, e)  ((REAL *)(vector))[e]
#endif

#define ROWS       (MWG / MDIM)      /* of a work-item */
#define VECTORS    (NWG / NDIM / VW) /* of a work-item, in each of its rows */
#define GROUP_SIZE (MDIM * NDIM)
#define A_LENGTH   (MWG + PAD)       /* of a staged row of op(A)': elements */
#define B_LENGTH   (NWG / VW + PAD)  /* of a staged row of op(B): vectors */

/* Where a work-item finds op(A)(its row r, start + p) and vector v of row start + p of op(B). */
#if STAGE_A
#define A_SOURCE      __local const REAL *const
#define A_AT(r, p)    a_from[(p)*A_LENGTH + (r)]
#else
#define A_SOURCE      __global const REAL *const *const
#define A_AT(r, p)    a_from[r][TRANS_A ? (size_t)(start + (p)) * lda : start + (p)]
#endif
#if STAGE_B
#define B_SOURCE      __local const VECTOR *const
#define B_AT(p, v)    b_from[(p)*B_LENGTH + (v)*NDIM]
#else
#define B_SOURCE      __global const REAL *const
#define B_AT(p, v)    load_b(b_from, ldb, start + (p), column + (v)*NDIM * VW, n, whole)
#endif

/* VW elements of row p of op(B) from column j on; whole says that all are there, else missing ones are 0. */
static VECTOR load_b(__global const REAL *b, const int ldb, const uint p, const uint j, const uint n, const bool whole)
{
#if !TRANS_B
	if (whole)
		return LOAD(&B(p, j));
#endif
	VECTOR result;
	for (uint e = 0; e < VW; e++)
		ELEMENT(&result, e) = whole || j + e < n ? B(p, j + e) : 0;
	return result;
}

/* Adds count products to each sum, from step start of k on. */
static void multiply(VECTOR sums[ROWS][VECTORS], A_SOURCE a_from, const int lda, B_SOURCE b_from,
		     const int ldb, const uint start, const uint count, const uint column, const uint n,
		     const bool whole)
{
	for (uint p = 0; p < count; p++) {
		VECTOR b_row[VECTORS];
#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			b_row[v] = B_AT(p, v);
#pragma unroll
		for (uint r = 0; r < ROWS; r++) {
			const REAL factor = A_AT(r, p);
#pragma unroll
			for (uint v = 0; v < VECTORS; v++)
				sums[r][v] += factor * b_row[v];
		}
	}
}

/* Stores a vector at row i, column j; elements outside columns first ... n - 1 are somebody else's. */
static void store_c(VECTOR sum, __global REAL *to, const uint j, const uint first, const uint n, const REAL alpha,
		    const REAL beta)
{
	sum *= alpha;
	if (j >= first && j + VW <= n) {
		if (beta != 0)
			sum += beta * LOAD(to);
		STORE(sum, to);
		return;
	}
	for (uint e = 0; e < VW; e++) {
		if (j + e >= first && j + e < n)
			to[e] = beta == 0 ? ELEMENT(&sum, e) : ELEMENT(&sum, e) + beta * to[e];
	}
}

__kernel __attribute__((reqd_work_group_size(NDIM, MDIM, 1))) void
matmul(const int m, const int n, const int k, const ACCUMULATE alpha, __global const REAL *restrict a, const int lda,
       __global const REAL *restrict b, const int ldb, const ACCUMULATE beta, __global REAL *restrict c, const int ldc)
{
	/* The group's own tile begins at (first_row, first_column); it works on the one moved inside. */
	const uint first_row = get_group_id(1) * MWG, first_column = get_group_id(0) * NWG;
	const uint tile_row = m < MWG ? 0 : min(first_row, (uint)m - MWG);
	const uint tile_column = n < NWG ? 0 : min(first_column, (uint)n - NWG);
	const bool whole = n >= NWG;
	const uint row = tile_row + get_local_id(1) * ROWS, column = tile_column + get_local_id(0) * VW;

	VECTOR sums[ROWS][VECTORS];
#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			sums[r][v] = 0;
	}

#if STAGE_A || STAGE_B
	const uint worker = get_local_id(1) * NDIM + get_local_id(0);
#endif
#if STAGE_A
	__local REAL a_tile[KWG * A_LENGTH];
	A_SOURCE a_from = a_tile + get_local_id(1) * ROWS;
#else
	__global const REAL *a_from[ROWS];
#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		a_from[r] = &A(min(row + r, (uint)m - 1), 0);
#endif
#if STAGE_B
	__local VECTOR b_tile[KWG * B_LENGTH];
	B_SOURCE b_from = b_tile + get_local_id(0);
#else
	B_SOURCE b_from = b;
#endif

	for (uint start = 0; start < k; start += KWG) {
		const uint count = min((uint)KWG, k - start);
#if STAGE_A
		for (uint t = worker; t < KWG * MWG; t += GROUP_SIZE) { /* the contiguous index runs fastest */
			const uint p = TRANS_A ? t / MWG : t % KWG, r = TRANS_A ? t % MWG : t / KWG;
			if (p < count)
				a_tile[p * A_LENGTH + r] = A(min(tile_row + r, (uint)m - 1), start + p);
		}
#endif
#if STAGE_B
		for (uint t = worker; t < KWG * (NWG / VW); t += GROUP_SIZE) {
			const uint p = TRANS_B ? t % KWG : t / (NWG / VW), v = TRANS_B ? t / KWG : t % (NWG / VW);
			if (p < count)
				b_tile[p * B_LENGTH + v] = load_b(b, ldb, start + p, tile_column + v * VW, n, whole);
		}
#endif
#if STAGE_A || STAGE_B
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
		/* Twice, so that the length is a constant in all blocks but the last. */
		if (count == KWG)
			multiply(sums, a_from, lda, b_from, ldb, start, KWG, column, n, whole);
		else
			multiply(sums, a_from, lda, b_from, ldb, start, count, column, n, whole);
#if STAGE_A || STAGE_B
		barrier(CLK_LOCAL_MEM_FENCE);
#endif
	}

#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
		if (row + r < first_row || row + r >= m)
			continue;
#pragma unroll
		for (uint v = 0; v < VECTORS; v++) {
			const uint j = column + v * NDIM * VW;
			store_c(sums[r][v], &C(row + r, j), j, first_column, n, alpha, beta);
		}
	}
}
