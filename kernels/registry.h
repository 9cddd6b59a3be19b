/* registry.h: all variants of all families: the built-in ones and the drop-ins.
 *
 * Thread: build it on one thread; read-only afterwards. */
#ifndef MMT_KERNELS_REGISTRY_H
#define MMT_KERNELS_REGISTRY_H

#include "family.h"
#include "variant.h"

struct kern_registry {
	struct kern_variant **variants; /* sorted by family, then name */
	size_t n_variants;
	char **warnings; /* one sentence for each drop-in file that was left out */
	size_t n_warnings;
};

/* Loads the built-in variants and, where drop_in_folder is not NULL, every
 * FAMILY/NAME.json or NAME.json below it. A bad drop-in is a warning, a bad
 * built-in an error. A drop-in may not take a built-in's name. */
int kern_registry_init(struct kern_registry *registry, const char *drop_in_folder, struct mmt_error *error);
void kern_registry_finish(struct kern_registry *registry);

/* NULL when there is none. */
const struct kern_variant *kern_registry_find(const struct kern_registry *registry, const char *family,
					      const char *name);

/* The families, sorted by name; NULL-terminated static table. */
const struct kern_family *const *kern_families(void);
const struct kern_family *kern_family_find(const char *name); /* NULL: none */
/* family->peak (family.h), false where the family has none. */
bool kern_family_peak(const struct kern_family *family, enum mmt_type type, uint64_t memory_bytes, const char **peak,
		      struct mmt_problem *out);

#endif
