/* program.h: a compiled expression, and the machine that runs it.
 *
 * lex.c turns the text into tokens, parse.c and emit.c make a flat program of
 * instructions for a stack of cells, eval.c runs it. arithmetic.c, functions.c
 * and list.c hold what the instructions mean where the two-integers case,
 * which eval.c does itself, does not apply.
 *
 * What always holds: jumps are relative, so that a piece of program that is
 * whole can be moved; a run never needs more cells than the program has
 * instructions, plus one; a list is immutable once it is on the stack, apart
 * from the one that a comprehension is filling.
 *
 * Thread: a program is read-only, a machine belongs to one evaluation. */
#ifndef MMT_EXPR_PROGRAM_H
#define MMT_EXPR_PROGRAM_H

#include "expr.h"

#define EXPR_LOCALS 8 /* loop variables of comprehensions inside each other */
/* List elements made or looked at in one evaluation: the bound of its time and memory */
#define EXPR_LIMIT_WORK ((size_t)1 << 20)

enum expr_cell_kind { CELL_INT = EXPR_INT, CELL_REAL = EXPR_REAL, CELL_STRING = EXPR_STRING, CELL_LIST };

struct expr_items;

struct expr_cell {
	int kind;
	union {
		int64_t integer;
		double real;
		const char *string;
		struct expr_items *list;
	};
};

/* A list, or a range whose elements are start + i * step */
struct expr_items {
	struct expr_items *next; /* all lists of one owner, to free them */
	size_t count, capacity;
	bool is_range;
	int64_t start, step;
	struct expr_cell cells[];
};

enum expr_operation {
	OP_PUSH,    /* constants[argument] */
	OP_SLOT,    /* slots[argument] */
	OP_LOCAL,   /* locals[argument] */
	OP_SIZE,    /* sizes[argument] */
	OP_SIZE_AT, /* index -> sizes[index] */
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_FLOOR_DIVIDE,
	OP_MODULO,
	OP_POWER,
	OP_NEGATE,
	OP_PLUS,
	OP_NOT,
	OP_COMPARE,       /* a b -> a which b */
	OP_CHAIN,         /* a b -> b, or 0 and a jump where a which b is false */
	OP_JUMP,          /* all jumps: by argument, from the next instruction */
	OP_JUMP_IF_FALSE, /* a -> */
	OP_AND,           /* a -> a and a jump where a is false, else -> */
	OP_OR,
	OP_LIST,        /* argument cells -> list */
	OP_INDEX,       /* list i -> list[i] */
	OP_CALL,        /* argument cells -> function `which` of them */
	OP_LOOP_BEGIN,  /* list -> list 0 [] */
	OP_LOOP_NEXT,   /* locals[which] = list[i++], or a jump at the end */
	OP_LOOP_APPEND, /* list i result x -> list i result+[x] */
	OP_LOOP_END     /* list i result -> result */
};

enum expr_comparison { LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER_EQUAL, GREATER, IN, NOT_IN };

struct expr_instruction {
	uint8_t operation; /* enum expr_operation */
	uint8_t which;
	uint16_t column; /* where in the text, for messages */
	int32_t argument;
};

struct expr {
	char *text, *strings; /* strings: the literals, each ended by NUL */
	struct expr_instruction *code;
	size_t n_code;
	struct expr_cell *constants;
	size_t n_constants;
	struct expr_items *lists; /* constant lists */
	uint64_t uses;
	bool uses_sizes;
	size_t n_sizes;
};

struct expr_machine {
	const struct expr_cell *constants;
	const struct expr_value *slots;
	const int64_t *sizes;
	size_t n_sizes;
	struct expr_cell locals[EXPR_LOCALS];
	struct expr_items *lists; /* made in this run */
	size_t work;              /* of EXPR_LIMIT_WORK */
	unsigned column;          /* of the instruction that may fail */
	struct mmt_error *error;
};

struct expr_function {
	const char *name;
	size_t min_arguments, max_arguments;
	int (*call)(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out);
};

/* parse.c: fills *expr (zeroed, text and n_sizes set). */
int expr_compile(struct expr *expr, const char *const *names, size_t n_names, struct mmt_error *error);

/* eval.c: runs code; the result is stack[0]. */
int expr_run(struct expr_machine *machine, const struct expr_instruction *code, size_t n_code, struct expr_cell *stack);
/* Runs a whole expression; *out may be a list of machine->lists. */
int expr_run_all(struct expr_machine *machine, const struct expr *expr, struct expr_cell *out);
/* Reports "column N: ..." with machine->column; returns -1. */
int expr_fault(struct expr_machine *machine, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* arithmetic.c: for cells of any kind. */
int expr_binary(struct expr_machine *machine, enum expr_operation operation, const struct expr_cell *a,
		const struct expr_cell *b, struct expr_cell *out);
int expr_unary(struct expr_machine *machine, enum expr_operation operation, struct expr_cell *cell);
int expr_compare(struct expr_machine *machine, enum expr_comparison which, const struct expr_cell *a,
		 const struct expr_cell *b, bool *out);
bool expr_truth(const struct expr_cell *cell);

/* functions.c: NULL: no such function. */
const struct expr_function *expr_function_find(const char *name, size_t length);
const struct expr_function *expr_function_at(size_t index);
size_t expr_function_index(const struct expr_function *function);

/* list.c: lists belong to the machine (machine->lists). */
int expr_list_make(struct expr_machine *machine, const struct expr_cell *cells, size_t count, struct expr_cell *out);
int expr_list_range(struct expr_machine *machine, int64_t start, int64_t stop, int64_t step, struct expr_cell *out);
int expr_list_append(struct expr_machine *machine, struct expr_cell *list, const struct expr_cell *cell);
int expr_list_concatenate(struct expr_machine *machine, const struct expr_items *a, const struct expr_items *b,
			  struct expr_cell *out);
int expr_list_index(struct expr_machine *machine, const struct expr_cell *list, const struct expr_cell *index,
		    struct expr_cell *out);
struct expr_cell expr_list_get(const struct expr_items *list, size_t index);
int expr_list_contains(struct expr_machine *machine, const struct expr_items *list, const struct expr_cell *cell,
		       bool *out);
int expr_list_equal(struct expr_machine *machine, const struct expr_items *a, const struct expr_items *b, bool *out);
int expr_work(struct expr_machine *machine, size_t elements); /* -1: EXPR_LIMIT_WORK is reached */
void expr_lists_free(struct expr_items *lists);

#endif
