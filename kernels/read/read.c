/* read.c: the family `read`: sum = x[0] + ... + x[n - 1]: what the memory gives
 * when next to nothing is written.
 *
 * Arguments of every variant, by name: n x sum. The inputs lie on a grid on
 * which no sum of them rounds, in whatever order a kernel adds
 * (kern_values_grid of values.h). So the sum is known exactly, and one that
 * lacks an element, or has it twice, is not equal. */
#include "arrays.h"

#include "values.h"

static int check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (kern_arrays_check_size("read", problem, error))
		return -1;
	if (kern_accumulate_type(problem->type) != problem->type)
		return mmt_error_set(error, MMT_NOT_SUPPORTED, 0, "read is for f32 and f64");
	return 0;
}

static size_t buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	out[0] = (struct kern_buffer){.name = "x", .bytes = kern_arrays_bytes(problem), .input = true};
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
	return (double)(kern_arrays_bytes(problem) + mmt_type_bytes(problem->type));
}

static struct kern_checker *checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error)
{
	const struct kern_arrays arrays = {
		.input_name = "x", .n_input = (size_t)problem->n, .output_name = "sum", .n_output = 1};
	if (check(problem, error))
		return NULL;
	struct kern_checker *checker = kern_arrays_create(problem, seed, &arrays, error);
	if (!checker)
		return NULL;
	kern_values_grid(problem->type, seed, (size_t)problem->n, checker->input);
	for (uint64_t i = 0; i < (uint64_t)problem->n; i++)
		checker->sum += kern_value(problem->type, checker->input, i);
	return checker;
}

static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	const double found = kern_value(checker->problem.type, data, 0);
	(void)mode;

	if (kern_arrays_is_output(checker, buffer, error))
		return -1;
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
	.checker_create = checker_create,
	.checker_destroy = kern_arrays_destroy,
	.contents = kern_arrays_contents,
	.verify = verify,
};
