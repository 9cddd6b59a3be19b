/* ladder_json.c: see ladder_state.h: rows as JSON, with what their times mean.
 *
 * The bars: the fastest `host` reference (one core, optimised) is the honest
 * one, the `naive` reference the naive one. Parallel efficiency is
 *	rate / (cores * rate of the honest bar)
 * where cores are the host's for `parallel` and `library` references, and the
 * device's compute units for what runs there. */
#include <string.h>

#include "answers.h"
#include "ladder_state.h"
#include "problem_json.h"

static bool is_kind(const struct ladder_row *row, const char *kind)
{
	return row->kind && strcmp(row->kind, kind) == 0;
}

static bool is_on_device(const struct ladder_row *row)
{
	return !row->kind || is_kind(row, "device_library");
}

/* The fastest reference of a kind so far; NULL: none. */
static const struct ladder_row *fastest(const struct ladder *ladder, const char *kind)
{
	const struct ladder_row *best = NULL;
	for (size_t i = 0; i < ladder->n_rows; i++) {
		const struct ladder_row *row = &ladder->rows[i];
		if (is_kind(row, kind) && row->measured && row->result.outcome == KERN_OUTCOME_OK &&
		    (!best || row->result.time_ns < best->result.time_ns))
			best = row;
	}
	return best;
}

/* null for what is not known, or has no meaning for the row. */
static json_t *known(double value)
{
	json_t *real = value > 0 ? json_real(value) : NULL; /* NULL too for what is not finite */
	return real ? real : json_null();
}

static double quotient(double part, double all)
{
	return all > 0 ? part / all : 0;
}

static double speed_up(const struct ladder_row *row, const struct ladder_row *bar)
{
	return bar ? quotient(bar->result.time_ns, row->result.time_ns) : 0;
}

static double efficiency(const struct ladder *ladder, const struct ladder_row *row, const struct ladder_row *honest)
{
	double cores = 0;
	if (is_on_device(row))
		cores = ladder->device->properties.compute_units;
	else if (is_kind(row, "parallel") || is_kind(row, "library"))
		cores = uv_available_parallelism();
	return quotient(speed_up(row, honest), cores);
}

/* The figures of a row that ran. */
static int add_figures(json_t *object, const struct ladder *ladder, const struct ladder_row *row)
{
	const struct svc_answers *answers = ladder->service->answers;
	const struct svc_device *device = ladder->device;
	const struct ladder_row *honest = fastest(ladder, "host"), *naive = fastest(ladder, "naive");
	const struct kern_result *result = &row->result;
	/* what the host does says nothing of another device's peaks */
	bool has_peaks = is_on_device(row) || device->properties.type == KERN_CPU;
	double peak_gflops = has_peaks ? svc_answers_peak_gflops(answers, device, ladder->problem.type) : 0;
	double peak_gbps = has_peaks ? svc_answers_peak_gbps(answers, device) : 0;
	json_t *figures = json_pack(
		"{s:o, s:o, s:f, s:i, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time_ns", known(result->time_ns),
		"minimum_ns", known(result->minimum_ns), "spread", result->spread, "runs", (int)result->runs,
		"relative_error", result->relative_error, "gflops", known(row->rates.gflops),
		"effective_bandwidth_gbps", known(row->rates.effective_gbps), "compulsory_bandwidth_gbps",
		known(row->rates.compulsory_gbps), "fraction_of_peak", known(quotient(row->rates.gflops, peak_gflops)),
		"fraction_of_peak_bandwidth", known(quotient(row->rates.effective_gbps, peak_gbps)), "speedup_honest",
		known(speed_up(row, honest)), "speedup_naive", known(speed_up(row, naive)), "parallel_efficiency",
		known(efficiency(ladder, row, honest)));
	int status = figures ? json_object_update(object, figures) : -1;
	json_decref(figures);
	return status;
}

json_t *ladder_row_to_json(const struct ladder *ladder, const struct ladder_row *row)
{
	const struct kern_variant *variant = row->variant ? row->variant->variant : NULL;
	json_t *object = json_pack(
		"{s:s, s:s, s:o, s:b, s:o, s:s, s:s}", "name", variant ? variant->name : row->reference, "kind",
		variant ? "variant" : row->kind, "from", row->from ? json_string(row->from) : json_null(), "textbook",
		row->textbook, "parameters", variant ? kern_configuration_to_json(variant, row->indices) : json_null(),
		"outcome", kern_outcome_name(row->result.outcome), "message", row->result.message);
	if (object && row->result.outcome == KERN_OUTCOME_OK && add_figures(object, ladder, row) != 0) {
		json_decref(object);
		object = NULL;
	}
	return object;
}

json_t *ladder_to_json(const struct ladder *ladder)
{
	const struct svc_answers *answers = ladder->service->answers;
	const struct svc_device *device = ladder->device;
	const struct ladder_row *honest = fastest(ladder, "host"), *naive = fastest(ladder, "naive");
	json_t *rows = json_array();
	for (size_t i = 0; rows && i < ladder->n_rows; i++) {
		if (json_array_append_new(rows, ladder_row_to_json(ladder, &ladder->rows[i])) != 0) {
			json_decref(rows);
			rows = NULL;
		}
	}
	if (!rows)
		return NULL;
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o}", "device", device->name,
			 "device_name", device->properties.name, "driver", device->properties.driver, "problem",
			 problem_to_json(&ladder->problem), "peak_gflops",
			 known(svc_answers_peak_gflops(answers, device, ladder->problem.type)), "peak_bandwidth_gbps",
			 known(svc_answers_peak_gbps(answers, device)), "cores", (int)uv_available_parallelism(),
			 "compute_units", (int)device->properties.compute_units, "honest",
			 honest ? json_string(honest->reference) : json_null(), "naive",
			 naive ? json_string(naive->reference) : json_null(), "rows", rows);
}
