/* madd.c: the family `madd`: y[i] is what k steps x = factor x + term make of
 * x[i], for n elements. Its best rate is the device's multiply-add peak: two
 * operations a step, next to no memory traffic.
 *
 * factor is just inside -1, so that a step too many or too few turns the sign,
 * nothing overflows and nothing becomes too small to be normal.
 *
 * The result has a closed form: with x* = term / (1 - factor),
 *	x_k = x* + factor^k (x_0 - x*)
 * so every element is verified in O(1). Each step rounds at most twice and
 * |x| stays below |x_0| + 2|x*|, so that the error is at most
 *	2 k u (|x_0| + 2|x*|)
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section
 * 3.1; errors are damped by |factor| < 1). */
#include "arrays.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "values.h"

#define FACTOR (-0.99993896484375) /* 2^-14 - 1: exact in float */
#define TERM   0.25

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->n < 1 || problem->n > INT32_MAX || problem->k < 1 || problem->k > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "madd: n is %" PRId64 " and k %" PRId64 ", but both must be 1 to %d", problem->n,
				     problem->k, INT32_MAX);
	if (problem->m != 1 || problem->trans != MMT_NN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "madd has two sizes, n and k: m must be 1");
	if (kern_accumulate_type(problem->type) != problem->type)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "madd is for f32 and f64");
	return 0;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "x", .bytes = kern_arrays_bytes(problem), .input = true};
	out[1] = (struct kern_buffer){.name = "y", .bytes = kern_arrays_bytes(problem), .output = true};
	return 2;
}

static size_t scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
		      struct kern_scalar out[KERN_MAX_SCALARS])
{
	(void)mode;
	out[0] = (struct kern_scalar){.name = "n", .kind = KERN_INT32, .integer = problem->n};
	out[1] = (struct kern_scalar){.name = "k", .kind = KERN_INT32, .integer = problem->k};
	out[2] = (struct kern_scalar){.name = "factor", .kind = KERN_REAL, .real = FACTOR};
	out[3] = (struct kern_scalar){.name = "term", .kind = KERN_REAL, .real = TERM};
	return 4;
}

static double operations(const struct mmt_problem *problem)
{
	return 2.0 * (double)problem->n * (double)problem->k;
}

static double compulsory_bytes(const struct mmt_problem *problem)
{
	return 2.0 * (double)kern_arrays_bytes(problem);
}

/* 2^20 elements fill any device at 16 elements a work-item; 3072 steps take 100 us at 60 TFLOP/s, which events of 1 us
 * resolve, of which the memory traffic at 3 TB/s is 3; on two cores of 115 GFLOP/s they take 28 ms. */
static bool peak(enum mmt_type type, uint64_t memory_bytes, const char **name, struct mmt_problem *out)
{
	(void)memory_bytes;
	if (kern_accumulate_type(type) != type)
		return false;
	mmt_problem_init(out);
	strcpy(out->family, "madd");
	out->type = type;
	out->n = 1 << 20;
	out->k = 3072;
	*name = "rate";
	return true;
}

static struct kern_checker *checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error)
{
	const struct kern_arrays arrays = {
		.input_name = "x", .n_input = (size_t)problem->n, .output_name = "y", .n_output = (size_t)problem->n};
	if (check(problem, error))
		return NULL;
	struct kern_checker *checker = kern_arrays_create(problem, seed, &arrays, error);
	if (!checker)
		return NULL;
	kern_values_random(problem->type, seed, 0, (size_t)problem->n, checker->input);
	return checker;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const struct mmt_problem *problem = &checker->problem;
	const double rest = TERM / (1 - FACTOR), power = pow(FACTOR, (double)problem->k);
	/* The closed form itself is good to a few roundings of double. */
	const double steps = 2 * (double)problem->k * kern_unit_roundoff(problem->type) + 0x1p-50;
	double squares = 0, error_squares = 0;
	(void)mode;

	if (kern_arrays_is_output(checker, buffer, error))
		return -1;
	for (uint64_t i = 0; i < (uint64_t)problem->n; i++) {
		const double start = kern_value(problem->type, checker->input, i);
		const double found = kern_value(problem->type, data, i);
		const double expected = rest + power * (start - rest);
		const double allowed = steps * (fabs(start) + 2 * rest);
		if (!(fabs(found - expected) <= allowed))
			return mmt_error_set(error, MMT_WRONG_RESULT, 0,
					     "y[%" PRIu64 "] is %.9g, not %.9g (within %.2g)", i, found, expected,
					     allowed);
		squares += expected * expected;
		error_squares += (found - expected) * (found - expected);
	}
	*relative_error = squares > 0 ? sqrt(error_squares / squares) : 0;
	return 0;
}

const struct kern_family kern_family_madd = {
	.name = "madd",
	.summary = "k multiply-adds on each of n elements: what the arithmetic gives",
	.check = check,
	.buffers = buffers,
	.scalars = scalars,
	.operations = operations,
	.compulsory_bytes = compulsory_bytes,
	.peak = peak,
	.checker_create = checker_create,
	.checker_destroy = kern_arrays_destroy,
	.contents = kern_arrays_contents,
	.verify = verify,
};
