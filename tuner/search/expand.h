/* expand.h: walks a space's conditions; see space.h.
 *
 * Thread: pure. */
#ifndef MMT_SEARCH_EXPAND_H
#define MMT_SEARCH_EXPAND_H

#include "space.h"

/* Fills *rows (caller frees; n_parameters value indices a row) with the valid
 * configurations in no particular order. The spec has been checked. */
int search_expand(const struct search_space_spec *spec, uint16_t **rows, size_t *n_rows, struct mmt_error *error);

#endif
