/* arrays.h: the checker of a family that makes one array of another: its
 * inputs made once, its output made anew before each launch.
 *
 * A family whose kernels take more than that (matmul) has a checker of its own
 * and does not include this file.
 *
 * Thread: a checker belongs to one thread. */
#ifndef MMT_KERNELS_ARRAYS_H
#define MMT_KERNELS_ARRAYS_H

#include "family.h"

struct kern_checker {
	struct mmt_problem problem;
	uint64_t seed;
	const char *input_name, *output_name; /* input_name NULL: there is none */
	size_t n_output;                      /* elements */
	void *input, *output;
	double sum; /* of the input, exact: for families that want it */
};

/* Names are kept, not copied. The input is not filled. NULL with MMT_NO_MEMORY. */
struct kern_arrays {
	const char *input_name;
	size_t n_input;
	const char *output_name;
	size_t n_output;
};
struct kern_checker *kern_arrays_create(const struct mmt_problem *problem, uint64_t seed,
					const struct kern_arrays *arrays, struct mmt_error *error);

/* As family.h wants them: the output is poisoned, or random with KERN_CHECK_GENERAL. */
void kern_arrays_destroy(struct kern_checker *checker);
const void *kern_arrays_contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer);

/* -1 with MMT_INVALID_ARGUMENT when buffer is not the checker's output. */
int kern_arrays_is_output(const struct kern_checker *checker, const char *buffer, struct mmt_error *error);

/* For families of one size, n: whether it is 1 to INT32_MAX and the others 1. */
int kern_arrays_check_size(const char *family, const struct mmt_problem *problem, struct mmt_error *error);
/* The bytes of n elements. */
uint64_t kern_arrays_bytes(const struct mmt_problem *problem);

#endif
