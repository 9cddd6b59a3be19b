/* loops.h: what the host's loops share.
 *
 * CLONES compiles a function for several processors and picks one when the
 * program is loaded: a build runs on any processor of its architecture and is
 * still measured as optimised. Without it (a compiler that lacks it, a
 * sanitizer) there is the baseline only.
 *
 * both_types.h includes LOOP_TEMPLATE once for each type: a header that makes
 * functions of REAL, called NAMED(name). A file with CLONES gives them names of
 * its own by LOOPS(name): clang 14 exports the resolver even of a static function.
 *
 * Thread: no state. */
#ifndef MMT_WORKER_LOOPS_H
#define MMT_WORKER_LOOPS_H

#include "reference.h"

#if defined WORKER_HAS_CLONES && !defined LOOPS_PLAIN
/* AVX2 with FMA, and AVX-512 */
#define CLONES __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define CLONES
#endif

#ifndef LOOPS
#define LOOPS(name) name
#endif

/* op(X)(row, column) is at row * row_step + column * column_step. */
struct loop_steps {
	int64_t row, column;
};

static inline struct loop_steps loop_steps_a(const struct worker_gemm *gemm)
{
	return gemm->trans_a ? (struct loop_steps){1, gemm->lda} : (struct loop_steps){gemm->lda, 1};
}

static inline struct loop_steps loop_steps_b(const struct worker_gemm *gemm)
{
	return gemm->trans_b ? (struct loop_steps){1, gemm->ldb} : (struct loop_steps){gemm->ldb, 1};
}

#endif
