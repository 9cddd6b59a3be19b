/* serve.h: the worker's life: open the device, say hello, answer requests until end of stream.
 *
 * Thread: the process's only one (drivers have their own). */
#ifndef MMT_WORKER_SERVE_H
#define MMT_WORKER_SERVE_H

#include "mmtune/error.h"

/* Returns 0 at a clean end of stream, or after a result that said device_lost. */
int worker_serve(const char *fingerprint, struct mmt_error *error);

#endif
