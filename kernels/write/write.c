/* write.c: the family `write`: y[i] = value, n elements: what the memory takes.
 *
 * Arguments of every variant, by name: n value y. A result is right when every
 * element is equal to the value, which each type holds exactly. */
#include "family.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

struct kern_checker {
	struct mmt_problem problem;
	uint64_t seed;
	void *y;
};

static uint64_t bytes_of(const struct mmt_problem *problem)
{
	return (uint64_t)problem->n * mmt_type_bytes(problem->type);
}

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->n < 1 || problem->n > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "write: n is %" PRId64 ", but must be 1 to %d",
				     problem->n, INT32_MAX);
	if (problem->m != 1 || problem->k != 1 || problem->trans != MMT_NN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "write has one size, n: m and k must be 1");
	return 0;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "y", .bytes = bytes_of(problem), .output = true};
	return 1;
}

/* Multiples of 2^-6: exact in half. */
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
	return (double)bytes_of(problem);
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
		checker->y = malloc(bytes_of(problem));
	}
	if (!checker || !checker->y) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a host buffer of %" PRIu64 " bytes",
			      bytes_of(problem));
		checker_destroy(checker);
		return NULL;
	}
	return checker;
}

static const void *contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer)
{
	const struct mmt_problem *problem = &checker->problem;

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
	const double value = value_of(mode);

	if (strcmp(buffer, "y") != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "write has no output '%s'", buffer);
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
	.peak = peak,
	.checker_create = checker_create,
	.checker_destroy = checker_destroy,
	.contents = contents,
	.verify = verify,
};
