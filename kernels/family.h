/* family.h: what a family of kernels computes, and how a result is verified.
 *
 * A family is one folder kernels/NAME/ with NAME.c, which ends in
 *	const struct kern_family kern_family_NAME = {...};
 * and its variants' .json and .cl. The build finds both.
 *
 * The family fixes the kernels' arguments: scalars, and buffers that the
 * caller provides. It makes random inputs on the host and judges an output in
 * O(size of the output), without knowing which kernel made it.
 *
 * Thread: the functions are pure; a checker belongs to one thread. */
#ifndef MMT_KERNELS_FAMILY_H
#define MMT_KERNELS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mmtune/error.h"
#include "mmtune/problem.h"

#define KERN_MAX_BUFFERS 6

struct kern_buffer {
	const char *name; /* as in the arguments: "a" */
	uint64_t bytes;
	bool input, output;
};

enum kern_scalar_kind { KERN_INT32, KERN_INT64, KERN_REAL }; /* REAL: the problem's type (f16, bf16: float) */

struct kern_scalar {
	const char *name;
	enum kern_scalar_kind kind;
	int64_t integer; /* the value in a plan, for the two integer kinds */
	double real;     /* for KERN_REAL */
};

#define KERN_MAX_SCALARS 16

/* What a verification runs with: plans for measurement use alpha 1, beta 0. */
enum kern_check_mode {
	KERN_CHECK_PLAIN,   /* alpha 1, beta 0; the output is poisoned with NaN: it must not be read */
	KERN_CHECK_GENERAL, /* alpha and beta neither 0 nor 1; the output holds random values */
	KERN_CHECK_MODES
};

/* Rows of an output that a quick verification looks at, out of all its rows. */
struct kern_sample {
	uint64_t row_bytes;
	const int64_t *rows; /* ascending; borrowed from the checker until the next sample */
	size_t n_rows;
};

struct kern_checker; /* a family's own: inputs and reference projections */

struct kern_family {
	const char *name, *summary;
	bool stores_half; /* f16 is only loaded and stored (vload_half, vstore_half): cl_khr_fp16 is not needed */
	/* Whether the shape and type make sense: MMT_INVALID_ARGUMENT if not. */
	int (*check)(const struct mmt_problem *problem, struct mmt_error *error);
	/* Caller's buffers (tight leading dimensions) and scalars; return how many. */
	size_t (*buffers)(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS]);
	size_t (*scalars)(const struct mmt_problem *problem, enum kern_check_mode mode,
			  struct kern_scalar out[KERN_MAX_SCALARS]);
	double (*operations)(const struct mmt_problem *problem);       /* floating-point operations */
	double (*compulsory_bytes)(const struct mmt_problem *problem); /* every operand once */
	/* The problem whose best rate is a device's measured peak; NULL, or false for this type: the family measures
	 * none. peak is "bandwidth" or "rate". memory_bytes: the device's global memory. */
	bool (*peak)(enum mmt_type type, uint64_t memory_bytes, const char **peak, struct mmt_problem *out);

	/* Random inputs for a problem; caller destroys. */
	struct kern_checker *(*checker_create)(const struct mmt_problem *problem, uint64_t seed,
					       struct mmt_error *error);
	void (*checker_destroy)(struct kern_checker *checker);
	/* Host bytes of a buffer before a launch (borrowed from the checker): random inputs; for
	 * outputs the poison, which is all bits one, or random values with KERN_CHECK_GENERAL. */
	const void *(*contents)(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer);
	/* Judges the outputs (name's bytes as read back). *relative_error is filled when 0 is
	 * returned; -1 with MMT_WRONG_RESULT says where and by how much. */
	int (*verify)(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		      double *relative_error, struct mmt_error *error);
	/* Where an output is so large that to read and judge all of it would cost more than the launch: draws
	 * rows that stand for it, others at each call. False: it is small. Both NULL: the family judges all. */
	bool (*sample)(struct kern_checker *checker, const char *buffer, struct kern_sample *out);
	/* As verify, of the rows last drawn: data has them one after the other. */
	int (*verify_sample)(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer,
			     const void *data, double *relative_error, struct mmt_error *error);
};

#endif
