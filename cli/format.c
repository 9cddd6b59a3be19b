/* format.c: see format.h. */
#include "format.h"

#include <stdio.h>

/* The largest unit that keeps the amount at 1 or more; the first where none does. */
struct unit {
	const char *name;
	double size;
};

static const char *format_unit(char *out, double amount, const struct unit *units, size_t count)
{
	size_t unit = count - 1;
	while (unit > 0 && amount < units[unit].size)
		unit--;
	amount /= units[unit].size;
	int decimals = amount == (double)(int64_t)amount ? 0 : amount < 10 ? 2 : amount < 100 ? 1 : 0;
	snprintf(out, CLI_FORMAT_BYTES, "%.*f %s", decimals, amount, units[unit].name);
	return out;
}

const char *cli_format_time(char *out, double time_ns)
{
	static const struct unit units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	return format_unit(out, time_ns, units, sizeof units / sizeof units[0]);
}

const char *cli_format_bytes(char *out, double bytes)
{
	static const struct unit units[] = {
		{"B", 1}, {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}};
	return format_unit(out, bytes, units, sizeof units / sizeof units[0]);
}

const char *cli_format_amount(char *out, double amount)
{
	int decimals = amount < 1 ? 3 : amount < 10 ? 2 : amount < 1000 ? 1 : 0;
	snprintf(out, CLI_FORMAT_BYTES, "%.*f", decimals, amount);
	return out;
}

const char *cli_format_percent(char *out, double part, double all)
{
	out[0] = '\0';
	if (all > 0) {
		double percent = 100 * part / all;
		snprintf(out, CLI_FORMAT_BYTES, "%.*f %%", percent < 10 ? 1 : 0, percent);
	}
	return out;
}

const char *cli_format_seconds(char *out, double seconds)
{
	int64_t whole = seconds > 0 && seconds < 1e15 ? (int64_t)(seconds + 0.5) : 0;
	if (whole < 60)
		snprintf(out, CLI_FORMAT_BYTES, "%d s", (int)whole);
	else if (whole < 3600)
		snprintf(out, CLI_FORMAT_BYTES, "%d min %d s", (int)(whole / 60), (int)(whole % 60));
	else
		snprintf(out, CLI_FORMAT_BYTES, "%lld h %d min", (long long)(whole / 3600), (int)(whole / 60 % 60));
	return out;
}

const char *cli_format_sizes(char *out, const json_t *array, const char *separator)
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < json_array_size(array) && used < CLI_FORMAT_BYTES; i++) {
		long long size = json_integer_value(json_array_get(array, i));
		int wrote = snprintf(out + used, CLI_FORMAT_BYTES - used, "%s%lld", i > 0 ? separator : "", size);
		used += wrote > 0 ? (size_t)wrote : 0;
	}
	return out;
}
