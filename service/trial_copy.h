/* trial_copy.h: a trial's record, copied so that it outlives the call that lent it.
 *
 * Thread: pure functions. */
#ifndef MMT_SERVICE_TRIAL_COPY_H
#define MMT_SERVICE_TRIAL_COPY_H

#include "db.h"

/* Finish *out with db_trial_finish; -1: memory ran out, and *out needs no finish. */
int trial_copy(struct db_trial *out, const struct db_trial *trial);

#endif
