/* sha256.c: the vectors of FIPS 180-4's examples (csrc.nist.gov, "SHA256.pdf")
 * and NIST's CAVP short messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "sha256.h"

static void check(const char *message, const char *expected)
{
	char hex[KERN_SHA256_HEX_BYTES];
	kern_sha256_hex(message, strlen(message), hex);
	assert_string_equal(hex, expected);
}

static void one_block_and_two(void **state)
{
	(void)state;
	check("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void a_million_letters_in_uneven_pieces(void **state)
{
	(void)state;
	char piece[997], hex[KERN_SHA256_HEX_BYTES];
	struct kern_sha256 sha;
	memset(piece, 'a', sizeof(piece));
	kern_sha256_init(&sha);
	for (size_t left = 1000000; left > 0;) {
		size_t take = left < sizeof(piece) ? left : sizeof(piece);
		kern_sha256_update(&sha, piece, take);
		left -= take;
	}
	kern_sha256_finish_hex(&sha, hex);
	assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Where the padding just fits, and just does not. */
static void lengths_around_a_block(void **state)
{
	(void)state;
	static const struct {
		size_t length;
		const char *hex;
	} cases[] = {
		{55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
		{56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
		{64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
	};
	char text[65], hex[KERN_SHA256_HEX_BYTES];
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kern_sha256_hex(text, cases[i].length, hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_block_and_two),
		cmocka_unit_test(a_million_letters_in_uneven_pieces),
		cmocka_unit_test(lengths_around_a_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
