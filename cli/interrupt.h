/* interrupt.h: Ctrl-C while a job is watched.
 *
 * The library's calls block and know nothing of signals, so that a thread
 * waits for SIGINT: it says what becomes of the job and ends the process with
 * status 130. The job itself belongs to the service and goes on.
 *
 * Thread: init from the main thread before it blocks; the job's number may be
 * stored from any. */
#ifndef MMT_CLI_INTERRUPT_H
#define MMT_CLI_INTERRUPT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

#include "mmtune/error.h"

struct cli_interrupt {
	sigset_t signals;
	_Atomic int64_t job; /* 0: not known, or ended */
};

/* *interrupt must live until the process ends. A SIGINT that is ignored (nohup, a
 * background job of a script) stays ignored. */
int cli_interrupt_init(struct cli_interrupt *interrupt, struct mmt_error *error);

#endif
