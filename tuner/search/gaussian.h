/* gaussian.h: a regression model of a space: a Gaussian process (Rasmussen and
 * Williams, Gaussian Processes for Machine Learning, 2006).
 *
 * Two configurations are alike as far as each of their features is: the
 * correlation is a product over the features, of a Matern function (nu = 3/2)
 * of how far apart the values are. So interactions come by themselves, and what
 * a dozen results say is said with an honest deviation. How much each feature
 * matters is learnt: by the marginal likelihood, a few steps at each fit, which
 * go on where the last fit ended. Features are small integers such as the
 * value indices of a configuration.
 *
 * Thread: a model belongs to one thread at a time. */
#ifndef MMT_SEARCH_GAUSSIAN_H
#define MMT_SEARCH_GAUSSIAN_H

#include <stddef.h>
#include <stdint.h>

#include "mmtune/error.h"
#include "random.h"

/* Samples of a fit, whose time grows with their cube: some 0.2 ms at this many. */
#define SEARCH_GAUSSIAN_MAX 128
/* Samples that are believed; see below. */
#define SEARCH_GAUSSIAN_BELIEVED 16
/* At most so many features, of at most so many values each. */
#define SEARCH_GAUSSIAN_FEATURES 128
#define SEARCH_GAUSSIAN_VALUES   64

struct search_gaussian;

/* A feature's values are 0 ... greatest[feature], the latter at least 1. */
struct search_gaussian *search_gaussian_create(const uint16_t *greatest, size_t n_features, struct mmt_error *error);
void search_gaussian_destroy(struct search_gaussian *gaussian); /* NULL is allowed */

/* Learns targets[i] for rows[i], one row of n_features after the other; n of
 * them, 1 ... SEARCH_GAUSSIAN_MAX. Samples of before are forgotten, but not how
 * much the features matter. */
void search_gaussian_fit(struct search_gaussian *gaussian, const uint16_t *rows, const double *targets, size_t n,
			 struct search_random *random);

/* Takes a row for a sample whose target is what is expected of it: nothing else is expected then, and there is less
 * doubt beside it. Nothing is done before the first fit and for more than SEARCH_GAUSSIAN_BELIEVED since the last. */
void search_gaussian_believe(struct search_gaussian *gaussian, const uint16_t *row);

/* What is expected of a row, and a standard deviation that the row's is not above: what its nearest
 * sample leaves. Both are 0 before the first fit. */
double search_gaussian_mean(const struct search_gaussian *gaussian, const uint16_t *row, double *most);
/* The standard deviation of a row, which takes as many times longer as there are samples. */
double search_gaussian_deviation(const struct search_gaussian *gaussian, const uint16_t *row);

#endif
