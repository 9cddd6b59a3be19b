/* plot.c: see plot.h. Colours: Okabe and Ito, told apart by all eyes; a dash
 * pattern repeats the difference. */
#include "plot.h"

#include <math.h>
#include <stdio.h>

#define WIDTH     360 /* of a panel's frame, pixels */
#define HEIGHT    260
#define LEFT      50
#define TOP       40
#define PANEL     (WIDTH + 80)
#define N_STYLES  8
#define LEAST     0.5 /* of the medians' axis */
#define LINE_STEP 18  /* between the names below */

struct panel {
	FILE *file;
	const size_t *budgets;
	size_t n_budgets;
	double left, least;
};

static const char *const colours[N_STYLES] = {"#000000", "#0072b2", "#d55e00", "#009e73",
					      "#cc79a7", "#e69f00", "#56b4e9", "#8c6d00"};
static const char *const dashes[N_STYLES] = {"none", "8 3", "2 3", "8 3 2 3", "none", "8 3", "2 3", "8 3 2 3"};

/* Budgets double from step to step, mostly: a logarithmic axis. */
static double x_of(const struct panel *panel, size_t budget)
{
	double first = log((double)panel->budgets[0]);
	double range = log((double)panel->budgets[panel->n_budgets - 1]) - first;
	return panel->left + (range > 0 ? WIDTH * (log((double)budget) - first) / range : WIDTH / 2.0);
}

static double y_of(const struct panel *panel, double value)
{
	return TOP + HEIGHT * (1 - (fmax(value, panel->least) - panel->least) / (1 - panel->least));
}

static void draw_frame(const struct panel *panel, const char *title)
{
	fprintf(panel->file, "<text x='%g' y='%d' font-weight='bold'>%s</text>\n", panel->left, TOP - 14, title);
	for (int i = 0; i <= 5; i++) {
		double value = panel->least + (1 - panel->least) * i / 5, y = y_of(panel, value);
		fprintf(panel->file,
			"<path d='M%g %gh%d' stroke='#ddd'/><text x='%g' y='%g' text-anchor='end'>%.2f</text>\n",
			panel->left, y, WIDTH, panel->left - 6, y + 4, value);
	}
	for (size_t b = 0; b < panel->n_budgets; b++)
		fprintf(panel->file, "<text x='%g' y='%d' text-anchor='middle'>%zu</text>\n",
			x_of(panel, panel->budgets[b]), TOP + HEIGHT + 18, panel->budgets[b]);
	fprintf(panel->file, "<text x='%g' y='%d' text-anchor='middle'>evaluations</text>\n", panel->left + WIDTH / 2.0,
		TOP + HEIGHT + 36);
}

static void draw_line(const struct panel *panel, const double *values, size_t style)
{
	fprintf(panel->file, "<polyline fill='none' stroke='%s' stroke-width='2' stroke-dasharray='%s' points='",
		colours[style % N_STYLES], dashes[style % N_STYLES]);
	for (size_t b = 0; b < panel->n_budgets; b++)
		fprintf(panel->file, "%g,%g ", x_of(panel, panel->budgets[b]), y_of(panel, values[b]));
	fprintf(panel->file, "'/>\n");
}

static void draw_name(FILE *file, const char *name, size_t index)
{
	double x = LEFT + (double)(index % 4) * 200, y = TOP + HEIGHT + 64 + (double)(index / 4) * LINE_STEP;
	fprintf(file,
		"<path d='M%g %gh30' stroke='%s' stroke-width='2' stroke-dasharray='%s'/>"
		"<text x='%g' y='%g'>%s</text>\n",
		x, y - 4, colours[index % N_STYLES], dashes[index % N_STYLES], x + 36, y, name);
}

int plot_write(const char *path, const size_t *budgets, size_t n_budgets, const struct plot_line *lines, size_t n_lines,
	       struct mmt_error *error)
{
	FILE *file = fopen(path, "w");
	if (file == NULL)
		return mmt_error_errno(error, "cannot write %s", path);
	struct panel medians = {file, budgets, n_budgets, LEFT, LEAST},
		     shares = {file, budgets, n_budgets, LEFT + PANEL, 0};
	size_t height = TOP + HEIGHT + 64 + LINE_STEP * (n_lines / 4 + 1);
	fprintf(file,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%zu' font-family='sans-serif' "
		"font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
		2 * PANEL, height);
	draw_frame(&medians, "best time of the space / best found (median)");
	draw_frame(&shares, "share of seeds within 5 % of the best");
	for (size_t i = 0; i < n_lines; i++) {
		draw_line(&medians, lines[i].medians, i);
		draw_line(&shares, lines[i].shares, i);
		draw_name(file, lines[i].name, i);
	}
	fprintf(file, "</svg>\n");
	if (fclose(file) != 0)
		return mmt_error_errno(error, "cannot write %s", path);
	return 0;
}
