/* embedded.h: files compiled into a program by cmake/Embed.cmake.
 *
 * Thread: constant data. */
#ifndef MMT_EMBEDDED_H
#define MMT_EMBEDDED_H

#include <stddef.h>

struct mmt_embedded {
	const char *path;    /* relative to the root given to mmt_embed; NULL ends a table */
	const char *content; /* NUL-terminated, the NUL not counted */
	size_t bytes;
};

#endif
