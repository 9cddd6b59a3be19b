/* repeat.c: the winners of several tunings of one problem, in one run.
 *
 *	bench-repeat [--seconds 10] [--csv] BASE.json ANSWER.json...
 *
 * An answer is what `mmtune query --json --source` printed. Every plan takes
 * its turn each round (contest.h); a ratio is BASE's time over the answer's,
 * within the rounds. Then: how many of the answers reach 0.95 of BASE, and how
 * far the slowest of them lies below the fastest, of all and of the first five. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "entry.h"

enum { FEW = 5 };

static const double GOOD_SHARE = 0.95;

struct winner {
	struct entry entry;
	struct contender contender;
};

static void run_plan(void *context)
{
	plan_launch_run(context);
}

static void winner_init(struct winner *winner, const char *path)
{
	const char *slash = strrchr(path, '/');
	entry_init(&winner->entry, path);
	winner->contender.name = slash ? slash + 1 : path;
	winner->contender.run = run_plan;
	winner->contender.context = winner->entry.plan;
}

static void measure(struct winner *winners, size_t count, double seconds)
{
	struct contender **contenders = calloc(count, sizeof *contenders);
	if (!contenders)
		plan_fail("no memory for the contenders", (long)count);
	for (size_t i = 0; i < count; i++)
		contenders[i] = &winners[i].contender;
	contest(contenders, count, seconds);
	free(contenders);
}

/* JSON as a field of CSV: {MWG:64;NWG:128}. */
static void make_plain(char *text)
{
	char *out = text;
	for (; *text; text++)
		if (*text != '"')
			*out++ = *text == ',' ? ';' : *text;
	*out = '\0';
}

static void print_rows(const struct winner *winners, size_t count, bool csv)
{
	puts(csv ? "answer,variant,gflops,gflop_per_core_s,ratio,parameters"
		 : "answer                       variant       GFLOP/s  /core s   ratio  parameters");
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &winners[i].entry;
		const struct contender *contender = &winners[i].contender;
		char *parameters = json_dumps(json_object_get(entry->answer, "parameters"), JSON_COMPACT);
		if (csv && parameters)
			make_plain(parameters);
		printf(csv ? "%s,%s,%.6g,%.6g,%.4f,%s\n" : "%-28s %-12s %8.1f %8.1f %7.3f  %s\n", contender->name,
		       plan_text(entry->answer, "variant"), entry->flops / contender->median_ns,
		       entry->flops / contender->core_ns, contest_ratio(contender, &winners[0].contender),
		       parameters ? parameters : "");
		free(parameters);
	}
}

/* Of the answers from 1 on. */
static void print_spread(const struct winner *winners, size_t count, FILE *out)
{
	double fastest = 0, slowest = INFINITY;
	for (size_t i = 1; i < count; i++) {
		double ratio = contest_ratio(&winners[i].contender, &winners[0].contender);
		fastest = fmax(fastest, ratio);
		slowest = fmin(slowest, ratio);
	}
	fprintf(out, "the slowest of %zu is %.1f %% below the fastest\n", count - 1, 100 * (1 - slowest / fastest));
}

static void print_summary(const struct winner *winners, size_t count, FILE *out)
{
	size_t good = 0;
	for (size_t i = 1; i < count; i++)
		good += contest_ratio(&winners[i].contender, &winners[0].contender) >= GOOD_SHARE;
	fprintf(out, "%zu of %zu reach %.2f of %s\n", good, count - 1, GOOD_SHARE, winners[0].contender.name);
	print_spread(winners, count, out);
	if (count - 1 > FEW)
		print_spread(winners, FEW + 1, out);
	fprintf(stderr, "%s\n", contest_machine());
}

int main(int argc, char **argv)
{
	double seconds = 10;
	bool csv = false;
	int first = 1;
	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
		if (strcmp(argv[first], "--csv") == 0)
			csv = true;
		else if (strcmp(argv[first], "--seconds") == 0 && first + 1 < argc)
			seconds = strtod(argv[++first], NULL);
		else
			break;
	}
	if (argc - first < 2 || strncmp(argv[first], "--", 2) == 0) {
		fputs("usage: bench-repeat [--seconds S] [--csv] BASE.json ANSWER.json...\n", stderr);
		return 2;
	}
	const size_t count = (size_t)(argc - first);
	struct winner *winners = calloc(count, sizeof *winners);
	if (!winners)
		plan_fail("no memory for the answers", (long)count);
	for (size_t i = 0; i < count; i++)
		winner_init(&winners[i], argv[first + (int)i]);
	measure(winners, count, seconds);
	print_rows(winners, count, csv);
	print_summary(winners, count, csv ? stderr : stdout);
	for (size_t i = 0; i < count; i++)
		entry_finish(&winners[i].entry);
	free(winners);
	return 0;
}
