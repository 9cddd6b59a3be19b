/* compare.c: see compare.h. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>

/* What two plans differ by less than is no difference: medians of a quiet machine repeat to this */
#define TIE 0.005

struct contestant {
	double logs[WORKER_MOST_ROUNDS]; /* of its times, by round */
	size_t rounds;
	double spent_ns;
	bool failed, out;
};

struct contest {
	const struct worker_comparison *terms;
	struct contestant *contestants;
	size_t rounds;
	/* What the samples were taken with. When another clock is chosen, or someone fails, all begin again. */
	bool host_clock, restart;
	double shortest_ns;
};

static bool is_in(const struct contestant *contestant)
{
	return !contestant->failed && !contestant->out;
}

static void take_sample(struct contest *contest, size_t index)
{
	struct contestant *contestant = &contest->contestants[index];
	const struct worker_measurement *measurement = contest->terms->sample(contest->terms->context, index);

	if (measurement == NULL) {
		contestant->failed = true;
		contest->restart = contest->restart || contestant->rounds > 0;
		return;
	}
	contestant->spent_ns = measurement->spent_ns;
	contestant->logs[contestant->rounds++] = log(measurement->samples_ns[measurement->n_samples - 1]);
	if (contest->shortest_ns > 0 &&
	    (measurement->host_clock != contest->host_clock || measurement->shortest_ns != contest->shortest_ns))
		contest->restart = true;
	contest->host_clock = measurement->host_clock;
	contest->shortest_ns = measurement->shortest_ns;
}

static void hold_round(struct contest *contest)
{
	size_t n = contest->terms->n;

	for (size_t i = 0; i < n; i++) {
		size_t index = (i + contest->rounds) % n;

		if (is_in(&contest->contestants[index]))
			take_sample(contest, index);
	}
	contest->rounds++;
}

static void start_again(struct contest *contest)
{
	for (size_t i = 0; i < contest->terms->n; i++) {
		contest->contestants[i].rounds = 0;
		contest->contestants[i].out = false;
	}
	contest->rounds = 0;
	contest->restart = false;
}

/* Of the logarithm of a's time over b's. a took part in no more rounds than b. */
static struct worker_estimate difference(const struct contestant *a, const struct contestant *b)
{
	double differences[WORKER_MOST_ROUNDS];

	for (size_t i = 0; i < a->rounds; i++)
		differences[i] = a->logs[i] - b->logs[i];
	return worker_estimate(differences, a->rounds);
}

/* Whose times are the shortest; NULL: all have failed. */
static const struct contestant *find_leader(const struct contest *contest)
{
	const struct contestant *leader = NULL;

	for (size_t i = 0; i < contest->terms->n; i++) {
		const struct contestant *contestant = &contest->contestants[i];

		if (is_in(contestant) && (leader == NULL || difference(contestant, leader).value < 0))
			leader = contestant;
	}
	return leader;
}

/* Puts out who is certainly slower. True when those left cannot be told apart, or need not be. */
static bool judge(struct contest *contest)
{
	const struct contestant *leader = find_leader(contest);
	bool decided = true;

	for (size_t i = 0; i < contest->terms->n; i++) {
		struct contestant *contestant = &contest->contestants[i];
		struct worker_estimate slower;

		if (contestant == leader || !is_in(contestant))
			continue;
		slower = difference(contestant, leader);
		if (slower.value > slower.error)
			contestant->out = true;
		else if (slower.value + slower.error > TIE)
			decided = false;
	}
	return decided;
}

static bool is_over(struct contest *contest)
{
	double spent_ns = 0;

	if (contest->rounds < contest->terms->least_rounds && contest->rounds < WORKER_MOST_ROUNDS)
		return false;
	for (size_t i = 0; i < contest->terms->n; i++)
		spent_ns += contest->contestants[i].spent_ns;
	return judge(contest) || contest->rounds == WORKER_MOST_ROUNDS || spent_ns >= contest->terms->limit_ns;
}

static void rank(const struct contest *contest)
{
	const struct contestant *leader = find_leader(contest);

	for (size_t i = 0; i < contest->terms->n; i++) {
		const struct contestant *contestant = &contest->contestants[i];
		struct worker_estimate slower;

		if (contestant->failed)
			continue;
		slower = difference(contestant, leader);
		contest->terms->rank(contest->terms->context, i, exp(slower.value), slower.error);
	}
}

static bool anyone_left(const struct contest *contest)
{
	for (size_t i = 0; i < contest->terms->n; i++) {
		if (is_in(&contest->contestants[i]))
			return true;
	}
	return false;
}

int worker_compare(const struct worker_comparison *comparison, struct mmt_error *error)
{
	struct contest contest = {.terms = comparison};

	contest.contestants = calloc(comparison->n, sizeof *contest.contestants);
	if (contest.contestants == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "no memory to compare %zu plans", comparison->n);
	do {
		hold_round(&contest);
		if (contest.restart)
			start_again(&contest);
	} while (anyone_left(&contest) && !is_over(&contest));
	if (anyone_left(&contest))
		rank(&contest);
	free(contest.contestants);
	return 0;
}
