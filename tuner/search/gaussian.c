/* gaussian.c: see gaussian.h. Equation numbers are those of Rasmussen and
 * Williams. Inner loops run along rows, and add to many sums at once: compilers
 * turn them into vector instructions without reordering sums.
 *
 * Features are taken in groups of few combined values. What each combination
 * correlates with, sample after sample, is a row of a table: so a configuration's
 * correlations with all samples are the product of one row a group. */
#include "gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX          (SEARCH_GAUSSIAN_MAX + SEARCH_GAUSSIAN_BELIEVED)
#define COMBINED     32   /* values of a group of features, unless it is one feature */
#define BLOCK        8    /* samples that are multiplied at once; divides MAX */
#define PIVOTS       4    /* rows of the factor that are subtracted at once; divides MAX */
#define STEPS        2    /* of the learning of features, at each fit; */
#define MANY         96   /* of more samples, which are learnt again sooner than that changes much: one */
#define STEP         1.5  /* longest one, in logarithms */
#define WEIGHT       0.5  /* of a feature before anything is learnt: over its whole range */
#define NOISE        0.01 /* of the samples' variance */
#define WIDTH        1.5  /* standard deviation of both, in logarithms */
#define LEAST_PIVOT  1e-9 /* keeps a singular matrix from dividing by zero */
#define LEAST_SPREAD 1e-9 /* the same where all targets are equal */

/* What follows from some samples with some weights. */
struct fit {
	double *correlations; /* of each combination of each group with each sample: rows of MAX */
	double *factor;       /* MAX x MAX: the upper Cholesky factor of the samples' covariance */
	double weights[MAX];  /* covariance^-1 times the targets */
	double noise;         /* of the samples, as part of the variance */
	double variance;      /* of the process */
	double likelihood;    /* of weights and samples, in logarithms, but for a constant */
};

struct search_gaussian {
	size_t n_features, n_samples, n_believed; /* n_believed: the last of the samples */
	uint16_t *greatest;
	size_t *first, *stride; /* of each feature: its group's first row in fit.correlations, and how many
				   rows apart its values are there; 1 begins a group */
	double *logarithms;     /* of the weight of each feature, then of the noise */
	uint16_t *rows;
	double present[MAX];       /* 1 for each sample, 0 behind the last */
	double mean, targets[MAX]; /* the targets less their mean */
	struct fit fits[2], *fit, *other;
};

/* Puts features that follow each other into groups; returns the rows of all tables. */
static size_t group(struct search_gaussian *gaussian)
{
	size_t first = 0, n_combined = 1;
	for (size_t f = 0; f < gaussian->n_features; f++) {
		size_t n_values = (size_t)gaussian->greatest[f] + 1;
		if (n_combined * n_values > COMBINED) {
			first += f == 0 ? 0 : n_combined;
			n_combined = 1;
		}
		gaussian->first[f] = first;
		gaussian->stride[f] = n_combined;
		n_combined *= n_values;
	}
	return first + n_combined;
}

struct search_gaussian *search_gaussian_create(const uint16_t *greatest, size_t n_features, struct mmt_error *error)
{
	struct search_gaussian *gaussian = calloc(1, sizeof(*gaussian));
	if (gaussian == NULL)
		goto no_memory;
	gaussian->n_features = n_features;
	gaussian->greatest = malloc((n_features + 1) * sizeof(gaussian->greatest[0]));
	gaussian->first = calloc(n_features + 1, sizeof(gaussian->first[0]));
	gaussian->stride = calloc(n_features + 1, sizeof(gaussian->stride[0]));
	gaussian->logarithms = calloc(n_features + 1, sizeof(gaussian->logarithms[0]));
	gaussian->rows = calloc(MAX * n_features + 1, sizeof(gaussian->rows[0]));
	if (gaussian->greatest == NULL || gaussian->first == NULL || gaussian->stride == NULL ||
	    gaussian->logarithms == NULL || gaussian->rows == NULL)
		goto no_memory;
	for (size_t f = 0; f < n_features; f++) {
		gaussian->greatest[f] = greatest[f];
		gaussian->logarithms[f] = log(WEIGHT);
	}
	gaussian->logarithms[n_features] = log(NOISE);
	size_t n_rows = group(gaussian);
	for (size_t i = 0; i < 2; i++) {
		gaussian->fits[i].correlations = calloc((n_rows + 1) * MAX, sizeof(double));
		gaussian->fits[i].factor = calloc((size_t)MAX * MAX, sizeof(double));
		if (gaussian->fits[i].correlations == NULL || gaussian->fits[i].factor == NULL)
			goto no_memory;
	}
	gaussian->fit = &gaussian->fits[0];
	gaussian->other = &gaussian->fits[1];
	return gaussian;
no_memory:
	search_gaussian_destroy(gaussian);
	mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a model");
	return NULL;
}

void search_gaussian_destroy(struct search_gaussian *gaussian)
{
	if (gaussian == NULL)
		return;
	for (size_t i = 0; i < 2; i++) {
		free(gaussian->fits[i].correlations);
		free(gaussian->fits[i].factor);
	}
	free(gaussian->greatest);
	free(gaussian->first);
	free(gaussian->stride);
	free(gaussian->logarithms);
	free(gaussian->rows);
	free(gaussian);
}

static const uint16_t *sample(const struct search_gaussian *gaussian, size_t i)
{
	return gaussian->rows + i * gaussian->n_features;
}

/* Matern, nu = 3/2 (4.17), of a feature at each distance. */
static void tabulate_distances(const struct search_gaussian *gaussian, size_t feature, double *out)
{
	double weight = sqrt(3) * exp(gaussian->logarithms[feature]);
	size_t greatest = gaussian->greatest[feature];
	for (size_t distance = 0; distance <= greatest; distance++) {
		double r = weight * (double)distance / (double)greatest;
		out[distance] = (1 + r) * exp(-r);
	}
}

/* The tables' columns of the samples from `first` on. */
static void tabulate(const struct search_gaussian *gaussian, struct fit *fit, size_t first)
{
	double at_distance[SEARCH_GAUSSIAN_VALUES], factors[MAX];
	size_t n = gaussian->n_samples;
	for (size_t f = 0; f < gaussian->n_features; f++) {
		double *table = fit->correlations + gaussian->first[f] * MAX;
		size_t stride = gaussian->stride[f];
		for (size_t i = first; i < n && stride == 1; i++)
			table[i] = 1;
		tabulate_distances(gaussian, f, at_distance);
		/* value 0 last: its rows, the product of the features before, are what the others are made from */
		for (size_t value = (size_t)gaussian->greatest[f] + 1; value-- > 0;) {
			for (size_t i = first; i < n; i++)
				factors[i] = at_distance[abs((int)value - sample(gaussian, i)[f])];
			for (size_t r = 0; r < stride; r++)
				for (size_t i = first; i < n; i++)
					table[(value * stride + r) * MAX + i] = table[r * MAX + i] * factors[i];
		}
	}
}

/* The correlations of a row with the samples from `from` on, in whole blocks: 0 behind the last sample. */
static void correlate(const struct search_gaussian *gaussian, const struct fit *fit, const uint16_t *row, size_t from,
		      double *restrict out)
{
	const double *tables[SEARCH_GAUSSIAN_FEATURES];
	size_t n_tables = 0;
	for (size_t f = 0; f < gaussian->n_features; f++) {
		if (gaussian->stride[f] == 1)
			tables[n_tables++] = fit->correlations + gaussian->first[f] * MAX;
		tables[n_tables - 1] += row[f] * gaussian->stride[f] * MAX;
	}
	for (size_t i = from - from % BLOCK; i < gaussian->n_samples; i += BLOCK) {
		double products[BLOCK];
		memcpy(products, gaussian->present + i, sizeof(products));
		for (size_t t = 0; t < n_tables; t++)
			for (size_t k = 0; k < BLOCK; k++)
				products[k] *= tables[t][i + k];
		memcpy(out + i, products, sizeof(products));
	}
}

/* In whole blocks. */
static double dot(const double *a, const double *b, size_t n)
{
	double sums[BLOCK] = {0}, sum = 0;
	for (size_t i = 0; i < n; i += BLOCK)
		for (size_t k = 0; k < BLOCK; k++)
			sums[k] += a[i + k] * b[i + k];
	for (size_t k = 0; k < BLOCK; k++)
		sum += sums[k];
	return sum;
}

/* The same; of none below 0. */
static double greatest_of(const double *values, size_t n)
{
	double most[BLOCK] = {0}, greatest = 0;
	for (size_t i = 0; i < n; i += BLOCK)
		for (size_t k = 0; k < BLOCK; k++)
			most[k] = values[i + k] > most[k] ? values[i + k] : most[k];
	for (size_t k = 0; k < BLOCK; k++)
		greatest = fmax(greatest, most[k]);
	return greatest;
}

/* The prior of the weights and of the noise. */
static double prior_likelihood(const struct search_gaussian *gaussian)
{
	double sum = 0;
	for (size_t i = 0; i <= gaussian->n_features; i++) {
		double usual = i < gaussian->n_features ? log(WEIGHT) : log(NOISE);
		double off = (gaussian->logarithms[i] - usual) / WIDTH;
		sum -= 0.5 * off * off;
	}
	return sum;
}

/* Subtracts PIVOTS rows of the factor, scaled, from `from` on. */
static void subtract(double *restrict row, const double *restrict pivots, const double *scales, size_t from, size_t n)
{
	double a = scales[0], b = scales[1], c = scales[2], d = scales[3];
	for (size_t j = from; j < n; j++)
		row[j] = row[j] - a * pivots[j] - b * pivots[MAX + j] - c * pivots[2 * MAX + j] -
			 d * pivots[3 * MAX + j];
}

/* Solves factor^T x = row, as far as the PIVOTS from `first` on say; they are rows of the factor. */
static void substitute(double *row, const double *factor, size_t first, size_t n)
{
	size_t last = first + PIVOTS < n ? first + PIVOTS : n;
	for (size_t p = first; p < last; p++) {
		const double *pivots = factor + p * MAX;
		row[p] /= pivots[p];
		for (size_t j = p + 1; j < last; j++)
			row[j] -= row[p] * pivots[j];
	}
	if (last < n)
		subtract(row, factor + first * MAX, row + first, last, n);
}

/* Cholesky's factorisation in place, PIVOTS rows of the upper factor at once, and the
 * forward substitution with it. Returns half the logarithm of the determinant. */
static double factorise(double *factor, double *weights, size_t n)
{
	double log_diagonal = 0;
	for (size_t first = 0; first < n; first += PIVOTS) {
		size_t last = first + PIVOTS < n ? first + PIVOTS : n;
		for (size_t p = first; p < last; p++) {
			double *pivots = factor + p * MAX, pivot = sqrt(fmax(pivots[p], LEAST_PIVOT));
			log_diagonal += log(pivot);
			pivots[p] = pivot;
			for (size_t j = p + 1; j < n; j++)
				pivots[j] /= pivot;
			for (size_t i = p + 1; i < last; i++)
				for (size_t j = i; j < n; j++)
					factor[i * MAX + j] -= pivots[i] * pivots[j];
		}
		for (size_t i = last; i < n; i++) {
			const double *column = factor + first * MAX + i;
			const double scales[PIVOTS] = {column[0], column[MAX], column[2 * MAX], column[3 * MAX]};
			subtract(factor + i * MAX, factor + first * MAX, scales, i, n);
		}
		substitute(weights, factor, first, n);
	}
	return log_diagonal;
}

/* Algorithm 2.1 with the present weights; the variance at its most likely value. */
static void compute(const struct search_gaussian *gaussian, struct fit *fit)
{
	size_t n = gaussian->n_samples;
	fit->noise = exp(gaussian->logarithms[gaussian->n_features]);
	memset(fit->weights, 0, sizeof(fit->weights));
	memcpy(fit->weights, gaussian->targets, n * sizeof(fit->weights[0]));
	tabulate(gaussian, fit, 0);
	for (size_t i = 0; i < n; i++) {
		double *row = fit->factor + i * MAX;
		correlate(gaussian, fit, sample(gaussian, i), i, row);
		row[i] = 1 + fit->noise;
	}
	double log_diagonal = factorise(fit->factor, fit->weights, n);
	fit->variance = dot(fit->weights, fit->weights, n) / (double)n;
	for (size_t i = n; i-- > 0;) {
		const double *row = fit->factor + i * MAX;
		for (size_t j = i + 1; j < n; j++)
			fit->weights[i] -= row[j] * fit->weights[j];
		fit->weights[i] /= row[i];
	}
	fit->likelihood = prior_likelihood(gaussian) - log_diagonal -
			  0.5 * (double)n * log(fit->variance + LEAST_SPREAD); /* (5.8) */
}

void search_gaussian_fit(struct search_gaussian *gaussian, const uint16_t *rows, const double *targets, size_t n,
			 struct search_random *random)
{
	double sum = 0;
	gaussian->n_samples = n;
	gaussian->n_believed = 0;
	memcpy(gaussian->rows, rows, n * gaussian->n_features * sizeof(rows[0]));
	for (size_t i = 0; i < n; i++)
		sum += targets[i];
	gaussian->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		gaussian->targets[i] = targets[i] - gaussian->mean;
	for (size_t i = 0; i < MAX; i++)
		gaussian->present[i] = i < n;
	compute(gaussian, gaussian->fit);
	for (int step = 0; step < (n > MANY ? 1 : STEPS); step++) {
		double *changed = &gaussian->logarithms[search_random_below(random, gaussian->n_features + 1)];
		double before = *changed;
		*changed += STEP * (2 * search_random_unit(random) - 1);
		compute(gaussian, gaussian->other);
		if (gaussian->other->likelihood <= gaussian->fit->likelihood) {
			*changed = before;
			continue;
		}
		struct fit *better = gaussian->other;
		gaussian->other = gaussian->fit;
		gaussian->fit = better;
	}
}

double search_gaussian_mean(const struct search_gaussian *gaussian, const uint16_t *row, double *most)
{
	const struct fit *fit = gaussian->fit;
	double covariances[MAX];
	correlate(gaussian, fit, row, 0, covariances);
	double nearest = greatest_of(covariances, gaussian->n_samples);
	*most = sqrt(fit->variance * fmax(0, 1 - nearest * nearest / (1 + fit->noise)));
	return gaussian->mean + dot(fit->weights, covariances, gaussian->n_samples);
}

/* The correlations of a row with all samples as the factor has them (2.26); returns the sum of their squares,
 * how much of the row's variance the samples explain. */
static double explain(const struct search_gaussian *gaussian, const uint16_t *row, double *out)
{
	const struct fit *fit = gaussian->fit;
	size_t n = gaussian->n_samples;
	correlate(gaussian, fit, row, 0, out);
	for (size_t p = 0; p < n; p += PIVOTS)
		substitute(out, fit->factor, p, n);
	return dot(out, out, n);
}

double search_gaussian_deviation(const struct search_gaussian *gaussian, const uint16_t *row)
{
	double covariances[MAX];
	return sqrt(gaussian->fit->variance * fmax(0, 1 - explain(gaussian, row, covariances)));
}

/* One more column of the factor. As the target is what is expected, no weight changes. */
void search_gaussian_believe(struct search_gaussian *gaussian, const uint16_t *row)
{
	struct fit *fit = gaussian->fit;
	double column[MAX];
	size_t n = gaussian->n_samples;
	if (n == 0 || gaussian->n_believed == SEARCH_GAUSSIAN_BELIEVED)
		return;
	double pivot = 1 + fit->noise - explain(gaussian, row, column);
	for (size_t i = 0; i < n; i++)
		fit->factor[i * MAX + n] = column[i];
	fit->factor[n * MAX + n] = sqrt(fmax(pivot, LEAST_PIVOT));
	fit->weights[n] = 0;
	memcpy(gaussian->rows + n * gaussian->n_features, row, gaussian->n_features * sizeof(row[0]));
	gaussian->present[n] = 1;
	gaussian->n_samples++;
	gaussian->n_believed++;
	tabulate(gaussian, fit, n);
}
