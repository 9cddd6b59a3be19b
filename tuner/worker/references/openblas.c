/* openblas.c: OpenBLAS, loaded at run time where it is installed, on all cores. */
#include <dlfcn.h>
#include <stdio.h>

#include "openblas.h"
#include "reference.h"

/* cblas.h's, with the 32-bit int of the LP64 library */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };
typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda,
		      const float *b, int ldb, float beta, float *c, int ldc);
typedef void dgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a, int lda,
		      const double *b, int ldb, double beta, double *c, int ldc);

static const char *core; /* whose kernels it uses */

static void *open_library(struct mmt_error *error)
{
	void *library = openblas_open();

	if (library == NULL)
		mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "not installed: " OPENBLAS_LIBRARY);
	else
		core = openblas_core(library);
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
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s has no %s", OPENBLAS_LIBRARY, name);
	if (gemm->type == MMT_F64)
		((dgemm_fn *)function)(ROW_MAJOR, trans_a, trans_b, m, n, k, gemm->alpha, gemm->a, lda, gemm->b, ldb,
				       gemm->beta, gemm->c, ldc);
	else
		((sgemm_fn *)function)(ROW_MAJOR, trans_a, trans_b, m, n, k, (float)gemm->alpha, gemm->a, lda, gemm->b,
				       ldb, (float)gemm->beta, gemm->c, ldc);
	return 0;
}

static const char *note(void)
{
	static char text[64];

	if (core == NULL)
		return NULL;
	snprintf(text, sizeof text, "its kernels for %s", core);
	return text;
}

const struct worker_reference worker_reference_openblas = {
	.name = "openblas",
	.summary = "OpenBLAS on all cores",
	.kind = WORKER_REFERENCE_LIBRARY,
	.type_mask = WORKER_F32 | WORKER_F64,
	.open = open_library,
	.close = close_library,
	.run = run,
	.note = note,
};
