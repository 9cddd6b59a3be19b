/* plan.h: the launch plan: what a query returns, a worker runs, a client enqueues.
 *
 * A plan is a variant applied to one problem, one configuration and one
 * device. Making it checks everything that can be known without a driver:
 * conditions, device limits, memory. The JSON form is the `steps`,
 * `temporaries` of the query's contract; with sources it is complete, and the
 * worker runs exactly what an application would.
 *
 * Build options of every step: -DNAME=VALUE for each parameter, -DREAL=float|
 * double|half|ushort (ushort: bf16), -DACCUMULATE=float|double, -DTRANS_A=0|1
 * -DTRANS_B=0|1 (matmul), -DPROBLEM_M/N/K= (sizes, for arrays that must be
 * constants), and the variant's own.
 *
 * Temporaries that no step uses are left out; a size of 0 becomes 1, since
 * OpenCL has no empty buffer.
 *
 * A temporary may be a 2-D image. All have one format, CL_RGBA of
 * CL_UNSIGNED_INT32, which every device with images has: a pixel is 16 bytes that
 * a kernel takes as elements of any type (as_float4, as_double2), and no value is
 * converted on the way.
 *
 * Thread: plain data; no state. */
#ifndef MMT_KERNELS_PLAN_H
#define MMT_KERNELS_PLAN_H

#include <jansson.h>

#include "device.h"
#include "family.h"
#include "variant.h"

#define KERN_PIXEL_BYTES 16

enum kern_argument_kind {
	KERN_ARGUMENT_SCALAR,
	KERN_ARGUMENT_BUFFER,
	KERN_ARGUMENT_TEMPORARY,
	KERN_ARGUMENT_IMAGE, /* a temporary too */
	KERN_ARGUMENT_LOCAL
};

struct kern_argument {
	char *name;
	enum kern_argument_kind kind;
	struct kern_scalar scalar; /* SCALAR; its name is the argument's */
	bool is_double;            /* a KERN_REAL scalar: double, else float */
	uint64_t bytes;            /* LOCAL, TEMPORARY, IMAGE: width * height pixels */
	uint64_t width, height;    /* IMAGE; else 0 */
};

struct kern_launch {
	char *entry, *build_options;
	char *source; /* NULL in a plan read without source */
	char source_sha256[65];
	unsigned dimensions;
	size_t global[3], local[3]; /* local[0] 0: the driver chooses */
	uint64_t local_memory_bytes;
	struct kern_argument arguments[KERN_MAX_ARGUMENTS];
	size_t n_arguments;
};

struct kern_plan {
	struct kern_launch launches[KERN_MAX_STEPS];
	size_t n_launches;
	struct {
		char *name;
		uint64_t bytes;
		uint64_t width, height; /* of an image; 0: a buffer */
	} temporaries[KERN_MAX_ARGUMENTS];
	size_t n_temporaries;
	double bytes_read, bytes_written; /* own traffic; not part of the JSON */
};

/* indices: one value index a parameter. On -1 the code says why:
 * MMT_SKIPPED "needs a work-group of 4096, the device allows 1024" (limit named),
 * MMT_NOT_SUPPORTED (type, requirement, accuracy), MMT_TOO_LARGE (memory: bytes needed
 * and there), MMT_INVALID_ARGUMENT (a condition does not hold). Finish *plan only after 0. */
int kern_plan_init(struct kern_plan *plan, const struct kern_variant *variant, const struct mmt_problem *problem,
		   const uint16_t *indices, const struct kern_device *device, struct mmt_error *error);
void kern_plan_finish(struct kern_plan *plan);

/* Whether the problem as such (its buffers) fits the device and its type is
 * there: MMT_TOO_LARGE, MMT_NOT_SUPPORTED, MMT_INVALID_ARGUMENT. */
int kern_problem_fits(const struct mmt_problem *problem, const struct kern_device *device, struct mmt_error *error);

/* Of all the caller's buffers, of a problem that fits. */
uint64_t kern_problem_bytes(const struct mmt_problem *problem);

/* {"steps":[...],"temporaries":[...]}; caller owns the reference; NULL: memory.
 * An empty local_size: the driver chooses. Reading is strict (MMT_PROTOCOL): exactly
 * these keys, every cap, hashes that match sources. Finish *out only after 0. */
json_t *kern_plan_to_json(const struct kern_plan *plan, bool with_source);
int kern_plan_from_json(const json_t *object, struct kern_plan *out, struct mmt_error *error);

#endif
