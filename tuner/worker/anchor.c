/* anchor.c: see anchor.h. */
#include "anchor.h"

#include <string.h>

/* The first run compiles with some drivers. */
static int prepare(struct worker_anchor *anchor, struct worker_session *session, struct worker_programs *programs,
		   const struct worker_operands *operands)
{
	struct worker_timing timing = {0};
	struct mmt_error error = {0};

	if (worker_run_build(&anchor->run, session, programs, &anchor->plan, &error) != 0 ||
	    worker_run_bind(&anchor->run, session, operands, &error) != 0 ||
	    worker_run_set_scalars(&anchor->run, session, operands, KERN_CHECK_PLAIN, &error) != 0)
		return -1;
	return worker_run_time(&anchor->run, session, 1, &timing, &error);
}

bool worker_anchor_select(struct worker_anchor *anchor, struct worker_session *session,
			  struct worker_programs *programs, const struct worker_operands *operands,
			  const json_t *description)
{
	if (description != NULL && json_equal(description, anchor->description))
		return true;
	worker_anchor_finish(anchor);
	if (description == NULL || kern_plan_from_json(description, &anchor->plan, NULL) != 0)
		return false;
	anchor->description = json_incref((json_t *)(uintptr_t)description);
	if (prepare(anchor, session, programs, operands) == 0)
		return true;
	if (!session->lost)
		worker_anchor_finish(anchor);
	return false;
}

void worker_anchor_finish(struct worker_anchor *anchor)
{
	if (anchor->description == NULL)
		return;
	worker_run_finish(&anchor->run);
	kern_plan_finish(&anchor->plan);
	json_decref(anchor->description);
	memset(anchor, 0, sizeof *anchor);
}
