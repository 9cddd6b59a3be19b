/* text.c: see text.h. */
#include "text.h"

#include <stdio.h>
#include <string.h>

#include "utf8.h"

/* C0, DEL, and C1, which terminals obey too. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

char *kern_text_sanitise(char *out, size_t bytes, const char *raw, size_t raw_length)
{
	size_t used = 0;
	raw_length = strnlen(raw, raw_length);
	for (size_t at = 0; at < raw_length;) {
		char piece[8] = "";
		uint32_t code;
		memcpy(piece, raw + at, raw_length - at < 4 ? raw_length - at : 4);
		size_t length = utf8_decode(piece, &code);
		size_t piece_bytes = length;
		if (length == 0 || is_control(code)) {
			length = 1;
			piece_bytes = (size_t)snprintf(piece, sizeof(piece), "\\x%02X", (unsigned char)raw[at]);
		}
		if (used + piece_bytes >= bytes)
			break;
		memcpy(out + used, piece, piece_bytes);
		used += piece_bytes;
		at += length;
	}
	out[used] = '\0';
	return out;
}

bool kern_text_is_identifier(const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char digits[] = "0123456789";
	if (!*text || !strchr(letters, *text) || strlen(text) >= KERN_IDENTIFIER_BYTES)
		return false;
	for (const char *c = text; *c; c++)
		if (!strchr(letters, *c) && !strchr(digits, *c))
			return false;
	return true;
}

const char *kern_text_bytes(double count, char out[KERN_BYTES_TEXT])
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	double scaled = count / 1000;
	size_t unit = 0;
	while (scaled >= 999.95 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		scaled /= 1000;
		unit++;
	}
	if (count < 1000)
		snprintf(out, KERN_BYTES_TEXT, "%.0f bytes", count);
	else
		snprintf(out, KERN_BYTES_TEXT, "%.1f %s (%.0f bytes)", scaled, units[unit], count);
	return out;
}
