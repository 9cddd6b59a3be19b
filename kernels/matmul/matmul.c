/* matmul.c: the family `matmul`: C = alpha op(A) op(B) + beta C, row-major.
 *
 * Arguments of every variant, by name: m n k alpha a lda b ldb beta c ldc. The
 * sizes are int, so that kernels index with 64-bit products of them. Buffers
 * made here are tight: a leading dimension is the length of a stored row. */
#include "family.h"

#include <inttypes.h>

#include "checker.h"

static bool trans_a(const struct mmt_problem *problem)
{
	return problem->trans & 2;
}

static bool trans_b(const struct mmt_problem *problem)
{
	return problem->trans & 1;
}

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	const int64_t sizes[3] = {problem->m, problem->n, problem->k};

	for (int i = 0; i < 3; i++) {
		if (sizes[i] < 1 || sizes[i] > INT32_MAX)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "matmul: %c is %" PRId64 ", but must be 1 to %d", "mnk"[i], sizes[i],
					     INT32_MAX);
	}
	return 0;
}

/* Saturates: a size that passes 2^64 fits nowhere. */
static uint64_t matrix_bytes(const struct mmt_problem *problem, int64_t rows, int64_t columns)
{
	uint64_t bytes;

	if (__builtin_mul_overflow((uint64_t)rows * (uint64_t)columns, mmt_type_bytes(problem->type), &bytes))
		return UINT64_MAX;
	return bytes;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	const int64_t m = problem->m, n = problem->n, k = problem->k;

	out[0] = (struct kern_buffer){.name = "a", .bytes = matrix_bytes(problem, m, k), .input = true};
	out[1] = (struct kern_buffer){.name = "b", .bytes = matrix_bytes(problem, k, n), .input = true};
	out[2] = (struct kern_buffer){.name = "c", .bytes = matrix_bytes(problem, m, n), .output = true};
	return 3;
}

static struct kern_scalar size_scalar(const char *name, int64_t value)
{
	return (struct kern_scalar){.name = name, .kind = KERN_INT32, .integer = value};
}

static struct kern_scalar real_scalar(const char *name, double value)
{
	return (struct kern_scalar){.name = name, .kind = KERN_REAL, .real = value};
}

static size_t scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
		      struct kern_scalar out[KERN_MAX_SCALARS])
{
	out[0] = size_scalar("m", problem->m);
	out[1] = size_scalar("n", problem->n);
	out[2] = size_scalar("k", problem->k);
	out[3] = real_scalar("alpha", matmul_alpha(mode));
	out[4] = size_scalar("lda", trans_a(problem) ? problem->m : problem->k);
	out[5] = size_scalar("ldb", trans_b(problem) ? problem->k : problem->n);
	out[6] = real_scalar("beta", matmul_beta(mode));
	out[7] = size_scalar("ldc", problem->n);
	return 8;
}

static double operations(const struct mmt_problem *problem)
{
	return 2.0 * (double)problem->m * (double)problem->n * (double)problem->k;
}

/* Of a plan, which has beta 0: C is written and not read. */
static double compulsory_bytes(const struct mmt_problem *problem)
{
	const double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;

	return (m * k + k * n + m * n) * (double)mmt_type_bytes(problem->type);
}

const struct kern_family kern_family_matmul = {
	.name = "matmul",
	.summary = "C = alpha op(A) op(B) + beta C: m x n x k, GEMM as BLAS has it, row-major",
	.stores_half = true,
	.check = check,
	.buffers = buffers,
	.scalars = scalars,
	.operations = operations,
	.compulsory_bytes = compulsory_bytes,
	.checker_create = matmul_checker_create,
	.checker_destroy = matmul_checker_destroy,
	.contents = matmul_contents,
	.verify = matmul_verify,
	.sample = matmul_sample,
	.verify_sample = matmul_verify_sample,
};
