/* demand.h: which problems clients ask for that are not tuned, and how often.
 *
 * The most asked is tuned first. A bounded list: where it is full, the least
 * asked gives way (of those the one that was asked longest ago), so that a
 * client that walks through all sizes does not push out what is asked again and
 * again. Written to the database some seconds after a change: a kill loses the
 * last few asks and nothing else.
 *
 * Thread: the loop's. */
#ifndef MMT_SERVICE_DEMAND_H
#define MMT_SERVICE_DEMAND_H

#include "mmtune/problem.h"
#include "service.h"

#define SVC_DEMAND_LIMIT 1024 /* problems; some 150 bytes each */

struct svc_demand *svc_demand_create(struct service *service, struct mmt_error *error); /* loads what was asked */
void svc_demand_flush(struct svc_demand *demand); /* posts what is not written yet; NULL is allowed */
void svc_demand_destroy(struct svc_demand *demand);

/* Counts one; returns how often it was asked by now. */
int64_t svc_demand_ask(struct svc_demand *demand, int64_t device_id, const struct mmt_problem *problem);
int64_t svc_demand_asks(const struct svc_demand *demand, int64_t device_id, const struct mmt_problem *problem);
/* It is tuned, or cannot be. */
void svc_demand_forget(struct svc_demand *demand, int64_t device_id, const struct mmt_problem *problem);

/* The most asked of those that the caller takes; false: none. */
typedef bool svc_demand_takes(void *context, int64_t device_id, const struct mmt_problem *problem);
bool svc_demand_most_asked(const struct svc_demand *demand, svc_demand_takes *takes, void *context, int64_t *device_id,
			   struct mmt_problem *problem);
size_t svc_demand_count(const struct svc_demand *demand);

#endif
