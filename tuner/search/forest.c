/* forest.c: see forest.h. */
#include "forest.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define N_TREES   8
#define MIN_SPLIT 3  /* samples in a node that is split further */
#define MAX_DEPTH 40 /* bounds the recursion; trees of a few hundred samples end far above */

struct node {
	uint16_t feature, threshold; /* left where the value is at most the threshold */
	uint32_t left;               /* right is left + 1; 0: a leaf */
	double value;                /* mean of the node's samples */
};

struct search_forest {
	size_t n_features;
	struct node *nodes; /* nodes_a_tree for each tree; the root is the first */
	size_t nodes_a_tree;
	size_t n_trees; /* 0: empty */
};

struct growth {
	size_t n_features;
	const uint16_t *const *rows;
	const double *targets;
	uint32_t *samples; /* a permutation, of which a node has a part */
	struct node *nodes;
	uint32_t n_nodes;
	struct search_random *random;
};

struct split {
	uint16_t feature, threshold;
	double gain; /* 0: none found */
};

struct search_forest *search_forest_create(size_t n_features, struct mmt_error *error)
{
	struct search_forest *forest = calloc(1, sizeof(*forest));
	if (forest == NULL)
		mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a model");
	else
		forest->n_features = n_features;
	return forest;
}

void search_forest_destroy(struct search_forest *forest)
{
	if (forest == NULL)
		return;
	free(forest->nodes);
	free(forest);
}

static uint16_t feature_of(const struct growth *growth, size_t sample, size_t feature)
{
	return growth->rows[growth->samples[sample]][feature];
}

/* A threshold at random between the least and the greatest value of a feature,
 * and what it explains: the variance between the two sides, times the count. */
static struct split try_split(const struct growth *growth, size_t first, size_t last, size_t feature)
{
	struct split split = {.feature = (uint16_t)feature};
	uint16_t least = UINT16_MAX, greatest = 0;
	for (size_t i = first; i < last; i++) {
		uint16_t value = feature_of(growth, i, feature);
		least = value < least ? value : least;
		greatest = value > greatest ? value : greatest;
	}
	if (least >= greatest)
		return split;
	split.threshold = (uint16_t)(least + search_random_below(growth->random, (uint64_t)(greatest - least)));
	double sum_left = 0, sum = 0;
	size_t n_left = 0;
	for (size_t i = first; i < last; i++) {
		double target = growth->targets[growth->samples[i]];
		bool left = feature_of(growth, i, feature) <= split.threshold;
		sum += target;
		sum_left += left ? target : 0;
		n_left += left;
	}
	double n = (double)(last - first), left = (double)n_left, right = n - left;
	double difference = sum_left / left - (sum - sum_left) / right;
	split.gain = left * right / n * difference * difference;
	return split;
}

/* Puts the samples of the left side first; returns where the right ones begin. */
static size_t partition(struct growth *growth, size_t first, size_t last, const struct split *split)
{
	size_t middle = first;
	for (size_t i = first; i < last; i++) {
		if (feature_of(growth, i, split->feature) > split->threshold)
			continue;
		uint32_t moved = growth->samples[i];
		growth->samples[i] = growth->samples[middle];
		growth->samples[middle++] = moved;
	}
	return middle;
}

static void grow(struct growth *growth, uint32_t at, size_t first, size_t last, unsigned depth)
{
	struct node *node = &growth->nodes[at];
	struct split best = {0};
	double sum = 0;
	for (size_t i = first; i < last; i++)
		sum += growth->targets[growth->samples[i]];
	*node = (struct node){.value = sum / (double)(last - first)};
	if (last - first < MIN_SPLIT || depth == MAX_DEPTH)
		return;
	for (size_t f = 0; f < growth->n_features; f++) {
		struct split split = try_split(growth, first, last, f);
		if (split.gain > best.gain)
			best = split;
	}
	if (best.gain <= 0)
		return;
	size_t middle = partition(growth, first, last, &best);
	node->feature = best.feature;
	node->threshold = best.threshold;
	node->left = growth->n_nodes;
	growth->n_nodes += 2;
	grow(growth, node->left, first, middle, depth + 1);
	grow(growth, node->left + 1, middle, last, depth + 1);
}

int search_forest_fit(struct search_forest *forest, const uint16_t *const *rows, const double *targets, size_t n,
		      struct search_random *random)
{
	uint32_t *samples = malloc(n * sizeof(*samples));
	struct node *nodes = realloc(forest->nodes, N_TREES * 2 * n * sizeof(*nodes));
	forest->n_trees = 0;
	if (nodes != NULL)
		forest->nodes = nodes;
	if (samples == NULL || nodes == NULL) {
		free(samples);
		return -1;
	}
	forest->nodes_a_tree = 2 * n;
	for (size_t t = 0; t < N_TREES; t++) {
		struct growth growth = {.n_features = forest->n_features,
					.rows = rows,
					.targets = targets,
					.samples = samples,
					.nodes = forest->nodes + t * forest->nodes_a_tree,
					.n_nodes = 1,
					.random = random};
		for (size_t i = 0; i < n; i++)
			samples[i] = (uint32_t)i;
		grow(&growth, 0, 0, n, 0);
	}
	forest->n_trees = N_TREES;
	free(samples);
	return 0;
}

void search_forest_predict(const struct search_forest *forest, const uint16_t *row, double *mean, double *deviation)
{
	double sum = 0, squares = 0, n = (double)forest->n_trees;
	*mean = *deviation = 0;
	if (forest->n_trees == 0)
		return;
	for (size_t t = 0; t < forest->n_trees; t++) {
		const struct node *tree = forest->nodes + t * forest->nodes_a_tree, *node = tree;
		while (node->left != 0)
			node = &tree[node->left + (row[node->feature] > node->threshold)];
		sum += node->value;
		squares += node->value * node->value;
	}
	*mean = sum / n;
	*deviation = sqrt(fmax(0, squares / n - *mean * *mean));
}
