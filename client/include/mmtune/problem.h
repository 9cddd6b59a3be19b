/* mmtune/problem.h: what is to be computed.
 *
 * A problem is a family (matmul, copy, ...), a shape and an element type.
 * Matmul is GEMM, row-major: C = alpha op(A) op(B) + beta C, op(A) m x k,
 * op(B) k x n, C m x n. Other families use the dimensions that they name and
 * leave the others at 1.
 *
 * Thread: plain data; no state. */
#ifndef MMTUNE_PROBLEM_H
#define MMTUNE_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mmtune/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(code, name, bytes of an element) */
#define MMT_TYPE_TABLE(X) \
	X(F32, "f32", 4)  \
	X(F64, "f64", 8)  \
	X(F16, "f16", 2)  \
	X(BF16, "bf16", 2) /* the upper half of a float */

enum mmt_type {
#define MMT_TYPE(code, name, bytes) MMT_##code,
	MMT_TYPE_TABLE(MMT_TYPE)
#undef MMT_TYPE
		MMT_TYPE_COUNT
};

/* Bit 0: B is transposed; bit 1: A is transposed. */
enum mmt_trans { MMT_NN = 0, MMT_NT = 1, MMT_TN = 2, MMT_TT = 3, MMT_TRANS_COUNT = 4 };

/* The least accurate arithmetic that is accepted, best first. NATIVE is an
 * ordinary dot product in the element's type (f16, bf16: float accumulation). */
enum mmt_accuracy { MMT_ACCURACY_NATIVE, MMT_ACCURACY_TF32, MMT_ACCURACY_COUNT };

#define MMT_FAMILY_BYTES 32

struct mmt_problem {
	char family[MMT_FAMILY_BYTES];
	int64_t m, n, k; /* each >= 1 and <= INT32_MAX */
	enum mmt_trans trans;
	enum mmt_type type;
	enum mmt_accuracy accuracy;
};

/* matmul, 1x1x1, nn, f32, native. */
void mmt_problem_init(struct mmt_problem *problem);

bool mmt_problem_equal(const struct mmt_problem *a, const struct mmt_problem *b);

/* "matmul 1000x1000x1000 nn f32", for people. Returns out. */
const char *mmt_problem_text(const struct mmt_problem *problem, char *out, size_t bytes);

size_t mmt_type_bytes(enum mmt_type type);
const char *mmt_type_name(enum mmt_type type);
const char *mmt_trans_name(enum mmt_trans trans);
const char *mmt_accuracy_name(enum mmt_accuracy accuracy);

/* Parse a name; on failure MMT_INVALID_ARGUMENT, whose message lists the names. */
int mmt_type_parse(const char *name, enum mmt_type *out, struct mmt_error *error);
int mmt_trans_parse(const char *name, enum mmt_trans *out, struct mmt_error *error);
int mmt_accuracy_parse(const char *name, enum mmt_accuracy *out, struct mmt_error *error);

/* Parses one dimension: decimal digits only, 1 ... INT32_MAX. what ("order",
 * "m") names the value in the message; errors are MMT_INVALID_ARGUMENT. */
int mmt_dimension_parse(const char *what, const char *text, int64_t *out, struct mmt_error *error);

#ifdef __cplusplus
}
#endif
#endif
