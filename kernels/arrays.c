/* arrays.c: see arrays.h. */
#include "arrays.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

/* Saturates: what passes 2^64 is not to be had. */
static uint64_t bytes_of(const struct mmt_problem *problem, size_t elements)
{
	uint64_t bytes;
	if (__builtin_mul_overflow((uint64_t)elements, mmt_type_bytes(problem->type), &bytes))
		return UINT64_MAX;
	return bytes;
}

struct kern_checker *kern_arrays_create(const struct mmt_problem *problem, uint64_t seed,
					const struct kern_arrays *arrays, struct mmt_error *error)
{
	const uint64_t input_bytes = bytes_of(problem, arrays->n_input);
	const uint64_t output_bytes = bytes_of(problem, arrays->n_output);
	struct kern_checker *checker = calloc(1, sizeof *checker);
	if (checker) {
		checker->problem = *problem;
		checker->seed = seed;
		checker->input_name = arrays->input_name;
		checker->output_name = arrays->output_name;
		checker->n_output = arrays->n_output;
		checker->output = malloc(output_bytes);
		if (arrays->input_name)
			checker->input = malloc(input_bytes);
	}
	if (checker && checker->output && (checker->input || !arrays->input_name))
		return checker;
	mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory for host buffers of %" PRIu64 " and %" PRIu64 " bytes",
		      input_bytes, output_bytes);
	kern_arrays_destroy(checker);
	return NULL;
}

void kern_arrays_destroy(struct kern_checker *checker)
{
	if (!checker)
		return;
	free(checker->input);
	free(checker->output);
	free(checker);
}

const void *kern_arrays_contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer)
{
	if (checker->input_name && strcmp(buffer, checker->input_name) == 0)
		return checker->input;
	if (strcmp(buffer, checker->output_name) != 0)
		return NULL;
	if (mode == KERN_CHECK_GENERAL)
		kern_values_random(checker->problem.type, ~checker->seed, 0, checker->n_output, checker->output);
	else
		kern_values_poison(checker->problem.type, checker->n_output, checker->output);
	return checker->output;
}

int kern_arrays_is_output(const struct kern_checker *checker, const char *buffer, struct mmt_error *error)
{
	if (strcmp(buffer, checker->output_name) == 0)
		return 0;
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s has no output '%s'", checker->problem.family, buffer);
}

int kern_arrays_check_size(const char *family, const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->n < 1 || problem->n > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s: n is %" PRId64 ", but must be 1 to %d",
				     family, problem->n, INT32_MAX);
	if (problem->m != 1 || problem->k != 1 || problem->trans != MMT_NN)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "%s has one size, n: m and k must be 1", family);
	return 0;
}

uint64_t kern_arrays_bytes(const struct mmt_problem *problem)
{
	return bytes_of(problem, (size_t)problem->n);
}
