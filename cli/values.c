/* values.c: see values.h. */
#include "values.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LONGEST_DURATION_S (7.0 * 24 * 3600) /* the service's own limit of a budget (config/keys.h) */

int cli_parse_integer(const char *what, const char *text, int64_t minimum, int64_t maximum, int64_t *out,
		      struct mmt_error *error)
{
	int64_t value = 0;
	bool valid = text[0] != '\0';
	for (const char *c = text; valid && *c != '\0'; c++) {
		valid = *c >= '0' && *c <= '9' && value <= (INT64_MAX - (*c - '0')) / 10;
		if (valid)
			value = value * 10 + (*c - '0');
	}
	if (!valid || value < minimum || value > maximum)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "%s '%.64s' is not a whole number from %" PRId64 " to %" PRId64, what, text,
				     minimum, maximum);
	*out = value;
	return 0;
}

/* Digits with at most one point; what follows in *rest. false: no number. */
static bool read_decimal(const char *text, double *out, const char **rest)
{
	double value = 0, place = 1;
	size_t digits = 0;
	bool after_point = false;
	const char *c = text;
	for (; (*c >= '0' && *c <= '9') || (*c == '.' && !after_point); c++) {
		if (*c == '.') {
			after_point = true;
			continue;
		}
		digits++;
		value = value * 10 + (*c - '0');
		if (after_point)
			place *= 10;
	}
	*out = value / place;
	*rest = c;
	return digits > 0 && digits <= 15; /* what a double holds exactly */
}

int cli_parse_duration_s(const char *what, const char *text, double *out, struct mmt_error *error)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
	double value;
	const char *rest;
	if (read_decimal(text, &value, &rest)) {
		for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
			double seconds = value * units[i].seconds;
			if (strcmp(rest, units[i].unit) == 0 && seconds > 0 && seconds <= LONGEST_DURATION_S) {
				*out = seconds;
				return 0;
			}
		}
	}
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
			     "%s '%.64s' is not a duration: write 500ms, 60s, 2m or 1h, at most 168h", what, text);
}

int cli_parse_fraction(const char *what, const char *text, double *out, struct mmt_error *error)
{
	double value;
	const char *rest;
	if (read_decimal(text, &value, &rest)) {
		bool percent = strcmp(rest, "%") == 0;
		double fraction = percent ? value / 100 : value;
		if ((percent || *rest == '\0') && fraction > 0 && fraction <= 1) {
			*out = fraction;
			return 0;
		}
	}
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
			     "%s '%.64s' is not a fraction of the peak: write 0.8, 80%% or best", what, text);
}
