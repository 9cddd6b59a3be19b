/* expr.h: the expressions in which kernels are described.
 *
 * T1's Python subset over integers and reals: + - * / // % **, comparisons
 * (chained), and or not, x if c else y, min max abs ceil floor round int float len sum,
 * `in`, list literals, tuples (taken as lists), range(), list(), list + list, list[i],
 * [f(i) for i in list if c], ProblemSize[i], parameter names. Python's meaning throughout
 * (but max(x) of a single number is x: T1 files write that of a parameter):
 * / is real division, // and % round towards minus infinity, `and`/`or` give
 * one of their operands. An expression is parsed once into a flat program
 * and evaluated on a stack; nothing is ever handed to an interpreter.
 *
 * Caps, each with a located error: EXPR_LIMIT_*. Integer overflow and division
 * by zero are errors, not wraps.
 *
 * This is a leaf library: the search prunes with it and kernels size their
 * launches with it, and neither may see the other.
 *
 * Thread: a compiled expression is read-only; evaluate from any thread. */
#ifndef MMT_EXPR_H
#define MMT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mmtune/error.h"

#define EXPR_LIMIT_TEXT_BYTES 4096
#define EXPR_LIMIT_NESTING    64
#define EXPR_LIMIT_LIST       65536
#define EXPR_LIMIT_NAMES      64 /* parameters: one bit each in expr_uses() */

enum expr_kind { EXPR_INT, EXPR_REAL, EXPR_STRING };

struct expr_value {
	enum expr_kind kind;
	union {
		int64_t integer;
		double real;
		const char *string; /* borrowed: lives as long as its owner says */
	};
};

struct expr;

/* Compiles text; names[i] is what slot i is called. n_sizes is how many
 * ProblemSize entries there are (an index beyond is an error here). On failure
 * NULL with MMT_INVALID_ARGUMENT: "column 12: unknown name 'MWGG'". */
struct expr *expr_create(const char *text, const char *const *names, size_t n_names, size_t n_sizes,
			 struct mmt_error *error);
void expr_destroy(struct expr *expr); /* NULL is allowed */

/* Bit i is set when slot i is read. Whether ProblemSize is read. */
uint64_t expr_uses(const struct expr *expr);
bool expr_uses_sizes(const struct expr *expr);
const char *expr_text(const struct expr *expr);

/* Evaluates with slots[n_names] and sizes[n_sizes]. A truth value is the
 * integer 0 or 1. MMT_INVALID_ARGUMENT on overflow, division by zero, a list
 * or a string where a number is needed. Strings in *out are borrowed from expr
 * or slots. */
int expr_eval(const struct expr *expr, const struct expr_value *slots, const int64_t *sizes, struct expr_value *out,
	      struct mmt_error *error);

/* The same, and the result must be a whole number (4.0 counts). */
int expr_eval_integer(const struct expr *expr, const struct expr_value *slots, const int64_t *sizes, int64_t *out,
		      struct mmt_error *error);
/* The same, as Python's truth. */
int expr_eval_truth(const struct expr *expr, const struct expr_value *slots, const int64_t *sizes, bool *out,
		    struct mmt_error *error);

/* Evaluates a constant list such as "[1, 2, 4]", "range(1, 9)",
 * "[2, 4] + [16.5]", "['a', 'b']". *out (caller frees with expr_list_free)
 * gets *count values. */
int expr_list(const char *text, struct expr_value **out, size_t *count, struct mmt_error *error);
void expr_list_free(struct expr_value *values, size_t count);

/* Writes a value as a C token: 64, 0.5, text. Returns out. */
const char *expr_value_text(const struct expr_value *value, char *out, size_t bytes);
bool expr_value_equal(const struct expr_value *a, const struct expr_value *b);

#endif
