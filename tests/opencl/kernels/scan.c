/* Every variant of scan: lengths around the blocks' and the chunks', both types. */
#include "launcher.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static struct launcher launcher;

/* The last: over one block of totals where a block is 64 elements. */
static const int64_t lengths[] = {1,   2,   3,    7,    17,   63,   64,   65,    127,   128,
				  129, 255, 1000, 1023, 1024, 1025, 4097, 65537, 100003};

static void check_length(const struct kern_variant *variant, const char *configuration, int64_t length,
			 enum mmt_type type)
{
	uint16_t indices[EXPR_LIMIT_NAMES];
	struct mmt_problem problem;
	struct mmt_error error = {0};
	char text[128];

	mmt_problem_init(&problem);
	strcpy(problem.family, "scan");
	problem.n = length;
	problem.type = type;
	launcher_configure(&launcher, variant, configuration, indices);
	if (launcher_check(&launcher, variant, &problem, indices, KERN_CHECK_PLAIN, NULL, &error) != 0)
		fail_msg("%s %s, %s: %s", variant->name, configuration, mmt_problem_text(&problem, text, sizeof text),
			 error.message);
}

static void check_variant(const char *name, const char *const *configurations)
{
	const struct kern_variant *variant = kern_registry_find(&launcher.registry, "scan", name);

	assert_non_null(variant);
	for (size_t i = 0; configurations[i]; i++) {
		const enum mmt_type type = i % 2 == 1 && launcher.session.device.fp64 ? MMT_F64 : MMT_F32;
		for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
			check_length(variant, configurations[i], lengths[l], type);
	}
}

/* The second of each pair runs in f64. */
static void blocks_in_local_memory(void **state)
{
	static const char *const configurations[] = {"WGS=32 ITEMS=2 PAD=1 REDUCE_FIRST=0",
						     "WGS=128 ITEMS=8 PAD=0 REDUCE_FIRST=0",
						     "WGS=64 ITEMS=1 PAD=0 REDUCE_FIRST=1", NULL};

	(void)state;
	check_variant("work_group", configurations);
}

static void chunks(void **state)
{
	static const char *const configurations[] = {"CHUNKS=64 VW=8", "CHUNKS=8 VW=4", "CHUNKS=1 VW=1",
						     "CHUNKS=256 VW=16", NULL};

	(void)state;
	check_variant("chunk", configurations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_in_local_memory),
		cmocka_unit_test(chunks),
	};
	int status = launcher_init(&launcher);

	if (status != 0)
		return status;
	status = cmocka_run_group_tests(tests, NULL, NULL);
	launcher_finish(&launcher);
	return status;
}
