/* scan.c: the family `scan`: the inclusive prefix sum of n elements,
 * y[i] = x[0] + ... + x[i].
 *
 * Arguments of every variant, by name: n x y.
 *
 * The inputs are odd multiples of a grid step, few enough bits wide that no
 * sum rounds, in whatever order a kernel adds. So the result is known exactly,
 * a result is right when it is equal, and an offset that is wrong by any one
 * element shows at any length. Over real numbers the bound on the error of an
 * unknown order, (i - 1) u (|x[0]| + ... + |x[i]|) (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., section 4.2), would pass the sum
 * of a whole block of 256 elements at i = 20,000 in float.
 *
 * How wide: the elements are independent, of mean 0 and below 2^b grid steps,
 * so a sum of any n of them that were chosen beforehand stays below
 * t sqrt(n) 2^b but for a probability of 2 exp(-t^2 / 2) (Hoeffding, Journal of the
 * American Statistical Association 58, 1963, theorem 2). With 2^p the end of the whole
 * numbers that the type has without a gap, b = floor(p - 3.25 - log2(n) / 2) keeps
 * t above 9.5, the probability below 1e-19 a sum. As b is the largest such
 * number, the sums use most of the type's bits: a kernel that adds in a
 * narrower type is found out. */
#include "family.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

#define MARGIN_BITS 3.25

struct kern_checker {
	struct mmt_problem problem;
	uint64_t seed;
	void *x, *y;
};

static uint64_t bytes_of(const struct mmt_problem *problem)
{
	return (uint64_t)problem->n * mmt_type_bytes(problem->type);
}

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->n < 1 || problem->n > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "scan: n is %" PRId64 ", but must be 1 to %d",
				     problem->n, INT32_MAX);
	if (problem->m != 1 || problem->k != 1 || problem->trans != MMT_NN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "scan has one size, n: m and k must be 1");
	if (problem->type == MMT_F16)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "scan is for f32 and f64");
	return 0;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "x", .bytes = bytes_of(problem), .input = true};
	out[1] = (struct kern_buffer){.name = "y", .bytes = bytes_of(problem), .output = true};
	return 2;
}

static size_t scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
		      struct kern_scalar out[KERN_MAX_SCALARS])
{
	(void)mode;
	out[0] = (struct kern_scalar){.name = "n", .kind = KERN_INT32, .integer = problem->n};
	return 1;
}

static double operations(const struct mmt_problem *problem)
{
	return (double)problem->n - 1;
}

static double compulsory_bytes(const struct mmt_problem *problem)
{
	return 2.0 * (double)bytes_of(problem);
}

static bool peak(enum mmt_type type, uint64_t memory_bytes, const char **name, struct mmt_problem *out)
{
	(void)type;
	(void)memory_bytes;
	(void)name;
	(void)out;
	return false;
}

/* b of the comment above, 5 at least: 2^-b is the grid step, so that elements lie in (-1, 1). */
static int grid_bits(const struct mmt_problem *problem)
{
	const int type_bits = problem->type == MMT_F64 ? 53 : 24;

	return (int)floor(type_bits - MARGIN_BITS - log2((double)problem->n) / 2);
}

static void fill(const struct kern_checker *checker)
{
	const int bits = grid_bits(&checker->problem);
	const int64_t span = INT64_C(1) << bits;

	for (uint64_t i = 0; i < (uint64_t)checker->problem.n; i++) {
		const int64_t steps = 2 * (int64_t)(kern_random_bits(checker->seed, i) >> (64 - bits)) + 1 - span;
		const double value = (double)steps / (double)span;
		if (checker->problem.type == MMT_F64)
			((double *)checker->x)[i] = value;
		else
			((float *)checker->x)[i] = (float)value;
	}
}

static void checker_destroy(struct kern_checker *checker)
{
	if (!checker)
		return;
	free(checker->x);
	free(checker->y);
	free(checker);
}

static struct kern_checker *checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error)
{
	if (check(problem, error))
		return NULL;
	struct kern_checker *checker = calloc(1, sizeof *checker);
	if (checker) {
		checker->problem = *problem;
		checker->seed = seed;
		checker->x = malloc(bytes_of(problem));
		checker->y = malloc(bytes_of(problem));
	}
	if (!checker || !checker->x || !checker->y) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for 2 host buffers of %" PRIu64 " bytes",
			      bytes_of(problem));
		checker_destroy(checker);
		return NULL;
	}
	fill(checker);
	return checker;
}

static const void *contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer)
{
	const struct mmt_problem *problem = &checker->problem;

	if (strcmp(buffer, "x") == 0)
		return checker->x;
	if (strcmp(buffer, "y") != 0)
		return NULL;
	if (mode == KERN_CHECK_GENERAL)
		kern_values_random(problem->type, ~checker->seed, 0, (size_t)problem->n, checker->y);
	else
		kern_values_poison(problem->type, (size_t)problem->n, checker->y);
	return checker->y;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const enum mmt_type type = checker->problem.type;
	double sum = 0; /* exact, in double too */
	(void)mode;

	if (strcmp(buffer, "y") != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "scan has no output '%s'", buffer);
	*relative_error = 0;
	for (int64_t i = 0; i < checker->problem.n; i++) {
		const double found = kern_value(type, data, (uint64_t)i);
		sum += kern_value(type, checker->x, (uint64_t)i);
		if (!(found == sum))
			return mmt_error_set(error, MMT_WRONG_RESULT, 0, "y[%" PRId64 "] is %.17g, not %.17g", i, found,
					     sum);
	}
	return 0;
}

const struct kern_family kern_family_scan = {
	.name = "scan",
	.summary = "y = inclusive prefix sum of x, n elements",
	.check = check,
	.buffers = buffers,
	.scalars = scalars,
	.operations = operations,
	.compulsory_bytes = compulsory_bytes,
	.peak = peak,
	.checker_create = checker_create,
	.checker_destroy = checker_destroy,
	.contents = contents,
	.verify = verify,
};
