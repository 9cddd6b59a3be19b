#include "random.h"

static uint64_t rotate_left(uint64_t value, int bits)
{
	return (value << bits) | (value >> (64 - bits));
}

void search_random_seed(struct search_random *random, uint64_t seed)
{
	/* splitmix64, Steele, Lea and Flood, OOPSLA 2014 */
	for (size_t i = 0; i < 4; i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15u);
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		random->state[i] = z ^ (z >> 31);
	}
}

uint64_t search_random_next(struct search_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t search_random_below(struct search_random *random, uint64_t bound)
{
	/* multiply-shift; the bias is below 2^-32 for the sizes used here */
	return (uint64_t)(((unsigned __int128)search_random_next(random) * bound) >> 64);
}

double search_random_unit(struct search_random *random)
{
	return (double)(search_random_next(random) >> 11) * 0x1.0p-53;
}
