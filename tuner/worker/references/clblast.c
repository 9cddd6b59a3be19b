/* clblast.c: CLBlast on the worker's own device and queue, loaded at run time where it is installed.
 *
 * It runs with the parameters that it comes with for the device, or its
 * defaults: as a program gets it that does not run CLBlast's tuners. */
#include <dlfcn.h>

#include "reference.h"

#define LIBRARY "libclblast.so.1"

/* clblast_c.h's */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };
typedef int sgemm_fn(int layout, int trans_a, int trans_b, size_t m, size_t n, size_t k, float alpha, cl_mem a,
		     size_t a_offset, size_t lda, cl_mem b, size_t b_offset, size_t ldb, float beta, cl_mem c,
		     size_t c_offset, size_t ldc, cl_command_queue *queue, cl_event *event);
typedef int dgemm_fn(int layout, int trans_a, int trans_b, size_t m, size_t n, size_t k, double alpha, cl_mem a,
		     size_t a_offset, size_t lda, cl_mem b, size_t b_offset, size_t ldb, double beta, cl_mem c,
		     size_t c_offset, size_t ldc, cl_command_queue *queue, cl_event *event);

static void *open_library(struct mmt_error *error)
{
	/* It keeps compiled programs and gives them back when the process ends */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (library == NULL)
		mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "not installed: %s", LIBRARY);
	return library;
}

static void close_library(void *library)
{
	dlclose(library);
}

static int call(void *function, const struct worker_gemm *gemm)
{
	const int trans_a = gemm->trans_a ? TRANSPOSED : NOT_TRANSPOSED;
	const int trans_b = gemm->trans_b ? TRANSPOSED : NOT_TRANSPOSED;
	const size_t m = (size_t)gemm->m, n = (size_t)gemm->n, k = (size_t)gemm->k;
	const size_t lda = (size_t)gemm->lda, ldb = (size_t)gemm->ldb, ldc = (size_t)gemm->ldc;
	cl_command_queue queue = gemm->queue;

	if (gemm->type == MMT_F64)
		return ((dgemm_fn *)function)(ROW_MAJOR, trans_a, trans_b, m, n, k, gemm->alpha, gemm->device_a, 0, lda,
					      gemm->device_b, 0, ldb, gemm->beta, gemm->device_c, 0, ldc, &queue, NULL);
	return ((sgemm_fn *)function)(ROW_MAJOR, trans_a, trans_b, m, n, k, (float)gemm->alpha, gemm->device_a, 0, lda,
				      gemm->device_b, 0, ldb, (float)gemm->beta, gemm->device_c, 0, ldc, &queue, NULL);
}

static int run(void *library, const struct worker_gemm *gemm, struct mmt_error *error)
{
	const char *name = gemm->type == MMT_F64 ? "CLBlastDgemm" : "CLBlastSgemm";
	void *function = dlsym(library, name);
	int status;

	if (function == NULL)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "%s has no %s", LIBRARY, name);
	status = call(function, gemm);
	if (status == 0)
		status = clFinish(gemm->queue);
	if (status != 0)
		return mmt_error_set(error, MMT_OPENCL, status, "%s failed with status %d", name, status);
	return 0;
}

const struct worker_reference worker_reference_clblast = {
	.name = "clblast",
	.summary = "CLBlast on the device, with the parameters it comes with",
	.kind = WORKER_REFERENCE_DEVICE_LIBRARY,
	.type_mask = WORKER_F32 | WORKER_F64,
	.on_device = true,
	.open = open_library,
	.close = close_library,
	.run = run,
};
