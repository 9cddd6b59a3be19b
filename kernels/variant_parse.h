/* variant_parse.h: reading a variant's JSON: what its two halves share.
 *
 * variant.c owns the variant and calls, in this order, kern_parse_t1
 * (variant_t1.c: the parts that other tuners read too) and kern_parse_mmtune
 * (variant_mmtune.c: our object). Whatever fails leaves the variant as far as
 * it got; variant.c destroys it. Internal to the kernels library.
 *
 * Thread: no state. */
#ifndef MMT_KERNELS_VARIANT_PARSE_H
#define MMT_KERNELS_VARIANT_PARSE_H

#include "scope.h"
#include "variant.h"

struct kern_parse {
	const char *file;
	struct kern_variant *variant;
	const char *names[EXPR_LIMIT_NAMES]; /* as scope.h orders them */
	bool global_is_groups;               /* the specification's GlobalSizeType */
	struct mmt_error *error;
};

enum kern_parse_scope { KERN_PARSE_T1, KERN_PARSE_MMTUNE };

#define KERN_PLACE_BYTES 128 /* "Mmtune.Steps[1].GlobalSize.X" */

/* MMT_INVALID_ARGUMENT "FILE: PLACE: message"; returns -1. */
int kern_parse_fail(struct kern_parse *parse, const char *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int kern_parse_no_memory(struct kern_parse *parse);

/* A copy of a string of at most limit bytes; *out stays NULL where value is NULL. */
int kern_parse_text(struct kern_parse *parse, const json_t *value, const char *place, size_t limit, char **out);
/* The same, and it is there and a C identifier. */
int kern_parse_identifier(struct kern_parse *parse, const json_t *value, const char *place, char **out);
/* A string or a whole number, compiled; *out stays NULL where value is NULL. */
int kern_parse_expr(struct kern_parse *parse, const json_t *value, const char *place, enum kern_parse_scope scope,
		    struct expr **out);

/* GlobalSize and LocalSize of an object (KernelSpecification or a step) into step. */
int kern_parse_sizes(struct kern_parse *parse, const json_t *object, const char *place, enum kern_parse_scope scope,
		     struct kern_step *step);
/* One name into step->arguments. */
int kern_parse_argument(struct kern_parse *parse, const json_t *name, const char *place, struct kern_step *step);

/* The index of a value among those of a parameter. */
int kern_parse_default(struct kern_parse *parse, const json_t *value, const char *place,
		       const struct kern_parameter *parameter, size_t *out);

int kern_parse_t1(struct kern_parse *parse, const json_t *root);
/* The one step that KernelSpecification describes. */
int kern_parse_t1_step(struct kern_parse *parse, const json_t *specification, struct kern_step *step);
int kern_parse_mmtune(struct kern_parse *parse, const json_t *root);
/* An object, and no key but these. */
int kern_parse_only_keys(struct kern_parse *parse, const json_t *object, const char *place, const char *const *known);
/* Defaults of the Mmtune object (variant_defaults.c). */
int kern_parse_defaults(struct kern_parse *parse, const json_t *object);
/* Rung and Textbook of the Mmtune object (variant_textbook.c). */
int kern_parse_textbook(struct kern_parse *parse, const json_t *mmtune);

#endif
