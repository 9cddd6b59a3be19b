/* format.h: numbers for people, with units.
 *
 * Each function writes to out (CLI_FORMAT_BYTES) and returns it, so that it
 * can stand in an argument list.
 *
 * Thread: no state. */
#ifndef MMT_CLI_FORMAT_H
#define MMT_CLI_FORMAT_H

#include <jansson.h>
#include <stdint.h>

#define CLI_FORMAT_BYTES 64

const char *cli_format_time(char *out, double time_ns);             /* "71.2 us", "1.53 ms" */
const char *cli_format_bytes(char *out, double bytes);              /* "8 KiB", "31.2 GiB" */
const char *cli_format_amount(char *out, double amount);            /* three or more digits: "0.271", "28.4", "27989" */
const char *cli_format_percent(char *out, double part, double all); /* "53 %"; "" where all is 0 */
const char *cli_format_seconds(char *out, double seconds);          /* "8 s", "2 min 5 s", "1 h 3 min" */
/* [1024,1024] as "1024x1024", or with another separator. */
const char *cli_format_sizes(char *out, const json_t *array, const char *separator);

#endif
