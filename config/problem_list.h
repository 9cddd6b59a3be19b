/* problem_list.h: a list of problems as one line of the configuration.
 *
 *	item, item ...		item: [DEVICE:]SIZE[/TYPE][/TRANS]
 *
 * SIZE is an order or MxNxK. Without a DEVICE (a name as gpu0) it is for all of
 * them, without TYPE f32, without TRANS nn. Commas, blanks or both separate.
 *
 * Thread: no state. */
#ifndef MMT_CONFIG_PROBLEM_LIST_H
#define MMT_CONFIG_PROBLEM_LIST_H

#include "mmtune/problem.h"

#define CONFIG_DEVICE_BYTES 64

struct config_problem {
	char device[CONFIG_DEVICE_BYTES]; /* "": every device */
	struct mmt_problem problem;       /* of the family matmul */
};

/* *out: *count entries, caller frees; an empty list is none. MMT_INVALID_ARGUMENT names the item. */
int config_problems_parse(const char *text, struct config_problem **out, size_t *count, struct mmt_error *error);

#endif
