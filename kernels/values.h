/* values.h: arrays of elements of a problem's type, on the host.
 *
 * Random values are a function of a seed and an index, nothing else
 * (splitmix64 as a counter: Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014), so that an input can be made
 * again, in part, instead of being kept.
 *
 * Thread: no state. */
#ifndef MMT_KERNELS_VALUES_H
#define MMT_KERNELS_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "mmtune/problem.h"

/* The index-th 64 random bits of a seed. */
uint64_t kern_random_bits(uint64_t seed, uint64_t index);

/* Elements first ... first + count - 1 of the seed's array: uniform in [-1, 1), mean 0. */
void kern_values_random(enum mmt_type type, uint64_t seed, uint64_t first, size_t count, void *out);

/* Quiet NaNs. */
void kern_values_poison(enum mmt_type type, size_t count, void *out);

/* count elements from index first of an array, as double (exact). */
void kern_values_to_double(enum mmt_type type, const void *values, uint64_t first, size_t count, double *out);
double kern_value(enum mmt_type type, const void *values, uint64_t index);

/* IEEE 754 binary16 and back; to half rounds to nearest, ties to even. */
uint16_t kern_half_from_float(float value);
float kern_half_to_float(uint16_t half);

/* The unit roundoff u of a type: 2^-24, 2^-53, 2^-11. */
double kern_unit_roundoff(enum mmt_type type);

#endif
