/* text.c: see text.h. */
#include "text.h"

#include <stdio.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at text (RFC 3629, section 4), 0: none. */
static size_t utf8_length(const unsigned char *text, size_t left)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high;
		size_t length;
	} forms[] = {
		{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].first_low || text[0] > forms[i].first_high)
			continue;
		if (forms[i].length > left)
			return 0;
		if (forms[i].length > 1 && (text[1] < forms[i].second_low || text[1] > forms[i].second_high))
			return 0;
		for (size_t j = 2; j < forms[i].length; j++)
			if ((text[j] & 0xc0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

/* C0, DEL, and C1 (U+0080 ... U+009F, which terminals obey too). */
static bool is_control(const unsigned char *text, size_t length)
{
	return (length == 1 && (text[0] < 0x20 || text[0] == 0x7f)) ||
	       (length == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}

char *kern_text_sanitise(char *out, size_t bytes, const char *raw, size_t raw_length)
{
	const unsigned char *text = (const unsigned char *)raw;
	size_t used = 0;
	raw_length = strnlen(raw, raw_length);
	for (size_t at = 0; at < raw_length;) {
		size_t length = utf8_length(text + at, raw_length - at);
		char piece[8];
		size_t piece_bytes = length;
		if (length == 0 || is_control(text + at, length)) {
			length = 1;
			piece_bytes = (size_t)snprintf(piece, sizeof(piece), "\\x%02X", text[at]);
		} else {
			memcpy(piece, text + at, length);
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
