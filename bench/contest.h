/* contest.h: contenders measured in one run, in turn, round after round.
 *
 * Whatever else the machine does meets all of them alike: a ratio is taken
 * within each round, and its median over the rounds is what is reported. Where
 * the machine is busy, work for each core-second says more than work for each
 * second: processor time is that of the whole process, all threads, while a
 * contender runs, so its own waiting loops count against it.
 *
 * Thread: one. */
#ifndef MMT_BENCH_CONTEST_H
#define MMT_BENCH_CONTEST_H

#include <stddef.h>

enum { CONTEST_MAX_ROUNDS = 512 };

struct contender {
	const char *name;
	void (*run)(void *context); /* returns when the work is done */
	void *context;
	/* Results: of one run */
	double wall_ns[CONTEST_MAX_ROUNDS]; /* by round */
	size_t rounds;
	double median_ns, core_ns; /* core: the mean processor time */
	size_t batch;              /* runs in one timing: those of a short contender take 20 ms together */
};

/* Warms each up, then goes round for about so many seconds, five rounds at least. */
void contest(struct contender *const *contenders, size_t count, double seconds);

/* The median over the rounds of peer's time / mine: over 1, mine is faster. */
double contest_ratio(const struct contender *mine, const struct contender *peer);

/* The 1-minute load average, with the processors that this process may use: "load 1.84, 2 cores". Static text. */
const char *contest_machine(void);

#endif
