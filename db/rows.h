/* rows.h: copies one table row by row past what cannot be read.
 *
 * Thread: as db.h. */
#ifndef MMT_DB_ROWS_H
#define MMT_DB_ROWS_H

#include "statement.h"

/* Both have the table, with the same columns. What cannot be read or does not
 * fit is left out and counted; -1 only when `into` cannot be written. */
int db_rows_copy(struct db *from, struct db *into, const char *table, struct db_opened *counts,
		 struct mmt_error *error);

#endif
