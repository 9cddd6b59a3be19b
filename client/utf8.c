/* utf8.c: see utf8.h. */
#include "utf8.h"

size_t utf8_decode(const char *text, uint32_t *code)
{
	/* By length: the bits of the first byte that count, and the least value
	 * that needs so many bytes (RFC 3629, section 3). */
	static const uint32_t mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = bytes[0] < 0x80           ? 1
			: (bytes[0] >> 5) == 0x06 ? 2
			: (bytes[0] >> 4) == 0x0e ? 3
			: (bytes[0] >> 3) == 0x1e ? 4
						  : 0;
	uint32_t value = bytes[0] & mask[length];
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (bytes[i] & 0x3f);
	}
	if (length == 0 || value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code = value;
	return length;
}

size_t utf8_length(const char *text)
{
	uint32_t code;
	return utf8_decode(text, &code);
}
