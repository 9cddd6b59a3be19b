/* transpose.c: the family `transpose`: B = A^T, A m x n, B n x m, row-major.
 *
 * Arguments of every variant, by name: m n a lda b ldb. Buffers made here are
 * tight (lda n, ldb m); a variant must take larger ones. A result is right
 * when it is equal, bit for bit. */
#include "arrays.h"

#include <inttypes.h>
#include <string.h>

#include "values.h"

static size_t element_count(const struct mmt_problem *problem)
{
	return (size_t)problem->m * (size_t)problem->n;
}

/* Saturates: a size that passes 2^64 fits nowhere. */
static uint64_t matrix_bytes(const struct mmt_problem *problem)
{
	uint64_t bytes;

	if (__builtin_mul_overflow((uint64_t)problem->m * (uint64_t)problem->n, mmt_type_bytes(problem->type), &bytes))
		return UINT64_MAX;
	return bytes;
}

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->m < 1 || problem->m > INT32_MAX || problem->n < 1 || problem->n > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "transpose: A is %" PRId64 " x %" PRId64 ", but m and n must be 1 to %d",
				     problem->m, problem->n, INT32_MAX);
	if (problem->k != 1 || problem->trans != MMT_NN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "transpose has two sizes, m and n: k must be 1 and trans nn");
	return 0;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "a", .bytes = matrix_bytes(problem), .input = true};
	out[1] = (struct kern_buffer){.name = "b", .bytes = matrix_bytes(problem), .output = true};
	return 2;
}

static size_t scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
		      struct kern_scalar out[KERN_MAX_SCALARS])
{
	(void)mode;
	out[0] = (struct kern_scalar){.name = "m", .kind = KERN_INT32, .integer = problem->m};
	out[1] = (struct kern_scalar){.name = "n", .kind = KERN_INT32, .integer = problem->n};
	out[2] = (struct kern_scalar){.name = "lda", .kind = KERN_INT32, .integer = problem->n};
	out[3] = (struct kern_scalar){.name = "ldb", .kind = KERN_INT32, .integer = problem->m};
	return 4;
}

static double operations(const struct mmt_problem *problem)
{
	(void)problem;
	return 0;
}

static double compulsory_bytes(const struct mmt_problem *problem)
{
	return 2.0 * (double)problem->m * (double)problem->n * (double)mmt_type_bytes(problem->type);
}

static struct kern_checker *checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error)
{
	const struct kern_arrays arrays = {.input_name = "a",
					   .n_input = element_count(problem),
					   .output_name = "b",
					   .n_output = element_count(problem)};
	if (check(problem, error))
		return NULL;
	struct kern_checker *checker = kern_arrays_create(problem, seed, &arrays, error);
	if (!checker)
		return NULL;
	kern_values_random(problem->type, seed, 0, element_count(problem), checker->input);
	return checker;
}

#define SQUARE 32 /* elements: a square of A and one of B stay in the first-level cache */

/* The rows of B from first_row on, SQUARE at most, against A's columns; *row, *column: where they differ. */
static bool rows_differ(const struct kern_checker *checker, const char *b, int64_t first_row, int64_t *row,
			int64_t *column)
{
	const int64_t m = checker->problem.m, n = checker->problem.n;
	const size_t size = mmt_type_bytes(checker->problem.type);
	const int64_t end_row = first_row + SQUARE < n ? first_row + SQUARE : n;
	const char *a = checker->input;

	for (int64_t first_column = 0; first_column < m; first_column += SQUARE) {
		const int64_t end_column = first_column + SQUARE < m ? first_column + SQUARE : m;
		for (*row = first_row; *row < end_row; ++*row)
			for (*column = first_column; *column < end_column; ++*column)
				if (memcmp(b + (size_t)(*row * m + *column) * size,
					   a + (size_t)(*column * n + *row) * size, size) != 0)
					return true;
	}
	return false;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const int64_t m = checker->problem.m, n = checker->problem.n;
	const enum mmt_type type = checker->problem.type;
	int64_t row, column;
	(void)mode;

	if (kern_arrays_is_output(checker, buffer, error))
		return -1;
	*relative_error = 0;
	for (int64_t first_row = 0; first_row < n; first_row += SQUARE)
		if (rows_differ(checker, data, first_row, &row, &column))
			return mmt_error_set(error, MMT_WRONG_RESULT, 0,
					     "b[%" PRId64 "][%" PRId64 "] is %.9g, not %.9g", row, column,
					     kern_value(type, data, (uint64_t)(row * m + column)),
					     kern_value(type, checker->input, (uint64_t)(column * n + row)));
	return 0;
}

const struct kern_family kern_family_transpose = {
	.name = "transpose",
	.summary = "B = A^T: A is m x n, row-major",
	.check = check,
	.buffers = buffers,
	.scalars = scalars,
	.operations = operations,
	.compulsory_bytes = compulsory_bytes,
	.checker_create = checker_create,
	.checker_destroy = kern_arrays_destroy,
	.contents = kern_arrays_contents,
	.verify = verify,
};
