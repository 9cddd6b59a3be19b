/* forest.h: a regression model of a space: extremely randomised trees (Geurts,
 * Ernst and Wehenkel, Machine Learning 63, 2006).
 *
 * Interactions dominate in tuning spaces, values are few and steps are abrupt:
 * trees take that as it is, need no scaling and little data, and their
 * disagreement tells where little is known. Features are the value indices
 * of a configuration.
 *
 * Thread: a forest belongs to one thread at a time. */
#ifndef MMT_SEARCH_FOREST_H
#define MMT_SEARCH_FOREST_H

#include <stddef.h>
#include <stdint.h>

#include "mmtune/error.h"
#include "random.h"

struct search_forest;

struct search_forest *search_forest_create(size_t n_features, struct mmt_error *error);
void search_forest_destroy(struct search_forest *forest); /* NULL is allowed */

/* Learns targets[i] for the configuration rows[i], n of them, at least one;
 * what it knew before is forgotten. -1: no memory, and the forest is empty. */
int search_forest_fit(struct search_forest *forest, const uint16_t *const *rows, const double *targets, size_t n,
		      struct search_random *random);

/* The mean and the standard deviation of the trees' answers; 0 and 0 when empty. */
void search_forest_predict(const struct search_forest *forest, const uint16_t *row, double *mean, double *deviation);

#endif
