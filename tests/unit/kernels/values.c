/* Host arrays of elements: conversion to and from 16 bits, and random values that can be made again in part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include "values.h"

static void every_half_survives_the_way_there_and_back(void **state)
{
	(void)state;
	for (uint32_t half = 0; half < 0x10000; half++) {
		const float value = kern_half_to_float((uint16_t)half);
		if (isnan(value))
			assert_true(isnan(kern_half_to_float(kern_half_from_float(value))));
		else
			assert_int_equal(kern_half_from_float(value), half);
	}
}

static void half_rounds_to_nearest_even(void **state)
{
	static const struct {
		float value;
		uint16_t half;
	} cases[] = {
		{1.0F, 0x3c00},         {-2.0F, 0xc000},           {65504.0F, 0x7bff},        {65519.996F, 0x7bff},
		{65520.0F, 0x7c00},     {1.0F + 0x1p-11F, 0x3c00}, {1.0F + 0x3p-11F, 0x3c02}, {0x1.ffep0F, 0x4000},
		{0x1p-14F, 0x0400},     {0x1p-24F, 0x0001},        {0x1p-25F, 0x0000},        {0x1.8p-24F, 0x0002},
		{0x1.ff8p-15F, 0x03ff}, {0x1.ffep-15F, 0x0400},    {-INFINITY, 0xfc00},       {-0.0F, 0x8000},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(kern_half_from_float(cases[i].value), cases[i].half);
}

static void every_bfloat16_survives_the_way_there_and_back(void **state)
{
	(void)state;
	for (uint32_t bits = 0; bits < 0x10000; bits++) {
		const float value = kern_bfloat16_to_float((uint16_t)bits);
		assert_int_equal(isnan(value) != 0, (bits & 0x7fff) > 0x7f80);
		if (isnan(value))
			assert_true(isnan(kern_bfloat16_to_float(kern_bfloat16_from_float(value))));
		else
			assert_int_equal(kern_bfloat16_from_float(value), bits);
	}
}

static void bfloat16_rounds_to_nearest_even(void **state)
{
	static const struct {
		float value;
		uint16_t bits;
	} cases[] = {
		{1.0F, 0x3f80},           {-2.0F, 0xc000},
		{1.0F + 0x1p-8F, 0x3f80}, /* ties */
		{1.0F + 0x3p-8F, 0x3f82}, {-1.0F - 0x3p-8F, 0xbf82},
		{0x1.010002p0F, 0x3f81},                             /* just past one, just before one */
		{0x1.02fffep0F, 0x3f81},  {0x1.ffp0F, 0x4000},       /* into the next exponent */
		{0x1.fep127F, 0x7f7f},    {0x1.fefffep127F, 0x7f7f}, /* the last that does not overflow */
		{0x1.ffp127F, 0x7f80},    {-0x1.fffffep127F, 0xff80},
		{INFINITY, 0x7f80},       {-INFINITY, 0xff80},
		{0x1p-126F, 0x0080},      {0x1.ffp-127F, 0x0080}, /* subnormal, a tie */
		{0x1p-133F, 0x0001},      {0x1.8p-133F, 0x0002},
		{0x1p-134F, 0x0000},      {0x1.0002p-134F, 0x0001},
		{-0x1p-149F, 0x8000},     {-0.0F, 0x8000},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (kern_bfloat16_from_float(cases[i].value) != cases[i].bits)
			fail_msg("%a becomes %04x", cases[i].value, kern_bfloat16_from_float(cases[i].value));
}

/* How far a bfloat16 is from a value; infinity counts as the power of two that would come next. */
static double distance(uint16_t bits, double value)
{
	const double magnitude = (bits & 0x7fff) == 0x7f80 ? 0x1p128 : fabs(kern_bfloat16_to_float(bits));

	return fabs(magnitude - fabs(value));
}

static void no_other_bfloat16_is_nearer(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000000; i++) {
		const uint32_t bits = (uint32_t)kern_random_bits(5, i);
		float value;
		memcpy(&value, &bits, sizeof value);
		if (!isfinite(value))
			continue;
		const uint16_t found = kern_bfloat16_from_float(value);
		const double off = distance(found, value), above = distance(found + 1, value);
		assert_int_equal(signbit(value) != 0, found >> 15);
		if ((found & 0x7fff) != 0x7f80)
			assert_true(off < above || (off == above && found % 2 == 0));
		if ((found & 0x7fff) != 0)
			assert_true(off < distance(found - 1, value) ||
				    (off == distance(found - 1, value) && found % 2 == 0));
	}
}

static void no_bits_of_a_nan_are_lost_to_infinity(void **state)
{
	static const uint32_t nans[] = {0x7f800001, 0x7f80ffff, 0x7fffffff, 0xff800001, 0xffffffff, 0x7fc00000};
	(void)state;
	for (size_t i = 0; i < sizeof nans / sizeof nans[0]; i++) {
		float value;
		memcpy(&value, &nans[i], sizeof value);
		const uint16_t bits = kern_bfloat16_from_float(value);
		assert_true((bits & 0x7fff) > 0x7f80);
		assert_int_equal(bits >> 15, nans[i] >> 31);
	}
}

static void random_values_are_in_range_and_centred(void **state)
{
	static double values[100000];
	static double bytes[100000];
	(void)state;
	for (int type = 0; type < MMT_TYPE_COUNT; type++) {
		double sum = 0, squares = 0;
		kern_values_random((enum mmt_type)type, 9, 0, 100000, bytes);
		kern_values_to_double((enum mmt_type)type, bytes, 0, 100000, values);
		for (size_t i = 0; i < 100000; i++) {
			assert_true(values[i] >= -1 && values[i] < 1);
			sum += values[i];
			squares += values[i] * values[i];
		}
		assert_true(fabs(sum / 100000) < 0.01); /* 5 standard deviations */
		assert_true(fabs(squares / 100000 - 1.0 / 3) < 0.01);
	}
}

static void a_part_is_a_part_of_the_whole(void **state)
{
	float whole[100], part[10];
	(void)state;

	kern_values_random(MMT_F32, 1, 0, 100, whole);
	kern_values_random(MMT_F32, 1, 57, 10, part);
	assert_memory_equal(part, whole + 57, sizeof part);
	kern_values_random(MMT_F32, 2, 57, 10, part);
	assert_memory_not_equal(part, whole + 57, sizeof part);
}

static void poison_is_not_a_number(void **state)
{
	double bytes[7];
	(void)state;
	for (int type = 0; type < MMT_TYPE_COUNT; type++) {
		memset(bytes, 0, sizeof bytes);
		kern_values_poison((enum mmt_type)type, 7, bytes);
		for (uint64_t i = 0; i < 7; i++)
			assert_true(isnan(kern_value((enum mmt_type)type, bytes, i)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_half_survives_the_way_there_and_back),
		cmocka_unit_test(half_rounds_to_nearest_even),
		cmocka_unit_test(every_bfloat16_survives_the_way_there_and_back),
		cmocka_unit_test(bfloat16_rounds_to_nearest_even),
		cmocka_unit_test(no_other_bfloat16_is_nearer),
		cmocka_unit_test(no_bits_of_a_nan_are_lost_to_infinity),
		cmocka_unit_test(random_values_are_in_range_and_centred),
		cmocka_unit_test(a_part_is_a_part_of_the_whole),
		cmocka_unit_test(poison_is_not_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
