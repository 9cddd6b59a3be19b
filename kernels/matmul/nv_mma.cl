/* nv_mma: NVIDIA's tensor cores by inline PTX (mma.sync), fed by asynchronous copies: the source of nv_f64, nv_tf32
 * and nv_tf32x3.
 *
 * With MMA_K the elements are double: m8n8k4, or m16n8k8 and m16n8k16 where there are (compute capability 9.0). Sums are
 * fused multiply-adds, rounded as IEEE 754 says (PTX ISA, mma, .f64): nothing is lost against an ordinary kernel.
 *
 * With PRODUCTS they are float, multiplied as TF32. PRODUCTS 1 computes at TF32 accuracy. PRODUCTS 3 is as accurate as a
 * dot product in float, after Ootomo and Yokota, "Recovering single precision accuracy from tensor cores while
 * surpassing the FP32 theoretical peak performance", IJHPCA 36(4), 2022: an operand is split into two TF32 numbers,
 * x = high + low, both rounded to nearest; the products low high, high low and high high are summed in this order; and
 * since tensor cores truncate their sums, each BK of k is summed there from zero and then added to the accumulators in
 * float, rounded to nearest.
 *
 * A work-group of warps (of 32 work-items) computes BM x BN of C, a warp WM x WN as MT x NT tiles. Operands lie in
 * local memory as in global memory, rows along whatever is contiguous, padded so that the fragments' loads meet every
 * bank once. What lies past an edge is filled with zeros by the copies. Groups are walked GROUP rows at a time, for the
 * L2 cache.
 *
 * With SPLIT above 1, for a C of few tiles, k is shared out to as many work-groups (dimension 1): each leaves a partial
 * sum, and a second launch, reduce, adds them. */
#ifdef MMA_K
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define IS_DOUBLE 1
#define PRODUCTS  1
#define TILE_M    (MMA_K == 4 ? 8 : 16)
#define PAD       4 /* elements, where rows run along m or n */
#else
#define IS_DOUBLE 0
#define MMA_K     8
#define TILE_M    16
#define PAD       8
#endif
#define INLINE   static inline __attribute__((always_inline))
#define WARPS_N  (BN / WN)
#define ITEMS    (BM / WM * WARPS_N * 32)
#define MT       (WM / TILE_M)
#define NT       (WN / 8)
#define A_EACH   (TILE_M / 8 * MMA_K / 4) /* elements of a fragment that a lane holds */
#define B_EACH   (MMA_K / 4)
#define C_EACH   (TILE_M / 4)
#define BYTES    ((int)sizeof(REAL))
#define IN_CHUNK (16 / BYTES) /* elements that one asynchronous copy takes */

/* Where op(A)(i, p) and op(B)(p, j) are in a stage. */
#if TRANS_A
#define A_ROWS     BK
#define A_COLUMNS  BM
#define A_STRIDE   (BM + PAD)
#define A_AT(i, p) ((p)*A_STRIDE + (i))
#else
#define A_ROWS     BM
#define A_COLUMNS  BK
#define A_STRIDE   (BK + 4)
#define A_AT(i, p) ((i)*A_STRIDE + (p))
#endif
#if TRANS_B
#define B_ROWS     BN
#define B_COLUMNS  BK
#define B_STRIDE   (BK + 4)
#define B_AT(p, j) ((j)*B_STRIDE + (p))
#else
#define B_ROWS     BK
#define B_COLUMNS  BN
#define B_STRIDE   (BN + PAD)
#define B_AT(p, j) ((p)*B_STRIDE + (j))
#endif

/* Copies a ROWS x COLUMNS tile at (row, column) of a matrix of rows x columns into local memory, asynchronously. */
#define DEFINE_FETCH(name, ROWS, COLUMNS, STRIDE)                                                                      \
	INLINE void name(uint to, __global const REAL *from, int ld, int row, int column, int rows, int columns,       \
			 bool aligned)                                                                                 \
	{                                                                                                              \
		const uint item = get_local_id(0);                                                                     \
		if (aligned) {                                                                                         \
			_Pragma("unroll") for (uint e = item; e < ROWS * COLUMNS / IN_CHUNK; e += ITEMS)               \
			{                                                                                              \
				const int r = e / (COLUMNS / IN_CHUNK), q = e % (COLUMNS / IN_CHUNK) * IN_CHUNK;       \
				const int there = row + r < rows ? clamp(columns - column - q, 0, IN_CHUNK) : 0;       \
				__global const REAL *source =                                                          \
					there > 0 ? from + (size_t)(row + r) * ld + column + q : from;                 \
				asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(                    \
						     to + BYTES * (r * STRIDE + q)),                                   \
					     "l"(source), "r"(there * BYTES));                                         \
			}                                                                                              \
		} else {                                                                                               \
			_Pragma("unroll 4") for (uint e = item; e < ROWS * COLUMNS; e += ITEMS)                        \
			{                                                                                              \
				const int r = e / COLUMNS, q = e % COLUMNS;                                            \
				const bool there = row + r < rows && column + q < columns;                             \
				__global const REAL *source =                                                          \
					there ? from + (size_t)(row + r) * ld + column + q : from;                     \
				asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(                    \
						     to + BYTES * (r * STRIDE + q)),                                   \
					     "l"(source), "n"(BYTES), "r"(there ? BYTES : 0));                         \
			}                                                                                              \
		}                                                                                                      \
	}
DEFINE_FETCH(fetch_a, A_ROWS, A_COLUMNS, A_STRIDE)
DEFINE_FETCH(fetch_b, B_ROWS, B_COLUMNS, B_STRIDE)

#if IS_DOUBLE
INLINE void multiply(double *c, const double *a, const double *b)
{
#if MMA_K == 4
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
		     : "+d"(c[0]), "+d"(c[1])
		     : "d"(a[0]), "d"(b[0]));
#elif MMA_K == 8
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
		     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
		     "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
		     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
		     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
		       "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#endif
}
#else
INLINE void multiply(float *c, const uint *a, const uint *b)
{
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* value = high + low, both TF32, both rounded to nearest (ties away from zero). The tensor cores drop the last 13
 * bits, so that adding half of their range rounds; high is cut as well, for the difference. Integers are faster here
 * than cvt.rna.tf32.f32. One product takes the value as it is. */
INLINE void split(float value, uint *high, uint *low)
{
#if PRODUCTS == 3
	*high = as_uint(value) + 0x1000 & 0xffffe000;
	*low = as_uint(value - as_float(*high)) + 0x1000;
#else
	*high = as_uint(value);
	*low = 0;
#endif
}

/* Four 8 x 8 matrices of 16 bits, taken as 8 x 4 of 32 bits: lane 8 i + r points at row r of matrix i, and gets
 * element (lane / 4, lane % 4) of each. */
INLINE void load_matrices(float *first, float *second, __local const REAL *row)
{
	uint r0, r1, r2, r3;
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
		     : "r"((uint)(size_t)row));
	first[0] = as_float(r0);
	first[1] = as_float(r1);
	second[0] = as_float(r2);
	second[1] = as_float(r3);
}
#endif

/* A lane's elements of the fragments of one step along k, as staged. */
struct fragments {
	REAL a[MT][A_EACH], b[NT][B_EACH];
};

/* x and y: the warp's corner; g and t: the lane's row and column in a fragment. Where a fragment of 32-bit elements has
 * its rows along k, ldmatrix fetches what four loads would. */
INLINE void load_fragments(struct fragments *to, __local const REAL *as, __local const REAL *bs, uint x, uint y, uint p)
{
	const uint lane = get_local_id(0) % 32, g = lane / 4, t = lane % 4;
#pragma unroll
	for (uint i = 0; i < MT; i++) {
#if TRANS_A || IS_DOUBLE
#pragma unroll
		for (uint e = 0; e < A_EACH; e++) /* of m16: rows g and g + 8 in turn */
			to->a[i][e] =
				as[A_AT(y + TILE_M * i + g + e % (TILE_M / 8) * 8, p + t + e / (TILE_M / 8) * 4)];
#else
		load_matrices(to->a[i], to->a[i] + 2, as + A_AT(y + 16 * i + lane % 16, p + lane / 16 * 4));
#endif
	}
#if TRANS_B && !IS_DOUBLE
#pragma unroll
	for (uint j = 0; j < NT; j += 2)
		load_matrices(to->b[j], to->b[j + 1],
			      bs + B_AT(p + lane / 8 % 2 * 4, x + 8 * (j + lane / 16) + lane % 8));
#else
#pragma unroll
	for (uint j = 0; j < NT; j++) {
#pragma unroll
		for (uint e = 0; e < B_EACH; e++)
			to->b[j][e] = bs[B_AT(p + t + 4 * e, x + 8 * j + g)];
	}
#endif
}

#if IS_DOUBLE
INLINE void multiply_fragments(double sums[MT][NT][C_EACH], const struct fragments *from)
{
#pragma unroll
	for (uint i = 0; i < MT; i++)
#pragma unroll
		for (uint j = 0; j < NT; j++)
			multiply(sums[i][j], from->a[i], from->b[j]);
}
#else
/* sums += one step of 8 along k, SPAN rows of tiles at a time: a longer span leaves more time between two sums into the
 * same tile, a shorter one more of the next span's splitting to hide behind the tensor cores. */
INLINE void multiply_fragments(float sums[MT][NT][4], const struct fragments *from)
{
	uint high[NT][2], low[NT][2];
#pragma unroll
	for (uint j = 0; j < NT; j++)
#pragma unroll
		for (uint e = 0; e < 2; e++)
			split(from->b[j][e], &high[j][e], &low[j][e]);
#pragma unroll
	for (uint i = 0; i < MT; i += SPAN) {
		uint a_high[SPAN][4], a_low[SPAN][4];
#pragma unroll
		for (uint r = 0; r < SPAN; r++)
#pragma unroll
			for (uint e = 0; e < 4; e++)
				split(from->a[i + r][e], &a_high[r][e], &a_low[r][e]);
#if PRODUCTS == 3
#pragma unroll
		for (uint r = 0; r < SPAN; r++)
#pragma unroll
			for (uint j = 0; j < NT; j++)
				multiply(sums[i + r][j], a_low[r], high[j]);
#pragma unroll
		for (uint r = 0; r < SPAN; r++)
#pragma unroll
			for (uint j = 0; j < NT; j++)
				multiply(sums[i + r][j], a_high[r], low[j]);
#endif
#pragma unroll
		for (uint r = 0; r < SPAN; r++)
#pragma unroll
			for (uint j = 0; j < NT; j++)
				multiply(sums[i + r][j], a_high[r], high[j]);
	}
}
#endif

INLINE void store(__global REAL *c, REAL value, REAL alpha, REAL beta)
{
	value *= alpha;
	*c = beta != 0 ? fma(beta, *c, value) : value;
}

#if SPLIT > 1
/* C = alpha (the sum of the partial ones) + beta C. Dimension 0: columns; rows are shared out. */
__kernel void reduce(const int m, const int n, const REAL alpha, const REAL beta, __global REAL *restrict c,
		     const int ldc, __global const REAL *restrict partial)
{
	const int j = get_global_id(0);

	if (j >= n)
		return;
	for (int i = get_global_id(1); i < m; i += get_global_size(1)) {
		REAL sum = 0;
#pragma unroll
		for (int s = 0; s < SPLIT; s++)
			sum += partial[((size_t)s * m + i) * n + j];
		store(c + (size_t)i * ldc + j, sum, alpha, beta);
	}
}
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(const int m, const int n, const int k, const REAL alpha, __global const REAL *restrict a, const int lda,
       __global const REAL *restrict b, const int ldb, const REAL beta, __global REAL *restrict c, const int ldc
#if SPLIT > 1
       ,
       __global REAL *restrict partial /* SPLIT matrices of m x n */
#endif
)
{
	__local REAL a_stages[STAGES][A_ROWS * A_STRIDE] __attribute__((aligned(128)));
	__local REAL b_stages[STAGES][B_ROWS * B_STRIDE] __attribute__((aligned(128)));
	const uint groups_m = (m + BM - 1) / BM, groups_n = (n + BN - 1) / BN;
	const uint band = get_group_id(0) / (GROUP * groups_n), in_band = get_group_id(0) % (GROUP * groups_n);
	const uint height = min(groups_m - band * GROUP, (uint)GROUP);
	const int row = (band * GROUP + in_band % height) * BM, column = in_band / height * BN;
	const uint lane = get_local_id(0) % 32, warp = get_local_id(0) / 32;
	const uint g = lane / 4, t = lane % 4, x = warp % WARPS_N * WN, y = warp / WARPS_N * WM;
	const bool a_aligned = lda % IN_CHUNK == 0 && (size_t)a % 16 == 0;
	const bool b_aligned = ldb % IN_CHUNK == 0 && (size_t)b % 16 == 0;
	/* The part of k that is this work-group's: whole steps, so that only the last part ends within one. */
	const int steps_each = (k + SPLIT * BK - 1) / (SPLIT * BK), first_step = get_group_id(1) * steps_each;
	const int steps = min(steps_each, (k + BK - 1) / BK - first_step); /* none, or fewer, where k is short */
	REAL sums[MT][NT][C_EACH];

#define FETCH(step)                                                                                                    \
	do {                                                                                                           \
		if ((step) < steps) {                                                                                  \
			const uint a_to = (uint)(size_t)a_stages[(step) % STAGES];                                     \
			const uint b_to = (uint)(size_t)b_stages[(step) % STAGES];                                     \
			const int p = (first_step + (step)) * BK;                                                                       \
			if (TRANS_A)                                                                                   \
				fetch_a(a_to, a, lda, p, row, k, m, a_aligned);                                        \
			else                                                                                           \
				fetch_a(a_to, a, lda, row, p, m, k, a_aligned);                                        \
			if (TRANS_B)                                                                                   \
				fetch_b(b_to, b, ldb, column, p, n, k, b_aligned);                                     \
			else                                                                                           \
				fetch_b(b_to, b, ldb, p, column, k, n, b_aligned);                                     \
		}                                                                                                      \
		asm volatile("cp.async.commit_group;" ::: "memory");                                                   \
	} while (0)

#pragma unroll
	for (uint i = 0; i < MT * NT * C_EACH; i++)
		sums[i / C_EACH / NT][i / C_EACH % NT][i % C_EACH] = 0;
#pragma unroll
	for (int s = 0; s < STAGES - 1; s++)
		FETCH(s);
	/* Fragments are loaded one step ahead of their use, over the end of a stage too. A stage is filled again only
	 * after the barrier behind which everybody has loaded the last of it. */
	struct fragments fragments[2];
	asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
	barrier(CLK_LOCAL_MEM_FENCE);
	load_fragments(&fragments[0], a_stages[0], b_stages[0], x, y, 0);
	for (int s = 0; s < steps; s++) {
		FETCH(s + STAGES - 1);
#if PRODUCTS == 3
		REAL part[MT][NT][C_EACH];
#pragma unroll
		for (uint i = 0; i < MT * NT * C_EACH; i++)
			part[i / C_EACH / NT][i / C_EACH % NT][i % C_EACH] = 0;
#else
#define part sums
#endif
#pragma unroll
		for (uint p = 0; p < BK; p += MMA_K) {
			if (p + MMA_K < BK) {
				load_fragments(&fragments[(p / MMA_K + 1) % 2], a_stages[s % STAGES],
					       b_stages[s % STAGES], x, y, p + MMA_K);
			} else {
				asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
				barrier(CLK_LOCAL_MEM_FENCE);
				load_fragments(&fragments[(p / MMA_K + 1) % 2], a_stages[(s + 1) % STAGES],
					       b_stages[(s + 1) % STAGES], x, y, 0);
			}
			multiply_fragments(part, &fragments[p / MMA_K % 2]);
		}
#if PRODUCTS == 3
#pragma unroll
		for (uint i = 0; i < MT * NT * C_EACH; i++)
			sums[i / C_EACH / NT][i / C_EACH % NT][i % C_EACH] +=
				part[i / C_EACH / NT][i / C_EACH % NT][i % C_EACH];
#endif
	}
#pragma unroll
	for (uint i = 0; i < MT; i++)
#pragma unroll
		for (uint j = 0; j < NT; j++)
#pragma unroll
			for (uint e = 0; e < C_EACH; e++) {
				const int ci = row + y + TILE_M * i + g + e / 2 * 8;
				const int cj = column + x + 8 * j + 2 * t + e % 2;
				if (ci >= m || cj >= n)
					continue;
#if SPLIT > 1
				partial[((size_t)get_group_id(1) * m + ci) * n + cj] = sums[i][j][e];
#else
				store(c + (size_t)ci * ldc + cj, sums[i][j][e], alpha, beta);
#endif
			}
}
