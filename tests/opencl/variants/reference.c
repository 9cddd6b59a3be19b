/* reference.c: see reference.h. */
#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "values.h"

static double *random_matrix(enum mmt_type type, uint64_t seed, int64_t count)
{
	void *values = malloc((size_t)count * mmt_type_bytes(type));
	double *matrix = malloc((size_t)count * sizeof *matrix);

	kern_values_random(type, seed, 0, (size_t)count, values);
	kern_values_to_double(type, values, 0, (size_t)count, matrix);
	free(values);
	return matrix;
}

void reference_init(struct reference *reference, enum mmt_type type, int64_t m, int64_t n, int64_t k)
{
	reference->m = m;
	reference->n = n;
	reference->k = k;
	reference->a = random_matrix(type, 1, m * k);
	reference->b = random_matrix(type, 2, k * n);
	reference->c0 = random_matrix(type, 3, m * n);
	reference->product = calloc((size_t)(m * n), sizeof(double));
	reference->magnitude = calloc((size_t)(m * n), sizeof(double));
	for (int64_t i = 0; i < m; i++) {
		for (int64_t p = 0; p < k; p++) {
			const double a = reference->a[i * k + p];
			for (int64_t j = 0; j < n; j++) {
				reference->product[i * n + j] += a * reference->b[p * n + j];
				reference->magnitude[i * n + j] += fabs(a * reference->b[p * n + j]);
			}
		}
	}
}

void reference_finish(struct reference *reference)
{
	free(reference->a);
	free(reference->b);
	free(reference->c0);
	free(reference->product);
	free(reference->magnitude);
}

int reference_compare(const struct reference *reference, const struct mmt_problem *problem, double alpha, double beta,
		      const void *c, int64_t ldc, struct mmt_error *error)
{
	const enum mmt_type type = problem->type;
	/* The reference is a sum in double itself, so two such errors count there. */
	const double roundoff = kern_unit_roundoff(kern_accumulate_type(type)) + 0x1p-53,
		     terms = (double)(reference->k + 3);
	const double operands = problem->accuracy == MMT_ACCURACY_TF32 ? 2 * 0x1p-10 : 0;
	const double least = type == MMT_F16 ? 0x1p-25 : 0x1p-134; /* half of the smallest step of half, bfloat16 */
	const double gamma = terms * roundoff / (1 - terms * roundoff) + operands;

	for (int64_t i = 0; i < reference->m; i++) {
		for (int64_t j = 0; j < reference->n; j++) {
			const int64_t at = i * reference->n + j;
			const double expected = alpha * reference->product[at] + beta * reference->c0[at];
			double allowed =
				gamma * (fabs(alpha) * reference->magnitude[at] + fabs(beta * reference->c0[at]));
			if (kern_accumulate_type(type) != type)
				allowed += kern_unit_roundoff(type) * (fabs(expected) + allowed) + least;
			const double found = kern_value(type, c, (uint64_t)(i * ldc + j));
			if (!(fabs(found - expected) <= allowed))
				return mmt_error_set(error, MMT_WRONG_RESULT, 0,
						     "c[%" PRId64 "][%" PRId64 "] is %.9g, not %.9g (within %.2g)", i,
						     j, found, expected, allowed);
		}
	}
	return 0;
}

void reference_store(enum mmt_type type, const double *matrix, int64_t rows, int64_t columns, bool transposed,
		     int64_t ld, void *out)
{
	for (int64_t i = 0; i < rows; i++) {
		for (int64_t j = 0; j < columns; j++) {
			const int64_t at = transposed ? j * ld + i : i * ld + j;
			if (type == MMT_F64)
				((double *)out)[at] = matrix[i * columns + j];
			else if (type == MMT_F16)
				((uint16_t *)out)[at] = kern_half_from_float((float)matrix[i * columns + j]);
			else if (type == MMT_BF16)
				((uint16_t *)out)[at] = kern_bfloat16_from_float((float)matrix[i * columns + j]);
			else
				((float *)out)[at] = (float)matrix[i * columns + j];
		}
	}
}
