/* blocked: a work-group of NDIM x MDIM work-items computes a tile of C of MWG
 * rows and NWG columns; a work-item keeps MWG/MDIM rows of NWG/NDIM columns in
 * registers. It owns them as groups of VWM rows and vectors of VWN columns:
 * contiguous, or dealt out in turn to neighbouring work-items (STRM, STRN).
 *
 * A and B are each staged in local memory, KWG steps of k at a time, or read
 * directly (STAGE_A, STAGE_B). Where neither is staged there is no barrier at
 * all: with MDIM = NDIM = 1 that is the right shape for a CPU.
 *
 * Staging. Global memory is read along its contiguous index, VWL elements at a
 * time, into registers; from there the tile is written so that both operands
 * lie with k outermost, and the loop over k reads both as vectors. PAD
 * lengthens the rows of a tile that is turned on the way, by vectors, against
 * bank conflicts. PREFETCH fetches the next tile before it computes with this
 * one; BUFFERS 2 writes it beside this one, and saves a barrier. UNROLL steps of
 * k are one straight piece of code.
 *
 * GROUP rows of work-groups are walked together, column by column, so that
 * those that run at the same time share rows of A and columns of B in cache.
 * SPLIT parts of k are computed by work-groups of their own, as partial sums
 * that the kernel reduce adds up: for products with few tiles and a long k.
 *
 * Edges cost nothing in the loop over k: a tile that would pass an edge is
 * moved back inside (it computes some of its neighbour's elements again and
 * does not store them), so that loads are whole. Only the last steps of k, and
 * a matrix smaller than one tile, go the careful way: what is missing is 0.
 *
 * C is not read when beta is 0. Half is loaded and stored only (vload_half and
 * vstore_half need no extension), and so is bfloat16, in a ushort; everything
 * between is float. */
#ifndef REAL /* mmtune sets these; other tuners get float, nothing transposed */
#define REAL       float
#define ACCUMULATE float
#define TRANS_A    0
#define TRANS_B    0
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define INLINE static inline __attribute__((always_inline))
#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#define IS_half 1 /* IS_float, IS_double: 0, as every name that is no macro */
#define IS_ushort 2
#define HALF (JOIN(IS_, REAL) == 1)
#define BFLOAT16 (JOIN(IS_, REAL) == 2)

/* Vectors of one element, so that every width is written alike. */
#define float1 float
#define double1 double
#define vload1(at, from) ((from)[at])
#define vstore1(value, at, to) ((to)[at] = (value))
#define vload_half1 vload_half
#define vloada_half1 vload_half
#define vstore_half1 vstore_half
#define vstorea_half1 vstore_half
#define ushort1 ushort
#define uint1 uint
#define as_uint1 as_uint
#define as_float1 as_float
#define convert_uint1 convert_uint
#define convert_ushort1 convert_ushort

/* NAME_N: with the width as a number; pasted there, for some compilers define vload itself as a macro. */
#define PACK_N(width, values)           vload##width(0, values) /* from and to private arrays */
#define UNPACK_N(width, vector, values) vstore##width(vector, 0, values)
#define PACK(width, values)             PACK_N(width, values)
#define UNPACK(width, vector, values)   UNPACK_N(width, vector, values)

#if BFLOAT16 /* the upper halves of floats, rounded to nearest, ties to even; a NaN stays one */
#define WIDEN_N(width, elements) as_float##width(convert_uint##width(elements) << 16)
#define DEFINE_NARROW_N(width)                                                                                         \
	INLINE ushort##width narrow##width(const float##width value)                                                   \
	{                                                                                                              \
		const uint##width bits = as_uint##width(value);                                                        \
		return convert_ushort##width(                                                                          \
			select(bits + 0x7fff + (bits >> 16 & 1), bits | 0x400000, isnan(value)) >> 16);                \
	}
#define DEFINE_NARROW(width) DEFINE_NARROW_N(width)
DEFINE_NARROW(1)
#if VWN > 1
DEFINE_NARROW(VWN)
#endif
#endif

/* Elements of A, B and C in global memory. The aligned forms are one access; the others the compiler must split. */
#if HALF
#define LOAD_N(width, from)         vload_half##width(0, from)
#define LOAD_ALIGNED_N(width, from) vloada_half##width(0, from)
#elif BFLOAT16
#define LOAD_N(width, from)         WIDEN_N(width, vload##width(0, from))
#define LOAD_ALIGNED_N(width, from) WIDEN_N(width, *(__global const ushort##width *)(from))
#else
#define LOAD_N(width, from)         vload##width(0, from)
#define LOAD_ALIGNED_N(width, from) (*(__global const JOIN(REAL, width) *)(from))
#endif
#if SPLIT > 1 /* partial sums */
#define RESULT ACCUMULATE
#else
#define RESULT REAL
#endif
#if HALF && SPLIT == 1
#define STORE_N(width, vector, to)         vstore_half##width(vector, 0, to)
#define STORE_ALIGNED_N(width, vector, to) vstorea_half##width(vector, 0, to)
#elif BFLOAT16 && SPLIT == 1
#define STORE_N(width, vector, to)         vstore##width(narrow##width(vector), 0, to)
#define STORE_ALIGNED_N(width, vector, to) (*(__global ushort##width *)(to) = narrow##width(vector))
#else
#define STORE_N(width, vector, to)         vstore##width(vector, 0, to)
#define STORE_ALIGNED_N(width, vector, to) (*(__global JOIN(RESULT, width) *)(to) = (vector))
#endif
#define LOAD(width, from)                LOAD_N(width, from)
#define LOAD_ALIGNED(width, from)        LOAD_ALIGNED_N(width, from)
#define STORE(width, vector, to)         STORE_N(width, vector, to)
#define STORE_ALIGNED(width, vector, to) STORE_ALIGNED_N(width, vector, to)
#define IS_ALIGNED(at, ld, width) (((size_t)(at) | (size_t)(ld) * sizeof(*(at))) % ((width) * sizeof(*(at))) == 0)

#define VECTOR     JOIN(ACCUMULATE, VWN)
#define VECTOR_M   JOIN(ACCUMULATE, VWM)
#define CHUNK      JOIN(ACCUMULATE, VWL)
#define ROWS       (MWG / MDIM)       /* of a work-item */
#define VECTORS    (NWG / NDIM / VWN) /* of a work-item, in each of its rows */
#define GROUP_SIZE (MDIM * NDIM)
#define STAGED     (STAGE_A || STAGE_B)

/* A work-item's place; the first row of its u-th VWM, the first column of its v-th vector, inside the tile. */
#define ITEM_M       ((uint)get_local_id(1))
#define ITEM_N       ((uint)get_local_id(0))
#define ROW_OF(u)    ((STRM ? ITEM_M + (u)*MDIM : ITEM_M * (ROWS / VWM) + (u)) * VWM)
#define COLUMN_OF(v) ((STRN ? ITEM_N + (v)*NDIM : ITEM_N * VECTORS + (v)) * VWN)

/* op(A)(i, p) and op(B)(p, j); size_t, since a product of two int may pass 2^31. */
#define AT_A(i, p) (TRANS_A ? (size_t)(p)*lda + (i) : (size_t)(i)*lda + (p))
#define AT_B(p, j) (TRANS_B ? (size_t)(j)*ldb + (p) : (size_t)(p)*ldb + (j))

/* A tile is lines that are contiguous in memory. Turned: the lines run along k, and become columns in local memory. */
#define A_TURNED !TRANS_A
#define B_TURNED TRANS_B
#define A_LINE   (TRANS_A ? MWG : KWG)
#define B_LINE   (TRANS_B ? KWG : NWG)
#define A_PITCH  (MWG + (A_TURNED ? PAD * VWM : 0)) /* of a staged row of op(A)' */
#define B_PITCH  (NWG + (B_TURNED ? PAD * VWN : 0)) /* of a staged row of op(B) */
#define A_CHUNKS (MWG * KWG / VWL / GROUP_SIZE)     /* that a work-item brings */
#define B_CHUNKS (NWG * KWG / VWL / GROUP_SIZE)

#if STAGED
/* Chunk t of a work-item: its line, and where in the line it begins. length: of a line. */
#define WORKER                (ITEM_M * NDIM + ITEM_N)
#define SIDE(length)          ((length) / VWL < GROUP_SIZE ? (length) / VWL : GROUP_SIZE)
#define PIECES(length)        ((length) / VWL / SIDE(length)) /* of a line, SIDE chunks each */
#define LINE_OF(t, length)    (WORKER / SIDE(length) + (t) / PIECES(length) * (GROUP_SIZE / SIDE(length)))
#define ELEMENT_OF(t, length) ((WORKER % SIDE(length) + (t) % PIECES(length) * SIDE(length)) * VWL)

enum access { EDGE, WHOLE, ALIGNED };

/* A chunk from element first of a line on; elements from count on are 0. */
INLINE CHUNK load_edge(__global const REAL *line, const uint first, const uint count)
{
	ACCUMULATE values[VWL];
#pragma unroll
	for (uint e = 0; e < VWL; e++)
		values[e] = first + e < count ? LOAD(1, line + first + e) : 0;
	return PACK(VWL, values);
}

/* Writes a chunk into column x of a turned tile, from row y on. */
INLINE void put_turned(__local ACCUMULATE *tile, const uint pitch, const CHUNK chunk, const uint y, const uint x)
{
	ACCUMULATE values[VWL];
	UNPACK(VWL, chunk, values);
#pragma unroll
	for (uint e = 0; e < VWL; e++)
		tile[(y + e) * pitch + x] = values[e];
}

/* fetch brings a work-item's CHUNKS of the tile at from. Of an EDGE, only lines x elements are there: others are 0.
 * put writes them to a tile in local memory whose rows, one a step of k, are PITCH apart. (A function for each operand,
 * so that all lengths are constants: only then does every compiler keep the chunks in registers.) */
#define DEFINE_STAGING(fetch, put, CHUNKS, LENGTH, PITCH, TURNED)                                                      \
	INLINE void fetch(CHUNK *chunks, __global const REAL *from, const uint ld, const enum access how,              \
			  const uint lines, const uint elements)                                                       \
	{                                                                                                              \
		if (how == ALIGNED) {                                                                                  \
			_Pragma("unroll") for (uint t = 0; t < CHUNKS; t++)                                            \
				chunks[t] = LOAD_ALIGNED(VWL, from + (size_t)LINE_OF(t, LENGTH) * ld +                 \
								      ELEMENT_OF(t, LENGTH));                          \
		} else if (how == WHOLE) {                                                                             \
			_Pragma("unroll") for (uint t = 0; t < CHUNKS; t++)                                            \
				chunks[t] = LOAD(VWL, from + (size_t)LINE_OF(t, LENGTH) * ld + ELEMENT_OF(t, LENGTH)); \
		} else {                                                                                               \
			_Pragma("unroll") for (uint t = 0; t < CHUNKS; t++)                                            \
				chunks[t] = load_edge(from + (size_t)LINE_OF(t, LENGTH) * ld, ELEMENT_OF(t, LENGTH),   \
						      LINE_OF(t, LENGTH) < lines ? elements : 0);                      \
		}                                                                                                      \
	}                                                                                                              \
	INLINE void put(__local ACCUMULATE *tile, const CHUNK *chunks)                                                 \
	{                                                                                                              \
		_Pragma("unroll") for (uint t = 0; t < CHUNKS; t++)                                                    \
		{                                                                                                      \
			if (TURNED)                                                                                    \
				put_turned(tile, PITCH, chunks[t], ELEMENT_OF(t, LENGTH), LINE_OF(t, LENGTH));         \
			else                                                                                           \
				*(__local CHUNK *)(tile + LINE_OF(t, LENGTH) * PITCH + ELEMENT_OF(t, LENGTH)) =        \
					chunks[t];                                                                     \
		}                                                                                                      \
	}
#if STAGE_A
DEFINE_STAGING(fetch_a, put_a, A_CHUNKS, A_LINE, A_PITCH, A_TURNED)
#endif
#if STAGE_B
DEFINE_STAGING(fetch_b, put_b, B_CHUNKS, B_LINE, B_PITCH, B_TURNED)
#endif
#endif

/* Where a work-item finds its rows of op(A) and its vectors of op(B). */
#if STAGE_A
#define A_SOURCE __local const ACCUMULATE *const
#else
#define A_SOURCE __global const REAL *const *const /* one pointer a row */
#endif
#if STAGE_B
#define B_SOURCE __local const ACCUMULATE *const
#else
#define B_SOURCE __global const REAL *const
#endif

/* Its column of op(A) at step p of the tile, which is step start + p of k. */
INLINE void read_a(ACCUMULATE a_column[ROWS], A_SOURCE from, const uint lda, const uint start, const uint p)
{
#if STAGE_A
#pragma unroll
	for (uint u = 0; u < ROWS / VWM; u++)
		UNPACK(VWM, *(__local const VECTOR_M *)(from + p * A_PITCH + ROW_OF(u)), a_column + u * VWM);
#else
#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		a_column[r] = LOAD(1, from[r] + (TRANS_A ? (size_t)(start + p) * lda : start + p));
#endif
}

/* Its row of op(B); column: of the tile. Where not whole, columns from n on are 0. */
INLINE void read_b(VECTOR b_row[VECTORS], B_SOURCE from, const uint ldb, const uint start, const uint p,
		   const uint column, const uint n, const bool whole)
{
#pragma unroll
	for (uint v = 0; v < VECTORS; v++) {
#if STAGE_B
		b_row[v] = *(__local const VECTOR *)(from + p * B_PITCH + COLUMN_OF(v));
#else
		const uint j = column + COLUMN_OF(v);
		if (whole && !TRANS_B) {
			b_row[v] = LOAD(VWN, from + AT_B(start + p, j));
			continue;
		}
		ACCUMULATE values[VWN];
#pragma unroll
		for (uint e = 0; e < VWN; e++)
			values[e] = whole || j + e < n ? LOAD(1, from + AT_B(start + p, j + e)) : 0;
		b_row[v] = PACK(VWN, values);
#endif
	}
}

/* Adds count products to each sum, unrolled by unroll. */
INLINE void multiply(VECTOR sums[ROWS][VECTORS], A_SOURCE a_from, const uint lda, B_SOURCE b_from, const uint ldb,
		     const uint start, const uint count, const uint unroll, const uint column, const uint n,
		     const bool whole)
{
	for (uint p = 0; p < count; p += unroll) {
#pragma unroll
		for (uint q = 0; q < unroll; q++) {
			ACCUMULATE a_column[ROWS];
			VECTOR b_row[VECTORS];
			read_b(b_row, b_from, ldb, start, p + q, column, n, whole);
			read_a(a_column, a_from, lda, start, p + q);
#pragma unroll
			for (uint r = 0; r < ROWS; r++) {
#pragma unroll
				for (uint v = 0; v < VECTORS; v++)
					sums[r][v] += a_column[r] * b_row[v];
			}
		}
	}
}

/* Stores a vector at column j; elements outside columns first ... n - 1 are somebody else's. */
INLINE void store(VECTOR sum, __global RESULT *to, const uint j, const uint first, const uint n,
		  const ACCUMULATE alpha, const ACCUMULATE beta, const bool aligned)
{
#if SPLIT == 1 /* else reduce does it */
	sum *= alpha;
#endif
	if (j >= first && j + VWN <= n) {
#if SPLIT == 1
		if (beta != 0)
			sum += beta * LOAD(VWN, to);
#endif
		if (aligned)
			STORE_ALIGNED(VWN, sum, to);
		else
			STORE(VWN, sum, to);
		return;
	}
	ACCUMULATE values[VWN];
	UNPACK(VWN, sum, values);
#pragma unroll
	for (uint e = 0; e < VWN; e++) {
		if (j + e < first || j + e >= n)
			continue;
#if SPLIT == 1
		if (beta != 0)
			values[e] += beta * LOAD(1, to + e);
#endif
		STORE(1, values[e], to + e);
	}
}

/* The row and column of the tile that a work-group computes, in tiles. */
INLINE uint2 tile_of_group(void)
{
#if GROUP == 1
	return (uint2)(get_group_id(1), get_group_id(0));
#else
	const uint across = get_num_groups(0), number = get_group_id(1) * across + get_group_id(0);
	const uint band = number / (GROUP * across), within = number % (GROUP * across);
	const uint height = min((uint)GROUP, (uint)get_num_groups(1) - band * GROUP);
	return (uint2)(band * GROUP + within % height, within / height);
#endif
}

__kernel __attribute__((reqd_work_group_size(NDIM, MDIM, 1))) void
matmul(const int m, const int n, const int k, const ACCUMULATE alpha, __global const REAL *restrict a, const int lda,
       __global const REAL *restrict b, const int ldb, const ACCUMULATE beta, __global REAL *restrict c, const int ldc
#if SPLIT > 1
       ,
       __global ACCUMULATE *restrict partial /* SPLIT matrices of m x n */
#endif
)
{
	/* The group's own tile begins at (first_row, first_column); it works on the one moved inside. */
	const uint2 tile = tile_of_group();
	const uint first_row = tile.x * MWG, first_column = tile.y * NWG;
	const uint tile_row = m < MWG ? 0 : min(first_row, (uint)m - MWG);
	const uint tile_column = n < NWG ? 0 : min(first_column, (uint)n - NWG);
	/* and adds up steps first ... last - 1 of k */
#if SPLIT == 1
	const uint first = 0, last = k;
#else
	const uint depth = ((uint)k + SPLIT * KWG - 1) / (SPLIT * KWG) * KWG;
	const uint first = get_group_id(2) * depth, last = min((uint)k, first + depth);
#endif

	VECTOR sums[ROWS][VECTORS];
#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
#pragma unroll
		for (uint v = 0; v < VECTORS; v++)
			sums[r][v] = 0;
	}

#if STAGE_A
	__local ACCUMULATE a_tile[BUFFERS * KWG * A_PITCH] __attribute__((aligned(64)));
	CHUNK a_chunks[A_CHUNKS];
	const bool a_aligned = IS_ALIGNED(a + AT_A(tile_row, first), lda, VWL);
#define FETCH_A(start)                                                                                                 \
	fetch_a(a_chunks, a + AT_A(tile_row, start), lda,                                              \
	      (start) + KWG > last || m < MWG ? EDGE                                                                   \
	      : a_aligned                     ? ALIGNED                                                                \
					      : WHOLE,                                                                 \
	      TRANS_A ? last - (start) : m - tile_row, TRANS_A ? m - tile_row : last - (start))
#define PUT_A() put_a(a_tile + buffer * KWG * A_PITCH, a_chunks)
#define A_FROM  (a_tile + buffer * KWG * A_PITCH)
#else
	__global const REAL *a_rows[ROWS];
#pragma unroll
	for (uint r = 0; r < ROWS; r++)
		a_rows[r] = a + AT_A(min(tile_row + ROW_OF(r / VWM) + r % VWM, (uint)m - 1), 0);
#define FETCH_A(start)
#define PUT_A()
#define A_FROM a_rows
#endif
#if STAGE_B
	__local ACCUMULATE b_tile[BUFFERS * KWG * B_PITCH] __attribute__((aligned(64)));
	CHUNK b_chunks[B_CHUNKS];
	const bool b_aligned = IS_ALIGNED(b + AT_B(first, tile_column), ldb, VWL);
#define FETCH_B(start)                                                                                                 \
	fetch_b(b_chunks, b + AT_B(start, tile_column), ldb,                                           \
	      (start) + KWG > last || n < NWG ? EDGE                                                                   \
	      : b_aligned                     ? ALIGNED                                                                \
					      : WHOLE,                                                                 \
	      TRANS_B ? n - tile_column : last - (start), TRANS_B ? last - (start) : n - tile_column)
#define PUT_B() put_b(b_tile + buffer * KWG * B_PITCH, b_chunks)
#define B_FROM  (b_tile + buffer * KWG * B_PITCH)
#else
#define FETCH_B(start)
#define PUT_B()
#define B_FROM b
#endif

#if STAGED
	uint buffer = 0;
#if PREFETCH
	if (first < last) {
		FETCH_A(first);
		FETCH_B(first);
	}
#endif
#endif
	for (uint start = first; start < last; start += KWG) {
#if STAGED
#if !PREFETCH
		FETCH_A(start);
		FETCH_B(start);
#endif
		PUT_A();
		PUT_B();
		barrier(CLK_LOCAL_MEM_FENCE);
#if PREFETCH
		if (start + KWG < last) {
			FETCH_A(start + KWG);
			FETCH_B(start + KWG);
		}
#endif
#endif
		/* A constant length in all blocks; in the last one too, where zeros fill up both tiles. */
		if ((STAGE_A && STAGE_B) || start + KWG <= last)
			multiply(sums, A_FROM, lda, B_FROM, ldb, start, KWG, UNROLL, tile_column, n, n >= NWG);
		else
			multiply(sums, A_FROM, lda, B_FROM, ldb, start, last - start, 1, tile_column, n, n >= NWG);
#if STAGED && BUFFERS == 1
		barrier(CLK_LOCAL_MEM_FENCE);
#elif STAGED
		buffer ^= 1; /* who is ahead writes to the other one, and waits at the next barrier */
#endif
	}

#if SPLIT == 1
	__global RESULT *const result = c;
	const uint ld = ldc;
#else
	__global RESULT *const result = partial + (size_t)get_group_id(2) * m * n;
	const uint ld = n;
#endif
	const bool aligned = IS_ALIGNED(result + tile_column, ld, VWN);
#pragma unroll
	for (uint r = 0; r < ROWS; r++) {
		const uint i = tile_row + ROW_OF(r / VWM) + r % VWM;
		if (i < first_row || i >= m)
			continue;
#pragma unroll
		for (uint v = 0; v < VECTORS; v++) {
			const uint j = tile_column + COLUMN_OF(v);
			store(sums[r][v], result + (size_t)i * ld + j, j, first_column, n, alpha, beta, aligned);
		}
	}
}

#if SPLIT > 1
/* C = alpha (the sum of the partial ones) + beta C. Dimension 0: columns; rows are shared out. */
#if HALF
#define STORE_C(value, to) vstore_half(value, 0, to)
#elif BFLOAT16
#define STORE_C(value, to) (*(to) = narrow1(value))
#else
#define STORE_C(value, to) (*(to) = (value))
#endif
__kernel void reduce(const int m, const int n, const ACCUMULATE alpha, const ACCUMULATE beta, __global REAL *restrict c,
		     const int ldc, __global const ACCUMULATE *restrict partial)
{
	const uint j = get_global_id(0);
	if (j >= n)
		return;
	for (uint i = get_global_id(1); i < m; i += get_global_size(1)) {
		__global REAL *to = c + (size_t)i * ldc + j;
		ACCUMULATE sum = 0;
#pragma unroll
		for (uint s = 0; s < SPLIT; s++)
			sum += partial[((size_t)s * m + i) * n + j];
		sum *= alpha;
		STORE_C(beta == 0 ? sum : sum + beta * LOAD(1, to), to);
	}
}
#endif
