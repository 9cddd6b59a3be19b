/* scan.c: the family `scan`: the inclusive prefix sum of n elements,
 * y[i] = x[0] + ... + x[i].
 *
 * Arguments of every variant, by name: n x y.
 *
 * The inputs lie on a grid (kern_values_grid of values.h) on which no sum of
 * them rounds, in whatever order a kernel adds. So the result is known exactly,
 * a result is right when it is equal, and an offset that is wrong by any one
 * element shows at any length. Over real numbers the bound on the error of an
 * unknown order, (i - 1) u (|x[0]| + ... + |x[i]|) (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., section 4.2), would pass the sum
 * of a whole block of 256 elements at i = 20,000 in float. */
#include "family.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

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
	kern_values_grid(problem->type, seed, (size_t)problem->n, checker->x);
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
