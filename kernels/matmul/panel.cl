/* panel: packed panels and a wide-vector micro-kernel, for CPU devices.
 *
 * After Goto and van de Geijn, "Anatomy of high-performance matrix
 * multiplication", ACM TOMS 34(3), 2008. A work-item (work-group size 1, no
 * barrier: PoCL then keeps the accumulators in registers) owns MC x NC
 * elements of C. For each KC of k it packs its block of op(A) into slivers of
 * MR rows, and runs the micro-kernel over them and over slivers of op(B) of NR
 * columns: MR x NR elements of C held as MR * NV vectors.
 *
 * Who packs B: with PACK_B 1 the first step, pack_b, once for all:
 * packed_b[sliver][p][NR]. With PACK_B 0 each work-item for itself: the
 * micro-kernel that is the first to read a sliver stores what it has loaded,
 * which hides the packing behind the arithmetic; only a sliver that crosses
 * the edge, or a transposed B, is packed in a loop of its own.
 *
 * Blocks are balanced: none is larger than MC, KC, NC, their sizes differ by a
 * sliver at most, and their number is a multiple of the compute units where
 * that makes none larger, so that nobody waits for the last work-item.
 *
 * Functions are inlined by force: a tile whose address is passed to a call
 * would live in memory. */
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
#define NR (NV * VW)
#define UNROLL 4 /* steps of k in straight code: 2 to 4 % more than one on Zen 3, at every order; 8 is no better */
#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#define VECTOR JOIN(REAL, VW)
#define LOAD JOIN(vload, VW)
#define STORE(SPACE, value, v, to) (*(SPACE UNALIGNED *)((to) + (v)*VW) = (value))
typedef VECTOR UNALIGNED __attribute__((aligned(sizeof(REAL)))); /* PoCL cuts what vstore stores into four */
#define DIVIDE_UP(x, y) (((x) + (y)-1) / (y))

/* The element (row, column) of op(X), X with row stride ldx. */
#if TRANS_A
#define A_AT(row, column) a[(size_t)(column)*lda + (row)]
#else
#define A_AT(row, column) a[(size_t)(row)*lda + (column)]
#endif
#if TRANS_B
#define B_AT(row, column) b[(size_t)(column)*ldb + (row)]
#else
#define B_AT(row, column) b[(size_t)(row)*ldb + (column)]
#endif

/* pack_NAME(to, b, ldb, p0, count, j0, columns): rows p0 ... p0 + count of the sliver of op(B) that begins at column
 * j0 and has this many columns; zeros after them. */
#define DEFINE_PACK(name, SPACE)                                                                                       \
	INLINE void name(SPACE REAL *to, __global const REAL *b, int ldb, int p0, int count, int j0, int columns)      \
	{                                                                                                              \
		if (columns == NR && !TRANS_B) {                                                                       \
			for (int p = 0; p < count; p++, to += NR) {                                                    \
				_Pragma("unroll") for (int v = 0; v < NV; v++)                                         \
					STORE(SPACE, LOAD(v, &B_AT(p0 + p, j0)), v, to);                               \
			}                                                                                              \
			return;                                                                                        \
		}                                                                                                      \
		/* 16 rows at a time: a transposed B is read along its rows, and written in cache */                   \
		for (int p1 = 0; p1 < count; p1 += 16)                                                                 \
			for (int j = 0; j < NR; j++)                                                                   \
				for (int p = p1; p < min(p1 + 16, count); p++)                                         \
					to[(size_t)p * NR + j] = j < columns ? B_AT(p0 + p, j0 + j) : (REAL)0;         \
	}
#if PACK_B
DEFINE_PACK(pack_global, __global)
#else
DEFINE_PACK(pack_private, )
#endif

/* Asks for a cache line, and for a row of NR elements. PoCL's prefetch does nothing, but its compiler knows how, and
 * there pointers of all address spaces are the same. */
#ifdef POCL_DEVICE_ADDRESS_BITS
#define FETCH_LINE(at, writes) __builtin_prefetch((const void *)(size_t)(at), writes, 3)
#else
#define FETCH_LINE(at, writes) (void)(at)
#endif
#define IN_LINE (64 / (int)sizeof(REAL))
#define FETCH_ROW(row, writes)                                                                                         \
	for (int y = 0; y < NR; y += IN_LINE)                                                                          \
	FETCH_LINE((row) + y, writes)

/* Packs rows i0 ... i0 + rows and columns p0 ... p0 + count of op(A): to[sliver][p][MR], zeros past the rows;
 * meanwhile asks for the rows of the next sliver. */
INLINE void pack_a(REAL *to, __global const REAL *a, size_t lda, int i0, int rows, int p0, int count)
{
	const size_t down = TRANS_A ? 1 : lda, along = TRANS_A ? lda : 1;
	for (int i = 0; i < rows; i += MR) {
		__global const REAL *from = &A_AT(i0 + i, p0);
		int p = 0, there = min(MR, rows - i);
		for (; p + 4 <= count && there == MR; p += 4, from += 4 * along, to += 4 * MR) {
#if !TRANS_A
			for (int x = 0; x < MR && p % IN_LINE == 0; x++)
				FETCH_LINE(from + (x + MR) * down, 0);
#endif
#pragma unroll
			for (int x = 0; x < MR; x++) {
#pragma unroll
				for (int q = 0; q < 4; q++)
					to[q * MR + x] = from[x * down + q * along];
			}
		}
		for (; p < count; p++, from += along, to += MR)
			for (int x = 0; x < MR; x++)
				to[x] = x < there ? from[x * down] : (REAL)0;
	}
}

#if FETCH /* the row of B that comes FETCH steps later */
#define FETCH_LATER(bs, step) _Pragma("unroll") FETCH_ROW((bs) + (size_t)FETCH * (step), 0)
#else
#define FETCH_LATER(bs, step) (void)(step)
#endif

/* NAME(tile, as, bs, step, count, kept): tile = a sliver of A (count x MR) times a sliver of B, whose count rows are
 * step elements apart. AND is done with each row of B. */
#define DEFINE_MICRO_KERNEL(name, SPACE, AND)                                                                          \
	INLINE void name##_row(VECTOR tile[MR][NV], const REAL *as, SPACE const REAL *bs, int step, REAL *kept)        \
	{                                                                                                              \
		VECTOR row[NV];                                                                                        \
		FETCH_LATER(bs, step);                                                                                 \
		_Pragma("unroll") for (int v = 0; v < NV; v++)                                                         \
		{                                                                                                      \
			row[v] = LOAD(v, bs);                                                                          \
			AND;                                                                                           \
		}                                                                                                      \
		_Pragma("unroll") for (int x = 0; x < MR; x++)                                                         \
			_Pragma("unroll") for (int v = 0; v < NV; v++)                                                 \
				tile[x][v] = fma((VECTOR)as[x], row[v], tile[x][v]);                                   \
	}                                                                                                              \
	INLINE void name(VECTOR tile[MR][NV], const REAL *as, SPACE const REAL *bs, int step, int count, REAL *kept)   \
	{                                                                                                              \
		int p = 0;                                                                                             \
		_Pragma("unroll") for (int x = 0; x < MR; x++)                                                         \
			_Pragma("unroll") for (int v = 0; v < NV; v++) tile[x][v] = 0;                                 \
		for (; p + UNROLL <= count; p += UNROLL)                                                               \
			_Pragma("unroll") for (int q = p; q < p + UNROLL; q++, as += MR, bs += step)                   \
				name##_row(tile, as, bs, step, kept + q * NR);                                         \
		for (; p < count; p++, as += MR, bs += step)                                                           \
			name##_row(tile, as, bs, step, kept + p * NR);                                                 \
	}
#if PACK_B
DEFINE_MICRO_KERNEL(multiply_packed, __global, (void)kept)
#else
DEFINE_MICRO_KERNEL(multiply_private, , (void)kept)
DEFINE_MICRO_KERNEL(multiply_keeping, __global, STORE(, row[v], v, kept))
#endif

/* C = alpha tile + factor C, for a whole tile. factor 0: C is not read. */
INLINE void store_tile(__global REAL *c, int ldc, VECTOR tile[MR][NV], REAL alpha, REAL factor)
{
	if (factor == 0) {
#pragma unroll
		for (int e = 0; e < MR * NV; e++)
			STORE(__global, alpha * tile[e / NV][e % NV], e % NV, c + (size_t)(e / NV) * ldc);
		return;
	}
#pragma unroll
	for (int e = 0; e < MR * NV; e++) {
		__global REAL *row = c + (size_t)(e / NV) * ldc;
		VECTOR value = fma((VECTOR)factor, LOAD(e % NV, row), alpha * tile[e / NV][e % NV]);
		STORE(__global, value, e % NV, row);
	}
}

/* The same for the first rows x columns of a tile that crosses the edge. */
INLINE void store_edge(__global REAL *c, int ldc, VECTOR tile[MR][NV], int2 size, REAL alpha, REAL factor)
{
	REAL values[MR * NR];
#pragma unroll
	for (int x = 0; x < MR; x++) {
#pragma unroll
		for (int v = 0; v < NV; v++)
			STORE(, tile[x][v], v, values + x * NR);
	}
	for (int x = 0; x < size.x; x++)
		for (int y = 0; y < size.y; y++) {
			size_t at = (size_t)x * ldc + y;
			REAL value = alpha * values[x * NR + y];
			c[at] = factor != 0 ? fma(factor, c[at], value) : value;
		}
}

#if PACK_B
__kernel void pack_b(int n, int k, __global const REAL *b, int ldb, __global REAL *packed_b)
{
	int sliver = get_global_id(0), rows = DIVIDE_UP(k, (int)get_num_groups(1));
	int first = rows * (int)get_global_id(1), count = min(rows, k - first);
	__global REAL *to = packed_b + ((size_t)sliver * k + first) * NR;
	pack_global(to, b, ldb, first, max(count, 0), sliver * NR, min(NR, n - sliver * NR));
}
#endif

/* Where the share of group `index` of `count` begins, of `size` rows or columns in slivers of `width`. */
INLINE int begin_of(size_t index, size_t count, int size, int width)
{
	return min((int)(DIVIDE_UP((size_t)size, width) * index / count) * width, size);
}

__kernel void matmul(int m, int n, int k, REAL alpha, __global const REAL *a, int lda, __global const REAL *b, int ldb,
		     REAL beta, __global REAL *c, int ldc
#if PACK_B
		     ,
		     __global const REAL *packed_b
#endif
)
{
	REAL block_a[DIVIDE_UP(MC, MR) * MR * KC] __attribute__((aligned(64)));
#if !PACK_B
	REAL sliver_b[KC * NR] __attribute__((aligned(64)));
#endif
	int i0 = begin_of(get_group_id(0), get_num_groups(0), m, MR);
	int i1 = begin_of(get_group_id(0) + 1, get_num_groups(0), m, MR);
	int j0 = begin_of(get_group_id(1), get_num_groups(1), n, NR);
	int j1 = begin_of(get_group_id(1) + 1, get_num_groups(1), n, NR);
	if (i0 == i1 || j0 == j1)
		return;
	int depth = DIVIDE_UP(k, DIVIDE_UP(k, KC));
	for (int p0 = 0; p0 < k; p0 += depth) {
		int count = min(depth, k - p0);
		REAL factor = p0 == 0 ? beta : (REAL)1;
		pack_a(block_a, a, lda, i0, i1 - i0, p0, count);
		for (int j = j0; j < j1; j += NR) {
			int columns = min(NR, j1 - j);
#if !PACK_B
			bool keep = !TRANS_B && columns == NR;
			if (!keep)
				pack_private(sliver_b, b, ldb, p0, count, j, columns);
#endif
			for (int i = i0; i < i1; i += MR) {
				VECTOR tile[MR][NV];
				const REAL *as = block_a + (size_t)(i - i0) * count;
				__global REAL *corner = c + (size_t)i * ldc + j;
				int rows = min(MR, i1 - i);
				for (int x = 0; x < rows && factor != 0; x++) /* the micro-kernel gives them time to come */
					FETCH_ROW(corner + (size_t)x * ldc, 1);
#if PACK_B
				multiply_packed(tile, as, packed_b + ((size_t)(j / NR) * k + p0) * NR, NR, count, 0);
#else
				if (keep && i == i0)
					multiply_keeping(tile, as, &B_AT(p0, j), ldb, count, sliver_b);
				else
					multiply_private(tile, as, sliver_b, NR, count, 0);
#endif
				if (rows == MR && columns == NR)
					store_tile(corner, ldc, tile, alpha, factor);
				else
					store_edge(corner, ldc, tile, (int2)(rows, columns), alpha, factor);
			}
		}
	}
}
