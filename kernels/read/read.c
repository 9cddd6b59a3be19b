/* read.c: the family `read`: sum = x[0] + ... + x[n - 1]: what the memory gives
 * when next to nothing is written.
 *
 * Arguments of every variant, by name: n x sum. The inputs lie on a grid on
 * which no sum of them rounds, in whatever order a kernel adds
 * (kern_values_grid of values.h). So the sum is known exactly, and one that
 * lacks an element, or has it twice, is not equal. */
#include "family.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

struct kern_checker {
	struct mmt_problem problem;
	uint64_t seed;
	void *x;
	double sum;   /* exact */
	double start; /* what the output holds before a launch: room for either type */
};

static uint64_t bytes_of(const struct mmt_problem *problem)
{
	return (uint64_t)problem->n * mmt_type_bytes(problem->type);
}

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->n < 1 || problem->n > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "read: n is %" PRId64 ", but must be 1 to %d",
				     problem->n, INT32_MAX);
	if (problem->m != 1 || problem->k != 1 || problem->trans != MMT_NN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "read has one size, n: m and k must be 1");
	if (problem->type == MMT_F16)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "read is for f32 and f64");
	return 0;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "x", .bytes = bytes_of(problem), .input = true};
	out[1] = (struct kern_buffer){.name = "sum", .bytes = mmt_type_bytes(problem->type), .output = true};
	return 2;
}

static size_t scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
		      struct kern_scalar out[KERN_MAX_SCALARS])
{
	(void)mode;
	out[0] = (struct kern_scalar){.name = "n", .kind = KERN_INT64, .integer = problem->n};
	return 1;
}

static double operations(const struct mmt_problem *problem)
{
	return (double)problem->n - 1;
}

static double compulsory_bytes(const struct mmt_problem *problem)
{
	return (double)(bytes_of(problem) + mmt_type_bytes(problem->type));
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
	}
	if (!checker || !checker->x) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for a host buffer of %" PRIu64 " bytes",
			      bytes_of(problem));
		checker_destroy(checker);
		return NULL;
	}
	kern_values_grid(problem->type, seed, (size_t)problem->n, checker->x);
	for (uint64_t i = 0; i < (uint64_t)problem->n; i++)
		checker->sum += kern_value(problem->type, checker->x, i);
	return checker;
}

static const void *contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer)
{
	const struct mmt_problem *problem = &checker->problem;

	if (strcmp(buffer, "x") == 0)
		return checker->x;
	if (strcmp(buffer, "sum") != 0)
		return NULL;
	if (mode == KERN_CHECK_GENERAL)
		kern_values_random(problem->type, ~checker->seed, 0, 1, &checker->start);
	else
		kern_values_poison(problem->type, 1, &checker->start);
	return &checker->start;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const double found = kern_value(checker->problem.type, data, 0);
	(void)mode;

	if (strcmp(buffer, "sum") != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "read has no output '%s'", buffer);
	*relative_error = 0;
	if (!(found == checker->sum))
		return mmt_error_set(error, MMT_WRONG_RESULT, 0, "the sum is %.17g, not %.17g", found, checker->sum);
	return 0;
}

const struct kern_family kern_family_read = {
	.name = "read",
	.summary = "the sum of n elements: what the memory gives",
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
