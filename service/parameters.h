/* parameters.h: the parameters of a call, taken out by a table.
 *
 *	const char *device = NULL;
 *	const struct svc_parameter table[] = {
 *		{"device", SVC_STRING, SVC_REQUIRED, &device},
 *		{0},
 *	};
 *	svc_parameters_read(parameters, table, SVC_NO_PROBLEM, &error)
 *
 * A key that is not in the table is an error, so is a value of another type.
 * null stands for an absent value, as in Varlink's optional types. All errors
 * are MMT_INVALID_ARGUMENT and name the key and the value.
 *
 * Thread: no state. */
#ifndef MMT_SERVICE_PARAMETERS_H
#define MMT_SERVICE_PARAMETERS_H

#include <jansson.h>
#include <stdbool.h>

#include "mmtune/problem.h"

enum svc_parameter_kind {
	SVC_STRING,  /* const char *, borrowed from the parameters */
	SVC_INTEGER, /* int64_t, 0 or more */
	SVC_REAL,    /* double, 0 or more, finite; an integer will do */
	SVC_BOOLEAN  /* bool */
};

enum svc_parameter_need { SVC_OPTIONAL, SVC_REQUIRED };

struct svc_parameter {
	const char *name; /* NULL ends the table */
	enum svc_parameter_kind kind;
	enum svc_parameter_need need;
	void *out; /* left alone when the parameter is absent */
};

/* Whether the keys of a problem (order m n k trans type accuracy family) are allowed beside the table's. */
enum svc_problem_keys { SVC_NO_PROBLEM, SVC_WITH_PROBLEM };

int svc_parameters_read(const json_t *parameters, const struct svc_parameter *table, enum svc_problem_keys keys,
			struct mmt_error *error);

/* The problem within the parameters, checked by its family; a shape must be given. */
int svc_parameters_problem(const json_t *parameters, struct mmt_problem *out, struct mmt_error *error);

/* A problem with parts left open, for looking through records. */
struct svc_problem_filter {
	struct mmt_problem problem;
	bool family, shape, trans, type, accuracy; /* which parts were given */
};
int svc_parameters_filter(const json_t *parameters, struct svc_problem_filter *out, struct mmt_error *error);
bool svc_problem_filter_matches(const struct svc_problem_filter *filter, const struct mmt_problem *problem);

/* MMT_INVALID_ARGUMENT, listing the families, where there is none of that name. */
struct kern_family;
const struct kern_family *svc_find_family(const char *name, struct mmt_error *error);

#endif
