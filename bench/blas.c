/* blas.c: answers' plans against OpenBLAS and CLBlast, in one run.
 *
 *	bench-blas [--seconds 3] [--csv] [--no-openblas] [--no-clblast] [--clblast-tuned FILE.json]...
 *		[--against ANSWER.json] [--peaks F32.json F64.json] ANSWER.json...
 *
 * An answer is what `mmtune query --json --source` printed; its plan is
 * launched as an application would, packing and all launches included. Every
 * contender takes its turn each round (contest.h). With --against, the plan of
 * another problem runs along, and the rates are compared: odd sizes and
 * transposes against the aligned case. With --peaks (answers of the family
 * madd), the device's multiply-adds do too: the last two columns are the part
 * of their rate, for each second and for each core-second. With
 * --clblast-tuned, CLBlast uses what its own tuners wrote to those files.
 *
 * A product that differs from OpenBLAS's by more than rounding can explain
 * ends the program with status 1. Without OpenBLAS nothing is compared. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "entry.h"

enum { MAX_TUNED = 8 };

struct bench {
	double seconds;
	bool csv;
	product_run *openblas, *clblast;
	const char *against, *peaks[2]; /* peaks: f32, f64 */
	const char *tuned[MAX_TUNED];   /* CLBlast's own; n_tuned 0 once they are set */
	size_t n_tuned;
	struct contender mmtune, host, device, other, peak;
};

static void run_plan(void *context)
{
	plan_launch_run(context);
}

/* ---- the table ---- */

static void print_head(const struct bench *bench)
{
	if (bench->csv)
		puts("problem,type,trans,variant,gflops,openblas_gflops,openblas_ratio,gflop_per_core_s,"
		     "openblas_gflop_per_core_s,core_ratio,clblast_gflops,clblast_ratio,rate_against,peak_fraction,"
		     "core_peak_fraction");
	else
		printf("%-12s %-4s %-5s %-12s %8s %9s %6s %9s %9s %6s %8s %6s %8s %6s %6s\n", "problem", "type",
		       "trans", "variant", "GFLOP/s", "OpenBLAS", "ratio", "/core s", "OpenBLAS", "ratio", "CLBlast",
		       "ratio", "against", "peak", "/core");
}

/* A figure, or what stands for none. */
static void print_figure(const struct bench *bench, int width, int digits, double value)
{
	if (bench->csv)
		value > 0 ? printf(",%.6g", value) : printf(",");
	else if (value > 0)
		printf(" %*.*f", width, digits, value);
	else
		printf(" %*s", width, "-");
}

static double rate(const struct contender *contender, double flops)
{
	return contender->rounds > 0 ? flops / contender->median_ns : 0;
}

/* The peer's time for as many operations / mine. */
static double fraction(const struct contender *mine, double flops, const struct contender *peer, double peer_flops)
{
	return peer->rounds > 0 ? contest_ratio(mine, peer) * flops / peer_flops : 0;
}

static double per_core(const struct contender *contender, double flops)
{
	return contender->rounds > 0 ? flops / contender->core_ns : 0;
}

static void print_problem(const struct bench *bench, const struct entry *entry)
{
	const struct product *product = &entry->product;
	char size[48];
	snprintf(size, sizeof size, "%dx%dx%d", product->m, product->n, product->k);
	if (product->m == product->n && product->n == product->k)
		snprintf(size, sizeof size, "%d", product->m);
	printf(bench->csv ? "%s,%s,%s,%s" : "%-12s %-4s %-5s %-12s", size, product->is_double ? "f64" : "f32",
	       plan_text(json_object_get(entry->answer, "problem"), "trans"), plan_text(entry->answer, "variant"));
}

static void print_row(const struct bench *bench, double flops, double other_flops, double peak_flops)
{
	const struct contender *mine = &bench->mmtune;
	const double core = per_core(mine, flops), host_core = per_core(&bench->host, flops);
	const double peak_core = per_core(&bench->peak, peak_flops);
	print_figure(bench, 8, 1, rate(mine, flops));
	print_figure(bench, 9, 1, rate(&bench->host, flops));
	print_figure(bench, 6, 2, fraction(mine, flops, &bench->host, flops));
	print_figure(bench, 9, 1, core);
	print_figure(bench, 9, 1, host_core);
	print_figure(bench, 6, 2, host_core > 0 ? core / host_core : 0);
	print_figure(bench, 8, 1, rate(&bench->device, flops));
	print_figure(bench, 6, 2, fraction(mine, flops, &bench->device, flops));
	print_figure(bench, 8, 2, fraction(mine, flops, &bench->other, other_flops));
	print_figure(bench, 6, 2, fraction(mine, flops, &bench->peak, peak_flops));
	print_figure(bench, 6, 2, peak_core > 0 ? core / peak_core : 0);
	putchar('\n');
	fflush(stdout);
}

/* ---- the contest ---- */

struct field {
	struct contender *contenders[5];
	size_t count;
};

/* run NULL: not there. */
static void enter(struct field *field, struct contender *contender, void (*run)(void *context), void *context)
{
	contender->rounds = 0;
	contender->run = run;
	contender->context = context;
	if (run)
		field->contenders[field->count++] = contender;
}

static void measure(struct bench *bench, const char *path)
{
	struct entry entry = {0}, other = {0}, peak = {0};
	struct field field = {.count = 0};
	entry_init(&entry, path);
	while (bench->clblast && bench->n_tuned > 0)
		library_clblast_tuned(entry.where.device, bench->tuned[--bench->n_tuned]);
	const char *peak_path = bench->peaks[entry.product.is_double];
	if (bench->against)
		entry_init(&other, bench->against);
	if (peak_path)
		entry_init_peak(&peak, peak_path);
	if (bench->openblas)
		entry_check(&entry, bench->openblas);
	enter(&field, &bench->mmtune, run_plan, entry.plan);
	enter(&field, &bench->host, bench->openblas, &entry.product);
	enter(&field, &bench->device, bench->clblast, &entry.product);
	enter(&field, &bench->other, bench->against ? run_plan : NULL, other.plan);
	enter(&field, &bench->peak, peak_path ? run_plan : NULL, peak.plan);
	contest(field.contenders, field.count, bench->seconds);
	print_problem(bench, &entry);
	print_row(bench, entry.flops, other.flops, peak.flops);
	if (peak_path)
		entry_finish(&peak);
	if (bench->against)
		entry_finish(&other);
	entry_finish(&entry);
}

static const char usage[] =
	"usage: bench-blas [--seconds S] [--csv] [--no-openblas] [--no-clblast] [--clblast-tuned FILE.json]... "
	"[--against ANSWER.json] [--peaks F32.json F64.json] ANSWER.json...\n";

int main(int argc, char **argv)
{
	static struct bench bench = {.seconds = 3};
	bool with_clblast = true, with_openblas = true;
	int first = 1;
	for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
		if (strcmp(argv[first], "--csv") == 0)
			bench.csv = true;
		else if (strcmp(argv[first], "--no-clblast") == 0)
			with_clblast = false;
		else if (strcmp(argv[first], "--no-openblas") == 0)
			with_openblas = false;
		else if (strcmp(argv[first], "--clblast-tuned") == 0 && first + 1 < argc && bench.n_tuned < MAX_TUNED)
			bench.tuned[bench.n_tuned++] = argv[++first];
		else if (strcmp(argv[first], "--seconds") == 0 && first + 1 < argc)
			bench.seconds = strtod(argv[++first], NULL);
		else if (strcmp(argv[first], "--against") == 0 && first + 1 < argc)
			bench.against = argv[++first];
		else if (strcmp(argv[first], "--peaks") == 0 && first + 2 < argc) {
			bench.peaks[0] = argv[++first];
			bench.peaks[1] = argv[++first];
		} else
			break;
	}
	if (first >= argc || strncmp(argv[first], "--", 2) == 0) {
		fputs(usage, stderr);
		return 2;
	}
	bench.openblas = with_openblas ? library_openblas() : NULL;
	bench.clblast = with_clblast ? library_clblast() : NULL;
	print_head(&bench);
	for (int i = first; i < argc; i++)
		measure(&bench, argv[i]);
	fprintf(stderr, "%s\n", contest_machine());
	return 0;
}
