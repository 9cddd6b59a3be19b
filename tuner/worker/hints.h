/* hints.h: sentences that say why a device is missing.
 *
 * The loader itself says only that there is no platform. What it looked at is
 * looked at again here: its folder of .icd files, and whether the library that
 * each of them names can be loaded.
 *
 * Thread: a list belongs to one thread. */
#ifndef MMT_WORKER_HINTS_H
#define MMT_WORKER_HINTS_H

#include <stdbool.h>
#include <stddef.h>

struct worker_hints {
	char **sentences; /* NULL-terminated once there is one */
	size_t n;
	bool failed; /* memory ran out */
};

void worker_hints_finish(struct worker_hints *hints);

/* The list, NULL-terminated, even when it is empty. Borrowed. */
const char *const *worker_hints_list(const struct worker_hints *hints);

void worker_hints_add(struct worker_hints *hints, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is wrong with the loader's folder ($OCL_ICD_VENDORS, else
 * /etc/OpenCL/vendors) and the libraries that its files name, which it loads:
 * for a process that only enumerates. */
void worker_hints_loader(struct worker_hints *hints);

#endif
