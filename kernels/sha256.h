/* sha256.h: SHA-256 (FIPS 180-4), for fingerprints and for the hashes that
 * tell whether a record still belongs to the source it was measured with.
 *
 * Thread: one struct belongs to one thread; the functions have no state. */
#ifndef MMT_KERNELS_SHA256_H
#define MMT_KERNELS_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define KERN_SHA256_HEX_BYTES 65 /* 64 lower-case digits and the NUL */

struct kern_sha256 {
	uint32_t state[8];
	uint64_t bytes; /* hashed so far */
	uint8_t block[64];
};

void kern_sha256_init(struct kern_sha256 *sha);
void kern_sha256_update(struct kern_sha256 *sha, const void *data, size_t bytes);
/* Ends the message; the struct must be initialised again before its next use. */
void kern_sha256_finish_hex(struct kern_sha256 *sha, char out[KERN_SHA256_HEX_BYTES]);

/* The three in one. */
void kern_sha256_hex(const void *data, size_t bytes, char out[KERN_SHA256_HEX_BYTES]);

#endif
