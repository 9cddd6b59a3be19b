/* inspect.h: looks at what was opened, before anything is written to it.
 *
 * Thread: as db.h. */
#ifndef MMT_DB_INSPECT_H
#define MMT_DB_INSPECT_H

#include "statement.h"

enum db_found { DB_USABLE, DB_DAMAGED, DB_REFUSED }; /* refused: *error says why */

/* Whose it is, which version (*version; 0: empty), whether it is whole. After
 * anything but DB_USABLE, closing the connection leaves the file as it was. */
enum db_found db_inspect(struct db *db, int *version, struct mmt_error *error);

/* Whether a result code of SQLite's means a damaged file. */
bool db_code_is_damage(int code);

#endif
