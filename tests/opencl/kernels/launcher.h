/* launcher.h: a variant, planned, built, launched once and verified, on the
 * first device there is, by the worker's own code.
 *
 * Matrices may lie in rows that are longer than the worker would make them: the
 * gaps hold NaN before the launch and must hold the same bytes after it.
 *
 * Sizes reach most kernels as arguments only. Their plans for different sizes
 * then get the same build options here, so that a compiler of a second a build
 * is asked once a configuration.
 *
 * Thread: one. */
#ifndef MMT_TESTS_OPENCL_KERNELS_LAUNCHER_H
#define MMT_TESTS_OPENCL_KERNELS_LAUNCHER_H

#include "registry.h"
#include "run.h"

struct launcher {
	struct worker_session session;
	struct worker_programs programs;
	struct kern_registry registry;
};

/* A matrix buffer, its leading dimension's name, and by how many elements that is longer than a row. */
struct launcher_matrix {
	const char *buffer, *leading;
	int64_t rows, columns, gap;
};

/* 0; 77 where there is no device, said on stderr; 1: failure, said on stderr. Finish it after 0. */
int launcher_init(struct launcher *launcher);
void launcher_finish(struct launcher *launcher);

/* "TILE=32 PAD=0": the others have the device's defaults. Fails the test on an unknown name or value. */
void launcher_configure(const struct launcher *launcher, const struct kern_variant *variant, const char *text,
			uint16_t *indices);

/* matrices: ended by an entry without buffer; NULL: none. -1: as the planner, the worker or the family says. */
int launcher_check(struct launcher *launcher, const struct kern_variant *variant, const struct mmt_problem *problem,
		   const uint16_t *indices, enum kern_check_mode mode, const struct launcher_matrix *matrices,
		   struct mmt_error *error);

#endif
