/* text.h: small text helpers: driver strings made safe, names checked, byte
 * counts for people.
 *
 * Thread: no state. */
#ifndef MMT_KERNELS_TEXT_H
#define MMT_KERNELS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A driver's string as valid UTF-8: bytes that are not UTF-8 (RFC 3629) and
 * control characters become \xNN; the text ends at a NUL or after raw_length
 * bytes, and is cut between characters where out is full. bytes >= 1. Returns out. */
char *kern_text_sanitise(char *out, size_t bytes, const char *raw, size_t raw_length);

/* A C identifier of at most 63 characters (C11 5.2.4.1: what compilers must tell apart). */
#define KERN_IDENTIFIER_BYTES 64
bool kern_text_is_identifier(const char *text);

/* "25.8 GB (25769803776 bytes)"; under 1 kB "512 bytes". The double form is for
 * counts that may pass 2^64. Returns out. */
#define KERN_BYTES_TEXT 64
const char *kern_text_bytes(double count, char out[KERN_BYTES_TEXT]);

#endif
