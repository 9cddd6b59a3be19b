/* fields.h: reading a reply without minding what a service of another version
 * leaves out: an absent field reads as empty.
 *
 * Thread: no state. */
#ifndef MMT_CLI_FIELDS_H
#define MMT_CLI_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "mmtune/error.h"

const char *cli_field_text(const json_t *object, const char *key); /* "" when it is no string */
double cli_field_number(const json_t *object, const char *key);    /* 0 when it is no number */
int64_t cli_field_integer(const json_t *object, const char *key);  /* 0 when it is no integer */
bool cli_field_true(const json_t *object, const char *key);

/* "matmul 1000x1000x1000 nn f32" of a problem object. out has MMT_MESSAGE_BYTES. */
const char *cli_field_problem(const json_t *object, const char *key, char *out);
/* {"MWG":64,"KWG":8} as "MWG=64 KWG=8"; out is cut at bytes. */
const char *cli_field_parameters(const json_t *object, const char *key, char *out, size_t bytes);
/* A scalar as text: strings bare, the rest as JSON. */
const char *cli_scalar_text(const json_t *value, char *out, size_t bytes);

#endif
