/* fields.h: plain structs as JSON objects, by a table of their members.
 *
 * A device and a result each have some twenty members that go over the pipe
 * and into the database under their own names; a table keeps the two
 * directions from drifting apart.
 *
 * Thread: no state. */
#ifndef MMT_KERNELS_FIELDS_H
#define MMT_KERNELS_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "mmtune/error.h"

enum kern_field_kind {
	KERN_FIELD_TEXT, /* char[bytes]; a longer text is an error */
	KERN_FIELD_UINT, /* uint32_t or uint64_t, by its bytes */
	KERN_FIELD_BOOL,
	KERN_FIELD_REAL /* double, finite and >= 0; what is not finite is written as null, which is refused */
};

struct kern_field {
	const char *name;
	enum kern_field_kind kind;
	size_t offset, bytes;
	bool required;
};

#define KERN_FIELD(type, member, kind, required)                                                           \
	{                                                                                                  \
#member, kind, offsetof(struct type, member), sizeof(((struct type *)0)->member), required \
	}

/* Adds each field to object. -1: memory. */
int kern_fields_to_json(const struct kern_field *fields, size_t count, const void *record, json_t *object);

/* Reads each field; one that is absent and not required is left as it is.
 * MMT_PROTOCOL names the field. Keys that the table lacks are ignored. */
int kern_fields_from_json(const struct kern_field *fields, size_t count, const json_t *object, void *record,
			  struct mmt_error *error);

#endif
