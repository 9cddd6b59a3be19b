/* reference.h: a matrix product in double, with a bound for what a kernel may differ.
 *
 * The inputs are exact in float, or in half or bfloat16 where that is the type,
 * so that one reference serves float and double, every layout, alpha and beta. The
 * bound is the classic one, without statistics: whatever the order of the sum,
 *	|error| <= gamma(k + 3) (|alpha| (|A| |B|) + |beta c0|),  gamma(n) = n u / (1 - n u)
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.5).
 * Half and bfloat16 are added up in float (u is float's) and rounded once more
 * when they are stored. At accuracy tf32 each operand may be off by 2^-10 of its size: TF32
 * keeps 11 bits, and may cut instead of rounding.
 *
 * Thread: one. */
#ifndef MMT_TESTS_OPENCL_REFERENCE_H
#define MMT_TESTS_OPENCL_REFERENCE_H

#include "mmtune/problem.h"

struct reference {
	int64_t m, n, k;
	double *a, *b, *c0; /* op(A), op(B), C before: rows tight */
	double *product;    /* op(A) op(B) */
	double *magnitude;  /* |op(A)| |op(B)| */
};

/* type: what the inputs must be exact in, not MMT_F64. */
void reference_init(struct reference *reference, enum mmt_type type, int64_t m, int64_t n, int64_t k);
void reference_finish(struct reference *reference);

/* Compares C (rows of ldc elements) element by element; MMT_WRONG_RESULT names the first that is off. problem: its type
 * and accuracy count. */
int reference_compare(const struct reference *reference, const struct mmt_problem *problem, double alpha, double beta,
		      const void *c, int64_t ldc, struct mmt_error *error);

/* Stores a rows x columns matrix (columns x rows where transposed) with rows of ld elements; what is between a row's
 * end and the next row stays as it is. */
void reference_store(enum mmt_type type, const double *matrix, int64_t rows, int64_t columns, bool transposed,
		     int64_t ld, void *out);

#endif
