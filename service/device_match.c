/* device_match.c: see device_match.h. Thread: pure functions. */
#include "device_match.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* "550.54", "v2.1", "15.0.6": a letter at most, digits, a point, a digit */
static bool is_version(const char *word)
{
	if (*word == 'v')
		word++;
	if (!isdigit((unsigned char)*word))
		return false;
	while (isdigit((unsigned char)*word))
		word++;
	return word[0] == '.' && isdigit((unsigned char)word[1]);
}

const char *device_plain_name(const char *name, char out[KERN_NAME_BYTES])
{
	size_t used = 0;
	bool word_starts = true;
	for (const char *at = name; *at != '\0' && used < KERN_NAME_BYTES - 1; at++) {
		if (strncasecmp(at, "(r)", 3) == 0 || strncasecmp(at, "(tm)", 4) == 0) {
			at = strchr(at, ')');
			continue;
		}
		if (*at == '(' || (word_starts && used > 0 && is_version(at)))
			break;
		word_starts = isspace((unsigned char)*at) || *at == '-';
		if (!isspace((unsigned char)*at))
			out[used++] = (char)tolower((unsigned char)*at);
		else if (used > 0 && out[used - 1] != ' ')
			out[used++] = ' ';
	}
	while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == '-'))
		used--;
	out[used] = '\0';
	return out;
}

static bool both_say(const char *a, const char *b)
{
	return a[0] != '\0' && b[0] != '\0';
}

/* Two UUIDs that differ are two cards; a CPU's is made up by its driver, and changes with it. */
static bool other_card(const struct kern_device *a, const struct kern_device *b)
{
	return a->type != KERN_CPU && both_say(a->uuid, b->uuid) && strcasecmp(a->uuid, b->uuid) != 0;
}

typedef bool same_fn(const struct kern_device *a, const struct kern_device *b);

static bool same_fingerprint(const struct kern_device *a, const struct kern_device *b)
{
	return strcmp(a->fingerprint, b->fingerprint) == 0;
}

static bool same_kind(const struct kern_device *a, const struct kern_device *b)
{
	return a->type == b->type && strcmp(a->platform_vendor, b->platform_vendor) == 0 &&
	       strcmp(a->vendor, b->vendor) == 0 && !other_card(a, b);
}

static bool same_place(const struct kern_device *a, const struct kern_device *b)
{
	bool uuid = both_say(a->uuid, b->uuid) && strcasecmp(a->uuid, b->uuid) == 0;
	bool pci = both_say(a->pci_address, b->pci_address) && strcmp(a->pci_address, b->pci_address) == 0;
	return same_kind(a, b) && (uuid || pci);
}

static bool same_name(const struct kern_device *a, const struct kern_device *b)
{
	char name_a[KERN_NAME_BYTES], name_b[KERN_NAME_BYTES];
	return same_kind(a, b) && a->ordinal == b->ordinal &&
	       strcmp(device_plain_name(a->name, name_a), device_plain_name(b->name, name_b)) == 0;
}

static bool is_claimed(const size_t *claims, size_t n_claims, size_t known)
{
	for (size_t i = 0; i < n_claims; i++)
		if (claims[i] == known)
			return true;
	return false;
}

void device_match(const struct kern_device *const *known, size_t n_known, const struct kern_device *reported,
		  size_t n_reported, size_t *out)
{
	static same_fn *const rules[] = {same_fingerprint, same_place, same_name};
	for (size_t r = 0; r < n_reported; r++)
		out[r] = DEVICE_NO_MATCH;
	for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
		for (size_t r = 0; r < n_reported; r++) {
			if (out[r] != DEVICE_NO_MATCH)
				continue;
			size_t found = DEVICE_NO_MATCH, count = 0;
			for (size_t k = 0; k < n_known; k++) {
				if (rules[rule](known[k], &reported[r]) && !is_claimed(out, n_reported, k)) {
					found = k;
					count++;
				}
			}
			if (count == 1)
				out[r] = found;
		}
	}
}
