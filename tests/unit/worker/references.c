/* Every reference against a product in double: all transposes, odd sizes, rows longer than they need be, and a C that
 * must not be read where beta is 0. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"

#define SLACK 3 /* elements after each row, which nobody may touch in C */

struct matrix {
	int64_t rows, columns, ld; /* as stored */
	double *exact;             /* what the typed elements are */
	void *typed;
};

static void set_element(struct matrix *matrix, enum mmt_type type, int64_t at, double value)
{
	if (type == MMT_F64)
		((double *)matrix->typed)[at] = value;
	else
		((float *)matrix->typed)[at] = (float)value;
	matrix->exact[at] = type == MMT_F64 ? value : (double)(float)value;
}

static double get_element(const struct matrix *matrix, enum mmt_type type, int64_t at)
{
	return type == MMT_F64 ? ((double *)matrix->typed)[at] : (double)((float *)matrix->typed)[at];
}

/* Elements in [-1, 1), or NaN. */
static struct matrix make_matrix(enum mmt_type type, int64_t rows, int64_t columns, bool poison)
{
	struct matrix matrix = {.rows = rows, .columns = columns, .ld = columns + SLACK};
	size_t count = (size_t)(rows * matrix.ld);

	matrix.exact = malloc(count * sizeof(double));
	matrix.typed = malloc(count * mmt_type_bytes(type));
	assert_non_null(matrix.exact);
	assert_non_null(matrix.typed);
	for (size_t i = 0; i < count; i++)
		set_element(&matrix, type, (int64_t)i, poison ? NAN : drand48() * 2 - 1);
	return matrix;
}

static void free_matrix(struct matrix *matrix)
{
	free(matrix->exact);
	free(matrix->typed);
}

static double op(const struct matrix *matrix, bool transposed, int64_t row, int64_t column)
{
	return matrix->exact[transposed ? column * matrix->ld + row : row * matrix->ld + column];
}

static void check_c(const struct worker_gemm *gemm, const struct matrix *a, const struct matrix *b,
		    const struct matrix *c, const char *name)
{
	const double unit = gemm->type == MMT_F64 ? 0x1p-53 : 0x1p-24;

	for (int64_t i = 0; i < gemm->m; i++) {
		for (int64_t j = 0; j < c->ld; j++) {
			const int64_t at = i * c->ld + j;
			const double before = c->exact[at], got = get_element(c, gemm->type, at);
			double sum = 0, size = 0;

			if (j >= gemm->n) {
				assert_true(got == before || (isnan(got) && isnan(before)));
				continue;
			}
			for (int64_t p = 0; p < gemm->k; p++) {
				double product = op(a, gemm->trans_a, i, p) * op(b, gemm->trans_b, p, j);

				sum += product;
				size += fabs(product);
			}
			sum = gemm->alpha * sum + (gemm->beta != 0 ? gemm->beta * before : 0);
			size += gemm->beta != 0 ? fabs(before) : 0;
			if (!(fabs(got - sum) <= (double)(gemm->k + 4) * unit * size))
				fail_msg("%s: c[%lld][%lld] is %g, not %g", name, (long long)i, (long long)j, got, sum);
		}
	}
}

static void check_product(const struct worker_reference *reference, void *library, struct worker_gemm gemm)
{
	struct mmt_error error = {0};
	struct matrix a = make_matrix(gemm.type, gemm.trans_a ? gemm.k : gemm.m, gemm.trans_a ? gemm.m : gemm.k, false);
	struct matrix b = make_matrix(gemm.type, gemm.trans_b ? gemm.n : gemm.k, gemm.trans_b ? gemm.k : gemm.n, false);
	struct matrix c = make_matrix(gemm.type, gemm.m, gemm.n, gemm.beta == 0);

	gemm.lda = a.ld;
	gemm.ldb = b.ld;
	gemm.ldc = c.ld;
	gemm.a = a.typed;
	gemm.b = b.typed;
	gemm.c = c.typed;
	assert_int_equal(reference->run(library, &gemm, &error), 0);
	check_c(&gemm, &a, &b, &c, reference->name);
	free_matrix(&a);
	free_matrix(&b);
	free_matrix(&c);
}

static void check_all_products(const struct worker_reference *reference, void *library)
{
	static const int64_t sizes[][3] = {{1, 1, 1}, {3, 17, 5}, {33, 29, 65}, {1, 40, 1}};
	static const double scalars[][2] = {{1, 0}, {0.75, -0.5}, {-1, 1}};

	for (unsigned trans = 0; trans < 4; trans++) {
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			for (size_t f = 0; f < sizeof scalars / sizeof *scalars; f++) {
				struct worker_gemm gemm = {
					.type = (trans + s + f) % 2 != 0 ? MMT_F64 : MMT_F32,
					.m = sizes[s][0],
					.n = sizes[s][1],
					.k = sizes[s][2],
					.trans_a = trans & 2,
					.trans_b = trans & 1,
					.alpha = scalars[f][0],
					.beta = scalars[f][1],
				};

				check_product(reference, library, gemm);
				gemm.type = gemm.type == MMT_F64 ? MMT_F32 : MMT_F64;
				check_product(reference, library, gemm);
			}
		}
	}
}

static void references_compute_the_product(void **state)
{
	(void)state;
	for (size_t i = 0; worker_references[i] != NULL; i++) {
		const struct worker_reference *reference = worker_references[i];
		struct mmt_error error = {0};
		void *library = NULL;

		if (reference->on_device || reference->missing != NULL)
			continue;
		if (reference->open != NULL && (library = reference->open(&error)) == NULL) {
			assert_int_equal(error.code, MMT_NOT_SUPPORTED);
			assert_non_null(strstr(error.message, "not installed"));
			continue;
		}
		check_all_products(reference, library);
		if (library != NULL)
			reference->close(library);
	}
}

/* What `mmtune ladder` promises to hold kernels against. */
static void references_are_all_there(void **state)
{
	static const char *const names[] = {
		"acc_collapse",  "acc_gang_vector", "acc_reduction", "acc_tile",        "clblast",  "host_ijk",
		"host_ijk_fast", "host_ijk_naive",  "host_ikj",      "host_ikj_openmp", "host_kij", "openblas",
	};
	unsigned of_kind[WORKER_REFERENCE_KINDS] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct worker_reference *reference = worker_reference_find(names[i]);

		assert_non_null(reference);
		assert_string_equal(reference->name, names[i]);
		assert_true(reference->summary[0] != '\0');
		of_kind[reference->kind]++;
	}
	assert_int_equal(of_kind[WORKER_REFERENCE_NAIVE], 1);
	assert_int_equal(of_kind[WORKER_REFERENCE_HOST], 4);
	assert_null(worker_reference_find("host"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references_are_all_there),
		cmocka_unit_test(references_compute_the_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
