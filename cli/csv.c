/* csv.c: see csv.h. */
#include "csv.h"

void cli_csv_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}
