/* panel.cl: packed panels and a wide-vector micro-kernel, for CPU devices.
 *
 * After Goto and van de Geijn, "Anatomy of high-performance matrix
 * multiplication", ACM TOMS 34(3), 2008. op(B) is packed once, by the step
 * pack_b, into slivers of NR columns: packed_b[sliver][p][NR]. A work-item
 * (work-group size 1, no barrier: PoCL then keeps the accumulators in
 * registers) owns MC x NC elements of C; for each KC of k it packs its own
 * block of op(A) into slivers of MR rows and runs the micro-kernel over
 * them: MR x NR elements of C held as MR * NV vectors.
 *
 * With PACK_B 0 there is no first step: B is read where it lies, and only
 * slivers that cross the edge, or a transposed B, are packed by the work-item.
 *
 * The blocks are balanced: a block is never larger than MC, KC, NC and all are
 * of like size, so that the last work-item is not the one everybody waits for. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define NR (NV * VW)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(REAL, VW)
#define LOAD JOIN(vload, VW)
#define STORE JOIN(vstore, VW)
#define DIVIDE_UP(a, b) (((a) + (b)-1) / (b))

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

/* Packs rows p0 ... p0 + count of the sliver of op(B) that begins at column j0; columns past n are zeros. */
#define PACK_SLIVER(out, p0, count, j0)                                                                                \
	do {                                                                                                           \
		int columns_ = min(NR, n - (j0));                                                                      \
		if (columns_ == NR && !TRANS_B) {                                                                      \
			for (int p_ = 0; p_ < (count); p_++) {                                                         \
				_Pragma("unroll") for (int v_ = 0; v_ < NV; v_++)                                      \
					STORE(LOAD(v_, &B_AT((p0) + p_, j0)), v_, (out) + (size_t)p_ * NR);            \
			}                                                                                              \
		} else {                                                                                               \
			/* 16 rows at a time: a transposed B is read along its rows, written in cache */               \
			for (int q_ = 0; q_ < (count); q_ += 16)                                                       \
				for (int j_ = 0; j_ < NR; j_++)                                                        \
					for (int p_ = q_; p_ < min(q_ + 16, (count)); p_++)                            \
						(out)[(size_t)p_ * NR + j_] =                                          \
							j_ < columns_ ? B_AT((p0) + p_, (j0) + j_) : (REAL)0;          \
		}                                                                                                      \
	} while (0)

__kernel void pack_b(int n, int k, __global const REAL *b, int ldb, __global REAL *packed_b)
{
	int sliver = get_global_id(0), rows = DIVIDE_UP(k, (int)get_num_groups(1));
	int first = rows * (int)get_global_id(1), count = min(rows, k - first);
	__global REAL *out = packed_b + ((size_t)sliver * k + first) * NR;
	if (count > 0)
		PACK_SLIVER(out, first, count, sliver * NR);
}

/* Packs rows i0 ... i0 + rows and columns p0 ... p0 + count of op(A): out[sliver][p][MR], zeros past the rows. */
inline void pack_a(REAL *out, __global const REAL *a, int lda, int i0, int rows, int p0, int count)
{
	for (int i = 0; i < rows; i += MR, out += (size_t)MR * count) {
		int p = 0;
		if (i + MR <= rows) {
			for (; p + 4 <= count; p += 4) {
#pragma unroll
				for (int x = 0; x < MR; x++) {
#pragma unroll
					for (int q = 0; q < 4; q++)
						out[(p + q) * MR + x] = A_AT(i0 + i + x, p0 + p + q);
				}
			}
		}
		for (; p < count; p++)
			for (int x = 0; x < MR; x++)
				out[p * MR + x] = i + x < rows ? A_AT(i0 + i + x, p0 + p) : (REAL)0;
	}
}

/* tile = sliver of A (count x MR) times sliver of B (count rows, bs apart). */
#define MICRO_KERNEL(tile, as, bs, bs_stride, count)                                                                   \
	do {                                                                                                           \
		_Pragma("unroll") for (int x_ = 0; x_ < MR; x_++)                                                      \
			_Pragma("unroll") for (int v_ = 0; v_ < NV; v_++) tile[x_][v_] = 0;                            \
		for (int p_ = 0; p_ < (count); p_++) {                                                                 \
			VECTOR row_[NV];                                                                               \
			_Pragma("unroll") for (int v_ = 0; v_ < NV; v_++) row_[v_] = LOAD(v_, bs);                     \
			_Pragma("unroll") for (int x_ = 0; x_ < MR; x_++)                                              \
			{                                                                                              \
				VECTOR column_ = (VECTOR)((as)[x_]);                                                   \
				_Pragma("unroll") for (int v_ = 0; v_ < NV; v_++)                                      \
					tile[x_][v_] = fma(column_, row_[v_], tile[x_][v_]);                           \
			}                                                                                              \
			as += MR;                                                                                      \
			bs += bs_stride;                                                                               \
		}                                                                                                      \
	} while (0)

/* C = alpha tile + factor C, for a whole tile. factor 0: C is not read. */
inline void store_tile(__global REAL *c, int ldc, VECTOR tile[MR][NV], REAL alpha, REAL factor)
{
#pragma unroll
	for (int x = 0; x < MR; x++) {
		__global REAL *row = c + (size_t)x * ldc;
#pragma unroll
		for (int v = 0; v < NV; v++) {
			VECTOR value = alpha * tile[x][v];
			if (factor != 0)
				value = fma((VECTOR)factor, LOAD(v, row), value);
			STORE(value, v, row);
		}
	}
}

/* The same for the first rows x columns of a tile that crosses the edge. */
inline void store_edge(__global REAL *c, int ldc, VECTOR tile[MR][NV], int2 size, REAL alpha, REAL factor)
{
	REAL values[MR * NR];
#pragma unroll
	for (int x = 0; x < MR; x++) {
#pragma unroll
		for (int v = 0; v < NV; v++)
			STORE(tile[x][v], v, values + x * NR);
	}
	for (int x = 0; x < size.x; x++)
		for (int y = 0; y < size.y; y++) {
			size_t at = (size_t)x * ldc + y;
			REAL value = alpha * values[x * NR + y];
			c[at] = factor != 0 ? fma(factor, c[at], value) : value;
		}
}

__kernel void matmul(int m, int n, int k, REAL alpha, __global const REAL *a, int lda, __global const REAL *b, int ldb,
		     REAL beta, __global REAL *c, int ldc
#if PACK_B
		     ,
		     __global const REAL *packed_b
#endif
)
{
	REAL block_a[MC * KC] __attribute__((aligned(64)));
#if !PACK_B
	REAL sliver_b[KC * NR] __attribute__((aligned(64)));
#endif
	int block_rows = DIVIDE_UP(DIVIDE_UP(m, (int)get_num_groups(0)), MR) * MR;
	int block_columns = DIVIDE_UP(DIVIDE_UP(n, (int)get_num_groups(1)), NR) * NR;
	int i0 = block_rows * (int)get_group_id(0), i1 = min(i0 + block_rows, m);
	int j0 = block_columns * (int)get_group_id(1), j1 = min(j0 + block_columns, n);
	if (i0 >= i1 || j0 >= j1)
		return;
	int depth = DIVIDE_UP(k, DIVIDE_UP(k, KC));
	for (int p0 = 0; p0 < k; p0 += depth) {
		int count = min(depth, k - p0);
		REAL factor = p0 == 0 ? beta : (REAL)1;
		pack_a(block_a, a, lda, i0, i1 - i0, p0, count);
		for (int j = j0; j < j1; j += NR) {
#if !PACK_B
			bool direct = !TRANS_B && j + NR <= n;
			if (!direct)
				PACK_SLIVER(sliver_b, p0, count, j);
#endif
			for (int i = i0; i < i1; i += MR) {
				VECTOR tile[MR][NV];
				const REAL *as = block_a + (size_t)(i - i0) * count;
#if PACK_B
				__global const REAL *bs = packed_b + (size_t)(j / NR) * NR * k + (size_t)p0 * NR;
				MICRO_KERNEL(tile, as, bs, NR, count);
#else
				if (direct) {
					__global const REAL *bs = b + (size_t)p0 * ldb + j;
					MICRO_KERNEL(tile, as, bs, ldb, count);
				} else {
					const REAL *bs = sliver_b;
					MICRO_KERNEL(tile, as, bs, NR, count);
				}
#endif
				__global REAL *corner = c + (size_t)i * ldc + j;
				int2 size = (int2)(min(MR, i1 - i), min(NR, j1 - j));
				if (size.x == MR && size.y == NR)
					store_tile(corner, ldc, tile, alpha, factor);
				else
					store_edge(corner, ldc, tile, size, alpha, factor);
			}
		}
	}
}
