/* fixture.h: a family, a device and a variant that the tests of kernels/ share.
 *
 * kern_family_table is defined here, so the linker leaves the generated one in
 * its archive: these tests do not depend on what the real families do.
 * Included once a program. */
#ifndef MMT_TESTS_KERNELS_FIXTURE_H
#define MMT_TESTS_KERNELS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "registry.h"

#define KIB ((uint64_t)1 << 10)
#define GIB ((uint64_t)1 << 30)

static int fixture_check(const struct mmt_problem *problem, struct mmt_error *error)
{
	if (problem->m < 1 || problem->n < 1 || problem->k < 1)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "no such shape");
	return 0;
}

static size_t fixture_buffers(const struct mmt_problem *problem, struct kern_buffer out[KERN_MAX_BUFFERS])
{
	uint64_t bytes = mmt_type_bytes(problem->type);
	uint64_t m = (uint64_t)problem->m, n = (uint64_t)problem->n, k = (uint64_t)problem->k;
	out[0] = (struct kern_buffer){.name = "a", .bytes = m * k * bytes, .input = true};
	out[1] = (struct kern_buffer){.name = "b", .bytes = k * n * bytes, .input = true};
	out[2] = (struct kern_buffer){.name = "c", .bytes = m * n * bytes, .input = true, .output = true};
	return 3;
}

static size_t fixture_scalars(const struct mmt_problem *problem, enum kern_check_mode mode,
			      struct kern_scalar out[KERN_MAX_SCALARS])
{
	out[0] = (struct kern_scalar){.name = "m", .kind = KERN_INT32, .integer = problem->m};
	out[1] = (struct kern_scalar){.name = "n", .kind = KERN_INT32, .integer = problem->n};
	out[2] = (struct kern_scalar){.name = "k", .kind = KERN_INT64, .integer = problem->k};
	out[3] = (struct kern_scalar){.name = "alpha", .kind = KERN_REAL, .real = mode == KERN_CHECK_PLAIN ? 1 : 1.5};
	return 4;
}

static double fixture_compulsory_bytes(const struct mmt_problem *problem)
{
	double m = (double)problem->m, n = (double)problem->n, k = (double)problem->k;
	return (m * k + k * n + m * n) * (double)mmt_type_bytes(problem->type);
}

static const struct kern_family fixture_family = {
	.name = "matmul",
	.check = fixture_check,
	.buffers = fixture_buffers,
	.scalars = fixture_scalars,
	.compulsory_bytes = fixture_compulsory_bytes,
};

extern const struct kern_family *const kern_family_table[];
const struct kern_family *const kern_family_table[] = {&fixture_family, NULL};

static inline struct kern_device fixture_device(void)
{
	return (struct kern_device){
		.type = KERN_GPU,
		.platform = "Platform",
		.platform_vendor = "Platform vendor",
		.name = "Card \"9\" €",
		.vendor = "Vendor",
		.driver = "1.2",
		.global_memory_bytes = 4 * GIB,
		.max_allocation_bytes = 2 * GIB,
		.local_memory_bytes = 48 * KIB,
		.max_work_group_size = 1024,
		.max_work_item_sizes = {1024, 1024, 64},
		.compute_units = 8,
		.address_bits = 64,
		.fp64 = true,
		.extensions = "cl_khr_fp64 cl_khr_fp64_more",
	};
}

static inline struct mmt_problem fixture_problem(int64_t m, int64_t n, int64_t k)
{
	struct mmt_problem problem;
	mmt_problem_init(&problem);
	problem.m = m;
	problem.n = n;
	problem.k = k;
	return problem;
}

#define FIXTURE_PARAMETERS                                                                \
	"{'Name':'TILE','Type':'int','Values':'[8, 16, 64]','Default':16},"               \
	"{'Name':'MODE','Type':'string','Values':['plain','fast-1'],'Default':'fast-1'}," \
	"{'Name':'SCALE','Type':'float','Values':[0.5, 2.0]}"
#define FIXTURE_T1(parameters, conditions)                                                                  \
	"{'General':{'FormatVersion':1},'ConfigurationSpace':{'TuningParameters':[" parameters              \
	"],'Conditions':[" conditions "]},'KernelSpecification':{'Language':'OpenCL',"                      \
	"'KernelName':'matmul','KernelFile':'tiled.cl','CompilerOptions':['-cl-mad-enable'],"               \
	"'GlobalSize':{'X':'ceil(ProblemSize[1] / TILE) * TILE','Y':'ceil(ProblemSize[0] / TILE) * TILE'}," \
	"'LocalSize':{'X':'TILE','Y':'TILE'},'Arguments':[{'Name':'m'},{'Name':'k'},{'Name':'alpha'},"      \
	"{'Name':'a'},{'Name':'b'},{'Name':'c'},{'Name':'tile'}]}"
#define FIXTURE_TILED(mmtune)                                                                  \
	FIXTURE_T1(FIXTURE_PARAMETERS, "{'Expression':'TILE % 8 == 0','Parameters':['TILE']}") \
	",'Mmtune':{'Family':'matmul','Types':['f32','f64']," mmtune                           \
	"'Locals':[{'Name':'tile','Bytes':'TILE * TILE * element_bytes'}]}}"

/* Text written with ' for ", except \' (here `): expressions have strings too. Caller frees. */
static inline char *fixture_json(const char *text)
{
	char *copy = strdup(text);
	for (char *c = copy; c && *c; c++)
		*c = *c == '\'' ? '"' : *c == '`' ? '\'' : *c;
	return copy;
}

static inline struct kern_variant *fixture_variant(const char *text, struct mmt_error *error)
{
	char *json = fixture_json(text);
	struct kern_variant *variant =
		kern_variant_create("matmul/tiled.json", json, "kernel void matmul() {}\n", error);
	free(json);
	return variant;
}

#endif
