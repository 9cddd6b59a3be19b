/* Every variant of transpose: odd sizes, long rows, both types. */
#include "launcher.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct launcher launcher;

static const int64_t shapes[][2] = {{1, 1},     {2, 2},     {3, 3},   {7, 7},   {17, 17},   {64, 64},    {127, 127},
				    {128, 128}, {129, 129}, {1, 300}, {300, 1}, {130, 293}, {1000, 1000}};

static void check_shape(const struct kern_variant *variant, const char *configuration, const int64_t shape[2],
			enum mmt_type type, int64_t gap)
{
	const struct launcher_matrix matrices[] = {{"a", "lda", shape[0], shape[1], gap},
						   {"b", "ldb", shape[1], shape[0], 2 * gap},
						   {NULL, NULL, 0, 0, 0}};
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct mmt_problem problem;
	struct mmt_error error = {0};
	char text[128];

	mmt_problem_init(&problem);
	strcpy(problem.family, "transpose");
	problem.m = shape[0];
	problem.n = shape[1];
	problem.type = type;
	launcher_configure(&launcher, variant, configuration, indices);
	if (launcher_check(&launcher, variant, &problem, indices, KERN_CHECK_PLAIN, matrices, &error) != 0)
		fail_msg("%s %s, %s, gap %d: %s", variant->name, configuration,
			 mmt_problem_text(&problem, text, sizeof text), (int)gap, error.message);
}

static void check_variant(const char *name, const char *const *configurations)
{
	const struct kern_variant *variant = kern_registry_find(&launcher.registry, "transpose", name);

	assert_non_null(variant);
	for (size_t i = 0; configurations[i]; i++) {
		const enum mmt_type type = i % 2 == 1 && launcher.session.device.fp64 ? MMT_F64 : MMT_F32;
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
			check_shape(variant, configurations[i], shapes[s], type, s % 2 == 0 ? 0 : 5);
		check_shape(variant, configurations[i], (const int64_t[]){131, 77}, type, 3);
	}
}

/* The second of each pair runs in f64. */
static void one_work_item_an_element(void **state)
{
	static const char *const configurations[] = {"BY_ROWS_OF=0", "BY_ROWS_OF=1 WGX=64 WGY=4", NULL};

	(void)state;
	check_variant("element", configurations);
}

static void a_tile_in_local_memory(void **state)
{
	static const char *const configurations[] = {"TILE=32 PAD=1 ROWS=4", "TILE=8 PAD=0 ROWS=1",
						     "TILE=16 PAD=0 ROWS=16", NULL};

	(void)state;
	check_variant("tile", configurations);
}

static void a_block_in_registers(void **state)
{
	static const char *const configurations[] = {"SIZE=16 ALONG=1 BLOCKS=4", "SIZE=8 ALONG=1 BLOCKS=1",
						     "SIZE=8 ALONG=0 BLOCKS=16", "SIZE=4 ALONG=0 BLOCKS=64", NULL};

	(void)state;
	check_variant("block", configurations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_work_item_an_element),
		cmocka_unit_test(a_tile_in_local_memory),
		cmocka_unit_test(a_block_in_registers),
	};
	int status = launcher_init(&launcher);

	if (status != 0)
		return status;
	status = cmocka_run_group_tests(tests, NULL, NULL);
	launcher_finish(&launcher);
	return status;
}
