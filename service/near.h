/* near.h: which tuned neighbour answers for a size that is not tuned, and how well.
 *
 * The model. The efficiency of a winner at a size is its rate there over the best
 * rate known there, by the best runs, which tell least of who used the device
 * meanwhile: 1 where it won, and what was measured at every other tuned
 * size where a search tried it (searches begin with the winners of neighbours, so
 * that most were). At the size asked for, with d the distance in doublings,
 *
 *	log2 efficiency = sum(log2 e_i / d_i^2) / sum(1 / d_i^2) - LOSS min(d_i)
 *
 * over the sizes where it is known: inverse distance weighting (Shepard 1968, A
 * two-dimensional interpolation function for irregularly-spaced data), less a
 * loss that grows with the distance to the nearest of them. The rate at the size
 * is interpolated in the same way from the best rates of the neighbours, and what
 * is expected of the answer is that rate times its efficiency.
 *
 * Thread: the loop's; nothing is kept. */
#ifndef MMT_SERVICE_NEAR_H
#define MMT_SERVICE_NEAR_H

#include "neighbours.h"

#define NEAR_MOST 16 /* neighbours looked at */

/* How fast a winner of one tuned problem was at another; the configuration is that of the trial, byte for byte. */
struct svc_winner_time {
	int64_t device_id, variant_id;
	char *configuration;
	struct mmt_problem problem;
	double minimum_ns;
};

struct near_known {
	const struct svc_best *bests;
	size_t n_bests;
	const struct svc_winner_time *times;
	size_t n_times;
};

struct near_choice {
	const struct svc_best *best;
	double doublings;       /* from the size where it won */
	double efficiency;      /* expected: 0 ... 1 */
	double expected_gflops; /* 0: no neighbour's rate is known */
};

/* The most efficient first; those of another transposition or accuracy after all others. At most NEAR_MOST; returns how
 * many. Whether a configuration can run at the size is the caller's to check. */
size_t near_rank(const struct near_known *known, const struct neighbour_target *target,
		 struct near_choice out[NEAR_MOST]);

#endif
