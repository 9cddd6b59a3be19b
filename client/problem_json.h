/* problem_json.h: a problem as JSON, on the wire, in the database, to workers.
 *
 * {"family":"matmul","m":1000,"n":1000,"k":1000,"trans":"nn","type":"f32"}
 * plus "accuracy" where it is not the default. The order of the keys is fixed.
 *
 * Thread: no state. */
#ifndef MMT_PROBLEM_JSON_H
#define MMT_PROBLEM_JSON_H

#include <jansson.h>

#include "mmtune/problem.h"

/* A new object (caller owns the reference), or NULL when memory ran out. */
json_t *problem_to_json(const struct mmt_problem *problem);

/* Reads a problem. Absent keys take the defaults of mmt_problem_init, an
 * absent n or k takes the value of m (in families other than matmul: 1), and
 * "order" stands for m = n = k.
 * Unknown keys are an error. MMT_INVALID_ARGUMENT names the key and value. */
int problem_from_json(const json_t *object, struct mmt_problem *out, struct mmt_error *error);

#endif
