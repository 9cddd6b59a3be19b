/* entry.h: an answer's plan with its operands, for bench-blas: a product, or the
 * multiply-adds that measure the device's peak. Whatever fails ends the
 * program (plan_launch.h).
 *
 * Thread: one. */
#ifndef MMT_BENCH_ENTRY_H
#define MMT_BENCH_ENTRY_H

#include "libraries.h"
#include "plan_launch.h"

struct entry {
	json_t *answer;
	struct plan_device where;
	struct plan_launch *plan;
	struct product product;
	double flops; /* of one run */
};

/* From the file that holds the answer; operands are random. */
void entry_init(struct entry *entry, const char *path);
void entry_init_peak(struct entry *entry, const char *path); /* family madd */
void entry_finish(struct entry *entry);

/* The plan's product against OpenBLAS's: ends the program where they differ by more than rounding can explain. */
void entry_check(const struct entry *entry, product_run *openblas);

#endif
