/* libraries.c: see libraries.h. The functions that are found are kept for the process's life: the libraries have
 * threads and compiled programs, and are never unloaded. */
#include "libraries.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openblas.h"

/* cblas.h's and clblast_c.h's */
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111, TRANSPOSED = 112 };

typedef void cblas_sgemm_fn(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
			    int lda, const float *b, int ldb, float beta, float *c, int ldc);
typedef void cblas_dgemm_fn(int layout, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a,
			    int lda, const double *b, int ldb, double beta, double *c, int ldc);
typedef int clblast_sgemm_fn(int layout, int trans_a, int trans_b, size_t m, size_t n, size_t k, float alpha, cl_mem a,
			     size_t a_offset, size_t lda, cl_mem b, size_t b_offset, size_t ldb, float beta, cl_mem c,
			     size_t c_offset, size_t ldc, cl_command_queue *queue, cl_event *event);
typedef int clblast_dgemm_fn(int layout, int trans_a, int trans_b, size_t m, size_t n, size_t k, double alpha, cl_mem a,
			     size_t a_offset, size_t lda, cl_mem b, size_t b_offset, size_t ldb, double beta, cl_mem c,
			     size_t c_offset, size_t ldc, cl_command_queue *queue, cl_event *event);

typedef int clblast_override_fn(cl_device_id device, const char *kernel, int precision, size_t count,
				const char **names, const size_t *values);

static struct {
	cblas_sgemm_fn *sgemm;
	cblas_dgemm_fn *dgemm;
} openblas;
static struct {
	clblast_sgemm_fn *sgemm;
	clblast_dgemm_fn *dgemm;
	clblast_override_fn *override;
} clblast;

static int trans_of(bool transposed)
{
	return transposed ? TRANSPOSED : NOT_TRANSPOSED;
}

static void run_openblas(void *context)
{
	const struct product *p = context;
	const int lda = p->trans_a ? p->m : p->k, ldb = p->trans_b ? p->k : p->n;
	const int trans_a = trans_of(p->trans_a), trans_b = trans_of(p->trans_b);
	if (p->is_double)
		openblas.dgemm(ROW_MAJOR, trans_a, trans_b, p->m, p->n, p->k, 1, p->a, lda, p->b, ldb, 0, p->c, p->n);
	else
		openblas.sgemm(ROW_MAJOR, trans_a, trans_b, p->m, p->n, p->k, 1, p->a, lda, p->b, ldb, 0, p->c, p->n);
}

static void run_clblast(void *context)
{
	struct product *p = context;
	const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
	const size_t lda = p->trans_a ? m : k, ldb = p->trans_b ? k : n;
	const int trans_a = trans_of(p->trans_a), trans_b = trans_of(p->trans_b);
	int status;
	if (p->is_double)
		status = clblast.dgemm(ROW_MAJOR, trans_a, trans_b, m, n, k, 1, p->device_a, 0, lda, p->device_b, 0,
				       ldb, 0, p->device_c, 0, n, &p->queue, NULL);
	else
		status = clblast.sgemm(ROW_MAJOR, trans_a, trans_b, m, n, k, 1, p->device_a, 0, lda, p->device_b, 0,
				       ldb, 0, p->device_c, 0, n, &p->queue, NULL);
	plan_check(status, "CLBlast");
	plan_check(clFinish(p->queue), "clFinish");
}

/* NULL, and says so: it is not installed. */
static void *note_missing(void *library, const char *name)
{
	if (!library)
		fprintf(stderr, "%s is not installed: left out\n", name);
	return library;
}

product_run *library_openblas(void)
{
	void *library = note_missing(openblas_open(), OPENBLAS_LIBRARY);
	if (!library)
		return NULL;
	const char *core = openblas_core(library);
	fprintf(stderr, "OpenBLAS: kernels for %s\n", core ? core : "a processor that it does not name");
	openblas.sgemm = (cblas_sgemm_fn *)dlsym(library, "cblas_sgemm");
	openblas.dgemm = (cblas_dgemm_fn *)dlsym(library, "cblas_dgemm");
	return openblas.sgemm && openblas.dgemm ? run_openblas : NULL;
}

product_run *library_clblast(void)
{
	static const char name[] = "libclblast.so.1";
	void *library = note_missing(dlopen(name, RTLD_NOW | RTLD_LOCAL), name);
	if (!library)
		return NULL;
	clblast.sgemm = (clblast_sgemm_fn *)dlsym(library, "CLBlastSgemm");
	clblast.dgemm = (clblast_dgemm_fn *)dlsym(library, "CLBlastDgemm");
	clblast.override = (clblast_override_fn *)dlsym(library, "CLBlastOverrideParameters");
	return clblast.sgemm && clblast.dgemm ? run_clblast : NULL;
}

/* "KWG=32 PRECISION=32 VWM=4": set for a kernel; the text is cut up. PRECISION is the tuner's own. */
static void override_parameters(cl_device_id device, const char *kernel, int precision, char *text)
{
	enum { MOST = 32 };
	const char *names[MOST];
	size_t values[MOST], count = 0;
	char *rest = NULL;
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(word, '=');
		if (!value || count == MOST)
			plan_fail("not a list of CLBlast's parameters", (long)count);
		*value = '\0';
		names[count] = word;
		values[count] = strtoul(value + 1, NULL, 10);
		count += strcmp(word, "PRECISION") != 0;
	}
	plan_check(clblast.override(device, kernel, precision, count, names, values), "CLBlastOverrideParameters");
}

void library_clblast_tuned(cl_device_id device, const char *path)
{
	json_error_t where;
	json_t *found = json_load_file(path, 0, &where);
	if (!found)
		plan_fail(path, where.line);
	const char *family = plan_text(found, "kernel_family");
	const char *kernel = strncmp(family, "xgemm_direct", 12) == 0 ? "XgemmDirect" : "Xgemm";
	char *parameters = strdup(plan_text(found, "best_parameters"));
	if (!parameters || strncmp(family, "xgemm", 5) != 0 || !clblast.override)
		plan_fail(path, 0);
	override_parameters(device, kernel, atoi(plan_text(found, "precision")), parameters);
	free(parameters);
	json_decref(found);
}
