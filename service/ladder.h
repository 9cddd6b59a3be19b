/* ladder.h: every variant of a family at one problem, side by side with what it is held against.
 *
 *	tuning --jobs queued--> waiting --its turn--> loading --spaces known, worker ready--> measuring
 *	measuring --all rows stored--> ending --worker gone--> ended (terminal)
 *		any --client gone, service ends, failure--> ending
 *
 * Rows: first the references that the worker brings (trial.h), then the
 * family's variants in the order of the teaching ladder, each at its best known
 * configuration, else at its default, and at the points that its textbook list
 * names. A variant's row is an ordinary trial and is stored as one, so that the
 * search need not measure it again; nothing is promoted.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_LADDER_H
#define MMT_SERVICE_LADDER_H

#include "devices.h"
#include "server.h"

struct svc_ladder_request {
	struct svc_device *device;
	struct mmt_problem problem;
	const char *variant; /* only this one; NULL: all. Borrowed for the call only */
	double budget_s;     /* of tuning, for each variant that was not tuned for the problem yet; 0: none */
};

/* Answers the call, with one reply a row before the last where it takes more. */
void svc_ladder_start(struct svc_call *call, const struct svc_ladder_request *request);

#endif
