/* reference.c: see reference.h. */
#include "reference.h"

#include <stddef.h>
#include <string.h>

static const char *const kind_names[] = {
#define KIND_NAME(code, name) name,
	WORKER_REFERENCE_TABLE(KIND_NAME)
#undef KIND_NAME
};

const struct worker_reference *worker_reference_find(const char *name)
{
	for (size_t i = 0; worker_references[i] != NULL; i++) {
		if (strcmp(worker_references[i]->name, name) == 0)
			return worker_references[i];
	}
	return NULL;
}

const char *worker_reference_kind_name(enum worker_reference_kind kind)
{
	return kind_names[kind];
}
