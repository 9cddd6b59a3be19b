/* contest.c: see contest.h. */
#include "contest.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH_NS   20e6
#define LEAST_RUNS 5

static double clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double median(const double *values, size_t count)
{
	double sorted[CONTEST_MAX_ROUNDS];
	memcpy(sorted, values, count * sizeof *values);
	qsort(sorted, count, sizeof *sorted, compare);
	return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* The first run may compile; the second says how long one takes. */
static void warm_up(struct contender *contender)
{
	contender->run(contender->context);
	double start_ns = clock_ns(CLOCK_MONOTONIC);
	contender->run(contender->context);
	double elapsed_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
	contender->batch = elapsed_ns < BATCH_NS ? (size_t)ceil(BATCH_NS / fmax(elapsed_ns, 1e3)) : 1;
	contender->rounds = 0;
	contender->core_ns = 0;
}

static void time_once(struct contender *contender)
{
	double start_ns = clock_ns(CLOCK_MONOTONIC), core_start_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (size_t i = 0; i < contender->batch; i++)
		contender->run(contender->context);
	double runs = (double)contender->batch;
	contender->wall_ns[contender->rounds++] = (clock_ns(CLOCK_MONOTONIC) - start_ns) / runs;
	contender->core_ns += (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - core_start_ns) / runs;
}

void contest(struct contender *const *contenders, size_t count, double seconds)
{
	for (size_t i = 0; i < count; i++)
		warm_up(contenders[i]);
	const double end_ns = clock_ns(CLOCK_MONOTONIC) + seconds * 1e9;
	for (size_t round = 0; round < CONTEST_MAX_ROUNDS; round++) {
		if (round >= LEAST_RUNS && clock_ns(CLOCK_MONOTONIC) > end_ns)
			break;
		for (size_t i = 0; i < count; i++) /* another one first each time */
			time_once(contenders[(round + i) % count]);
	}
	for (size_t i = 0; i < count; i++) {
		contenders[i]->median_ns = median(contenders[i]->wall_ns, contenders[i]->rounds);
		contenders[i]->core_ns /= (double)contenders[i]->rounds;
	}
}

double contest_ratio(const struct contender *mine, const struct contender *peer)
{
	double ratios[CONTEST_MAX_ROUNDS];
	for (size_t i = 0; i < mine->rounds; i++)
		ratios[i] = peer->wall_ns[i] / mine->wall_ns[i];
	return median(ratios, mine->rounds);
}

const char *contest_machine(void)
{
	static char text[64];
	double load = 0;
	cpu_set_t set;
	getloadavg(&load, 1);
	int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
	snprintf(text, sizeof text, "load %.2f, %d cores", load, cores);
	return text;
}
