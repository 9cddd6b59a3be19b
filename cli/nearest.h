/* nearest.h: which known name did a mistyped one mean?
 *
 * Thread: one object belongs to one thread. */
#ifndef MMT_CLI_NEAREST_H
#define MMT_CLI_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *typed;
	const char *best;
	size_t distance;
};

void nearest_init(struct nearest *nearest, const char *typed); /* borrowed, as are the names offered */
void nearest_offer(struct nearest *nearest, const char *name);
/* The nearest name offered; NULL when none is near enough to be meant. */
const char *nearest_found(const struct nearest *nearest);

#endif
