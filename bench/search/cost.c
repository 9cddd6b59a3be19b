/* bench-search-cost: what planning costs: spaces expanded, points asked for.
 *
 *	bench-search-cost [--asks 400] [--strategy NAME]
 *
 * Two tables, as CSV on stdout. Spaces: of CLBlast's size, with the parameters and
 * conditions of its GEMM kernel, and one of a thousand million raw combinations under tight conditions.
 * Then, for every strategy, or the one named, on the first space: the mean, the 99th
 * percentile and the longest time of an ask with the tell of its point. Times are
 * the thread's own processor time, each ask's the least of REPEATS runs of the same
 * search, so that a busy machine changes them little. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "search.h"

enum { MAX_TEXTS = 16, MAX_ASKS = 100000, REPEATS = 3 };

struct text {
	const char *name, *values;
};

/* As a kernel's JSON has it. */
struct description {
	const char *name;
	struct text parameters[MAX_TEXTS];
	const char *conditions[MAX_TEXTS];
};

static const struct description descriptions[] = {
	{"clblast",
	 {{"MWG", "[16, 32, 64, 128]"},
	  {"NWG", "[16, 32, 64, 128]"},
	  {"KWG", "[16, 32]"},
	  {"MDIMC", "[8, 16, 32]"},
	  {"NDIMC", "[8, 16, 32]"},
	  {"MDIMA", "[8, 16, 32]"},
	  {"NDIMB", "[8, 16, 32]"},
	  {"VWM", "[1, 2, 4, 8]"},
	  {"VWN", "[1, 2, 4, 8]"},
	  {"STRM", "[0, 1]"},
	  {"STRN", "[0, 1]"},
	  {"SA", "[0, 1]"},
	  {"SB", "[0, 1]"}},
	 {"MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0", "MWG % (MDIMA * VWM) == 0",
	  "NWG % (NDIMB * VWN) == 0", "KWG % ((MDIMC * NDIMC) // MDIMA) == 0",
	  "KWG % ((MDIMC * NDIMC) // NDIMB) == 0"}},
	{"tight",
	 {{"A", "range(1, 11)"},
	  {"B", "range(1, 11)"},
	  {"C", "range(1, 11)"},
	  {"D", "range(1, 11)"},
	  {"E", "range(1, 11)"},
	  {"F", "range(1, 11)"},
	  {"G", "range(1, 11)"},
	  {"H", "range(1, 11)"},
	  {"I", "range(1, 11)"}},
	 {"A * B <= 12", "C == A", "D == B", "E == C", "F == D", "G == E", "H == F", "I % 5 == 0"}},
};

/* Processor time. */
static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(bool ok, const struct mmt_error *error)
{
	if (ok)
		return;
	fprintf(stderr, "bench-search-cost: %s\n", error->message);
	exit(1);
}

/* Expands the description's space and prints what that took. Caller destroys. */
static struct search_space *expand(const struct description *description)
{
	struct search_parameter parameters[MAX_TEXTS] = {{0}};
	struct expr *conditions[MAX_TEXTS];
	const char *names[MAX_TEXTS];
	struct expr_value *values[MAX_TEXTS];
	struct mmt_error error = {0};
	size_t count = 0, n_conditions = 0;
	double raw = 1;
	for (; description->parameters[count].name; count++) {
		struct search_parameter *parameter = &parameters[count];
		check(expr_list(description->parameters[count].values, &values[count], &parameter->n_values, &error) ==
			      0,
		      &error);
		parameter->name = names[count] = description->parameters[count].name;
		parameter->values = values[count];
		raw *= (double)parameter->n_values;
	}
	for (; description->conditions[n_conditions]; n_conditions++) {
		conditions[n_conditions] = expr_create(description->conditions[n_conditions], names, count, 0, &error);
		check(conditions[n_conditions] != NULL, &error);
	}
	const struct search_space_spec spec = {
		.parameters = parameters,
		.n_parameters = count,
		.conditions = (const struct expr *const *)conditions,
		.n_conditions = n_conditions,
	};
	double started_s = now_s();
	struct search_space *space = search_space_create(&spec, &error);
	double seconds = now_s() - started_s;
	check(space != NULL, &error);
	printf("%s,%.0f,%zu,%.6f,%.4g\n", description->name, raw, search_space_points(space), seconds, raw / seconds);
	for (size_t i = 0; i < n_conditions; i++)
		expr_destroy(conditions[i]);
	for (size_t i = 0; i < count; i++)
		expr_list_free(values[i], parameters[i].n_values);
	return space;
}

/* Smooth enough to be searched: how far the point's values are from the middle ones. */
static double time_of(const struct search_space *space, size_t point)
{
	const uint16_t *indices = search_space_get(space, point);
	double sum = 1;
	for (size_t p = 0; p < search_space_parameters(space); p++) {
		double middle = (double)(search_space_values(space, p) - 1) / 2;
		sum += 0.1 * fabs(indices[p] - middle) * (1 + 0.1 * (double)p);
	}
	return 1e6 * sum;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* One search; every run asks the same. Keeps the least time of each ask; returns how many there were. */
static size_t run(const struct search_space *space, const char *strategy, size_t n_asks, double *least_s)
{
	const struct search_spec spec = {.strategy = strategy, .spaces = &space, .n_spaces = 1, .seed = 1};
	struct mmt_error error = {0};
	struct search *search = search_create(&spec, &error);
	size_t asks = 0;
	check(search != NULL, &error);
	for (; asks < n_asks; asks++) {
		struct search_point point;
		double started_s = now_s();
		if (search_ask(search, &point) != SEARCH_POINT)
			break;
		search_tell(search, point, SEARCH_OK, time_of(space, point.point));
		least_s[asks] = fmin(least_s[asks], now_s() - started_s);
	}
	search_destroy(search);
	return asks;
}

static void time_asks(const struct search_space *space, const char *strategy, size_t n_asks)
{
	static double seconds[MAX_ASKS];
	double sum = 0;
	size_t asks = 0;
	for (size_t i = 0; i < n_asks; i++)
		seconds[i] = INFINITY;
	for (int repeat = 0; repeat < REPEATS; repeat++)
		asks = run(space, strategy, n_asks, seconds);
	for (size_t i = 0; i < asks; i++)
		sum += seconds[i];
	qsort(seconds, asks, sizeof *seconds, compare);
	printf("%s,%zu,%.1f,%.1f,%.1f\n", strategy, asks, 1e6 * sum / (double)asks, 1e6 * seconds[asks * 99 / 100],
	       1e6 * seconds[asks - 1]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	size_t n_asks = 400;
	const char *strategy = NULL;
	for (int i = 1; i < argc; i += 2) {
		if (i + 1 < argc && strcmp(argv[i], "--asks") == 0)
			n_asks = strtoul(argv[i + 1], NULL, 10);
		else if (i + 1 < argc && strcmp(argv[i], "--strategy") == 0)
			strategy = argv[i + 1];
		else
			n_asks = 0;
	}
	if (n_asks == 0 || n_asks > MAX_ASKS) {
		fputs("usage: bench-search-cost [--asks 1...100000] [--strategy NAME]\n", stderr);
		return 2;
	}
	puts("space,raw,valid,seconds,raw_per_s");
	struct search_space *clblast = expand(&descriptions[0]);
	search_space_destroy(expand(&descriptions[1]));
	puts("strategy,asks,mean_us,p99_us,longest_us");
	const char *const *names = search_strategy_names();
	for (size_t i = 0; names[i]; i++)
		if (!strategy || strcmp(names[i], strategy) == 0)
			time_asks(clblast, names[i], n_asks);
	search_space_destroy(clblast);
	return 0;
}
