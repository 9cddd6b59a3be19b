/* emit.h: the parser's other half: the program as it grows.
 *
 * A piece of program that has to run before one that was emitted earlier (the
 * condition of `x if c else y`, the list of a comprehension) is moved in front
 * of it: jumps are relative. An operator whose operands are all constants is
 * run at once and replaced by its result, unless that is an error: `False and
 * 1 / 0` is 0.
 *
 * Thread: belongs to one compilation. */
#ifndef MMT_EXPR_EMIT_H
#define MMT_EXPR_EMIT_H

#include "lex.h"
#include "program.h"

struct expr_parser {
	struct expr *expr;
	const char *const *names;
	size_t n_names;
	const struct expr_token *token; /* the next one */
	size_t capacity;                /* of the code */
	size_t constants_capacity;
	size_t barrier; /* a jump ends here: constants before it are no operands of what follows */
	unsigned nesting;
	const struct expr_token *locals[EXPR_LOCALS]; /* names of loop variables; NULL: not visible */
	size_t n_locals;
	size_t strings_used;
	size_t fold_work;
	struct mmt_error *error;
};

int expr_emit(struct expr_parser *parser, enum expr_operation operation, unsigned column, size_t which,
	      size_t argument);
int expr_emit_constant(struct expr_parser *parser, unsigned column, struct expr_cell cell);
/* An instruction that takes n_operands cells and gives one; runs it at once if it can. */
int expr_emit_operator(struct expr_parser *parser, enum expr_operation operation, unsigned column, size_t which,
		       size_t n_operands);
/* Lets the jump at position end here. */
void expr_emit_land(struct expr_parser *parser, size_t position);
/* Moves what was emitted since middle in front of what was emitted from start to middle. */
void expr_emit_swap(struct expr_parser *parser, size_t start, size_t middle);

#endif
