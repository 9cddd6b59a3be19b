/* registry.c: the built-in variants, all of them, and drop-in folders of any
 * kind. Uses the real families. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan.h"
#include "registry.h"

static char folder[] = "/tmp/mmtune-registry-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command);
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const struct kern_device cpu = {
	.type = KERN_CPU,
	.name = "cpu",
	.global_memory_bytes = (uint64_t)8 << 30,
	.max_allocation_bytes = (uint64_t)4 << 30,
	.local_memory_bytes = (uint64_t)512 << 10,
	.max_work_group_size = 4096,
	.max_work_item_sizes = {4096, 4096, 4096},
	.compute_units = 2,
	.address_bits = 64,
	.fp64 = true,
	.images = true,
	.image2d_max_width = 8192,
	.image2d_max_height = 8192,
};

static void families_are_sorted_and_found(void **state)
{
	(void)state;
	const struct kern_family *const *families = kern_families();
	if (!families[0])
		skip();
	for (size_t i = 0; families[i]; i++) {
		assert_ptr_equal(kern_family_find(families[i]->name), families[i]);
		if (i > 0)
			assert_true(strcmp(families[i - 1]->name, families[i]->name) < 0);
	}
	assert_null(kern_family_find("nope"));
}

static void every_built_in_plans_its_default(void **state)
{
	(void)state;
	struct kern_registry registry;
	struct mmt_error error;
	if (!kern_families()[0])
		skip();
	if (kern_registry_init(&registry, NULL, &error))
		fail_msg("%s", error.message);
	assert_true(registry.n_variants > 0);
	for (size_t i = 0; i < registry.n_variants; i++) {
		const struct kern_variant *variant = registry.variants[i];
		uint16_t indices[EXPR_LIMIT_NAMES];
		struct mmt_problem problem;
		struct kern_plan plan;
		struct kern_device device = cpu;
		device.type = variant->priority[KERN_CPU] >= variant->priority[KERN_GPU] ? KERN_CPU : KERN_GPU;
		device.compute_capability = 900; /* NVIDIA's own variants are not for other devices */
		device.sub_groups = true;
		mmt_problem_init(&problem);
		snprintf(problem.family, sizeof(problem.family), "%s", variant->family);
		problem.accuracy = variant->accuracy;
		while (!(variant->type_mask & 1U << problem.type))
			problem.type++;
		if (strcmp(variant->family, "matmul") == 0) {
			problem.m = 130;
			problem.k = 237;
		}
		problem.n = 293; /* copy and madd have n, and leave m at 1 */
		assert_true(variant->built_in);
		assert_ptr_equal(kern_registry_find(&registry, variant->family, variant->name), variant);
		kern_default_configuration(variant, &problem, &device, indices);
		if (kern_plan_init(&plan, variant, &problem, indices, &device, &error))
			fail_msg("%s/%s: %s", variant->family, variant->name, error.message);
		assert_true(plan.bytes_written > 0);
		kern_plan_finish(&plan);
	}
	assert_null(kern_registry_find(&registry, "matmul", "nope"));
	kern_registry_finish(&registry);
}

#define USER(file) \
	"{\"ConfigurationSpace\":{},\"KernelSpecification\":{\"Language\":\"OpenCL\",\"KernelFile\":\"" file "\"}}"

static void fill_with_drop_ins(void)
{
	char path[256];
	write_file("good.cl", "kernel void f() {}");
	write_file("good.json", USER("good.cl"));
	write_file("outside.json", USER("../good.cl"));
	write_file("missing.json", USER("absent.cl"));
	write_file("broken.json", "{\"a\": ");
	write_file("b\xff\n.json", "[]");
	write_file("notes.txt", "not a kernel");
	write_file(".hidden.json", "[]");
	snprintf(path, sizeof(path), "%s/fifo.json", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/matmul", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file("matmul/good.cl", "kernel void f() {}");
	write_file("below.json", USER("matmul/good.cl"));
	write_file("sneaky.json", USER("matmul/../../good.cl"));
	write_file("matmul/good.json", USER("good.cl")); /* the second user/good */
	snprintf(path, sizeof(path), "%s/folder.json", folder);
	assert_int_equal(mkdir(path, 0700), 0);
}

static bool warned(const struct kern_registry *registry, const char *text)
{
	for (size_t i = 0; i < registry->n_warnings; i++)
		if (strstr(registry->warnings[i], text))
			return true;
	return false;
}

static void bad_drop_ins_are_warnings(void **state)
{
	(void)state;
	struct kern_registry without, registry;
	struct mmt_error error;
	fill_with_drop_ins();
	if (!kern_families()[0])
		skip();
	assert_int_equal(kern_registry_init(&without, "/nonexistent", &error), 0);
	assert_int_equal(without.n_warnings, 0);
	if (kern_registry_init(&registry, folder, &error))
		fail_msg("%s", error.message);
	assert_int_equal(registry.n_variants, without.n_variants + 2);
	assert_non_null(kern_registry_find(&registry, KERN_USER_FAMILY, "good"));
	assert_true(warned(&registry, "/good.json: no Mmtune object: listed, never tuned"));
	assert_true(warned(&registry, "/matmul/good.json: there is already a drop-in variant user/good"));
	assert_non_null(kern_registry_find(&registry, KERN_USER_FAMILY, "below"));
	assert_true(warned(&registry, "/sneaky.json: KernelFile is not"));
	assert_true(warned(&registry, "/outside.json: KernelFile is not a file beside it or below"));
	assert_true(warned(&registry, "/absent.cl: "));
	assert_true(warned(&registry, "/broken.json: line 1"));
	assert_true(warned(&registry, "\\x0A.json: "));
	assert_true(warned(&registry, "/fifo.json: not a regular file"));
	assert_int_equal(registry.n_warnings, 9);
	kern_registry_finish(&registry);
	kern_registry_finish(&without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_are_sorted_and_found),
		cmocka_unit_test(every_built_in_plans_its_default),
		cmocka_unit_test_setup_teardown(bad_drop_ins_are_warnings, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
