/* reference.h: what a kernel is held against: the host's own loops, compilers'
 * directives, and libraries where they are installed.
 *
 * A reference is one file references/NAME.c that ends in
 *	const struct worker_reference worker_reference_NAME = {...};
 * and is found by the build; there is no table to edit. All compute GEMM as
 * the family matmul has it: row-major C = alpha op(A) op(B) + beta C, C not
 * read where beta is 0.
 *
 * Their times are the host clock's, whatever the clock of the session.
 *
 * Thread: one runs at a time. It may use threads of its own, all idle when run returns. */
#ifndef MMT_WORKER_REFERENCE_H
#define MMT_WORKER_REFERENCE_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "mmtune/error.h"
#include "mmtune/problem.h"

/* One product. Leading dimensions are lengths of stored rows, in elements. */
struct worker_gemm {
	enum mmt_type type;
	int64_t m, n, k;
	bool trans_a, trans_b;
	int64_t lda, ldb, ldc;
	double alpha, beta;
	const void *a, *b; /* on the host */
	void *c;
	cl_mem device_a, device_b, device_c; /* the same, where the reference is on_device */
	cl_command_queue queue;
};

/* X(code, name): what the service may conclude from a reference's rate */
#define WORKER_REFERENCE_TABLE(X)                                                     \
	X(NAIVE, "naive")           /* loops as first written, not optimised */       \
	X(HOST, "host")             /* one core's loops, optimised: the honest bar */ \
	X(PARALLEL, "parallel")     /* all of the host's cores */                     \
	X(DIRECTIVES, "directives") /* wherever the compiler sends it */              \
	X(LIBRARY, "library")       /* on all of the host's cores */                  \
	X(DEVICE_LIBRARY, "device_library")

enum worker_reference_kind {
#define WORKER_REFERENCE_KIND(code, name) WORKER_REFERENCE_##code,
	WORKER_REFERENCE_TABLE(WORKER_REFERENCE_KIND)
#undef WORKER_REFERENCE_KIND
		WORKER_REFERENCE_KINDS
};

#define WORKER_F32 (1U << MMT_F32)
#define WORKER_F64 (1U << MMT_F64)

struct worker_reference {
	const char *name, *summary;
	enum worker_reference_kind kind;
	unsigned type_mask; /* bit mmt_type */
	bool on_device;
	const char *missing; /* why this build cannot run it; NULL: it can */
	/* Loads a library: NULL with MMT_NOT_SUPPORTED where it is not installed. Both NULL: there is none. */
	void *(*open)(struct mmt_error *error);
	void (*close)(void *library);
	/* Returns when C is complete. */
	int (*run)(void *library, const struct worker_gemm *gemm, struct mmt_error *error);
	const char *(*note)(void); /* how it ran, for the result's message; NULL: nothing to say */
};

extern const struct worker_reference *const worker_references[]; /* generated, by name; NULL-terminated */

const struct worker_reference *worker_reference_find(const char *name); /* NULL: none */
const char *worker_reference_kind_name(enum worker_reference_kind kind);

#endif
