/* strategy.h: whether there is a search strategy of a name, wherever one is given: by the configuration, by a client.
 *
 * Thread: no state. */
#ifndef MMT_SERVICE_STRATEGY_H
#define MMT_SERVICE_STRATEGY_H

#include "mmtune/error.h"

/* MMT_INVALID_ARGUMENT names those there are. */
int svc_strategy_check(const char *name, struct mmt_error *error);

#endif
