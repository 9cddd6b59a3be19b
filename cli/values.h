/* values.h: option values, from text to numbers, strictly.
 *
 * what names the option in the message ("--budget"). Errors are
 * MMT_INVALID_ARGUMENT with the value and what would be right.
 *
 * Thread: no state. */
#ifndef MMT_CLI_VALUES_H
#define MMT_CLI_VALUES_H

#include <stdint.h>

#include "mmtune/error.h"

/* Decimal digits only, minimum ... maximum. */
int cli_parse_integer(const char *what, const char *text, int64_t minimum, int64_t maximum, int64_t *out,
		      struct mmt_error *error);
/* "60", "60s", "2m", "1.5h", "500ms": seconds, more than 0 and at most a week. */
int cli_parse_duration_s(const char *what, const char *text, double *out, struct mmt_error *error);
/* "0.8" or "80%": more than 0, at most 1. */
int cli_parse_fraction(const char *what, const char *text, double *out, struct mmt_error *error);

#endif
