/* What the built-in matmul variants ask of a device: refused with the limit's name where it cannot give it, and sizes
 * that neither wrap nor fall short of the matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan.h"
#include "registry.h"

static struct kern_registry registry;

static const struct kern_device gpu = {
	.type = KERN_GPU,
	.global_memory_bytes = UINT64_C(128) << 30,
	.max_allocation_bytes = UINT64_C(64) << 30,
	.local_memory_bytes = 48 << 10,
	.max_work_group_size = 1024,
	.max_work_item_sizes = {1024, 1024, 64},
	.compute_units = 100,
	.address_bits = 64,
	.fp64 = true,
};

static int setup(void **state)
{
	struct mmt_error error;
	(void)state;

	return kern_registry_init(&registry, NULL, &error);
}

static int teardown(void **state)
{
	(void)state;
	kern_registry_finish(&registry);
	return 0;
}

/* values: "LOCAL_X=64 LOCAL_Y=64", over the defaults; compute_capability: 0, or the device is NVIDIA's */
static int nv_plan_init(uint32_t compute_capability, struct kern_plan *plan, const char *name, const char *values,
			const int64_t sizes[3], struct mmt_error *error)
{
	struct kern_device device = gpu;
	const struct kern_variant *variant = kern_registry_find(&registry, "matmul", name);
	uint16_t indices[EXPR_LIMIT_NAMES];
	char text[64], wanted[96];
	struct mmt_problem problem;

	assert_non_null(variant);
	device.compute_capability = compute_capability;
	mmt_problem_init(&problem);
	while (!(variant->type_mask & 1U << problem.type))
		problem.type++;
	problem.m = sizes[0];
	problem.n = sizes[1];
	problem.k = sizes[2];
	kern_default_configuration(variant, &problem, &device, indices);
	for (size_t i = 0; i < variant->n_parameters; i++) {
		const struct kern_parameter *parameter = &variant->parameters[i];
		for (size_t value = 0; value < parameter->n_values; value++) {
			snprintf(wanted, sizeof wanted, "%s=%s ", parameter->name,
				 expr_value_text(&parameter->values[value], text, sizeof text));
			if (strstr(values, wanted))
				indices[i] = (uint16_t)value;
		}
	}
	return kern_plan_init(plan, variant, &problem, indices, &device, error);
}

static int plan_init(struct kern_plan *plan, const char *name, const char *values, const int64_t sizes[3],
		     struct mmt_error *error)
{
	return nv_plan_init(0, plan, name, values, sizes, error);
}

static void refused(const char *name, const char *values, int64_t order, const char *limit)
{
	struct kern_plan plan;
	struct mmt_error error;

	assert_int_equal(plan_init(&plan, name, values, (int64_t[]){order, order, order}, &error), -1);
	assert_int_equal(error.code, MMT_SKIPPED);
	if (!strstr(error.message, limit))
		fail_msg("'%s' lacks '%s'", error.message, limit);
}

static void what_a_device_cannot_hold_is_refused(void **state)
{
	(void)state;
	refused("element", "LOCAL_X=64 LOCAL_Y=64 ", 1000, "max_work_group_size");
	refused("row_private", "", 20000, "private_memory_bytes");
	refused("row_private_local", "", 13000, "local_memory_bytes");
}

static void order_1000_fits(void **state)
{
	static const char *const names[] = {"element", "row", "row_private", "row_private_local", "tiled", "blocked"};
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (plan_init(&plan, names[i], "WGS=250 ", (int64_t[]){1000, 1000, 1000}, &error))
			fail_msg("%s", error.message);
		kern_plan_finish(&plan);
	}
}

static void sizes_past_32_bits_do_not_wrap(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	if (plan_init(&plan, "element", "COLLAPSE=1 LOCAL_X=64 LOCAL_Y=1 ", (int64_t[]){65537, 65536, 7}, &error))
		fail_msg("%s", error.message);
	assert_int_equal(plan.launches[0].global[0], INT64_C(65537) * 65536);
	kern_plan_finish(&plan);
}

static void the_dimension_of_each_index_can_be_chosen(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	assert_int_equal(plan_init(&plan, "element", "DIMENSION_0=0 ", (int64_t[]){100, 333, 7}, &error), 0);
	assert_int_equal(plan.launches[0].global[0], 336);
	assert_int_equal(plan.launches[0].global[1], 104);
	kern_plan_finish(&plan);
	assert_int_equal(plan_init(&plan, "element", "DIMENSION_0=1 ", (int64_t[]){100, 333, 7}, &error), 0);
	assert_int_equal(plan.launches[0].global[0], 112);
	assert_int_equal(plan.launches[0].global[1], 336);
	kern_plan_finish(&plan);
}

static void traffic_follows_the_tile(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	assert_int_equal(plan_init(&plan, "tiled", "TILE=16 ", (int64_t[]){160, 320, 100}, &error), 0);
	assert_true(plan.bytes_read == 4.0 * 2 * 160 * 320 * 100 / 16);
	assert_true(plan.bytes_written == 4.0 * 160 * 320);
	kern_plan_finish(&plan);
}

static void blocked_is_one_launch_by_default(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	assert_int_equal(plan_init(&plan, "blocked", "", (int64_t[]){1000, 1000, 1000}, &error), 0);
	assert_int_equal(plan.n_launches, 1);
	assert_int_equal(plan.n_temporaries, 0);
	assert_int_equal(plan.launches[0].local[0] * plan.launches[0].local[1], 256);
	assert_int_equal(plan.launches[0].local_memory_bytes, 16 * (128 + 4 + 128) * 4); /* A's is turned and padded */
	kern_plan_finish(&plan);
}

static void blocked_starts_from_the_tile_that_fills_the_device(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	assert_int_equal(nv_plan_init(900, &plan, "blocked", "", (int64_t[]){4096, 4096, 4096}, &error), 0);
	assert_int_equal(plan.launches[0].local[0], 32);
	assert_int_equal(plan.launches[0].global[0], 4096 / 256 * 32);
	kern_plan_finish(&plan);
	assert_int_equal(nv_plan_init(900, &plan, "blocked", "", (int64_t[]){1000, 1000, 1000}, &error), 0);
	assert_int_equal(plan.launches[0].local[0], 16);
	assert_int_equal(plan.launches[0].global[1], 1024 / 64 * 8);
	kern_plan_finish(&plan);
}

static void split_k_is_reduced_by_a_second_launch(void **state)
{
	const double partial_bytes = 4.0 * 100 * 200 * 4, tiles = 2 * 4;
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	if (plan_init(&plan, "blocked", "MWG=64 NWG=64 MDIM=8 NDIM=8 GROUP=1 SPLIT=4 ", (int64_t[]){100, 200, 3000},
		      &error))
		fail_msg("%s", error.message);
	assert_int_equal(plan.n_launches, 2);
	assert_int_equal(plan.launches[0].global[2], 4);
	assert_string_equal(plan.launches[1].entry, "reduce");
	assert_int_equal(plan.n_temporaries, 1);
	assert_true((double)plan.temporaries[0].bytes == partial_bytes);
	assert_true(plan.bytes_read == tiles * 3000 * (64 + 64) * 4 + partial_bytes);
	assert_true(plan.bytes_written == 100 * 200 * 4 + partial_bytes);
	kern_plan_finish(&plan);
}

static void half_is_storage_and_needs_no_fp16(void **state)
{
	static const char *const names[] = {"nv_f16", "nv_bf16"};
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	assert_false(gpu.fp16);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (nv_plan_init(900, &plan, names[i], "", (int64_t[]){1000, 1000, 1000}, &error))
			fail_msg("%s", error.message);
		assert_int_equal(plan.temporaries[0].bytes, 1024 * 1024 * 2);
		kern_plan_finish(&plan);
	}
}

static void packed_operands_are_padded_to_whole_tiles(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	if (nv_plan_init(900, &plan, "nv_f16x3", "BM=128 BN=64 BK=64 WM=32 STAGES=3 ", (int64_t[]){130, 293, 237},
			 &error))
		fail_msg("%s", error.message);
	assert_int_equal(plan.n_launches, 2);
	assert_string_equal(plan.launches[0].entry, "pack");
	assert_int_equal(plan.launches[0].global[0], (256 + 320) / 16 * 512);
	assert_int_equal(plan.launches[1].local[0], 256);
	assert_int_equal(plan.launches[1].global[0], 2 * 5 * 256);
	assert_int_equal(plan.n_temporaries, 3);
	assert_int_equal(plan.temporaries[0].bytes, 256 * 256 * 4); /* two halves an element */
	assert_int_equal(plan.temporaries[1].bytes, 320 * 256 * 4);
	assert_int_equal(plan.temporaries[2].bytes, (256 + 320) * 4);
	assert_true(plan.launches[1].local_memory_bytes >= 3 * (128 + 64) * 64 * 4);
	kern_plan_finish(&plan);
}

static void packed_tiles_fill_the_device_by_default(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	if (nv_plan_init(900, &plan, "nv_f16x3", "", (int64_t[]){4096, 4096, 4096}, &error))
		fail_msg("%s", error.message);
	assert_int_equal(plan.launches[1].global[0] / plan.launches[1].local[0], 32 * 32);
	kern_plan_finish(&plan);
	if (nv_plan_init(900, &plan, "nv_f16x3", "", (int64_t[]){1024, 1024, 1024}, &error))
		fail_msg("%s", error.message);
	assert_int_equal(plan.launches[1].global[0] / plan.launches[1].local[0], 16 * 8);
	kern_plan_finish(&plan);
}

static void packed_sizes_past_32_bits_do_not_wrap(void **state)
{
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	if (nv_plan_init(900, &plan, "nv_f64_packed", "", (int64_t[]){65537, 128, 65536}, &error))
		fail_msg("%s", error.message);
	assert_int_equal(plan.temporaries[0].bytes, INT64_C(65664) * 65536 * 8);
	kern_plan_finish(&plan);
	assert_int_equal(nv_plan_init(900, &plan, "nv_f16x3", "", (int64_t[]){INT32_MAX, 1, 1}, &error), -1);
	assert_int_equal(error.code, MMT_NOT_SUPPORTED);
}

static void packed_variants_name_the_device_that_they_need(void **state)
{
	static const char *const names[] = {"nv_f16x3", "nv_f64_packed", "nv_bf16"};
	struct kern_plan plan;
	struct mmt_error error;
	(void)state;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		assert_int_equal(nv_plan_init(890, &plan, names[i], "", (int64_t[]){1000, 1000, 1000}, &error), -1);
		assert_int_equal(error.code, MMT_NOT_SUPPORTED);
		assert_non_null(strstr(error.message, "compute capability 9.0"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_device_cannot_hold_is_refused),
		cmocka_unit_test(order_1000_fits),
		cmocka_unit_test(sizes_past_32_bits_do_not_wrap),
		cmocka_unit_test(the_dimension_of_each_index_can_be_chosen),
		cmocka_unit_test(traffic_follows_the_tile),
		cmocka_unit_test(blocked_is_one_launch_by_default),
		cmocka_unit_test(blocked_starts_from_the_tile_that_fills_the_device),
		cmocka_unit_test(split_k_is_reduced_by_a_second_launch),
		cmocka_unit_test(half_is_storage_and_needs_no_fp16),
		cmocka_unit_test(packed_operands_are_padded_to_whole_tiles),
		cmocka_unit_test(packed_tiles_fill_the_device_by_default),
		cmocka_unit_test(packed_sizes_past_32_bits_do_not_wrap),
		cmocka_unit_test(packed_variants_name_the_device_that_they_need),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
