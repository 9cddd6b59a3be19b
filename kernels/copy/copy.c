/* copy.c: the family `copy`: dst = src, n elements. Its best rate is what the
 * device's memory gives. A result is right when it is equal, bit for bit. */
#include "family.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

struct kern_checker {
	struct mmt_problem problem;
	uint64_t seed;
	void *src, *dst;
};

static uint64_t bytes_of(const struct mmt_problem *problem)
{
	return (uint64_t)problem->n * mmt_type_bytes(problem->type);
}

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->n < 1 || problem->n > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "copy: n is %" PRId64 ", but must be 1 to %d",
				     problem->n, INT32_MAX);
	if (problem->m != 1 || problem->k != 1 || problem->trans != MMT_NN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "copy has one size, n: m and k must be 1");
	return 0;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "src", .bytes = bytes_of(problem), .input = true};
	out[1] = (struct kern_buffer){.name = "dst", .bytes = bytes_of(problem), .output = true};
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
	(void)problem;
	return 0;
}

static double compulsory_bytes(const struct mmt_problem *problem)
{
	return 2.0 * (double)bytes_of(problem);
}

/* Buffers far larger than any cache, far smaller than the memory: a 64th of it as a power of two,
 * at least 16 MiB, at most 2 GiB. */
static bool peak(enum mmt_type type, uint64_t memory_bytes, const char **name, struct mmt_problem *out)
{
	const uint64_t least = UINT64_C(16) << 20, most = UINT64_C(2) << 30;
	uint64_t bytes = least;

	if (type != MMT_F32)
		return false;
	while (bytes < most && 2 * bytes <= memory_bytes / 64)
		bytes *= 2;
	mmt_problem_init(out);
	strcpy(out->family, "copy");
	out->n = (int64_t)(bytes / mmt_type_bytes(type));
	*name = "bandwidth";
	return true;
}

static void checker_destroy(struct kern_checker *checker)
{
	if (!checker)
		return;
	free(checker->src);
	free(checker->dst);
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
		checker->src = malloc(bytes_of(problem));
		checker->dst = malloc(bytes_of(problem));
	}
	if (!checker || !checker->src || !checker->dst) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for 2 host buffers of %" PRIu64 " bytes",
			      bytes_of(problem));
		checker_destroy(checker);
		return NULL;
	}
	kern_values_random(problem->type, seed, 0, (size_t)problem->n, checker->src);
	return checker;
}

static const void *contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer)
{
	const struct mmt_problem *problem = &checker->problem;

	if (strcmp(buffer, "src") == 0)
		return checker->src;
	if (strcmp(buffer, "dst") != 0)
		return NULL;
	if (mode == KERN_CHECK_GENERAL)
		kern_values_random(problem->type, ~checker->seed, 0, (size_t)problem->n, checker->dst);
	else
		kern_values_poison(problem->type, (size_t)problem->n, checker->dst);
	return checker->dst;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const size_t size = mmt_type_bytes(checker->problem.type);
	const char *expected = checker->src, *found = data;
	(void)mode;

	if (strcmp(buffer, "dst") != 0)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "copy has no output '%s'", buffer);
	*relative_error = 0;
	if (memcmp(expected, found, bytes_of(&checker->problem)) == 0)
		return 0;
	for (int64_t i = 0; i < checker->problem.n; i++) {
		if (memcmp(expected + (size_t)i * size, found + (size_t)i * size, size) != 0)
			return mmt_error_set(error, MMT_WRONG_RESULT, 0, "dst[%" PRId64 "] is %g, not %g", i,
					     kern_value(checker->problem.type, data, (uint64_t)i),
					     kern_value(checker->problem.type, checker->src, (uint64_t)i));
	}
	return 0;
}

const struct kern_family kern_family_copy = {
	.name = "copy",
	.summary = "dst = src, n elements: what the memory gives",
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
