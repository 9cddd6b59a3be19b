/* utf8.h: where a UTF-8 character ends.
 *
 * Strings from drivers, files and clients are bytes until they were looked at.
 *
 * Thread: no state. */
#ifndef MMT_UTF8_H
#define MMT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at text (NUL-terminated), 1 ... 4; 0 when it is no
 * valid UTF-8 (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF). */
size_t utf8_length(const char *text);

/* The same, the character's code point in *code. */
size_t utf8_decode(const char *text, uint32_t *code);

#endif
