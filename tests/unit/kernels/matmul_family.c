/* The matmul family's checker: what it accepts, and every kind of wrong answer that it must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include "registry.h"
#include "values.h"

struct product {
	const struct kern_family *family;
	struct mmt_problem problem;
	struct kern_checker *checker;
	enum kern_check_mode mode;
	void *c; /* as a device would leave it */
};

static double at(const struct product *product, const char *buffer, int64_t index)
{
	const void *values = product->family->contents(product->checker, product->mode, buffer);

	return kern_value(product->problem.type, values, (uint64_t)index);
}

static double element_a(const struct product *product, int64_t i, int64_t p)
{
	const struct mmt_problem *problem = &product->problem;

	return at(product, "a", problem->trans & 2 ? p * problem->m + i : i * problem->k + p);
}

static double element_b(const struct product *product, int64_t p, int64_t j)
{
	const struct mmt_problem *problem = &product->problem;

	return at(product, "b", problem->trans & 1 ? j * problem->k + p : p * problem->n + j);
}

static void set(struct product *product, int64_t index, double value)
{
	if (product->problem.type == MMT_F64)
		((double *)product->c)[index] = value;
	else if (product->problem.type == MMT_F32)
		((float *)product->c)[index] = (float)value;
	else if (product->problem.type == MMT_F16)
		((uint16_t *)product->c)[index] = kern_half_from_float((float)value);
	else
		((uint16_t *)product->c)[index] = kern_bfloat16_from_float((float)value);
}

/* A plain dot product in the problem's type (f16, bf16: in float). */
static void compute(struct product *product)
{
	const struct mmt_problem *problem = &product->problem;
	const double alpha = product->mode == KERN_CHECK_GENERAL ? 0.75 : 1;
	const double beta = product->mode == KERN_CHECK_GENERAL ? -0.5 : 0;

	memcpy(product->c, product->family->contents(product->checker, product->mode, "c"),
	       (size_t)(problem->m * problem->n) * mmt_type_bytes(problem->type));
	for (int64_t i = 0; i < problem->m; i++) {
		for (int64_t j = 0; j < problem->n; j++) {
			double sum = 0;
			for (int64_t p = 0; p < problem->k; p++) {
				sum += element_a(product, i, p) * element_b(product, p, j);
				if (problem->type != MMT_F64)
					sum = (float)sum;
			}
			const int64_t index = i * problem->n + j;
			const double before =
				beta == 0 ? 0 : beta * kern_value(problem->type, product->c, (uint64_t)index);
			set(product, index, alpha * sum + before);
		}
	}
}

static struct product product_create(int64_t m, int64_t n, int64_t k, enum mmt_type type, enum kern_check_mode mode)
{
	struct product product = {.family = kern_family_find("matmul"), .mode = mode};
	struct mmt_error error;

	mmt_problem_init(&product.problem);
	product.problem.m = m;
	product.problem.n = n;
	product.problem.k = k;
	product.problem.type = type;
	product.problem.trans = (enum mmt_trans)(k % 4);
	product.checker = product.family->checker_create(&product.problem, 2024, &error);
	assert_non_null(product.checker);
	product.c = malloc((size_t)(m * n) * mmt_type_bytes(type));
	compute(&product);
	return product;
}

static void product_destroy(struct product *product)
{
	product->family->checker_destroy(product->checker);
	free(product->c);
}

static double accepted(struct product *product)
{
	struct mmt_error error = {0};
	double relative_error = -1;
	const int status =
		product->family->verify(product->checker, product->mode, "c", product->c, &relative_error, &error);

	if (status)
		print_error("%s\n", error.message);
	assert_int_equal(status, 0);
	return relative_error;
}

static void rejected(struct product *product, const char *part_of_message)
{
	struct mmt_error error = {0};
	double relative_error;

	assert_int_equal(
		product->family->verify(product->checker, product->mode, "c", product->c, &relative_error, &error), -1);
	assert_int_equal(error.code, MMT_WRONG_RESULT);
	if (!strstr(error.message, part_of_message))
		fail_msg("'%s' lacks '%s'", error.message, part_of_message);
}

static void an_ordinary_product_is_right(void **state)
{
	static const int64_t sizes[][3] = {{1, 1, 1},     {5, 3, 1},    {2, 2, 2},      {33, 47, 17},  {1, 300, 1},
					   {300, 1, 200}, {1, 1, 4096}, {70, 80, 1000}, {20, 30, 4097}};
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		for (int type = 0; type < MMT_TYPE_COUNT; type++) {
			for (int mode = 0; mode < KERN_CHECK_MODES; mode++) {
				struct product product =
					product_create(sizes[i][0], sizes[i][1], sizes[i][2], (enum mmt_type)type,
						       (enum kern_check_mode)mode);
				const double relative_error = accepted(&product);
				const double roundoff = kern_unit_roundoff((enum mmt_type)type);
				if (sizes[i][0] * sizes[i][1] > 1000) /* a single element may be near 0 */
					assert_true(relative_error < roundoff * (4 + sqrt((double)sizes[i][2])));
				product_destroy(&product);
			}
		}
	}
}

/* Half an answer's error is known here: it must be told, within the spread of an estimate from 200 rows. */
static void the_error_is_told(void **state)
{
	struct product product = product_create(200, 100, 50, MMT_F32, KERN_CHECK_PLAIN);
	double squares = 0, error_squares = 0;
	(void)state;

	for (int64_t i = 0; i < 200 * 100; i++) {
		double sum = 0;
		for (int64_t p = 0; p < 50; p++)
			sum += element_a(&product, i / 100, p) * element_b(&product, p, i % 100);
		squares += sum * sum;
		error_squares += pow(kern_value(MMT_F32, product.c, (uint64_t)i) - sum, 2);
	}
	const double told = accepted(&product), known = sqrt(error_squares / squares);
	assert_true(told > known / 1.5 && told < known * 1.5);
	product_destroy(&product);
}

/* The last term is left out of one element in the middle, as by a bound that is one too small. */
static void one_wrong_element_is_found(void **state)
{
	struct product product = product_create(130, 120, 257, MMT_F32, KERN_CHECK_GENERAL);
	const int64_t n = 120, i = 61, j = 53;
	(void)state;

	const double term = element_a(&product, i, 256) * element_b(&product, 256, j);
	assert_true(fabs(term) > 0.01);
	set(&product, i * n + j, kern_value(MMT_F32, product.c, (uint64_t)(i * n + j)) - 0.75 * term);
	rejected(&product, "row 61 of C is off");
	rejected(&product, "the worst column is 53");
	product_destroy(&product);
}

static void what_is_not_finite_is_found(void **state)
{
	static const double values[] = {NAN, INFINITY, -INFINITY};
	(void)state;
	for (size_t v = 0; v < 3; v++) {
		struct product product = product_create(40, 50, 10, v == 1 ? MMT_F64 : MMT_F32, KERN_CHECK_PLAIN);
		set(&product, 17 * 50 + 23, values[v]);
		rejected(&product, "c[17][23] is ");
		product_destroy(&product);
	}
}

static void what_was_not_written_is_found(void **state)
{
	struct product plain = product_create(40, 50, 10, MMT_F32, KERN_CHECK_PLAIN);
	struct product general = product_create(40, 50, 10, MMT_F32, KERN_CHECK_GENERAL);
	(void)state;

	for (int64_t index = 39 * 50 + 32; index < 40 * 50; index++) {
		set(&plain, index, at(&plain, "c", index));
		set(&general, index, at(&general, "c", index));
	}
	rejected(&plain, "c[39][32] is NaN");
	rejected(&general, "row 39 of C");
	product_destroy(&plain);
	product_destroy(&general);
}

/* The same small relative error everywhere, that a projection of one row hides among the roundings. */
static void lost_accuracy_is_found(void **state)
{
	struct product product = product_create(2000, 20, 16, MMT_F32, KERN_CHECK_PLAIN);
	(void)state;

	for (int64_t index = 0; index < 2000 * 20; index++) {
		const double value = kern_value(MMT_F32, product.c, (uint64_t)index);
		const double sign = kern_random_bits(5, (uint64_t)index) & 1 ? 1 : -1;
		set(&product, index, value * (1 + sign * 1e-6));
	}
	rejected(&product, "native accuracy");
	product_destroy(&product);
}

/* Inputs cut to 11 bits pass where the problem allows TF32, and only there. */
static void accuracy_classes_are_held_apart(void **state)
{
	(void)state;
	for (int allowed = 0; allowed < MMT_ACCURACY_COUNT; allowed++) {
		struct product product = product_create(64, 64, 128, MMT_F32, KERN_CHECK_PLAIN);
		product.family->checker_destroy(product.checker);
		product.problem.accuracy = (enum mmt_accuracy)allowed;
		struct mmt_error error;
		product.checker = product.family->checker_create(&product.problem, 2024, &error);
		for (int64_t index = 0; index < 64 * 64; index++) {
			double sum = 0;
			for (int64_t p = 0; p < 128; p++)
				sum += ldexp(trunc(ldexp(element_a(&product, index / 64, p), 11)), -11) *
				       ldexp(trunc(ldexp(element_b(&product, p, index % 64), 11)), -11);
			set(&product, index, sum);
		}
		if (allowed == MMT_ACCURACY_TF32)
			accepted(&product);
		else
			rejected(&product, "of C is off");
		product_destroy(&product);
	}
}

/* Sums that are themselves kept in bfloat16 are no float sums that were stored in it. */
static void sums_in_bfloat16_are_found(void **state)
{
	struct product product = product_create(64, 16, 16384, MMT_BF16, KERN_CHECK_PLAIN);
	(void)state;

	accepted(&product);
	for (int64_t index = 0; index < 64 * 16; index++) {
		float sum = 0;
		for (int64_t p = 0; p < 16384; p++) {
			sum += (float)(element_a(&product, index / 16, p) * element_b(&product, p, index % 16));
			sum = kern_bfloat16_to_float(kern_bfloat16_from_float(sum));
		}
		set(&product, index, sum);
	}
	rejected(&product, "of C is off");
	product_destroy(&product);
}

static void right_only_at_multiples_of_64_is_found(void **state)
{
	struct product product = product_create(64, 100, 64, MMT_F32, KERN_CHECK_PLAIN);
	(void)state;

	accepted(&product);
	for (int64_t i = 0; i < 64; i++) { /* the columns past 64 shifted by one */
		for (int64_t j = 99; j > 64; j--)
			set(&product, i * 100 + j, kern_value(MMT_F32, product.c, (uint64_t)(i * 100 + j - 1)));
	}
	rejected(&product, "of C is off");
	product_destroy(&product);
}

#define LARGE_M 1024
#define LARGE_N 2048

/* Draws a sample and judges it, as the worker does. */
static int judge_sample(struct product *product, struct kern_sample *sample, double *relative_error,
			struct mmt_error *error)
{
	assert_true(product->family->sample(product->checker, "c", sample));
	assert_int_equal(sample->row_bytes, LARGE_N * mmt_type_bytes(product->problem.type));
	char *data = malloc(sample->n_rows * sample->row_bytes);
	for (size_t i = 0; i < sample->n_rows; i++)
		memcpy(data + i * sample->row_bytes, (char *)product->c + (size_t)sample->rows[i] * sample->row_bytes,
		       sample->row_bytes);
	const int status =
		product->family->verify_sample(product->checker, product->mode, "c", data, relative_error, error);
	free(data);
	return status;
}

static void rejected_by_sample(struct product *product, const char *part_of_message)
{
	struct kern_sample sample;
	struct mmt_error error = {0};
	double relative_error;

	assert_int_equal(judge_sample(product, &sample, &relative_error, &error), -1);
	assert_int_equal(error.code, MMT_WRONG_RESULT);
	if (!strstr(error.message, part_of_message))
		fail_msg("'%s' lacks '%s'", error.message, part_of_message);
}

static void a_small_product_is_judged_whole(void **state)
{
	struct product product = product_create(1024, 100, 1, MMT_F32, KERN_CHECK_PLAIN);
	struct kern_sample sample;
	(void)state;

	assert_false(product.family->sample(product.checker, "c", &sample));
	product_destroy(&product);
}

static void a_sample_has_both_edges_and_others_each_time(void **state)
{
	struct product product = product_create(LARGE_M, LARGE_N, 1, MMT_F32, KERN_CHECK_PLAIN);
	struct kern_sample sample;
	struct mmt_error error;
	int64_t before[LARGE_M];
	size_t same = 0;
	double relative_error;
	(void)state;

	assert_int_equal(judge_sample(&product, &sample, &relative_error, &error), 0);
	const size_t n = sample.n_rows;
	assert_true(n > 200 && n < 300);
	memcpy(before, sample.rows, n * sizeof before[0]);
	for (size_t i = 1; i < n; i++)
		assert_true(before[i] > before[i - 1]);
	assert_int_equal(before[0], 0);
	assert_int_equal(before[n - 1], LARGE_M - 1);
	assert_true(product.family->sample(product.checker, "c", &sample));
	for (size_t i = 0; i < n && i < sample.n_rows; i++)
		same += before[i] == sample.rows[i];
	assert_true(same < n / 2);
	product_destroy(&product);
}

static void an_ordinary_product_passes_by_sample(void **state)
{
	(void)state;
	for (int mode = 0; mode < KERN_CHECK_MODES; mode++) {
		struct product product = product_create(LARGE_M, LARGE_N, 5, MMT_F32, (enum kern_check_mode)mode);
		struct kern_sample sample;
		struct mmt_error error = {0};
		double by_sample, whole = accepted(&product);
		if (judge_sample(&product, &sample, &by_sample, &error) != 0)
			fail_msg("%s", error.message);
		assert_true(by_sample > whole / 1.5 && by_sample < whole * 1.5);
		product_destroy(&product);
	}
}

/* A tile of 16 rows, one row in 16, and a place that was never written: each in one column only. */
static void faults_of_tiles_and_lanes_are_found_by_sample(void **state)
{
	struct product product = product_create(LARGE_M, LARGE_N, 3, MMT_F32, KERN_CHECK_PLAIN);
	float *right = malloc(sizeof(float[LARGE_M * LARGE_N]));
	(void)state;

	memcpy(right, product.c, sizeof(float[LARGE_M * LARGE_N]));
	for (int64_t i = 512; i < 528; i++)
		set(&product, i * LARGE_N + 77, 3);
	rejected_by_sample(&product, "of C is off");
	memcpy(product.c, right, sizeof(float[LARGE_M * LARGE_N]));
	for (int64_t i = 7; i < LARGE_M; i += 16)
		set(&product, i * LARGE_N + 1900, 3);
	rejected_by_sample(&product, "of C is off");
	memcpy(product.c, right, sizeof(float[LARGE_M * LARGE_N]));
	set(&product, (LARGE_M - 1) * LARGE_N + 1, NAN);
	rejected_by_sample(&product, "c[1023][1] is NaN");
	free(right);
	product_destroy(&product);
}

static void shapes_are_checked(void **state)
{
	const struct kern_family *family = kern_family_find("matmul");
	struct mmt_problem problem;
	struct mmt_error error;
	struct kern_buffer buffers[KERN_MAX_BUFFERS];
	(void)state;

	mmt_problem_init(&problem);
	problem.k = 0;
	assert_int_equal(family->check(&problem, &error), -1);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	problem.k = INT64_C(1) << 31;
	assert_int_equal(family->check(&problem, &error), -1);
	problem.m = problem.n = problem.k = INT32_MAX;
	assert_int_equal(family->check(&problem, &error), 0);
	assert_int_equal(family->buffers(&problem, buffers), 3);
	assert_true(buffers[0].bytes == (uint64_t)INT32_MAX * INT32_MAX * 4);
	problem.type = MMT_F64; /* 2^65 bytes: must not wrap */
	family->buffers(&problem, buffers);
	assert_true(buffers[2].bytes == UINT64_MAX);
	assert_true(family->compulsory_bytes(&problem) > 1e20);
}

static void arguments_follow_the_layout(void **state)
{
	const struct kern_family *family = kern_family_find("matmul");
	struct kern_scalar scalars[KERN_MAX_SCALARS];
	struct mmt_problem problem;
	(void)state;

	mmt_problem_init(&problem);
	problem.m = 2;
	problem.n = 3;
	problem.k = 5;
	for (int trans = 0; trans < MMT_TRANS_COUNT; trans++) {
		problem.trans = (enum mmt_trans)trans;
		const size_t count = family->scalars(&problem, KERN_CHECK_PLAIN, scalars);
		for (size_t i = 0; i < count; i++) {
			if (strcmp(scalars[i].name, "lda") == 0)
				assert_int_equal(scalars[i].integer, trans & 2 ? 2 : 5);
			if (strcmp(scalars[i].name, "ldb") == 0)
				assert_int_equal(scalars[i].integer, trans & 1 ? 5 : 3);
			if (strcmp(scalars[i].name, "beta") == 0)
				assert_true(scalars[i].real == 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ordinary_product_is_right),
		cmocka_unit_test(the_error_is_told),
		cmocka_unit_test(one_wrong_element_is_found),
		cmocka_unit_test(what_is_not_finite_is_found),
		cmocka_unit_test(what_was_not_written_is_found),
		cmocka_unit_test(lost_accuracy_is_found),
		cmocka_unit_test(accuracy_classes_are_held_apart),
		cmocka_unit_test(sums_in_bfloat16_are_found),
		cmocka_unit_test(right_only_at_multiples_of_64_is_found),
		cmocka_unit_test(a_small_product_is_judged_whole),
		cmocka_unit_test(a_sample_has_both_edges_and_others_each_time),
		cmocka_unit_test(an_ordinary_product_passes_by_sample),
		cmocka_unit_test(faults_of_tiles_and_lanes_are_found_by_sample),
		cmocka_unit_test(shapes_are_checked),
		cmocka_unit_test(arguments_follow_the_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
