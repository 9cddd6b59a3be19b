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
#include "arrays.h"

#include <inttypes.h>

#include "values.h"

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (kern_arrays_check_size("scan", problem, error))
		return -1;
	if (kern_accumulate_type(problem->type) != problem->type)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "scan is for f32 and f64");
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
	return 1;
}

static double operations(const struct mmt_problem *problem)
{
	return (double)problem->n - 1;
}

static double compulsory_bytes(const struct mmt_problem *problem)
{
	return 2.0 * (double)kern_arrays_bytes(problem);
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
	kern_values_grid(problem->type, seed, (size_t)problem->n, checker->input);
	return checker;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const enum mmt_type type = checker->problem.type;
	double sum = 0; /* exact, in double too */
	(void)mode;

	if (kern_arrays_is_output(checker, buffer, error))
		return -1;
	*relative_error = 0;
	for (int64_t i = 0; i < checker->problem.n; i++) {
		const double found = kern_value(type, data, (uint64_t)i);
		sum += kern_value(type, checker->input, (uint64_t)i);
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
	.checker_create = checker_create,
	.checker_destroy = kern_arrays_destroy,
	.contents = kern_arrays_contents,
	.verify = verify,
};
