/* progress.c: see progress.h. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fields.h"
#include "format.h"

#define BAR_CELLS     20
#define LINE_BYTES    512
#define DEFAULT_WIDTH 80

void cli_progress_init(struct cli_progress *progress, bool verbose)
{
	const char *terminal = getenv("TERM");
	bool draws = isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
	progress->kind = draws ? CLI_PROGRESS_BAR : verbose ? CLI_PROGRESS_LINES : CLI_PROGRESS_QUIET;
	progress->drawn = false;
}

static double fraction_of(double part, double all)
{
	return all > 0 ? part / all : 0;
}

/* How much of the job is behind: the limit that will end it first counts. */
static double done_fraction(const json_t *state)
{
	double by_time = fraction_of(cli_field_number(state, "elapsed_s"), cli_field_number(state, "budget_s"));
	double by_count =
		fraction_of(cli_field_number(state, "evaluations"), cli_field_number(state, "max_evaluations"));
	double fraction = by_time > by_count ? by_time : by_count;
	return fraction < 1 ? fraction : 1;
}

/* "; best 5.21 ms, 384 GFLOP/s, 42 % of the peak, blocked" */
static void append_best(char *line, const json_t *best)
{
	char time[CLI_FORMAT_BYTES], rate[CLI_FORMAT_BYTES], percent[CLI_FORMAT_BYTES];
	double time_ns = cli_field_number(best, "time_ns"), gflops = cli_field_number(best, "gflops");
	double fraction_of_peak = cli_field_number(best, "fraction_of_peak");
	size_t used = strlen(line);
	if (!(time_ns > 0))
		return;
	snprintf(line + used, LINE_BYTES - used, "; best %s%s%s%s%s%s%s, %.64s", cli_format_time(time, time_ns),
		 gflops > 0 ? ", " : "", gflops > 0 ? cli_format_amount(rate, gflops) : "",
		 gflops > 0 ? " GFLOP/s" : "", fraction_of_peak > 0 ? ", " : "",
		 fraction_of_peak > 0 ? cli_format_percent(percent, fraction_of_peak, 1) : "",
		 fraction_of_peak > 0 ? " of the peak" : "", cli_field_text(best, "variant"));
}

/* "queued", or "34 evaluated; 42 s left; best ..." */
static void describe(char *line, const json_t *state)
{
	char text[CLI_FORMAT_BYTES];
	const char *name = cli_field_text(state, "state");
	double budget_s = cli_field_number(state, "budget_s"), elapsed_s = cli_field_number(state, "elapsed_s");
	bool running = strcmp(name, "running") == 0;
	if (strcmp(name, "queued") == 0) {
		bool peaks = strcmp(cli_field_text(state, "phase"), "peaks") == 0;
		const char *message = cli_field_text(state, "message");
		const char *why = message[0] != '\0' ? message
				  : peaks ? "the device's peaks are measured first, which is not in the budget"
					  : "other jobs run first";
		snprintf(line, LINE_BYTES, "queued: %.*s", (int)strcspn(why, "\n"), why);
		return;
	}
	snprintf(line, LINE_BYTES, "%s%s%lld evaluated", running ? "" : name, running ? "" : "; ",
		 (long long)cli_field_integer(state, "evaluations"));
	if (running && budget_s > 0)
		snprintf(line + strlen(line), LINE_BYTES - strlen(line), "; %s left",
			 cli_format_seconds(text, budget_s - elapsed_s));
	append_best(line, json_object_get(state, "best"));
}

static int terminal_width(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : DEFAULT_WIDTH;
}

static void draw_bar(const json_t *state, const char *text)
{
	char line[BAR_CELLS + LINE_BYTES + 16], cells[BAR_CELLS + 1];
	double fraction = done_fraction(state);
	memset(cells, '.', BAR_CELLS);
	memset(cells, '#', (size_t)(fraction * BAR_CELLS));
	cells[BAR_CELLS] = '\0';
	snprintf(line, sizeof line, "[%s] %3d %%  %s", cells, (int)(fraction * 100), text);
	/* A line as wide as the terminal would wrap and stay. "\033[K" (ECMA-48, EL) erases to the end of the line. */
	fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
}

void cli_progress_update(struct cli_progress *progress, const json_t *state)
{
	char text[LINE_BYTES], elapsed[CLI_FORMAT_BYTES];
	if (progress->kind == CLI_PROGRESS_QUIET)
		return;
	describe(text, state);
	if (progress->kind == CLI_PROGRESS_BAR)
		draw_bar(state, text);
	else
		fprintf(stderr, "%s: %s\n", cli_format_seconds(elapsed, cli_field_number(state, "elapsed_s")), text);
	progress->drawn = progress->kind == CLI_PROGRESS_BAR;
}

void cli_progress_finish(struct cli_progress *progress)
{
	if (progress->drawn)
		putc('\n', stderr);
	progress->drawn = false;
}
