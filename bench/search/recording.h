/* recording.h: an exhaustively measured space, read from a .csv.gz file.
 *
 * NAME__DEVICE.csv.gz: a header, then one line a configuration: parameter
 * columns, then time_ms (empty where it failed) and status.
 *
 * Thread: plain data. */
#ifndef MMT_BENCH_RECORDING_H
#define MMT_BENCH_RECORDING_H

#include "space.h"

struct recording {
	char *name, *kernel; /* "gemm_kt__RTX_Titan", "gemm_kt" */
	struct search_space *space;
	double *times_ns; /* of each point; INFINITY: failed */
	double best_ns;
	size_t n_parameters, n_points;
	char *parameter_names[SEARCH_MAX_PARAMETERS];
	double *values[SEARCH_MAX_PARAMETERS]; /* ascending */
};

int recording_init(struct recording *recording, const char *path, struct mmt_error *error);
void recording_finish(struct recording *recording);

/* The point of `to` with the parameter values of a point of `from`, a
 * recording of the same kernel; SEARCH_NO_POINT: it has none. */
size_t recording_map(const struct recording *from, size_t point, const struct recording *to);

#endif
