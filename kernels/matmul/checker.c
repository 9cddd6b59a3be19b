/* checker.c: see checker.h. */
#include "checker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

#define LAMBDA       8.0
#define SPOTS_RANDOM 64
#define SPOTS_EDGE   16 /* on each of the four edges */

/* A sample's rows; and the elements from which on an output is large: reading and judging all of 2^21 takes as long
 * as a GPU's launch, some 10 ms. */
#define SAMPLE_ROWS     256
#define SAMPLE_ELEMENTS ((int64_t)1 << 21)

/* op(X), rows x columns; stored transposed or not, rows tight. */
struct matrix {
	enum mmt_type type;
	const void *values;
	int64_t rows, columns;
	bool transposed;
};

/* What projections onto random signs give, and what they depend on. */
struct projection {
	int64_t count;    /* rows of C, or columns */
	double *expected; /* A (B r), or (s'A) B: before alpha and C0 */
	double *norms;    /* of A's rows, or of B's columns */
	double other;     /* the Frobenius norm of the other operand */
};

struct kern_checker {
	struct mmt_problem problem;
	uint64_t seed;
	void *a, *b, *c;
	struct matrix op_a, op_b;
	double *r, *s; /* signs: n, m */
	struct projection by_row, by_column;
	int64_t *sample; /* the rows last drawn; NULL: none yet */
	size_t n_sample;
	uint64_t draws;
};

/* One seed for each purpose. */
enum { SEED_A = 1, SEED_B, SEED_C, SEED_R, SEED_S, SEED_SPOT, SEED_SAMPLE };

static uint64_t seed_for(const struct kern_checker *checker, int purpose)
{
	return kern_random_bits(checker->seed, (uint64_t)purpose);
}

double matmul_alpha(enum kern_check_mode mode)
{
	return mode == KERN_CHECK_GENERAL ? 0.75 : 1;
}

double matmul_beta(enum kern_check_mode mode)
{
	return mode == KERN_CHECK_GENERAL ? -0.5 : 0;
}

/* Sixteen running sums: the compiler makes vectors of them, and the sum's own rounding stays far below
 * what a double-precision kernel is allowed. */
static double dot(const double *x, const double *y, int64_t count)
{
	double lanes[16] = {0}, sum = 0;
	int64_t i = 0;

	for (; i + 16 <= count; i += 16) {
		for (int lane = 0; lane < 16; lane++)
			lanes[lane] += x[i + lane] * y[i + lane];
	}
	for (; i < count; i++)
		lanes[0] += x[i] * y[i];
	for (int lane = 0; lane < 16; lane++)
		sum += lanes[lane];
	return sum;
}

static double norm(const double *x, int64_t count)
{
	return sqrt(dot(x, x, count));
}

static double *doubles_create(int64_t count)
{
	return calloc((size_t)count, sizeof(double));
}

/* out = op(X) in, or with left = true in' op(X). NULL in: the squares are summed instead. -1: memory. */
static int apply(const struct matrix *matrix, bool left, const double *in, double *out)
{
	const int64_t stored_rows = matrix->transposed ? matrix->columns : matrix->rows;
	const int64_t length = matrix->transposed ? matrix->rows : matrix->columns;
	const bool along = left == matrix->transposed; /* stored rows are summed up, each into one element */
	double *row = doubles_create(length);

	if (!row)
		return -1;
	if (!along)
		memset(out, 0, (size_t)length * sizeof *out);
	for (int64_t i = 0; i < stored_rows; i++) {
		kern_values_to_double(matrix->type, matrix->values, (uint64_t)i * (uint64_t)length, (size_t)length,
				      row);
		if (along) {
			out[i] = dot(row, in ? in : row, length);
			continue;
		}
		for (int64_t j = 0; j < length; j++)
			out[j] += row[j] * (in ? in[i] : row[j]);
	}
	free(row);
	return 0;
}

static void random_signs(uint64_t seed, int64_t count, double *out)
{
	for (int64_t i = 0; i < count; i++)
		out[i] = kern_random_bits(seed, (uint64_t)i) >> 63 ? -1 : 1;
}

/* first and then are applied in this order: B, A from the right; A, B from the left. */
static int project(struct projection *out, const struct matrix *first, const struct matrix *then, bool left,
		   const double *signs)
{
	double *between = doubles_create(left ? first->columns : first->rows);
	double sum = 0;
	int status = -1;

	out->count = left ? then->columns : then->rows;
	out->expected = doubles_create(out->count);
	out->norms = doubles_create(out->count);
	if (!between || !out->expected || !out->norms)
		goto out;
	if (apply(first, left, signs, between) || apply(then, left, between, out->expected))
		goto out;
	if (apply(first, left, NULL, between) || apply(then, left, NULL, out->norms))
		goto out;
	for (int64_t i = 0; i < (left ? first->columns : first->rows); i++)
		sum += between[i];
	out->other = sqrt(sum);
	for (int64_t i = 0; i < out->count; i++)
		out->norms[i] = sqrt(out->norms[i]);
	status = 0;
out:
	free(between);
	return status;
}

void matmul_checker_destroy(struct kern_checker *checker)
{
	if (!checker)
		return;
	free(checker->a);
	free(checker->b);
	free(checker->c);
	free(checker->r);
	free(checker->s);
	free(checker->by_row.expected);
	free(checker->by_row.norms);
	free(checker->by_column.expected);
	free(checker->by_column.norms);
	free(checker->sample);
	free(checker);
}

static int checker_fill(struct kern_checker *checker)
{
	const struct mmt_problem *p = &checker->problem;
	const size_t bytes = mmt_type_bytes(p->type), m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;

	checker->a = malloc(m * k * bytes);
	checker->b = malloc(k * n * bytes);
	checker->c = malloc(m * n * bytes);
	checker->r = doubles_create(p->n);
	checker->s = doubles_create(p->m);
	if (!checker->a || !checker->b || !checker->c || !checker->r || !checker->s)
		return -1;
	kern_values_random(p->type, seed_for(checker, SEED_A), 0, m * k, checker->a);
	kern_values_random(p->type, seed_for(checker, SEED_B), 0, k * n, checker->b);
	random_signs(seed_for(checker, SEED_R), p->n, checker->r);
	random_signs(seed_for(checker, SEED_S), p->m, checker->s);
	checker->op_a = (struct matrix){p->type, checker->a, p->m, p->k, p->trans & 2};
	checker->op_b = (struct matrix){p->type, checker->b, p->k, p->n, p->trans & 1};
	if (project(&checker->by_row, &checker->op_b, &checker->op_a, false, checker->r))
		return -1;
	return project(&checker->by_column, &checker->op_a, &checker->op_b, true, checker->s);
}

struct kern_checker *matmul_checker_create(const struct mmt_problem *problem, uint64_t seed, struct mmt_error *error)
{
	char text[96];
	struct kern_checker *checker = calloc(1, sizeof *checker);

	if (checker) {
		checker->problem = *problem;
		checker->seed = seed;
	}
	if (!checker || checker_fill(checker)) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "no host memory to verify %s",
			      mmt_problem_text(problem, text, sizeof text));
		matmul_checker_destroy(checker);
		return NULL;
	}
	return checker;
}

const void *matmul_contents(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer)
{
	const struct mmt_problem *problem = &checker->problem;
	const size_t count = (size_t)problem->m * (size_t)problem->n;

	if (strcmp(buffer, "a") == 0)
		return checker->a;
	if (strcmp(buffer, "b") == 0)
		return checker->b;
	if (strcmp(buffer, "c") != 0)
		return NULL;
	if (mode == KERN_CHECK_GENERAL)
		kern_values_random(problem->type, seed_for(checker, SEED_C), 0, count, checker->c);
	else
		kern_values_poison(problem->type, count, checker->c);
	return checker->c;
}

/* The answer under judgement, and what is gathered from it in one pass. */
struct judged {
	struct kern_checker *checker;
	const void *data;
	const int64_t *rows; /* of C that data has, n_rows of them; NULL: all */
	int64_t n_rows;
	double alpha, beta;
	double accumulated, rounded; /* u and v of checker.h */
	double *row_error, *row_allowed;
	double *column_error, *column_c0; /* s'(C - beta C0) - alpha (s'A) B; squares of C0 */
	double squares;                   /* of C */
};

/* The row of C that is at this place in the data. */
static int64_t row_at(const struct judged *judged, int64_t place)
{
	return judged->rows ? judged->rows[place] : place;
}

static void judged_init(struct judged *judged, struct kern_checker *checker, enum kern_check_mode mode,
			const void *data)
{
	const struct mmt_problem *problem = &checker->problem;

	*judged = (struct judged){.checker = checker, .data = data, .n_rows = problem->m};
	judged->alpha = matmul_alpha(mode);
	judged->beta = matmul_beta(mode);
	judged->accumulated = kern_unit_roundoff(kern_accumulate_type(problem->type));
	judged->rounded = kern_unit_roundoff(problem->type);
	if (problem->accuracy == MMT_ACCURACY_TF32 && judged->rounded < 0x1p-10)
		judged->rounded = 0x1p-10; /* TF32 keeps 11 bits, and may cut instead of rounding */
	judged->row_error = doubles_create(problem->m);
	judged->row_allowed = doubles_create(problem->m);
	judged->column_error = doubles_create(problem->n);
	judged->column_c0 = doubles_create(problem->n);
}

static void judged_finish(struct judged *judged)
{
	free(judged->row_error);
	free(judged->row_allowed);
	free(judged->column_error);
	free(judged->column_c0);
}

/* checker.h's e: operands and c0 are the norms, or the element itself. */
static double error_size(const struct judged *judged, double operands, double c0)
{
	const double k = (double)judged->checker->problem.k;

	return fabs(judged->alpha) * (judged->accumulated + 4 * judged->rounded / sqrt(k)) * operands +
	       4 * judged->rounded * fabs(judged->beta * c0);
}

/* The row at a place, in double and without beta C0; c0 gets C0's, where there is a beta. */
static void read_row(const struct judged *judged, int64_t place, double *c, double *c0, double *typed)
{
	const struct kern_checker *checker = judged->checker;
	const enum mmt_type type = checker->problem.type;
	const int64_t n = checker->problem.n;

	kern_values_to_double(type, judged->data, (uint64_t)place * (uint64_t)n, (size_t)n, c);
	if (judged->beta == 0)
		return;
	kern_values_random(type, seed_for(checker, SEED_C), (uint64_t)row_at(judged, place) * (uint64_t)n, (size_t)n,
			   typed);
	kern_values_to_double(type, typed, 0, (size_t)n, c0);
}

static void add_to_columns(struct judged *judged, double sign, const double *c, const double *c0)
{
	for (int64_t j = 0; j < judged->checker->problem.n; j++) {
		judged->column_error[j] += sign * c[j];
		judged->column_c0[j] += c0[j] * c0[j];
	}
}

/* Reads C once: the rows' errors, and, where all of C is there, the columns' sums. */
static int gather(struct judged *judged)
{
	struct kern_checker *checker = judged->checker;
	const int64_t n = checker->problem.n;
	double *c = doubles_create(n), *c0 = doubles_create(n), *typed = doubles_create(n);

	for (int64_t place = 0; c && c0 && typed && place < judged->n_rows; place++) {
		const int64_t i = row_at(judged, place);
		read_row(judged, place, c, c0, typed);
		judged->squares += dot(c, c, n);
		if (judged->beta != 0) {
			for (int64_t j = 0; j < n; j++)
				c[j] -= judged->beta * c0[j];
		}
		judged->row_error[place] = dot(c, checker->r, n) - judged->alpha * checker->by_row.expected[i];
		judged->row_allowed[place] =
			error_size(judged, checker->by_row.norms[i] * checker->by_row.other, norm(c0, n));
		if (!judged->rows)
			add_to_columns(judged, checker->s[i], c, c0);
	}
	for (int64_t j = 0; !judged->rows && j < n; j++)
		judged->column_error[j] -= judged->alpha * checker->by_column.expected[j];
	const int status = c && c0 && typed ? 0 : -1;
	free(c);
	free(c0);
	free(typed);
	return status;
}

static double column_allowed(const struct judged *judged, int64_t j)
{
	const struct projection *by_column = &judged->checker->by_column;

	return error_size(judged, by_column->norms[j] * by_column->other, sqrt(judged->column_c0[j]));
}

/* The column whose error is the largest for what it is allowed; NaN counts as infinite. */
static int64_t worst_column(const struct judged *judged, double *ratio)
{
	int64_t worst = 0;

	*ratio = -1;
	for (int64_t j = 0; j < judged->checker->problem.n; j++) {
		const double off = fabs(judged->column_error[j]);
		double here = off == 0 ? 0 : off / column_allowed(judged, j);
		if (!(here <= INFINITY))
			here = INFINITY;
		if (here > *ratio) {
			*ratio = here;
			worst = j;
		}
	}
	return worst;
}

/* Says what is wrong with a row: what is not finite first. */
static int report_row(const struct judged *judged, int64_t place, struct mmt_error *error)
{
	const struct mmt_problem *problem = &judged->checker->problem;
	const int64_t i = row_at(judged, place);
	char column[64] = "";
	double ratio;

	for (int64_t j = 0; j < problem->n; j++) {
		const double value = kern_value(problem->type, judged->data, (uint64_t)(place * problem->n + j));
		if (!isfinite(value))
			return mmt_error_set(error, MMT_WRONG_RESULT, 0, "c[%" PRId64 "][%" PRId64 "] is %s", i, j,
					     isnan(value) ? "NaN: not written, or computed from what was not"
							  : "infinite");
	}
	if (!judged->rows)
		snprintf(column, sizeof column, "; the worst column is %" PRId64, worst_column(judged, &ratio));
	return mmt_error_set(error, MMT_WRONG_RESULT, 0,
			     "row %" PRId64 " of C is off by %.3g in projection, %.3g is allowed%s", i,
			     fabs(judged->row_error[place]), LAMBDA * judged->row_allowed[place], column);
}

static int judge_columns(const struct judged *judged, struct mmt_error *error)
{
	double ratio;
	const int64_t column = worst_column(judged, &ratio);

	if (ratio <= LAMBDA)
		return 0;
	return mmt_error_set(error, MMT_WRONG_RESULT, 0,
			     "column %" PRId64 " of C is off by %.3g in projection, %.3g is allowed", column,
			     fabs(judged->column_error[column]), LAMBDA * column_allowed(judged, column));
}

static int judge_projections(const struct judged *judged, struct mmt_error *error)
{
	const double count = (double)judged->n_rows;
	double sum = 0;

	for (int64_t place = 0; place < judged->n_rows; place++) {
		if (!(fabs(judged->row_error[place]) <= LAMBDA * judged->row_allowed[place]))
			return report_row(judged, place, error);
		const double relative = judged->row_error[place] / judged->row_allowed[place];
		sum += judged->row_allowed[place] > 0 ? relative * relative : 0;
	}
	if (!judged->rows && judge_columns(judged, error))
		return -1;
	const double mean = sqrt(sum / count), allowed = 1.5 + LAMBDA / sqrt(count);
	if (mean > allowed)
		return mmt_error_set(
			error, MMT_WRONG_RESULT, 0,
			"less accurate than %s accuracy allows: %.2f times the expected error, %.2f is allowed",
			mmt_accuracy_name(judged->checker->problem.accuracy), mean, allowed);
	return 0;
}

static double op_value(const struct matrix *matrix, int64_t row, int64_t column)
{
	const int64_t at = matrix->transposed ? column * matrix->rows + row : row * matrix->columns + column;

	return kern_value(matrix->type, matrix->values, (uint64_t)at);
}

/* One element of the row at a place, computed again. */
static int judge_element(const struct judged *judged, int64_t place, int64_t j, struct mmt_error *error)
{
	struct kern_checker *checker = judged->checker;
	const struct mmt_problem *problem = &checker->problem;
	const int64_t i = row_at(judged, place);
	const uint64_t at = (uint64_t)(i * problem->n + j);
	union {
		double f64;
		float f32;
		uint16_t f16; /* or bf16 */
	} typed;
	double sum = 0, c0;

	for (int64_t p = 0; p < problem->k; p++)
		sum += op_value(&checker->op_a, i, p) * op_value(&checker->op_b, p, j);
	kern_values_random(problem->type, seed_for(checker, SEED_C), at, 1, &typed);
	c0 = kern_value(problem->type, &typed, 0);
	const double expected = judged->alpha * sum + judged->beta * c0;
	const double found = kern_value(problem->type, judged->data, (uint64_t)(place * problem->n + j));
	const double allowed = LAMBDA * error_size(judged, checker->by_row.norms[i] * checker->by_column.norms[j], c0);
	if (!(fabs(found - expected) <= allowed))
		return mmt_error_set(error, MMT_WRONG_RESULT, 0,
				     "c[%" PRId64 "][%" PRId64 "] is %.9g, not %.9g (within %.2g)", i, j, found,
				     expected, allowed);
	return 0;
}

static int judge_spots(const struct judged *judged, struct mmt_error *error)
{
	const int64_t m = judged->n_rows, n = judged->checker->problem.n;
	const uint64_t seed = seed_for(judged->checker, SEED_SPOT);

	if (judge_element(judged, 0, 0, error) || judge_element(judged, m - 1, 0, error) ||
	    judge_element(judged, 0, n - 1, error) || judge_element(judged, m - 1, n - 1, error))
		return -1;
	for (uint64_t spot = 0; spot < SPOTS_RANDOM; spot++) {
		const int64_t i = (int64_t)(kern_random_bits(seed, 2 * spot) % (uint64_t)m);
		const int64_t j = (int64_t)(kern_random_bits(seed, 2 * spot + 1) % (uint64_t)n);
		if (judge_element(judged, i, j, error))
			return -1;
		if (spot < SPOTS_EDGE &&
		    (judge_element(judged, 0, j, error) || judge_element(judged, m - 1, j, error) ||
		     judge_element(judged, i, 0, error) || judge_element(judged, i, n - 1, error)))
			return -1;
	}
	return 0;
}

static int judge(struct judged *judged, double *relative_error, struct mmt_error *error)
{
	if (!judged->row_error || !judged->row_allowed || !judged->column_error || !judged->column_c0 || gather(judged))
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no host memory to verify C");
	if (judge_projections(judged, error) || judge_spots(judged, error))
		return -1;
	/* The signs are random: the mean of (C r - A B r)^2 over r is the square sum of the row's errors. */
	*relative_error = norm(judged->row_error, judged->n_rows) / sqrt(judged->squares);
	if (judged->squares == 0)
		*relative_error = 0;
	return 0;
}

static int check_name(const char *buffer, struct mmt_error *error)
{
	if (strcmp(buffer, "c") == 0)
		return 0;
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "matmul has no output '%s'", buffer);
}

/* quick: data has the rows of the sample that was drawn last; else all rows. */
static int verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  bool quick, double *relative_error, struct mmt_error *error)
{
	struct judged judged;
	int status;

	if (check_name(buffer, error))
		return -1;
	judged_init(&judged, checker, mode, data);
	if (quick) {
		judged.rows = checker->sample;
		judged.n_rows = (int64_t)checker->n_sample;
	}
	status = judge(&judged, relative_error, error);
	judged_finish(&judged);
	return status;
}

int matmul_verify(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
		  double *relative_error, struct mmt_error *error)
{
	return verify(checker, mode, buffer, data, false, relative_error, error);
}

bool matmul_sample(struct kern_checker *checker, const char *buffer, struct kern_sample *out)
{
	const int64_t m = checker->problem.m, n = checker->problem.n;
	const uint64_t seed = kern_random_bits(seed_for(checker, SEED_SAMPLE), checker->draws++);

	if (strcmp(buffer, "c") != 0 || m < 2 * SAMPLE_ROWS || m * n < SAMPLE_ELEMENTS)
		return false;
	if (!checker->sample)
		checker->sample = calloc(SAMPLE_ROWS + 2, sizeof *checker->sample);
	if (!checker->sample)
		return false;
	checker->n_sample = 0;
	checker->sample[checker->n_sample++] = 0;
	for (int64_t strip = 0; strip < SAMPLE_ROWS; strip++) {
		const int64_t first = strip * m / SAMPLE_ROWS, end = (strip + 1) * m / SAMPLE_ROWS;
		const int64_t row =
			first + (int64_t)(kern_random_bits(seed, (uint64_t)strip) % (uint64_t)(end - first));
		if (row > 0 && row < m - 1)
			checker->sample[checker->n_sample++] = row;
	}
	checker->sample[checker->n_sample++] = m - 1;
	*out = (struct kern_sample){
		.row_bytes = (uint64_t)n * mmt_type_bytes(checker->problem.type),
		.rows = checker->sample,
		.n_rows = checker->n_sample,
	};
	return true;
}

int matmul_verify_sample(struct kern_checker *checker, enum kern_check_mode mode, const char *buffer, const void *data,
			 double *relative_error, struct mmt_error *error)
{
	return verify(checker, mode, buffer, data, true, relative_error, error);
}
