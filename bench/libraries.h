/* libraries.h: the peers of bench-blas, loaded at run time where they are
 * installed: OpenBLAS on the host, all cores; CLBlast on the plan's device,
 * with the parameters that it comes with or that its tuner found.
 *
 * Thread: one. */
#ifndef MMT_BENCH_LIBRARIES_H
#define MMT_BENCH_LIBRARIES_H

#include <stdbool.h>

#include "plan_launch.h"

/* C = op(A) op(B), row-major, tight rows. */
struct product {
	int m, n, k;
	bool trans_a, trans_b, is_double;
	void *a, *b, *c; /* on the host */
	cl_mem device_a, device_b, device_c;
	cl_command_queue queue;
};

/* A library's product, with the signature that contest.h wants; NULL: not installed, said on stderr. */
typedef void product_run(void *product);
product_run *library_openblas(void);
product_run *library_clblast(void);

/* Has CLBlast, once found, use on a device what its own tuner found: path is a file that clblast_tuner_xgemm or
 * clblast_tuner_xgemm_direct wrote. What cannot be used ends the program. */
void library_clblast_tuned(cl_device_id device, const char *path);

#endif
