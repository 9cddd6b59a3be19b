/* plot.h: strategies against each other, as an SVG file.
 *
 * Thread: plain data. */
#ifndef MMT_BENCH_PLOT_H
#define MMT_BENCH_PLOT_H

#include <stddef.h>

#include "mmtune/error.h"

#define PLOT_MAX_BUDGETS 16

struct plot_line {
	const char *name;
	double medians[PLOT_MAX_BUDGETS], shares[PLOT_MAX_BUDGETS]; /* at each budget, 0 to 1 */
};

/* Two panels: the medians, from one half up, and the shares. Budgets ascend. */
int plot_write(const char *path, const size_t *budgets, size_t n_budgets, const struct plot_line *lines, size_t n_lines,
	       struct mmt_error *error);

#endif
