/* population.h: what the population strategies have in common.
 *
 * A population is a fixed number of members; each holds the best point of its
 * own line. In turn each member gets a trial, which a strategy makes from the
 * population; a trial that is better takes the member's place. So genetic
 * algorithm, differential evolution and particle swarm differ only in how a
 * trial is made:
 *
 *	no point -> a random one, of any space -> told, valid: holds it
 *	holds a point -> trial -> told, better: holds the trial
 *	MAX_FAILURES trials in a row were no better: no point, unless it is the best
 *
 * The last line keeps a population from settling in one valley, and lets its
 * members move from one space to another. A result that nobody waits for (the
 * replay of an earlier run) takes the place of the worst member if it is better.
 *
 * Thread: as strategy.h. */
#ifndef MMT_SEARCH_POPULATION_H
#define MMT_SEARCH_POPULATION_H

#include "strategy.h"

#define SEARCH_POPULATION 20

struct search_member {
	struct search_point point, trial;
	double time_ns; /* of point; INFINITY: it has no point */
	bool waiting;   /* for the trial's result */
	bool fresh;     /* the point was not made by a trial: where it came from is unknown to the strategy */
	unsigned n_failures;
};

struct search_population {
	struct search_member members[SEARCH_POPULATION];
	size_t next; /* whose turn it is */
};

/* Writes the trial of a member that has a point: value indices, not
 * necessarily whole or valid, of its point's space. */
typedef void search_make_trial(struct search_state *state, void *self, size_t member, double *row);

void search_population_init(struct search_population *population);
bool search_population_ask(struct search_state *state, struct search_population *population,
			   search_make_trial *make_trial, void *self, struct search_point *out);
void search_population_tell(struct search_population *population, struct search_point point, double time_ns);

/* A random member with a point in the same space; the member itself when there is no other. */
size_t search_population_mate(struct search_state *state, const struct search_population *population, size_t member);
/* The better of two of those. */
size_t search_population_good_mate(struct search_state *state, const struct search_population *population,
				   size_t member);
/* The best member of the space that a member is in. */
size_t search_population_best(const struct search_population *population, size_t member);
/* The value indices of a member's point. */
const uint16_t *search_population_row(const struct search_state *state, const struct search_population *population,
				      size_t member);

#endif
