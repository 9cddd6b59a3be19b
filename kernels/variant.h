/* variant.h: a kernel variant: T1 JSON and OpenCL C, loaded and compiled.
 *
 * The JSON is T1 (schema 1.0.0) plus one object `Mmtune`; docs/kernels.md
 * describes its keys. Built-in variants are kernels/FAMILY/NAME.{json,cl},
 * embedded by the build; a drop-in folder holds users' own.
 *
 * Names that Mmtune's expressions may use beside the tuning parameters:
 * m n k trans_a trans_b element_bytes (of the problem), vector_width
 * max_work_group_size local_memory_bytes compute_units compute_capability fp64
 * fp16 images sub_groups cpu gpu (of the device). T1's own expressions (Conditions,
 * GlobalSize, LocalSize) use parameters and ProblemSize[0..2] = m, n, k only, so
 * that the file loads in other tuners.
 *
 * A T1 file without Mmtune (written for another tuner) loads as family "user"
 * with its parameters and conditions, no steps and no types: it is listed and
 * never run.
 *
 * Thread: immutable once loaded. */
#ifndef MMT_KERNELS_VARIANT_H
#define MMT_KERNELS_VARIANT_H

#include <jansson.h>

#include "device.h"
#include "expr.h"
#include "mmtune/error.h"
#include "mmtune/problem.h"

#define KERN_MAX_STEPS     8
#define KERN_MAX_ARGUMENTS 24
#define KERN_SIZES         3 /* ProblemSize[0..2] = m, n, k */
#define KERN_USER_FAMILY   "user"
#define KERN_BY_DEFAULT    UINT16_MAX /* in a textbook point: the device's default */

struct kern_parameter {
	char *name;
	struct expr_value *values;
	size_t n_values;
	size_t defaults[KERN_DEVICE_TYPES];       /* indices into values, by kern_device_type */
	struct expr *computed[KERN_DEVICE_TYPES]; /* the default by problem and device; NULL: that of defaults */
};

struct kern_step {
	char *entry;                         /* kernel function */
	struct expr *global[3], *local[3];   /* local[0] NULL: driver chooses; local[i] NULL after it: 1 */
	bool global_is_groups;               /* GlobalSizeType CUDA: global counts work-groups, else work-items */
	unsigned dimensions;                 /* 1 ... 3 */
	struct expr *when;                   /* the step is left out where this is false; NULL: always */
	char *arguments[KERN_MAX_ARGUMENTS]; /* names: family's, a temporary's or local memory's */
	size_t n_arguments;
};

struct kern_memory { /* a temporary buffer or image, or a __local argument */
	char *name;
	struct expr *bytes;          /* NULL: an image */
	struct expr *width, *height; /* of an image, in pixels (KERN_PIXEL_BYTES); else NULL */
};

struct kern_requirement {
	struct expr *expr;
	char *message; /* "needs fp64" */
};

struct kern_variant {
	char *name, *family, *summary;
	char *source;           /* OpenCL C, NUL-terminated */
	char source_sha256[65]; /* of source */
	char spec_sha256[65];   /* of the JSON without its space: either changed, records are of another variant */
	bool built_in;
	struct kern_parameter *parameters;
	size_t n_parameters;
	struct expr **conditions;
	size_t n_conditions;
	struct kern_step steps[KERN_MAX_STEPS];
	size_t n_steps;
	struct kern_memory *temporaries, *locals; /* locals: passed as __local arguments */
	size_t n_temporaries, n_locals;
	struct expr *local_memory_bytes;         /* of a work-group, static included; NULL: that of the locals */
	struct expr *private_memory_bytes;       /* of a work-item, arrays only; NULL: 0 */
	struct expr *bytes_read, *bytes_written; /* the kernel's own global traffic; NULL: compulsory */
	struct kern_requirement *requirements;
	size_t n_requirements;
	unsigned type_mask;              /* bit mmt_type: types that the variant can do */
	enum mmt_accuracy accuracy;      /* class that it reaches */
	int priority[KERN_DEVICE_TYPES]; /* by kern_device_type; the largest answers `default`; 0: never */
	bool by_name_only;               /* measured where a job names it; else no candidate */
	char *compiler_options;          /* extra build options, or "" */
	int rung;                        /* place in the teaching ladder, from 1; 0: not in it */
	uint16_t *textbook;              /* n_textbook rows of n_parameters value indices, or KERN_BY_DEFAULT */
	size_t n_textbook;
};

/* json_text and source are copied; file names the variant in messages. NULL
 * with MMT_INVALID_ARGUMENT "FILE: Conditions[3]: column 7: ...". */
struct kern_variant *kern_variant_create(const char *file, const char *json_text, const char *source,
					 struct mmt_error *error);
void kern_variant_destroy(struct kern_variant *variant); /* NULL is allowed */

/* A configuration as JSON {"MWG":64,...} in the parameters' order, from value
 * indices; and back (MMT_INVALID_ARGUMENT: missing, unknown, not a listed value). */
json_t *kern_configuration_to_json(const struct kern_variant *variant, const uint16_t *indices);
int kern_configuration_from_json(const struct kern_variant *variant, const json_t *object, uint16_t *indices,
				 struct mmt_error *error);

/* The default configuration for a problem on a device, as value indices: conditions and limits may still refuse it.
 * Where a default is computed, it is the largest value that is not above what the expression says. */
void kern_default_configuration(const struct kern_variant *variant, const struct mmt_problem *problem,
				const struct kern_device *device, uint16_t *indices);

/* The configuration of a point of the textbook list, as value indices. */
void kern_textbook_point(const struct kern_variant *variant, size_t point, const struct mmt_problem *problem,
			 const struct kern_device *device, uint16_t *indices);

#endif
