/* gaussian.c: see gaussian.h. Equation numbers are those of Rasmussen and
 * Williams. Inner loops run along rows of the factor, and add to many sums at
 * once: compilers turn them into vector instructions without reordering sums. */
#include "gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX          SEARCH_GAUSSIAN_MAX
#define STEPS        2    /* of the learning of features, at each fit */
#define STEP         1.5  /* longest one, in logarithms */
#define WEIGHT       0.5  /* of a feature before anything is learnt: over its whole range */
#define NOISE        0.01 /* of the samples' variance */
#define WIDTH        1.5  /* standard deviation of both, in logarithms */
#define LEAST_PIVOT  1e-9 /* keeps a singular matrix from dividing by zero */
#define LEAST_SPREAD 1e-9 /* the same where all targets are equal */

/* What follows from some samples with some weights. */
struct fit {
	double *correlations; /* of each feature, at each distance */
	double *factor;       /* MAX x MAX: the upper Cholesky factor of the samples' covariance */
	double weights[MAX];  /* covariance^-1 times the targets */
	double variance;      /* of the process */
	double likelihood;    /* of weights and samples, in logarithms, but for a constant */
};

struct search_gaussian {
	size_t n_features, n_samples;
	uint16_t *greatest;
	size_t *first;      /* of each feature, in fit.correlations */
	double *logarithms; /* of the weight of each feature, then of the noise */
	uint16_t *rows;
	double mean, targets[MAX]; /* the targets less their mean */
	struct fit fits[2], *fit, *other;
};

struct search_gaussian *search_gaussian_create(const uint16_t *greatest, size_t n_features, struct mmt_error *error)
{
	struct search_gaussian *gaussian = calloc(1, sizeof(*gaussian));
	size_t n_correlations = 0;
	if (gaussian == NULL)
		goto no_memory;
	gaussian->n_features = n_features;
	gaussian->greatest = malloc((n_features + 1) * sizeof(gaussian->greatest[0]));
	gaussian->first = calloc(n_features + 1, sizeof(gaussian->first[0]));
	gaussian->logarithms = calloc(n_features + 1, sizeof(gaussian->logarithms[0]));
	gaussian->rows = calloc(MAX * n_features + 1, sizeof(gaussian->rows[0]));
	if (gaussian->greatest == NULL || gaussian->first == NULL || gaussian->logarithms == NULL ||
	    gaussian->rows == NULL)
		goto no_memory;
	for (size_t f = 0; f < n_features; f++) {
		gaussian->greatest[f] = greatest[f];
		gaussian->first[f] = n_correlations;
		gaussian->logarithms[f] = log(WEIGHT);
		n_correlations += (size_t)greatest[f] + 1;
	}
	gaussian->logarithms[n_features] = log(NOISE);
	for (size_t i = 0; i < 2; i++) {
		gaussian->fits[i].correlations = calloc(n_correlations + 1, sizeof(double));
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
	free(gaussian->logarithms);
	free(gaussian->rows);
	free(gaussian);
}

/* Matern, nu = 3/2 (4.17), of each feature at each distance. */
static void tabulate(const struct search_gaussian *gaussian, struct fit *fit)
{
	for (size_t f = 0; f < gaussian->n_features; f++) {
		double weight = sqrt(3) * exp(gaussian->logarithms[f]);
		double *correlations = fit->correlations + gaussian->first[f];
		for (size_t distance = 0; distance <= gaussian->greatest[f]; distance++) {
			double r = weight * (double)distance / gaussian->greatest[f];
			correlations[distance] = (1 + r) * exp(-r);
		}
	}
}

static double correlate(const struct search_gaussian *gaussian, const struct fit *fit, const uint16_t *a,
			const uint16_t *b)
{
	double product = 1;
	for (size_t f = 0; f < gaussian->n_features; f++)
		product *= fit->correlations[gaussian->first[f] + (size_t)abs(a[f] - b[f])];
	return product;
}

static const uint16_t *sample(const struct search_gaussian *gaussian, size_t i)
{
	return gaussian->rows + i * gaussian->n_features;
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

/* Cholesky's factorisation in place, row by row of the upper factor, and the
 * forward substitution with it. Returns half the logarithm of the determinant. */
static double factorise(double *factor, double *weights, size_t n)
{
	double log_diagonal = 0;
	for (size_t p = 0; p < n; p++) {
		double *pivot_row = factor + p * MAX;
		double pivot = sqrt(fmax(pivot_row[p], LEAST_PIVOT));
		log_diagonal += log(pivot);
		pivot_row[p] = pivot;
		weights[p] /= pivot;
		for (size_t j = p + 1; j < n; j++) {
			pivot_row[j] /= pivot;
			weights[j] -= weights[p] * pivot_row[j];
		}
		for (size_t i = p + 1; i < n; i++) {
			double *row = factor + i * MAX, scale = pivot_row[i];
			for (size_t j = i; j < n; j++)
				row[j] -= scale * pivot_row[j];
		}
	}
	return log_diagonal;
}

/* Algorithm 2.1 with the present weights; the variance at its most likely value. */
static void compute(const struct search_gaussian *gaussian, struct fit *fit)
{
	size_t n = gaussian->n_samples;
	double noise = exp(gaussian->logarithms[gaussian->n_features]), squares = 0;
	tabulate(gaussian, fit);
	for (size_t i = 0; i < n; i++) {
		double *row = fit->factor + i * MAX;
		row[i] = 1 + noise;
		for (size_t j = i + 1; j < n; j++)
			row[j] = correlate(gaussian, fit, sample(gaussian, i), sample(gaussian, j));
		fit->weights[i] = gaussian->targets[i];
	}
	double log_diagonal = factorise(fit->factor, fit->weights, n);
	for (size_t i = 0; i < n; i++)
		squares += fit->weights[i] * fit->weights[i];
	for (size_t i = n; i-- > 0;) {
		const double *row = fit->factor + i * MAX;
		for (size_t j = i + 1; j < n; j++)
			fit->weights[i] -= row[j] * fit->weights[j];
		fit->weights[i] /= row[i];
	}
	fit->variance = squares / (double)n;
	fit->likelihood = prior_likelihood(gaussian) - log_diagonal -
			  0.5 * (double)n * log(fit->variance + LEAST_SPREAD); /* (5.8) */
}

void search_gaussian_fit(struct search_gaussian *gaussian, const uint16_t *rows, const double *targets, size_t n,
			 struct search_random *random)
{
	double sum = 0;
	gaussian->n_samples = n;
	memcpy(gaussian->rows, rows, n * gaussian->n_features * sizeof(rows[0]));
	for (size_t i = 0; i < n; i++)
		sum += targets[i];
	gaussian->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		gaussian->targets[i] = targets[i] - gaussian->mean;
	compute(gaussian, gaussian->fit);
	for (int step = 0; step < STEPS; step++) {
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

double search_gaussian_mean(const struct search_gaussian *gaussian, const uint16_t *row)
{
	const struct fit *fit = gaussian->fit;
	double mean = gaussian->mean;
	for (size_t i = 0; i < gaussian->n_samples; i++)
		mean += fit->weights[i] * correlate(gaussian, fit, row, sample(gaussian, i));
	return mean;
}

void search_gaussian_predict(const struct search_gaussian *gaussian, const uint16_t *row, double *mean,
			     double *deviation)
{
	const struct fit *fit = gaussian->fit;
	double covariances[MAX], explained = 0;
	size_t n = gaussian->n_samples;
	*mean = gaussian->mean;
	for (size_t i = 0; i < n; i++) {
		covariances[i] = correlate(gaussian, fit, row, sample(gaussian, i));
		*mean += fit->weights[i] * covariances[i];
	}
	for (size_t p = 0; p < n; p++) { /* (2.26) */
		const double *factor = fit->factor + p * MAX;
		double solved = covariances[p] / factor[p];
		explained += solved * solved;
		for (size_t j = p + 1; j < n; j++)
			covariances[j] -= solved * factor[j];
	}
	*deviation = sqrt(fit->variance * fmax(0, 1 - explained));
}

double search_gaussian_deviation(const struct search_gaussian *gaussian)
{
	return sqrt(gaussian->fit->variance);
}
