/* write.c: the family `write`: y[i] = value, n elements: what the memory takes.
 *
 * Arguments of every variant, by name: n value y. A result is right when every
 * element is equal to the value, which each type holds exactly. */
#include "arrays.h"

#include <inttypes.h>

#include "values.h"

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	return kern_arrays_check_size("write", problem, error);
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "y", .bytes = kern_arrays_bytes(problem), .output = true};
	return 1;
}

/* Multiples of 2^-6: exact in half and bfloat16. */
static double value_of(enum kern_check_mode mode)
{
	return mode == KERN_CHECK_GENERAL ? -1.734375 : 0.640625;
}

static size_t scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
		      struct kern_scalar out[KERN_MAX_SCALARS])
{
	out[0] = (struct kern_scalar){.name = "n", .kind = KERN_INT64, .integer = problem->n};
	out[1] = (struct kern_scalar){.name = "value", .kind = KERN_REAL, .real = value_of(mode)};
	return 2;
}

static double operations(const struct mmt_problem *problem)
{
	(void)problem;
	return 0;
}

static double compulsory_bytes(const struct mmt_problem *problem)
{
	return (double)kern_arrays_bytes(problem);
}

static struct kern_checker *checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error)
{
	const struct kern_arrays arrays = {.output_name = "y", .n_output = (size_t)problem->n};
	if (check(problem, error))
		return NULL;
	return kern_arrays_create(problem, seed, &arrays, error);
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const double value = value_of(mode);

	if (kern_arrays_is_output(checker, buffer, error))
		return -1;
	*relative_error = 0;
	for (int64_t i = 0; i < checker->problem.n; i++) {
		const double found = kern_value(checker->problem.type, data, (uint64_t)i);
		if (!(found == value))
			return mmt_error_set(error, MMT_WRONG_RESULT, 0, "y[%" PRId64 "] is %g, not %g", i, found,
					     value);
	}
	return 0;
}

const struct kern_family kern_family_write = {
	.name = "write",
	.summary = "y[i] = value, n elements: what the memory takes",
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
