/* values.c: see values.h. */
#include "values.h"

#include <math.h>
#include <string.h>

#define SPLITMIX_GAMMA UINT64_C(0x9e3779b97f4a7c15)

uint64_t kern_random_bits(uint64_t seed, uint64_t index)
{
	uint64_t bits = seed + (index + 1) * SPLITMIX_GAMMA;

	bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
	return bits ^ (bits >> 31);
}

/* The top 24 bits give every multiple of 2^-23 in [-1, 1): exact in float. */
static float random_float(uint64_t seed, uint64_t index)
{
	return (float)(int32_t)(kern_random_bits(seed, index) >> 40) * 0x1p-23F - 1.0F;
}

static double random_double(uint64_t seed, uint64_t index)
{
	return (double)(int64_t)(kern_random_bits(seed, index) >> 11) * 0x1p-52 - 1.0;
}

/* The top 11 bits: multiples of 2^-10, exact in half. */
static float random_half(uint64_t seed, uint64_t index)
{
	return (float)(int32_t)(kern_random_bits(seed, index) >> 53) * 0x1p-10F - 1.0F;
}

static uint32_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* Cut, not rounded, so that none becomes 1. */
static uint16_t random_bfloat16(uint64_t seed, uint64_t index)
{
	return (uint16_t)(float_bits(random_float(seed, index)) >> 16);
}

void kern_values_random(enum mmt_type type, uint64_t seed, uint64_t first, size_t count, void *out)
{
	float *floats = out;
	double *doubles = out;
	uint16_t *halves = out;

	switch (type) {
	case MMT_F64:
		for (size_t i = 0; i < count; i++)
			doubles[i] = random_double(seed, first + i);
		break;
	case MMT_F16:
		for (size_t i = 0; i < count; i++)
			halves[i] = kern_half_from_float(random_half(seed, first + i));
		break;
	case MMT_BF16:
		for (size_t i = 0; i < count; i++)
			halves[i] = random_bfloat16(seed, first + i);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			floats[i] = random_float(seed, first + i);
	}
}

#define GRID_MARGIN_BITS 3.25

void kern_values_grid(enum mmt_type type, uint64_t seed, size_t count, void *out)
{
	const int type_bits = type == MMT_F64 ? 53 : 24;
	const int bits = (int)floor(type_bits - GRID_MARGIN_BITS - log2((double)count) / 2);
	const int64_t span = INT64_C(1) << bits;

	for (size_t i = 0; i < count; i++) {
		const int64_t steps = 2 * (int64_t)(kern_random_bits(seed, i) >> (64 - bits)) + 1 - span;
		const double value = (double)steps / (double)span;
		if (type == MMT_F64)
			((double *)out)[i] = value;
		else
			((float *)out)[i] = (float)value;
	}
}

void kern_values_poison(enum mmt_type type, size_t count, void *out)
{
	memset(out, 0xff, count * mmt_type_bytes(type)); /* all ones: a quiet NaN in every IEEE format */
}

void kern_values_to_double(enum mmt_type type, const void *values, uint64_t first, size_t count, double *out)
{
	switch (type) {
	case MMT_F64:
		memcpy(out, (const double *)values + first, count * sizeof *out);
		break;
	case MMT_F16:
		for (size_t i = 0; i < count; i++)
			out[i] = kern_half_to_float(((const uint16_t *)values)[first + i]);
		break;
	case MMT_BF16:
		for (size_t i = 0; i < count; i++)
			out[i] = kern_bfloat16_to_float(((const uint16_t *)values)[first + i]);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			out[i] = ((const float *)values)[first + i];
	}
}

double kern_value(enum mmt_type type, const void *values, uint64_t index)
{
	double value;

	kern_values_to_double(type, values, index, 1, &value);
	return value;
}

/* Scaling by powers of two is exact, so the rounding to 11 (or, below 2^-14,
 * fewer) bits is one nearbyint in the default rounding mode. */
uint16_t kern_half_from_float(float value)
{
	const uint16_t sign = signbit(value) ? 0x8000 : 0;
	const float magnitude = fabsf(value);
	int exponent;

	if (isnan(value))
		return sign | 0x7e00;
	if (magnitude >= 65520.0F) /* halfway between the largest half and 2^16 */
		return sign | 0x7c00;
	frexpf(magnitude, &exponent); /* magnitude < 2^exponent */
	if (exponent < -13 || magnitude == 0)
		return sign | (uint16_t)nearbyintf(magnitude * 0x1p24F);
	const uint32_t significand = (uint32_t)nearbyintf(ldexpf(magnitude, 11 - exponent)); /* 2^10 ... 2^11 */
	return sign | (uint16_t)(((uint32_t)(exponent + 13) << 10) + significand); /* the hidden bit adds 1 more */
}

float kern_half_to_float(uint16_t half)
{
	const int exponent = half >> 10 & 0x1f, significand = half & 0x3ff;
	float magnitude;

	if (exponent == 0x1f)
		magnitude = significand ? NAN : INFINITY;
	else if (exponent == 0)
		magnitude = (float)significand * 0x1p-24F;
	else
		magnitude = ldexpf((float)(significand + 0x400), exponent - 25);
	return half & 0x8000 ? -magnitude : magnitude;
}

/* Adding half of what the lower 16 bits can be, less one where the upper part is even, carries into the upper part
 * where that is to be rounded up; from the largest of an exponent into the next one, and at the end to infinity. */
uint16_t kern_bfloat16_from_float(float value)
{
	const uint32_t bits = float_bits(value);

	if (isnan(value))
		return (uint16_t)(bits >> 16 | 0x40); /* quiet: what is left of its bits may be none */
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float kern_bfloat16_to_float(uint16_t bfloat16)
{
	const uint32_t bits = (uint32_t)bfloat16 << 16;
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

double kern_unit_roundoff(enum mmt_type type)
{
	static const double roundoff[MMT_TYPE_COUNT] = {
		[MMT_F32] = 0x1p-24, [MMT_F64] = 0x1p-53, [MMT_F16] = 0x1p-11, [MMT_BF16] = 0x1p-8};

	return roundoff[type];
}

enum mmt_type kern_accumulate_type(enum mmt_type type)
{
	return type == MMT_F64 ? MMT_F64 : MMT_F32;
}
