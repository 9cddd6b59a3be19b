/* directives.h: dot products under OpenACC directives; an acc_NAME.c says which:
 *
 *	ACC_ROWS	before the loop over rows
 *	ACC_COLUMNS	before that over columns; not defined: none
 *	ACC_TERMS	before that over a dot product's terms; not defined: none
 *	ACC_NAME, ACC_SUMMARY	of the reference
 *
 * The matrices go to the accelerator and C comes back within each run, and
 * within its time. Without an accelerator that the compiler can offload to,
 * the same code runs on the host, on one core, and says so.
 *
 * Thread: no state. */
#include "loops.h"

#ifdef _OPENACC
#include <openacc.h>
#define DIRECTIVE(text) _Pragma(#text)
#define EXPANDED(text)  DIRECTIVE(text)
#define MISSING         NULL
#else
#define EXPANDED(text)
#define MISSING "this build has no OpenACC: its compiler lacks it"
#endif

#define LOOP_TEMPLATE "directives_loops.h"
#include "both_types.h"

static int run(void *library, const struct worker_gemm *gemm, struct mmt_error *error)
{
	(void)library;
	(void)error;
	if (gemm->type == MMT_F64)
		product_f64(gemm);
	else
		product_f32(gemm);
	return 0;
}

static const char *note(void)
{
#ifdef _OPENACC
	if (acc_get_device_type() != acc_device_host)
		return NULL;
#endif
	return "host fallback: no accelerator that the compiler can offload to; one core";
}

#define JOINED(a, b)    a##b
#define REFERENCE(name) JOINED(worker_reference_, name)
#define TEXT(name)      #name
#define NAME_TEXT(name) TEXT(name)

const struct worker_reference REFERENCE(ACC_NAME) = {
	.name = NAME_TEXT(ACC_NAME),
	.summary = ACC_SUMMARY,
	.kind = WORKER_REFERENCE_DIRECTIVES,
	.type_mask = WORKER_F32 | WORKER_F64,
	.missing = MISSING,
	.run = run,
	.note = note,
};
