/* anchor.h: the best plan so far, kept ready to run beside the candidates (pace.h).
 *
 * It is built again only when another plan takes its place. It was verified
 * when it was a candidate itself; a failure here is nobody's, and leaves no anchor.
 *
 * Thread: belongs to its session's. */
#ifndef MMT_WORKER_ANCHOR_H
#define MMT_WORKER_ANCHOR_H

#include "run.h"

struct worker_anchor {
	json_t *description; /* the plan as the service sent it; NULL: there is none */
	struct kern_plan plan;
	struct worker_run run;
};

/* Makes the plan (NULL: none) the anchor and runs it once. The operands must have been filled, those that
 * the anchor before had must still be there. Returns whether there is one now. */
bool worker_anchor_select(struct worker_anchor *anchor, struct worker_session *session,
			  struct worker_programs *programs, const struct worker_operands *operands,
			  const json_t *description);
void worker_anchor_finish(struct worker_anchor *anchor); /* it may be used again */

#endif
