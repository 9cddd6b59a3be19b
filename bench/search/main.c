/* bench-search: judges search strategies on recorded spaces.
 *
 *	bench-search --spaces DIR [--strategy NAME] [--seeds 100]
 *		[--first-seed 1] [--budgets 25,50,100,200,400] [--transfer] [--misleading]
 *		[--batch 1] [--settled] [--only TEXT] [--csv] [--plot FILE]
 *
 * prints `space,strategy,budget,median,within5`: the median over the seeds of
 * (best time of the space / best time found), where every evaluation counts,
 * failed ones included, and the share of the seeds that came within 5 %. The
 * rows of the space `mean` are the means over all spaces. --strategy all takes
 * every strategy in turn. Seeds count from --first-seed: constants that were
 * chosen with some seeds are judged with others. --plot draws the means as SVG.
 * --batch asks for so many points before the first is told, as a job does whose
 * candidates are built ahead. --settled ends each search when search_settled() says that nothing is left to
 * gain, at the last budget at the latest: one row a space, whose budget is the median of where they ended.
 *
 * --transfer gives the search the best ten of each other device's recording of
 * the same kernel as priors, taken in turns; --misleading adds a source that
 * names the ten slowest as its best, before all others. */
#include "plot.h"
#include "recording.h"
#include "search.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BUDGETS    PLOT_MAX_BUDGETS
#define MAX_STRATEGIES 32
#define MAX_RECORDINGS 64
#define PRIORS_A_SPACE 10
#define MAX_BATCH      64

struct bench {
	struct recording recordings[MAX_RECORDINGS];
	size_t n_recordings;
	const char *strategy;
	unsigned long seeds, first_seed, batch;
	size_t budgets[MAX_BUDGETS]; /* ascending */
	size_t n_budgets;
	bool transfer, misleading, settled;
	struct plot_line lines[MAX_STRATEGIES]; /* means over the spaces */
	size_t n_lines;
	double mean_quality[MAX_BUDGETS]; /* over seeds and spaces: moves less by chance than the median */
	double mean_settled;              /* evaluations: over the spaces, of the medians over the seeds */
	double seconds;                   /* of the processor, in the search itself and the look-ups */
	size_t n_asks;
};

static int usage(void)
{
	fprintf(stderr,
		"usage: bench-search --spaces DIR [--strategy NAME] [--seeds N] [--first-seed N] [--budgets N,N,...] "
		"[--transfer] [--misleading] [--batch N] [--settled] [--only TEXT] [--csv] [--plot FILE]\n");
	return 2;
}

static int load(struct bench *bench, const char *folder, const char *only)
{
	char pattern[4096];
	glob_t found;
	int status = 0;
	snprintf(pattern, sizeof(pattern), "%s/*%s*.csv.gz", folder, only);
	if (glob(pattern, 0, NULL, &found) != 0) {
		fprintf(stderr, "bench-search: no recordings match %s\n", pattern);
		return -1;
	}
	for (size_t i = 0; i < found.gl_pathc && bench->n_recordings < MAX_RECORDINGS && status == 0; i++) {
		struct mmt_error error = {0};
		status = recording_init(&bench->recordings[bench->n_recordings], found.gl_pathv[i], &error);
		if (status == 0)
			bench->n_recordings++;
		else
			fprintf(stderr, "bench-search: %s: %s\n", found.gl_pathv[i], error.message);
	}
	globfree(&found);
	return status;
}

/* The point that is nth best of a recording, or nth worst of the valid ones.
 * Few are asked for: no sorting. */
static size_t nth_best(const struct recording *recording, size_t n, bool worst)
{
	size_t chosen = SEARCH_NO_POINT;
	double sign = worst ? -1 : 1, above = -INFINITY, lowest;
	for (size_t rank = 0; rank <= n; rank++) {
		chosen = SEARCH_NO_POINT;
		lowest = INFINITY;
		for (size_t p = 0; p < recording->n_points; p++) {
			double key = sign * recording->times_ns[p];
			if (isinf(key) || key <= above || key >= lowest)
				continue;
			lowest = key;
			chosen = p;
		}
		if (chosen == SEARCH_NO_POINT)
			return chosen;
		above = lowest;
	}
	return chosen;
}

/* In turns from all other recordings of the same kernel, best first; a source
 * that misleads names the slowest as its best, and comes first. */
static size_t find_priors(const struct bench *bench, const struct recording *target, struct search_prior *out)
{
	size_t count = 0;
	for (size_t rank = 0; rank < PRIORS_A_SPACE; rank++) {
		size_t worst = bench->misleading ? nth_best(target, rank, true) : SEARCH_NO_POINT;
		if (worst != SEARCH_NO_POINT)
			out[count++] = (struct search_prior){{0, (uint32_t)worst}, target->best_ns};
		for (size_t i = 0; i < bench->n_recordings; i++) {
			const struct recording *other = &bench->recordings[i];
			if (other == target || strcmp(other->kernel, target->kernel) != 0)
				continue;
			size_t best = nth_best(other, rank, false);
			size_t point = best == SEARCH_NO_POINT ? best : recording_map(other, best, target);
			if (point != SEARCH_NO_POINT)
				out[count++] = (struct search_prior){{0, (uint32_t)point}, other->times_ns[best]};
		}
	}
	return count;
}

/* One search; quality[b] is best / found at each budget, *n_done how many evaluations there were. */
static int replay(struct bench *bench, const struct recording *recording, struct search_spec *spec, double *quality,
		  double *n_done)
{
	struct mmt_error error;
	struct search *search = search_create(spec, &error);
	if (search == NULL) {
		fprintf(stderr, "bench-search: %s\n", error.message);
		return -1;
	}
	struct search_point asked[MAX_BATCH]; /* a ring: n_asked in all, `done` of them told */
	size_t n_asked = 0, done = 0;
	for (size_t b = 0; b < bench->n_budgets; b++) {
		struct search_point point;
		double best;
		while (done < bench->budgets[b] && !(bench->settled && search_settled(search))) {
			while (n_asked < done + bench->batch &&
			       search_ask(search, &asked[n_asked % MAX_BATCH]) == SEARCH_POINT)
				n_asked++;
			if (n_asked == done)
				break;
			point = asked[done++ % MAX_BATCH];
			double time_ns = recording->times_ns[point.point];
			search_tell(search, point, isinf(time_ns) ? SEARCH_INVALID : SEARCH_OK, time_ns);
		}
		quality[b] = search_best(search, &point, &best) ? recording->best_ns / best : 0;
	}
	bench->n_asks += done;
	*n_done = (double)done;
	search_destroy(search);
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

static double median_of(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static void print(struct bench *bench, const char *name, const double *qualities, double *n_done)
{
	struct plot_line *line = &bench->lines[bench->n_lines - 1];
	double *column = calloc(bench->seeds, sizeof(*column));
	double settled_at = median_of(n_done, bench->seeds);
	for (size_t b = bench->settled ? bench->n_budgets - 1 : 0; b < bench->n_budgets && column != NULL; b++) {
		size_t within = 0;
		for (size_t s = 0; s < bench->seeds; s++) {
			column[s] = qualities[s * bench->n_budgets + b];
			within += column[s] >= 1 / 1.05;
			bench->mean_quality[b] += column[s] / (double)(bench->seeds * bench->n_recordings);
		}
		double median = median_of(column, bench->seeds);
		double share = (double)within / (double)bench->seeds;
		printf("%s,%s,%.0f,%.4f,%.4f\n", name, bench->strategy,
		       bench->settled ? settled_at : (double)bench->budgets[b], median, share);
		line->medians[b] += median / (double)bench->n_recordings;
		line->shares[b] += share / (double)bench->n_recordings;
	}
	bench->mean_settled += settled_at / (double)bench->n_recordings;
	fflush(stdout);
	free(column);
}

static int judge(struct bench *bench, const struct recording *recording)
{
	struct search_prior priors[PRIORS_A_SPACE * (MAX_RECORDINGS + 1)];
	const struct search_space *spaces[] = {recording->space};
	struct search_spec spec = {.strategy = bench->strategy, .spaces = spaces, .n_spaces = 1, .priors = priors};
	double *qualities = calloc(bench->seeds * bench->n_budgets, sizeof(*qualities));
	double *n_done = calloc(bench->seeds, sizeof(*n_done));
	struct timespec start, end;
	int status = qualities == NULL || n_done == NULL ? -1 : 0;
	if (bench->transfer)
		spec.n_priors = find_priors(bench, recording, priors);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	for (size_t s = 0; s < bench->seeds && status == 0; s++) {
		spec.seed = bench->first_seed + s;
		status = replay(bench, recording, &spec, qualities + s * bench->n_budgets, &n_done[s]);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	bench->seconds += (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
	if (status == 0)
		print(bench, recording->name, qualities, n_done);
	free(qualities);
	free(n_done);
	return status;
}

static int parse_budgets(struct bench *bench, const char *text)
{
	char *end = (char *)text;
	bench->n_budgets = 0;
	do {
		unsigned long budget = strtoul(end, &end, 10);
		bool ascends = bench->n_budgets == 0 || budget > bench->budgets[bench->n_budgets - 1];
		if (bench->n_budgets == MAX_BUDGETS || budget == 0 || !ascends)
			return -1;
		bench->budgets[bench->n_budgets++] = budget;
	} while (*end++ == ',');
	return end[-1] == '\0' ? 0 : -1;
}

/* One strategy on all spaces; its name is borrowed. */
static int judge_strategy(struct bench *bench, const char *name)
{
	struct plot_line *line = &bench->lines[bench->n_lines++];
	int status = 0;
	bench->strategy = line->name = name;
	bench->seconds = 0;
	bench->n_asks = 0;
	bench->mean_settled = 0;
	memset(bench->mean_quality, 0, sizeof(bench->mean_quality));
	for (size_t i = 0; i < bench->n_recordings && status == 0; i++)
		status = judge(bench, &bench->recordings[i]);
	if (status != 0)
		return status;
	for (size_t b = bench->settled ? bench->n_budgets - 1 : 0; b < bench->n_budgets; b++)
		printf("mean,%s,%.0f,%.4f,%.4f\n", name,
		       bench->settled ? bench->mean_settled : (double)bench->budgets[b], line->medians[b],
		       line->shares[b]);
	fprintf(stderr, "%s: mean, not median:", name);
	for (size_t b = 0; b < bench->n_budgets; b++)
		fprintf(stderr, " %.4f", bench->mean_quality[b]);
	fprintf(stderr, "; %.1f microseconds an ask\n", 1e6 * bench->seconds / (double)bench->n_asks);
	return 0;
}

static int judge_all(struct bench *bench, const char *name)
{
	const char *const *names = search_strategy_names();
	if (strcmp(name, "all") != 0)
		return judge_strategy(bench, name);
	for (; *names != NULL && bench->n_lines < MAX_STRATEGIES; names++)
		if (judge_strategy(bench, *names) != 0)
			return -1;
	return 0;
}

static int plot(const struct bench *bench, const char *path)
{
	struct mmt_error error = {0};
	int status = plot_write(path, bench->budgets, bench->n_budgets, bench->lines, bench->n_lines, &error);
	if (status != 0)
		fprintf(stderr, "bench-search: %s\n", error.message);
	return status;
}

int main(int argc, char **argv)
{
	static struct bench bench = {.seeds = 100, .first_seed = 1, .batch = 1};
	const char *folder = NULL, *strategy = "auto", *plot_path = NULL, *only = "", *budgets = "25,50,100,200,400";
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(argv[i], "--transfer") == 0)
			bench.transfer = true;
		else if (strcmp(argv[i], "--misleading") == 0)
			bench.transfer = bench.misleading = true;
		else if (strcmp(argv[i], "--settled") == 0)
			bench.settled = true;
		else if (strcmp(argv[i], "--csv") == 0)
			continue; /* the only output there is */
		else if (i++ + 1 >= argc)
			return usage();
		else if (strcmp(argv[i - 1], "--spaces") == 0)
			folder = value;
		else if (strcmp(argv[i - 1], "--strategy") == 0)
			strategy = value;
		else if (strcmp(argv[i - 1], "--seeds") == 0)
			bench.seeds = strtoul(value, NULL, 10);
		else if (strcmp(argv[i - 1], "--first-seed") == 0)
			bench.first_seed = strtoul(value, NULL, 10);
		else if (strcmp(argv[i - 1], "--batch") == 0)
			bench.batch = strtoul(value, NULL, 10);
		else if (strcmp(argv[i - 1], "--budgets") == 0)
			budgets = value;
		else if (strcmp(argv[i - 1], "--plot") == 0)
			plot_path = value;
		else if (strcmp(argv[i - 1], "--only") == 0)
			only = value;
		else
			return usage();
	}
	if (folder == NULL || bench.seeds == 0 || bench.batch == 0 || bench.batch > MAX_BATCH ||
	    parse_budgets(&bench, budgets) != 0)
		return usage();
	int status = load(&bench, folder, only);
	puts("space,strategy,budget,median,within5");
	if (status == 0)
		status = judge_all(&bench, strategy);
	if (status == 0 && plot_path != NULL)
		status = plot(&bench, plot_path);
	for (size_t i = 0; i < bench.n_recordings; i++)
		recording_finish(&bench.recordings[i]);
	return status == 0 ? 0 : 1;
}
