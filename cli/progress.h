/* progress.h: how a job is getting on, on stderr: a bar on a terminal; lines
 * with --verbose; else nothing.
 *
 * Thread: the main thread. */
#ifndef MMT_CLI_PROGRESS_H
#define MMT_CLI_PROGRESS_H

#include <jansson.h>
#include <stdbool.h>

struct cli_progress {
	enum { CLI_PROGRESS_QUIET, CLI_PROGRESS_LINES, CLI_PROGRESS_BAR } kind;
	bool drawn; /* a bar stands on the current line */
};

void cli_progress_init(struct cli_progress *progress, bool verbose);
/* state: the progress object of the Tune stream. */
void cli_progress_update(struct cli_progress *progress, const json_t *state);
void cli_progress_finish(struct cli_progress *progress); /* leaves the cursor on a fresh line */

#endif
