/* nearest.c: see nearest.h. */
#include "nearest.h"

#include <string.h>

#define LONGEST_NAME 31 /* longer names are not compared: no verb or option is */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance: insertions, deletions, substitutions and
 * swaps of neighbours cost 1 (Damerau, CACM 7(3), 1964). */
static size_t distance(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	size_t cost[LONGEST_NAME + 1][LONGEST_NAME + 1];
	if (m > LONGEST_NAME || n > LONGEST_NAME)
		return LONGEST_NAME;
	for (size_t i = 0; i <= m; i++) {
		for (size_t j = 0; j <= n; j++) {
			if (i == 0 || j == 0) {
				cost[i][j] = i + j;
				continue;
			}
			cost[i][j] = least(least(cost[i - 1][j], cost[i][j - 1]) + 1,
					   cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
		}
	}
	return cost[m][n];
}

void nearest_init(struct nearest *nearest, const char *typed)
{
	*nearest = (struct nearest){.typed = typed, .distance = LONGEST_NAME + 1};
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	/* A beginning of a name means it, unless something is nearer still. */
	size_t length = strlen(nearest->typed);
	size_t away = length >= 2 && strncmp(nearest->typed, name, length) == 0 ? 1 : distance(nearest->typed, name);
	if (away < nearest->distance) {
		nearest->distance = away;
		nearest->best = name;
	}
}

const char *nearest_found(const struct nearest *nearest)
{
	/* A third of the letters may be wrong, two at most. */
	size_t allowed = least(2, (strlen(nearest->typed) + 2) / 3);
	return nearest->distance <= allowed ? nearest->best : NULL;
}
