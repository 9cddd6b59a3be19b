/* nv_packed: NVIDIA's tensor cores by inline PTX (mma.sync), fed from packed operands: the source of nv_f16x3,
 * nv_f16x1, nv_f16, nv_bf16 and nv_f64_packed. For compute capability 9.0 and later.
 *
 * The first launch, pack, writes op(A) and op(B) in the order in which mma.sync wants them in its registers, padded
 * with zeros to whole tiles; transposes, leading dimensions and edges end there. The second, matmul, has work-groups of
 * BM x BN of C, whose warps (of 32 work-items) have WM x WN each. What a work-group needs of an operand for BK of k is
 * contiguous: one bulk copy brings it to local memory and reports to an mbarrier, STAGES - 1 stages ahead. A lane's
 * share of a fragment is 16 bytes there, which one load fetches without a bank conflict. So the main loop is loads and
 * products alone. Groups are walked GROUP rows at a time, for the L2 cache.
 *
 * One of these is defined:
 *
 * FROM_FLOAT 3  float, as accurate as an ordinary dot product, after Ootomo and Yokota, "Recovering single precision
 *               accuracy from tensor cores while surpassing the FP32 theoretical peak performance", IJHPCA 36(4), 2022.
 *               Every row of op(A) and column of op(B) is scaled by a power of two, so that its largest element lies in
 *               [2^14, 2^15). An element is then high + low 2^-11, both half, rounded to nearest. high high is one sum,
 *               low high + high low another; low low, 2^-22 of the first at most, is dropped. Tensor cores truncate
 *               their sums: so high high starts from zero every BK of k, and these are added in float, rounded to
 *               nearest. The other sum weighs too little for that.
 * FROM_FLOAT 1  the same with high alone: 11 bits, as TF32 has, at twice the rate of TF32.
 * FROM_HALF     half, sums in float.
 * FROM_BFLOAT16 bfloat16, the upper half of a float: as FROM_HALF, but for the product and the rounding of C.
 * FROM_DOUBLE   double. Sums are fused multiply-adds as IEEE 754 has them (PTX ISA, mma, .f64).
 *
 * Half has a narrow range. An element of at least 2^-28 of the largest in its row (or column) is kept to 2^-22 of its
 * own size (FROM_FLOAT 3), or to 2^-11 (1). A row that has a smaller one other than zero, or one that is not finite, or
 * none above 2^-98, is marked; a work-group that meets a mark computes in ordinary float from the operands themselves.
 * So any input gives what an ordinary dot product would. */
#ifdef FROM_BFLOAT16
#define FROM_HALF
#endif
#define INLINE             static inline __attribute__((always_inline))
#define WARPS_N            (BN / WN)
#define WARPS              (BM / WM * WARPS_N)
#define ITEMS              (WARPS * 32)
#define MT                 (WM / 16) /* of a warp's tile: blocks of 16 rows, of 16 columns */
#define NT                 (WN / 16)
#define PADDED(size, tile) (((size) + (tile)-1) / (tile) * (tile))

/* A unit is what mma.sync takes of a block of 16 vectors (rows of op(A) or columns of op(B)) for UNIT_K of k: PLANES of
 * 16 bytes a lane. Sums over k may be taken in any order, and so may rows and columns: lane 4 g + t holds, of vectors
 * 2 g and 2 g + 1, the EACH elements from k = EACH t, whichever elements mma.sync believes they are. Its four sums in
 * each row of a block of C are neighbours: columns 4 t to 4 t + 3. */
#ifdef FROM_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define UNIT_K   8
#define PLANES   2
#define ELEMENT  double
#define ELEMENT2 double2
#define ELEMENTS double2 /* EACH */
#else
#define UNIT_K 16
#if FROM_FLOAT == 3
#define PLANES 2
#else
#define PLANES 1
#endif
#ifdef FROM_HALF
#define ELEMENT  ushort
#define ELEMENT2 ushort2
#define ELEMENTS ushort4
#else
#define ELEMENT  float
#define ELEMENT2 float2
#define ELEMENTS float4
#endif
#endif
#define EACH    (UNIT_K / 4)
#define UNITS   (BK / UNIT_K)                   /* of a stage, along k */
#define A_STAGE (BM / 16 * UNITS * PLANES * 32) /* of 16 bytes */
#define B_STAGE (BN / 16 * UNITS * PLANES * 32)
#define STAGE   (A_STAGE + B_STAGE)
#define MARK    INT_MAX

/* ---- pack ---- */

#define PACK_ITEMS 512
#define HELD       4 /* units that a warp has in registers */
#define PACK_WARPS (PACK_ITEMS / 32)

/* A stored matrix; along_k: its rows are vectors, else its columns are. */
struct operand {
	__global const ELEMENT *from;
	size_t ld;
	int vectors, k;
	bool along_k, aligned; /* aligned: for loads of EACH along k, of 2 along the vectors */
};

union share {
	ELEMENT at[2][EACH]; /* vector, k */
	ELEMENTS along_k[2];
};

/* The lane's share of a unit; past the edges it is zero. */
INLINE void load_share(union share *to, const struct operand *operand, int block, int unit)
{
	const int lane = get_local_id(0) % 32, vector = 16 * block + lane / 4 * 2, p = UNIT_K * unit + lane % 4 * EACH;

	if (operand->aligned && 16 * block + 16 <= operand->vectors && UNIT_K * unit + UNIT_K <= operand->k) {
#pragma unroll
		for (int e = 0; e < (operand->along_k ? 2 : EACH); e++) {
			if (operand->along_k) {
				to->along_k[e] =
					*(__global const ELEMENTS *)(operand->from + (vector + e) * operand->ld + p);
			} else {
				const ELEMENT2 pair =
					*(__global const ELEMENT2 *)(operand->from + (p + e) * operand->ld + vector);
				to->at[0][e] = pair.x;
				to->at[1][e] = pair.y;
			}
		}
		return;
	}
#pragma unroll
	for (int e = 0; e < 2 * EACH; e++) {
		const int v = vector + e / EACH, q = p + e % EACH;
		const size_t at = operand->along_k ? v * operand->ld + q : q * operand->ld + v;
		to->at[e / EACH][e % EACH] = v < operand->vectors && q < operand->k ? operand->from[at] : 0;
	}
}

#ifndef FROM_DOUBLE
#ifdef FROM_BFLOAT16
#define ROUND_PAIR "cvt.rn.bf16x2.f32 %0, %1, %2;"
#else
#define ROUND_PAIR "cvt.rn.f16x2.f32 %0, %1, %2;"
#endif
/* Two halves in a register, the first in the low bits. */
INLINE uint round_pair(float first, float second)
{
	uint pair;

	asm(ROUND_PAIR : "=r"(pair) : "f"(second), "f"(first));
	return pair;
}

INLINE float2 unpack_pair(uint pair)
{
	float2 out;

	asm("{.reg .f16 first, second; mov.b32 {first, second}, %2; cvt.f32.f16 %0, first; cvt.f32.f16 %1, second;}"
	    : "=f"(out.x), "=f"(out.y)
	    : "r"(pair));
	return out;
}

/* mma.m16n8k16 takes of A its first vector, second, first, second; of two tiles of B, first, first, second, second. */
INLINE uint4 in_order(const uint x[2][2], bool is_b)
{
	return is_b ? (uint4)(x[0][0], x[0][1], x[1][0], x[1][1]) : (uint4)(x[0][0], x[1][0], x[0][1], x[1][1]);
}
#endif

INLINE void convert(uint4 out[PLANES], const union share *share, const float scale[2], bool is_b)
{
#ifdef FROM_DOUBLE
	const double2 first = share->along_k[0], second = share->along_k[1];
	out[0] = as_uint4(is_b ? first : (double2)(first.x, second.x));
	out[1] = as_uint4(is_b ? second : (double2)(first.y, second.y));
#else
	uint pairs[PLANES][2][2];
#pragma unroll
	for (int e = 0; e < 4; e++) {
		const ELEMENT x = share->at[e / 2][e % 2 * 2], y = share->at[e / 2][e % 2 * 2 + 1];
#ifdef FROM_HALF
		pairs[0][e / 2][e % 2] = x | (uint)y << 16;
#else
		const float first = x * scale[e / 2], second = y * scale[e / 2];
		const uint high = round_pair(first, second);
		pairs[0][e / 2][e % 2] = high;
#if FROM_FLOAT == 3
		const float2 rounded = unpack_pair(high);
		pairs[1][e / 2][e % 2] = round_pair((first - rounded.x) * 0x1p11f, (second - rounded.y) * 0x1p11f);
#endif
#endif
	}
#pragma unroll
	for (int plane = 0; plane < PLANES; plane++)
		out[plane] = in_order(pairs[plane], is_b);
#endif
}

#ifdef FROM_FLOAT
/* The largest and the smallest magnitude among a lane's shares of two vectors, as bits; less 1 for the smallest, so
 * that zero comes last. */
struct extent {
	uint largest[2], smallest[2];
};

INLINE void extend(struct extent *extent, const union share *share)
{
#pragma unroll
	for (int e = 0; e < 2 * EACH; e++) {
		const uint bits = as_uint(share->at[e / EACH][e % EACH]) & 0x7fffffff;
		extent->largest[e / EACH] = max(extent->largest[e / EACH], bits);
		extent->smallest[e / EACH] = min(extent->smallest[e / EACH], bits - 1);
	}
}

/* The exponent that gives a vector back from the scaled one, or MARK. */
INLINE int exponent_of(uint largest, uint smallest)
{
	const int high = (int)(largest >> 23) - 127, low = (int)((smallest + 1) >> 23) - 127;

	if (largest == 0)
		return 0;
	return high == 128 || high < -98 || (smallest != UINT_MAX && low < high - 28) ? MARK : high - 14;
}

/* From all lanes' extents, the exponents of the block's vectors. */
INLINE void find_exponents(__local int *exponents, __local uint *largest, __local uint *smallest,
			   const struct extent *extent)
{
	const uint item = get_local_id(0);

	if (item < 16) {
		largest[item] = 0;
		smallest[item] = UINT_MAX;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (int e = 0; e < 2; e++) {
		atomic_max(&largest[item % 32 / 4 * 2 + e], extent->largest[e]);
		atomic_min(&smallest[item % 32 / 4 * 2 + e], extent->smallest[e]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item < 16)
		exponents[item] = exponent_of(largest[item], smallest[item]);
	barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

#define LOAD_ROUND(round)                                \
	_Pragma("unroll") for (int e = 0; e < HELD; e++) \
		load_share(&shares[e], operand, block, ((round)*PACK_WARPS + warp) * HELD + e)

/* Packs a block of 16 vectors, one of those of `blocks` blocks that a work-group of matmul takes. In each round a warp
 * has HELD units. From float there is a first walk for the exponents; the second goes backwards, from what is still in
 * registers over what is still in cache. */
INLINE void pack_block(__global uint4 *to, __local int *exponents, __local uint *extents, const struct operand *operand,
		       int block, const int blocks, bool is_b)
{
	const int units = PADDED(operand->k, BK) / UNIT_K, warp = get_local_id(0) / 32, lane = get_local_id(0) % 32;
	const int rounds = PADDED(units, HELD * PACK_WARPS) / (HELD * PACK_WARPS);
	float scale[2] = {1, 1};
	union share shares[HELD];

#ifdef FROM_FLOAT
	struct extent extent = {{0, 0}, {UINT_MAX, UINT_MAX}};
	for (int round = 0; round < rounds; round++) {
		LOAD_ROUND(round);
#pragma unroll
		for (int e = 0; e < HELD; e++)
			extend(&extent, &shares[e]);
	}
	find_exponents(exponents, extents, extents + 16, &extent);
	for (int e = 0; e < 2; e++) {
		const int exponent = exponents[lane / 4 * 2 + e];
		scale[e] = exponent == MARK ? 0 : as_float((127 - exponent) << 23);
	}
#endif
	for (int round = rounds - 1; round >= 0; round--) {
#ifdef FROM_FLOAT
		if (round != rounds - 1)
#endif
			LOAD_ROUND(round);
#pragma unroll
		for (int e = 0; e < HELD; e++) {
			const int unit = (round * PACK_WARPS + warp) * HELD + e;
			const size_t at = ((size_t)(block / blocks) * units + unit) * blocks + block % blocks;
			uint4 out[PLANES];
			convert(out, &shares[e], scale, is_b);
			if (unit < units) {
#pragma unroll
				for (int plane = 0; plane < PLANES; plane++)
					to[(at * PLANES + plane) * 32 + lane] = out[plane];
			}
		}
	}
}

INLINE struct operand operand_of(__global const REAL *from, int ld, int vectors, int k, bool along_k)
{
	const int width = along_k ? EACH : 2;

	return (struct operand){
		.from = (__global const ELEMENT *)from,
		.ld = ld,
		.vectors = vectors,
		.k = k,
		.along_k = along_k,
		.aligned = ld % width == 0 && (size_t)from % (width * sizeof(ELEMENT)) == 0,
	};
}

__kernel __attribute__((reqd_work_group_size(PACK_ITEMS, 1, 1))) void
pack(const int m, const int n, const int k, __global const REAL *restrict a, const int lda,
     __global const REAL *restrict b, const int ldb, __global uint4 *restrict packed_a,
     __global uint4 *restrict packed_b
#ifdef FROM_FLOAT
     ,
     __global int *restrict exponents /* of the rows, padded, then of the columns */
#endif
)
{
	__local int found[16];
	__local uint extents[32];
	const int blocks_a = PADDED(m, BM) / 16, block = get_group_id(0);

	if (block < blocks_a) {
		const struct operand operand = operand_of(a, lda, m, k, !TRANS_A);
		pack_block(packed_a, found, extents, &operand, block, BM / 16, false);
	} else {
		const struct operand operand = operand_of(b, ldb, n, k, TRANS_B);
		pack_block(packed_b, found, extents, &operand, block - blocks_a, BN / 16, true);
	}
#ifdef FROM_FLOAT
	if (get_local_id(0) < 16)
		exponents[16 * block + get_local_id(0)] = found[get_local_id(0)];
#endif
}

/* ---- matmul ---- */

/* A lane's share of a fragment of A, and of two neighbouring ones of B. */
struct fragment {
	uint4 planes[PLANES];
};

#ifdef FROM_DOUBLE
typedef double SUM;

/* c += a b */
INLINE void multiply_onto(double *c, double2 a, double2 a_next, double2 b)
{
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
		     "{%0, %1, %2, %3};"
		     : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
		     : "d"(a.x), "d"(a.y), "d"(a_next.x), "d"(a_next.y), "d"(b.x), "d"(b.y));
}
#else
typedef float SUM;

#ifdef FROM_BFLOAT16
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
#endif
/* c = a b */
INLINE void multiply_afresh(float *c, uint4 a, uint2 b)
{
	asm volatile(MMA "{%10, %10, %10, %10};"
		     : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
		     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "f"(0.0f));
}

/* c += a b */
INLINE void multiply_onto(float *c, uint4 a, uint2 b)
{
	asm volatile(MMA "{%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

/* Of two neighbouring tiles of B, the first or the second. */
INLINE uint2 tile_of(const struct fragment *b, int tile, int plane)
{
	return tile ? b->planes[plane].zw : b->planes[plane].xy;
}
#endif

/* from: the lane's share. */
INLINE void load_fragment(struct fragment *to, __local const uint4 *from)
{
#pragma unroll
	for (int plane = 0; plane < PLANES; plane++)
		to->planes[plane] = from[plane * 32];
}

/* A lane's sums: of each tile of 16 x 8, in two rows two neighbours. */
struct sums {
	SUM total[MT][2 * NT][4];
#if FROM_FLOAT == 3
	float high[MT][2 * NT][4], cross[MT][2 * NT][4]; /* of this stage, not yet in total; of all stages */
#endif
};

INLINE void clear(struct sums *sums)
{
#pragma unroll
	for (int e = 0; e < MT * 2 * NT * 4; e++) {
		sums->total[e / 4 / (2 * NT)][e / 4 % (2 * NT)][e % 4] = 0;
#if FROM_FLOAT == 3
		sums->high[e / 4 / (2 * NT)][e / 4 % (2 * NT)][e % 4] = 0;
		sums->cross[e / 4 / (2 * NT)][e / 4 % (2 * NT)][e % 4] = 0;
#endif
	}
}

#if FROM_FLOAT == 3
/* Adds a stage's sums of block i of rows. Assembly, like the products, so that it stays among them. */
INLINE void add_up(struct sums *sums, int i)
{
#pragma unroll
	for (int e = 0; e < 2 * NT * 4; e++)
		asm volatile("add.rn.f32 %0, %0, %1;"
			     : "+f"(sums->total[i][e / 4][e % 4])
			     : "f"(sums->high[i][e / 4][e % 4]));
}
#endif

/* Adds a fragment of A times one of B, of unit `unit` of the stage: tiles j and j + 1 of block i of rows. */
INLINE void multiply_pair(struct sums *sums, const struct fragment *a, const struct fragment *b, const int i,
			  const int j, const int unit)
{
#ifdef FROM_DOUBLE
#pragma unroll
	for (int t = 0; t < 2; t++)
		multiply_onto(sums->total[i][j + t], as_double2(a->planes[0]), as_double2(a->planes[1]),
			      as_double2(b->planes[t]));
#elif FROM_FLOAT == 3
#pragma unroll
	for (int t = 0; t < 2; t++)
		multiply_onto(sums->cross[i][j + t], a->planes[1], tile_of(b, t, 0));
#pragma unroll
	for (int t = 0; t < 2; t++) {
		if (unit == 0)
			multiply_afresh(sums->high[i][j + t], a->planes[0], tile_of(b, t, 0));
		else
			multiply_onto(sums->high[i][j + t], a->planes[0], tile_of(b, t, 0));
	}
#pragma unroll
	for (int t = 0; t < 2; t++)
		multiply_onto(sums->cross[i][j + t], a->planes[0], tile_of(b, t, 1));
#else
#pragma unroll
	for (int t = 0; t < 2; t++)
		multiply_onto(sums->total[i][j + t], a->planes[0], tile_of(b, t, 0));
#endif
}

INLINE uint local_address(__local const void *pointer)
{
	return (uint)(size_t)pointer;
}

INLINE void mbarrier_init(__local ulong *mbarrier, int arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(local_address(mbarrier)), "r"(arrivals)
		     : "memory");
}

INLINE void mbarrier_arrive(__local ulong *mbarrier)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(local_address(mbarrier)) : "memory");
}

INLINE void mbarrier_wait(__local ulong *mbarrier, int phase)
{
	uint done;

	do {
		asm volatile("{.reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; "
			     "selp.u32 %0, 1, 0, done;}"
			     : "=r"(done)
			     : "r"(local_address(mbarrier)), "r"(phase)
			     : "memory");
	} while (!done);
}

INLINE void copy_bulk(__local uint4 *to, __global const uint4 *from, int count, __local ulong *full)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
			     local_address(to)),
		     "l"(from), "r"(count * 16), "r"(local_address(full))
		     : "memory");
}

/* A work-group's tiles, packed, and where they come to lie: full[s] completes when a stage has arrived, empty[s] when
 * all warps have loaded what is in it. */
struct pipeline {
	__global const uint4 *a, *b;
	__local uint4 *stages;
	__local ulong *full, *empty;
};

/* Starts the copies of step `step` into stage `stage`. */
INLINE void fill(const struct pipeline *pipeline, int step, int stage)
{
	__local uint4 *to = pipeline->stages + stage * STAGE;
	__local ulong *full = &pipeline->full[stage];

	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(local_address(full)),
		     "r"(STAGE * 16)
		     : "memory");
	copy_bulk(to, pipeline->a + (size_t)step * A_STAGE, A_STAGE, full);
	copy_bulk(to + A_STAGE, pipeline->b + (size_t)step * B_STAGE, B_STAGE, full);
}

INLINE void start(const struct pipeline *pipeline, int steps)
{
	if (get_local_id(0) == 0) {
		for (int s = 0; s < STAGES; s++) {
			mbarrier_init(&pipeline->full[s], 1);
			mbarrier_init(&pipeline->empty[s], WARPS);
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		for (int s = 0; s < STAGES && s < steps; s++)
			fill(pipeline, s, s);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	mbarrier_wait(&pipeline->full[0], 0);
}

/* Where the lane's share is of block i of the warp's rows, j of its columns. */
#define A_AT(stage, unit, i) \
	(pipeline->stages + (stage)*STAGE + ((unit) * (BM / 16) + y / 16 + (i)) * PLANES * 32 + lane)
#define B_AT(stage, unit, j) \
	(pipeline->stages + (stage)*STAGE + A_STAGE + ((unit) * (BN / 16) + x / 16 + (j)) * PLANES * 32 + lane)

/* sums += the packed operands' product. Fragments are loaded ahead of their use, over the end of a stage too. */
INLINE void multiply_packed(struct sums *sums, const struct pipeline *pipeline, int steps, int y, int x)
{
	const int item = get_local_id(0), lane = item % 32;
	struct fragment a[2], b[NT];
	int stage = 0, phase = 0;

	start(pipeline, steps);
	load_fragment(&a[0], A_AT(0, 0, 0));
#pragma unroll
	for (int j = 0; j < NT; j++)
		load_fragment(&b[j], B_AT(0, 0, j));
	for (int step = 0; step < steps; step++) {
		const int next = stage + 1 < STAGES ? stage + 1 : 0, next_phase = phase ^ (next == 0);
#pragma unroll
		for (int e = 0; e < UNITS * MT; e++) {
			const int unit = e / MT, i = e % MT;
			/* The stage before: by now the other warps have left it as well. */
			if (e == MT - 1 && item == 0 && step > 0 && step - 1 + STAGES < steps) {
				const int last = stage > 0 ? stage - 1 : STAGES - 1;
				mbarrier_wait(&pipeline->empty[last], phase ^ (stage == 0));
				fill(pipeline, step - 1 + STAGES, last);
			}
			/* All of this stage is in registers. */
			if (e == UNITS * MT - 1) {
				asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
				if (lane == 0)
					mbarrier_arrive(&pipeline->empty[stage]);
				if (step + 1 < steps)
					mbarrier_wait(&pipeline->full[next], next_phase);
			}
			load_fragment(&a[(e + 1) % 2], i + 1 < MT         ? A_AT(stage, unit, i + 1)
						       : unit + 1 < UNITS ? A_AT(stage, unit + 1, 0)
									  : A_AT(next, 0, 0));
#pragma unroll
			for (int j = 0; j < NT; j++) {
				multiply_pair(sums, &a[e % 2], &b[j], i, 2 * j, unit);
				if (i + 1 == MT) /* its last use: the next unit's takes its place */
					load_fragment(&b[j],
						      unit + 1 < UNITS ? B_AT(stage, unit + 1, j) : B_AT(next, 0, j));
			}
#if FROM_FLOAT == 3
			/* A block late, since by then its products are there. */
			if (unit == UNITS - 1 && i > 0)
				add_up(sums, i - 1);
			if (unit == UNITS - 1 && i == MT - 1)
				add_up(sums, i);
#endif
		}
		stage = next;
		phase = next_phase;
	}
}

INLINE void store(__global REAL *c, SUM value, ACCUMULATE alpha, ACCUMULATE beta)
{
	value *= alpha;
#ifdef FROM_BFLOAT16
	*c = round_pair(beta != 0 ? fma(beta, as_float((uint)*c << 16), value) : value, 0);
#elif defined(FROM_HALF)
	vstore_half(beta != 0 ? fma(beta, vload_half(0, c), value) : value, 0, c);
#else
	*c = beta != 0 ? fma(beta, *c, value) : value;
#endif
}

/* Stores as many of four neighbours as there are columns. */
INLINE void store_four(__global REAL *c, const SUM values[4], ACCUMULATE alpha, ACCUMULATE beta, int columns,
		       bool aligned)
{
	if (aligned && columns >= 4 && beta == 0) {
#ifdef FROM_HALF
		*(__global uint2 *)c = (uint2)(round_pair(values[0] * alpha, values[1] * alpha),
					       round_pair(values[2] * alpha, values[3] * alpha));
#elif defined(FROM_DOUBLE)
		*(__global double4 *)c = (double4)(values[0], values[1], values[2], values[3]) * alpha;
#else
		*(__global float4 *)c = (float4)(values[0], values[1], values[2], values[3]) * alpha;
#endif
		return;
	}
#pragma unroll
	for (int e = 0; e < 4; e++)
		if (e < columns)
			store(c + e, values[e], alpha, beta);
}

#ifdef FROM_FLOAT
INLINE bool any_marked(__local int *marked, __global const int *a_exponents, __global const int *b_exponents)
{
	if (get_local_id(0) == 0)
		*marked = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int e = get_local_id(0); e < BM + BN; e += ITEMS)
		if ((e < BM ? a_exponents[e] : b_exponents[e - BM]) == MARK)
			atomic_or(marked, 1);
	barrier(CLK_LOCAL_MEM_FENCE);
	return *marked;
}

/* value 2^exponent, in two steps: the power may not be a float, though the result is. */
INLINE float scaled(float value, int exponent)
{
	const int first = exponent / 2;

	return value * as_float((127 + first) << 23) * as_float((127 + exponent - first) << 23);
}

#define PLAIN_K 16
/* Copies PLAIN_K of SIZE vectors from (first, p) on to local memory, k outermost, zeros past the edges. */
INLINE void stage_plainly(__local float *to, const struct operand *operand, int first, int p, const int size)
{
#pragma unroll 8
	for (int e = get_local_id(0); e < size * PLAIN_K; e += ITEMS) {
		const int v = operand->along_k ? e / PLAIN_K : e % size, q = operand->along_k ? e % PLAIN_K : e / size;
		const bool there = first + v < operand->vectors && p + q < operand->k;
		const size_t at =
			operand->along_k ? (first + v) * operand->ld + p + q : (p + q) * operand->ld + first + v;
		to[q * (size + 4) + v] = there ? operand->from[at] : 0;
	}
}

/* sums += the lane's part of C without tensor cores, from the operands themselves. */
INLINE void multiply_plainly(struct sums *sums, __local float *as, const struct operand *a, const struct operand *b,
			     int row, int column, int y, int x)
{
	__local float *bs = as + PLAIN_K * (BM + 4);

	for (int p = 0; p < a->k; p += PLAIN_K) {
		barrier(CLK_LOCAL_MEM_FENCE);
		stage_plainly(as, a, row, p, BM);
		stage_plainly(bs, b, column, p, BN);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int q = 0; q < PLAIN_K; q++) {
			const int lane = get_local_id(0) % 32;
			float4 b_values[NT];
#pragma unroll
			for (int j = 0; j < NT; j++)
				b_values[j] = *(__local float4 *)&bs[q * (BN + 4) + x + 16 * j + lane % 4 * 4];
#pragma unroll
			for (int i = 0; i < MT * 2; i++) {
				const float a_value = as[q * (BM + 4) + y + 16 * (i / 2) + lane / 4 * 2 + i % 2];
#pragma unroll
				for (int j = 0; j < NT; j++) {
					float *first = &sums->total[i / 2][2 * j][i % 2 * 2];
					float *second = &sums->total[i / 2][2 * j + 1][i % 2 * 2];
					first[0] = fma(a_value, b_values[j].x, first[0]);
					second[0] = fma(a_value, b_values[j].y, second[0]);
					first[1] = fma(a_value, b_values[j].z, first[1]);
					second[1] = fma(a_value, b_values[j].w, second[1]);
				}
			}
		}
	}
}
#endif

/* The tile of C, row and column of tiles, that the work-group has. */
INLINE int2 locate(int m, int n)
{
	const uint groups_m = PADDED(m, BM) / BM, groups_n = PADDED(n, BN) / BN;
	const uint band = get_group_id(0) / (GROUP * groups_n), in_band = get_group_id(0) % (GROUP * groups_n);
	const uint height = min(groups_m - band * GROUP, (uint)GROUP);

	return (int2)(band * GROUP + in_band % height, in_band / height);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
matmul(const int m, const int n, const int k, const ACCUMULATE alpha, const ACCUMULATE beta, __global REAL *restrict c,
       const int ldc, __global const uint4 *restrict packed_a, __global const uint4 *restrict packed_b
#ifdef FROM_FLOAT
       ,
       __global const REAL *restrict a, const int lda, __global const REAL *restrict b, const int ldb,
       __global const int *restrict exponents
#endif
)
{
	__local uint4 stages[STAGES * STAGE] __attribute__((aligned(128)));
	__local ulong full[STAGES], empty[STAGES];
	const int2 tile = locate(m, n);
	const int row = tile.x * BM, column = tile.y * BN, steps = PADDED(k, BK) / BK;
	const int lane = get_local_id(0) % 32, warp = get_local_id(0) / 32;
	const int x = warp % WARPS_N * WN, y = warp / WARPS_N * WM;
	const bool aligned = ldc % 4 == 0 && (size_t)c % (4 * sizeof(REAL)) == 0;
	const struct pipeline pipeline = {
		.a = packed_a + (size_t)tile.x * steps * A_STAGE,
		.b = packed_b + (size_t)tile.y * steps * B_STAGE,
		.stages = stages,
		.full = full,
		.empty = empty,
	};
	struct sums sums;

	clear(&sums);
#ifdef FROM_FLOAT
	__local int marked;
	__global const int *a_exponents = exponents + row, *b_exponents = exponents + PADDED(m, BM) + column;
	const bool plainly = any_marked(&marked, a_exponents, b_exponents);
	if (plainly) {
		const struct operand op_a = operand_of(a, lda, m, k, !TRANS_A),
				     op_b = operand_of(b, ldb, n, k, TRANS_B);
		multiply_plainly(&sums, (__local float *)stages, &op_a, &op_b, row, column, y, x);
	} else
#endif
		multiply_packed(&sums, &pipeline, steps, y, x);
#pragma unroll
	for (int r = 0; r < 2 * MT; r++) {
		const int i = y + r / 2 * 16 + lane / 4 * 2 + r % 2;
		if (row + i >= m)
			continue;
#pragma unroll
		for (int t = 0; t < NT; t++) {
			const int j = x + 16 * t + lane % 4 * 4;
			SUM values[4];
#pragma unroll
			for (int e = 0; e < 4; e++) {
				values[e] = sums.total[r / 2][2 * t + e % 2][r % 2 * 2 + e / 2];
#if FROM_FLOAT == 3
				values[e] += sums.cross[r / 2][2 * t + e % 2][r % 2 * 2 + e / 2] * 0x1p-11f;
#endif
#ifdef FROM_FLOAT
				if (!plainly)
					values[e] = scaled(values[e], a_exponents[i] + b_exponents[j + e]);
#endif
			}
			store_four(c + (size_t)(row + i) * ldc + column + j, values, alpha, beta, n - column - j,
				   aligned);
		}
	}
}
