/* sha256.c: SHA-256 as FIPS 180-4 writes it, section 6.2. Names in the rounds
 * (a ... h, w) are the standard's. */
#include "sha256.h"

#include <string.h>

/* FIPS 180-4, 4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static void expand(const uint8_t block[64], uint32_t w[64])
{
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
		uint32_t s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
}

static void compress(uint32_t state[8], const uint8_t block[64])
{
	uint32_t w[64];
	expand(block, w);
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	for (size_t i = 0; i < 64; i++) {
		uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
		uint32_t choice = (e & f) ^ (~e & g);
		uint32_t t1 = h + sum1 + choice + round_constants[i] + w[i];
		uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
		uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + sum0 + majority;
	}
	const uint32_t rounds[8] = {a, b, c, d, e, f, g, h};
	for (size_t i = 0; i < 8; i++)
		state[i] += rounds[i];
}

void kern_sha256_init(struct kern_sha256 *sha)
{
	/* FIPS 180-4, 5.3.3 */
	static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	memcpy(sha->state, initial, sizeof(initial));
	sha->bytes = 0;
}

void kern_sha256_update(struct kern_sha256 *sha, const void *data, size_t bytes)
{
	const uint8_t *next = data;
	while (bytes > 0) {
		size_t used = sha->bytes % 64;
		size_t take = bytes < 64 - used ? bytes : 64 - used;
		memcpy(sha->block + used, next, take);
		sha->bytes += take;
		next += take;
		bytes -= take;
		if (used + take == 64)
			compress(sha->state, sha->block);
	}
}

void kern_sha256_finish_hex(struct kern_sha256 *sha, char out[KERN_SHA256_HEX_BYTES])
{
	static const uint8_t padding[64] = {0x80};
	static const char digits[] = "0123456789abcdef";
	uint64_t bits = sha->bytes * 8;
	uint8_t length[8];
	for (size_t i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	size_t used = sha->bytes % 64;
	kern_sha256_update(sha, padding, used < 56 ? 56 - used : 120 - used);
	kern_sha256_update(sha, length, sizeof(length));
	for (size_t i = 0; i < 32; i++) {
		uint8_t byte = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
		out[2 * i] = digits[byte >> 4];
		out[2 * i + 1] = digits[byte & 15];
	}
	out[64] = '\0';
}

void kern_sha256_hex(const void *data, size_t bytes, char out[KERN_SHA256_HEX_BYTES])
{
	struct kern_sha256 sha;
	kern_sha256_init(&sha);
	kern_sha256_update(&sha, data, bytes);
	kern_sha256_finish_hex(&sha, out);
}
