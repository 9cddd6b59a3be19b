/* copy.c: the family `copy`: dst = src, n elements. Its best rate is what the
 * device's memory gives. A result is right when it is equal, bit for bit. */
#include "arrays.h"

#include <inttypes.h>
#include <string.h>

#include "values.h"

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	return kern_arrays_check_size("copy", problem, error);
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "src", .bytes = kern_arrays_bytes(problem), .input = true};
	out[1] = (struct kern_buffer){.name = "dst", .bytes = kern_arrays_bytes(problem), .output = true};
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
	return 2.0 * (double)kern_arrays_bytes(problem);
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

static struct kern_checker *checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error)
{
	const struct kern_arrays arrays = {.input_name = "src",
					   .n_input = (size_t)problem->n,
					   .output_name = "dst",
					   .n_output = (size_t)problem->n};
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
	const size_t size = mmt_type_bytes(checker->problem.type);
	const char *expected = checker->input, *found = data;
	(void)mode;

	if (kern_arrays_is_output(checker, buffer, error))
		return -1;
	*relative_error = 0;
	if (memcmp(expected, found, kern_arrays_bytes(&checker->problem)) == 0)
		return 0;
	for (int64_t i = 0; i < checker->problem.n; i++) {
		if (memcmp(expected + (size_t)i * size, found + (size_t)i * size, size) != 0)
			return mmt_error_set(error, MMT_WRONG_RESULT, 0, "dst[%" PRId64 "] is %g, not %g", i,
					     kern_value(checker->problem.type, data, (uint64_t)i),
					     kern_value(checker->problem.type, checker->input, (uint64_t)i));
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
	.checker_destroy = kern_arrays_destroy,
	.contents = kern_arrays_contents,
	.verify = verify,
};
