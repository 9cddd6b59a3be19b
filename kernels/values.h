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

/* f32 or f64: odd multiples of a grid step in (-1, 1), few enough bits wide that no sum of any of the count
 * elements rounds, in whatever order they are added.
 *
 * How wide: the elements are independent, of mean 0 and below 2^b grid steps, so a sum of any of them that were
 * chosen beforehand stays below t sqrt(count) 2^b but for a probability of 2 exp(-t^2 / 2) (Hoeffding, Journal of
 * the American Statistical Association 58, 1963, theorem 2). With 2^p the end of the whole numbers that the type
 * has without a gap, b = floor(p - 3.25 - log2(count) / 2) keeps t above 9.5, the probability below 1e-19 a sum. As
 * b is the largest such number, the sums use most of the type's bits: who adds in a narrower type is found out. */
void kern_values_grid(enum mmt_type type, uint64_t seed, size_t count, void *out);

/* Quiet NaNs. */
void kern_values_poison(enum mmt_type type, size_t count, void *out);

/* count elements from index first of an array, as double (exact). */
void kern_values_to_double(enum mmt_type type, const void *values, uint64_t first, size_t count, double *out);
double kern_value(enum mmt_type type, const void *values, uint64_t index);

/* IEEE 754 binary16, and bfloat16, the upper half of a float; from float rounds to nearest, ties to even. */
uint16_t kern_half_from_float(float value);
float kern_half_to_float(uint16_t half);
uint16_t kern_bfloat16_from_float(float value);
float kern_bfloat16_to_float(uint16_t bfloat16);

/* The unit roundoff u of a type: 2^-24, 2^-53, 2^-11, 2^-8. */
double kern_unit_roundoff(enum mmt_type type);

/* The type in which elements are computed with: f32 for f16 and bf16, which are storage, else the type itself. */
enum mmt_type kern_accumulate_type(enum mmt_type type);

#endif
