/* checker.h: verifies a matrix product in O(mn + mk + kn), by projection.
 *
 * With random signs r and s (+1 or -1), C r is compared row by row with
 * alpha A (B r) + beta C0 r, and s'C column by column with the like, in double
 * (Freivalds' test; the signs keep the error of a single element whole, so a
 * row and a column cross where it is). Corners, edges and random elements are
 * also compared exactly. What is not finite never passes.
 *
 * The tolerance. Inputs are uniform in [-1, 1), of mean 0. For such data a dot
 * product of k terms, in any order, has a rounding error of the size of
 *	u |a_i| |b_j|		(2-norms; u: unit roundoff of the accumulation)
 * without a factor k: Higham and Mary, "Sharper probabilistic backward error
 * analysis for basic linear algebra kernels with random data", SIAM J. Sci.
 * Comput. 42(5), 2020, theorem 2.4. Up to 4 roundings (v: unit roundoff of
 * what is stored, or of an input that the accuracy class lets be rounded) in
 * alpha, beta and the store are relative to the element, of size
 * |a_i| |b_j| / sqrt(k), and to beta c0. So an element's error is of size
 *	e_ij = |alpha| (u + 4 v / sqrt(k)) |a_i| |b_j| + 4 v |beta c0_ij|
 * and, by Hoeffding's inequality, the projection's of size
 *	e_i = |alpha| (u + 4 v / sqrt(k)) |a_i| |B|_F + 4 v |beta| |c0_i|
 * Both are allowed LAMBDA times that. All rows together say more: the root of
 * the mean of (error / e_i)^2 over m rows may be at most 3/2 + LAMBDA / sqrt(m);
 * an ordinary dot product gives 0.4. This holds an answer to its accuracy
 * class: TF32 inputs, or products that lose bits in each term, are seen here.
 *
 * A large product is judged by a sample while candidates are searched, and
 * whole before one can win, in the comparison of the finalists. The sample is
 * one row drawn at random from each of SAMPLE_ROWS equal strips, and the first
 * and the last row: each row is judged as above, over its whole length, so
 * every column is looked at; only s'C is left out. A fault that touches a strip
 * whole (a tile, a split, an edge) is always in the sample; one that touches
 * one row in q (a lane, a register of a tile) is missed with a probability of
 * (1 - 1/q)^SAMPLE_ROWS: 7e-8 for q = 16, and 0.13 for q = 128.
 *
 * Thread: a checker belongs to one thread. */
#ifndef MMT_KERNELS_MATMUL_CHECKER_H
#define MMT_KERNELS_MATMUL_CHECKER_H

#include "family.h"

/* alpha and beta of a mode. */
double matmul_alpha(enum kern_check_mode mode);
double matmul_beta(enum kern_check_mode mode);

struct kern_checker *matmul_checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error);
void matmul_checker_destroy(struct kern_checker *checker); /* NULL is allowed */
const void *matmul_contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer);
int matmul_verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error);
bool matmul_sample(struct kern_checker *checker, const char *buffer, struct kern_sample *out);
int matmul_verify_sample(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
			 double *relative_error, struct mmt_error *error);

#endif
