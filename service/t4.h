/* t4.h: trials as the auto-tuning community's result format, T4, schema 1.0.0.
 *
 * A T4 document is {"schema_version":"1.0.0","results":[...]}; Kernel Tuner and
 * KTT write and read it (kernel_tuner/schema/T4/1.0.0/results-schema.json). A
 * result has the configuration, times in milliseconds, why it is invalid, and
 * named measurements. What T4 has no place for is one more object, `Mmtune`, as
 * in our T1 files: problem, variant with the hashes of its files, device, driver,
 * our outcome. The document has one too, with the properties of the devices.
 *
 * Thread: no state; used on the store's thread. */
#ifndef MMT_SERVICE_T4_H
#define MMT_SERVICE_T4_H

#include <jansson.h>

#include "db.h"

#define T4_SCHEMA_VERSION "1.0.0"

/* A new reference; NULL when memory ran out, or the trial is damaged. */
json_t *t4_result(const struct db_trial *trial);

/* The document around results (a new reference is taken). NULL: *error. */
json_t *t4_document(struct db *db, json_t *results, struct mmt_error *error);

#endif
