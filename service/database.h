/* database.h: the service's database, from its opening to what befalls it while the service runs.
 *
 * Thread: the loop's; what takes time runs on the store's. */
#ifndef MMT_SERVICE_DATABASE_H
#define MMT_SERVICE_DATABASE_H

#include "service.h"

/* Makes the store. Where the database cannot be opened the service answers from a copy in memory, or from nothing
 * (service->in_memory, service->database_note say so). */
int svc_database_open(struct service *service, struct mmt_error *error);

/* In memory because the file was locked: whether it is not any more. */
bool svc_database_is_free(const struct service *service);

/* Looks whether the file is still there, and restores it where it was deleted. Now and then. */
void svc_database_keep(struct service *service);

#endif
