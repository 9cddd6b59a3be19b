/* openblas.c: OpenBLAS, loaded at run time where it is installed, on all cores. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include "reference.h"

#define LIBRARY "libopenblas.so.0"

/* cblas.h's, with the 32-bit int of the LP64 library */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };
typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
		      const float *b, int ldb, float beta, float *c, int ldc);
typedef void dgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a, int lda,
		      const double *b, int ldb, double beta, double *c, int ldc);

/* Its threads spin for 2^26 cycles by default before they sleep, and would take the cores from what is measured
 * after them; the variable is read when the library is loaded. */
static void *open_library(struct mmt_error *error)
{
	setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1);
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (library == NULL)
		mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "not installed: %s", LIBRARY);
	return library;
}

static void close_library(void *library)
{
	dlclose(library);
}

static int run(void *library, const struct worker_gemm *gemm, struct mmt_error *error)
{
	const int trans_a = gemm->trans_a ? TRANSPOSED : NOT_TRANSPOSED;
	const int trans_b = gemm->trans_b ? TRANSPOSED : NOT_TRANSPOSED;
	const int m = (int)gemm->m, n = (int)gemm->n, k = (int)gemm->k;
	const int lda = (int)gemm->lda, ldb = (int)gemm->ldb, ldc = (int)gemm->ldc;
	const char *name = gemm->type == MMT_F64 ? "cblas_dgemm" : "cblas_sgemm";
	void *function = dlsym(library, name);

	if (function == NULL)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s has no %s", LIBRARY, name);
	if (gemm->type == MMT_F64)
		((dgemm_fn *)function)(ROW_MAJOR, trans_a, trans_b, m, n, k, gemm->alpha, gemm->a, lda, gemm->b, ldb,
				       gemm->beta, gemm->c, ldc);
	else
		((sgemm_fn *)function)(ROW_MAJOR, trans_a, trans_b, m, n, k, (float)gemm->alpha, gemm->a, lda, gemm->b,
				       ldb, (float)gemm->beta, gemm->c, ldc);
	return 0;
}

const struct worker_reference worker_reference_openblas = {
	.name = "openblas",
	.summary = "OpenBLAS on all cores",
	.kind = WORKER_REFERENCE_LIBRARY,
	.type_mask = WORKER_F32 | WORKER_F64,
	.open = open_library,
	.close = close_library,
	.run = run,
};
