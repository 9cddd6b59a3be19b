/* problem_options.h: the options that name a device and a problem, once for all verbs.
 *
 * Thread: the main thread. */
#ifndef MMT_CLI_PROBLEM_OPTIONS_H
#define MMT_CLI_PROBLEM_OPTIONS_H

#include <jansson.h>

#include "verb.h"

extern const struct cli_option cli_device_options[];  /* --device */
extern const struct cli_option cli_problem_options[]; /* --order ... --family */

/* Checks the problem options and gives them as parameters of a call: what was
 * given, the rest is the service's to fill in. Caller owns the reference.
 * needs_shape: a size must be there. NULL with MMT_INVALID_ARGUMENT. */
json_t *cli_problem_parameters(const struct cli_context *context, bool needs_shape, struct mmt_error *error);

/* Adds "device": as given, else the machine's only one (asks the service).
 * Several or none: an error that lists them. */
int cli_add_device(struct cli_context *context, json_t *parameters, struct mmt_error *error);

#endif
