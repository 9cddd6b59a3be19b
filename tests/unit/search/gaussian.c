/* The model: it reproduces what it learnt, generalises over interactions, knows what it does not know, and
 * computes, for all its haste, what the textbook says: the file itself is included, for the weights it learnt. */
#include "../../../tuner/search/gaussian.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const uint16_t greatest[] = {7, 7, 7};

/* Neither of the first two variables alone tells anything; the third one never does. */
static double target_of(const uint16_t *row)
{
	return (row[0] < 4) == (row[1] < 4) ? 1.0 : 5.0;
}

static struct search_gaussian *create(size_t n_features)
{
	struct mmt_error error = {0};
	struct search_gaussian *gaussian = search_gaussian_create(greatest, n_features, &error);
	assert_non_null(gaussian);
	return gaussian;
}

static void learns_an_interaction(void **state)
{
	(void)state;
	struct search_random random;
	uint16_t rows[SEARCH_GAUSSIAN_MAX][3];
	double targets[SEARCH_GAUSSIAN_MAX], most, wrong = 0;
	search_random_seed(&random, 7);
	for (size_t i = 0; i < SEARCH_GAUSSIAN_MAX; i++) {
		for (size_t f = 0; f < 3; f++)
			rows[i][f] = (uint16_t)search_random_below(&random, 8);
		targets[i] = target_of(rows[i]);
	}
	struct search_gaussian *gaussian = create(3);
	for (int again = 0; again < 20; again++)
		search_gaussian_fit(gaussian, rows[0], targets, SEARCH_GAUSSIAN_MAX, &random);
	for (uint16_t a = 0; a < 8; a++) {
		for (uint16_t b = 0; b < 8; b++) {
			const uint16_t row[3] = {a, b, 3};
			wrong += fabs(search_gaussian_mean(gaussian, row, &most) - target_of(row)) > 2;
			double deviation = search_gaussian_deviation(gaussian, row);
			assert_true(deviation >= 0 && deviation <= most);
		}
	}
	assert_true(wrong <= 6); /* of 64 */
	search_gaussian_destroy(gaussian);
}

static void doubts_grow_with_the_distance(void **state)
{
	(void)state;
	struct search_random random;
	const uint16_t rows[] = {0, 0, 1, 1, 2, 0, 0, 2};
	const double targets[] = {3, 5, 4, 6};
	double most;
	search_random_seed(&random, 7);
	struct search_gaussian *gaussian = create(2);
	search_gaussian_fit(gaussian, rows, targets, 4, &random);
	double mean = search_gaussian_mean(gaussian, (const uint16_t[]){1, 1}, &most);
	assert_true(fabs(mean - 5) < 0.5); /* as told, but for the noise */
	double near = search_gaussian_deviation(gaussian, (const uint16_t[]){1, 1});
	double far = search_gaussian_deviation(gaussian, (const uint16_t[]){7, 7});
	assert_true(near <= most && far > 2 * near);
	search_gaussian_destroy(gaussian);
}

static void handles_little_data(void **state)
{
	(void)state;
	struct search_random random;
	const uint16_t rows[] = {1, 2, 1, 2, 1, 2, 5, 5};
	const double targets[] = {3, 3, 9, 7};
	double most;
	search_random_seed(&random, 7);
	struct search_gaussian *gaussian = create(2);
	assert_true(search_gaussian_mean(gaussian, rows, &most) == 0 && most == 0); /* nothing learnt */
	search_gaussian_fit(gaussian, rows, targets, 1, &random);
	assert_true(search_gaussian_mean(gaussian, rows, &most) == 3);
	assert_true(most == 0 && search_gaussian_deviation(gaussian, rows) == 0); /* no doubt without a spread */
	search_gaussian_fit(gaussian, rows, targets, 3, &random);
	double mean = search_gaussian_mean(gaussian, rows, &most);
	assert_true(fabs(mean - 5) < 1e-9); /* nothing to tell them apart */
	search_gaussian_fit(gaussian, rows, targets, 4, &random);
	assert_true(search_gaussian_mean(gaussian, rows + 6, &most) > search_gaussian_mean(gaussian, rows, &most));
	search_gaussian_destroy(gaussian);
	search_gaussian_destroy(NULL);
}

static void handles_no_features(void **state)
{
	(void)state;
	struct search_random random;
	const uint16_t none[1] = {0};
	const double targets[] = {3, 4};
	double most;
	search_random_seed(&random, 7);
	struct search_gaussian *gaussian = create(0);
	search_gaussian_fit(gaussian, none, targets, 2, &random);
	assert_true(fabs(search_gaussian_mean(gaussian, none, &most) - 3.5) < 1e-9);
	search_gaussian_destroy(gaussian);
}

/* Several make one group, and some are alone in theirs. */
static const uint16_t mixed[] = {3, 2, 1, 7, 1, 40, 63};
enum { MIXED = sizeof(mixed) / sizeof(mixed[0]) };

static double plain_correlation(const struct search_gaussian *gaussian, const uint16_t *a, const uint16_t *b)
{
	double product = 1;
	for (size_t f = 0; f < MIXED; f++) {
		double r = sqrt(3) * exp(gaussian->logarithms[f]) * abs(a[f] - b[f]) / mixed[f];
		product *= (1 + r) * exp(-r);
	}
	return product;
}

/* Solves matrix x = right by elimination; the matrix is destroyed. Returns the logarithm of its determinant. */
static double solve(double matrix[MAX][MAX], double *right, size_t n)
{
	double log_determinant = 0;
	for (size_t p = 0; p < n; p++) {
		log_determinant += log(matrix[p][p]);
		for (size_t i = 0; i < n; i++) {
			double scale = i == p ? 0 : matrix[i][p] / matrix[p][p];
			for (size_t j = p; j < n; j++)
				matrix[i][j] -= scale * matrix[p][j];
			right[i] -= scale * right[p];
		}
	}
	for (size_t i = 0; i < n; i++)
		right[i] /= matrix[i][i];
	return log_determinant;
}

/* Solves covariance x = right. */
static double solve_plainly(const struct search_gaussian *gaussian, uint16_t rows[][MIXED], double *right, size_t n)
{
	static double matrix[MAX][MAX];
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			matrix[i][j] = plain_correlation(gaussian, rows[i], rows[j]) +
				       (i == j ? exp(gaussian->logarithms[MIXED]) : 0);
	return solve(matrix, right, n);
}

static void draw_row(struct search_random *random, uint16_t *row)
{
	for (size_t f = 0; f < MIXED; f++)
		row[f] = (uint16_t)search_random_below(random, (size_t)mixed[f] + 1);
}

/* `weights` of the first samples; those that are believed have none. */
static void compare_row(const struct search_gaussian *gaussian, uint16_t rows[][MIXED], const double *weights,
			double variance, const uint16_t *row)
{
	double covariances[MAX], solved[MAX], mean = gaussian->mean, explained = 0, most;
	size_t n = gaussian->n_samples;
	for (size_t i = 0; i < n; i++)
		solved[i] = covariances[i] = plain_correlation(gaussian, row, rows[i]);
	solve_plainly(gaussian, rows, solved, n);
	for (size_t i = 0; i < n; i++) {
		mean += i + gaussian->n_believed < n ? weights[i] * covariances[i] : 0;
		explained += solved[i] * covariances[i];
	}
	double deviation = search_gaussian_deviation(gaussian, row);
	assert_true(fabs(search_gaussian_mean(gaussian, row, &most) - mean) < 1e-7);
	assert_true(fabs(deviation * deviation - variance * (1 - explained)) < 1e-7);
	assert_true(most >= deviation && most * most <= variance * (1 + 1e-9));
}

static void computes_what_the_textbook_says(void **state)
{
	(void)state;
	static const size_t sizes[] = {SEARCH_GAUSSIAN_MAX, 1, 2, 3, 4, 5, SEARCH_GAUSSIAN_MAX - 1, 49, 8};
	struct search_random random;
	uint16_t rows[MAX][MIXED], row[MIXED];
	double targets[MAX], weights[MAX];
	struct mmt_error error = {0};
	search_random_seed(&random, 7);
	struct search_gaussian *gaussian = search_gaussian_create(mixed, MIXED, &error);
	assert_non_null(gaussian);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t n = sizes[s];
		double variance = 0;
		for (size_t i = 0; i < n; i++) {
			draw_row(&random, rows[i]);
			targets[i] = rows[i][0] + 0.1 * rows[i][5] + search_random_unit(&random);
		}
		search_gaussian_fit(gaussian, rows[0], targets, n, &random);
		memcpy(weights, gaussian->targets, n * sizeof(weights[0]));
		double log_determinant = solve_plainly(gaussian, rows, weights, n);
		for (size_t i = 0; i < n; i++)
			variance += weights[i] * gaussian->targets[i] / (double)n;
		double likelihood = prior_likelihood(gaussian) - 0.5 * log_determinant -
				    0.5 * (double)n * log(variance + LEAST_SPREAD);
		assert_true(fabs(gaussian->fit->likelihood - likelihood) < 1e-6);
		for (int again = 0; again < 10; again++) {
			draw_row(&random, row);
			compare_row(gaussian, rows, weights, variance, again == 0 ? rows[n - 1] : row);
		}
		for (size_t i = n; i < n + SEARCH_GAUSSIAN_BELIEVED; i++) {
			draw_row(&random, rows[i]);
			search_gaussian_believe(gaussian, rows[i]);
			compare_row(gaussian, rows, weights, variance, rows[i]);
			compare_row(gaussian, rows, weights, variance, row);
		}
		search_gaussian_believe(gaussian, row); /* one too many */
		compare_row(gaussian, rows, weights, variance, row);
	}
	search_gaussian_destroy(gaussian);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_an_interaction),
		cmocka_unit_test(doubts_grow_with_the_distance),
		cmocka_unit_test(handles_little_data),
		cmocka_unit_test(handles_no_features),
		cmocka_unit_test(computes_what_the_textbook_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
