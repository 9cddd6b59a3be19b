/* csv.h: comma-separated values (RFC 4180).
 *
 * Thread: no state. */
#ifndef MMT_CLI_CSV_H
#define MMT_CLI_CSV_H

#include <stdio.h>

/* A field in quotes, quotes in it doubled. */
void cli_csv_quoted(FILE *out, const char *text);

#endif
