/* records.h: database records as the JSON that clients get.
 *
 * Thread: no state; used on the store's thread. */
#ifndef MMT_SERVICE_RECORDS_H
#define MMT_SERVICE_RECORDS_H

#include <jansson.h>

#include "db.h"

/* Each returns a new object, or NULL when memory ran out. */
json_t *svc_trial_to_json(const struct db_trial *trial);
/* As svc_job_progress gives an unfinished one, with created_at, started_at, finished_at. */
json_t *svc_job_to_json(const struct db_job *job);
/* "2026-11-29T20:00:00Z"; null for 0. */
json_t *svc_time_to_json(int64_t unix_s);

#endif
