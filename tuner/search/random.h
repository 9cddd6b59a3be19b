/* random.h: the search's own random numbers: xoshiro256** (Blackman and Vigna,
 * "Scrambled linear pseudorandom number generators", 2021), seeded through
 * splitmix64. The same seed gives the same search on every machine.
 *
 * Thread: a generator belongs to one thread at a time. */
#ifndef MMT_SEARCH_RANDOM_H
#define MMT_SEARCH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct search_random {
	uint64_t state[4];
};

void search_random_seed(struct search_random *random, uint64_t seed);
uint64_t search_random_next(struct search_random *random);
/* Uniform in [0, bound); bound 0 gives 0. */
uint64_t search_random_below(struct search_random *random, uint64_t bound);
/* Uniform in [0, 1). */
double search_random_unit(struct search_random *random);

#endif
