/* eval.c: runs programs; see program.h.
 *
 * Conditions are evaluated once for each node of a search space, so that the
 * case of two integers is done here, in the loop; the rest is called. */
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define STACK_CELLS 64 /* programs that need no more run without the heap */

int expr_fault(struct expr_machine *machine, const char *format, ...)
{
	if (machine->error == NULL)
		return -1; /* the caller only wants to know whether: save the printing */
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return mmt_error_set(machine->error, MMT_INVALID_ARGUMENT, 0, "column %u: %s", machine->column, text);
}

static bool integers_hold(enum expr_comparison which, int64_t a, int64_t b)
{
	switch (which) {
	case LESS:
		return a < b;
	case LESS_EQUAL:
		return a <= b;
	case EQUAL:
		return a == b;
	case NOT_EQUAL:
		return a != b;
	case GREATER_EQUAL:
		return a >= b;
	default:
		return a > b;
	}
}

static int compare(struct expr_machine *machine, enum expr_comparison which, const struct expr_cell *a,
		   const struct expr_cell *b, bool *out)
{
	if (a->kind == CELL_INT && b->kind == CELL_INT && which < IN) {
		*out = integers_hold(which, a->integer, b->integer);
		return 0;
	}
	return expr_compare(machine, which, a, b, out);
}

/* Integers that neither overflow nor divide by zero; false: not that case. */
static bool integer_binary(enum expr_operation operation, struct expr_cell *a, const struct expr_cell *b)
{
	if (a->kind != CELL_INT || b->kind != CELL_INT)
		return false;
	int64_t result, left = a->integer, right = b->integer;
	bool done;
	switch (operation) {
	case OP_ADD:
		done = !__builtin_add_overflow(left, right, &result);
		break;
	case OP_SUBTRACT:
		done = !__builtin_sub_overflow(left, right, &result);
		break;
	case OP_MULTIPLY:
		done = !__builtin_mul_overflow(left, right, &result);
		break;
	case OP_FLOOR_DIVIDE:
		done = left >= 0 && right > 0;
		result = done ? left / right : 0;
		break;
	case OP_MODULO:
		done = left >= 0 && right > 0;
		result = done ? left % right : 0;
		break;
	default:
		return false;
	}
	if (done)
		a->integer = result;
	return done;
}

static int size_at(struct expr_machine *machine, struct expr_cell *index)
{
	if (index->kind != CELL_INT)
		return expr_fault(machine, "an index must be an integer");
	uint64_t at = (uint64_t)index->integer + (index->integer < 0 ? machine->n_sizes : 0);
	if (at >= machine->n_sizes)
		return expr_fault(machine, "ProblemSize[%lld], and there are %zu sizes", (long long)index->integer,
				  machine->n_sizes);
	index->integer = machine->sizes[at];
	return 0;
}

/* top is the loop's index cell: below it the list, above it the result. */
static bool loop_next(struct expr_machine *machine, unsigned local, struct expr_cell *index)
{
	const struct expr_items *list = index[-1].list;
	if ((uint64_t)index->integer >= list->count)
		return false;
	machine->locals[local] = expr_list_get(list, (size_t)index->integer++);
	return true;
}

/* The instructions that are not worth a place in the loop below. top is the
 * first free cell; returns the new top, NULL on error. */
static struct expr_cell *run_rare(struct expr_machine *machine, const struct expr_instruction *at,
				  struct expr_cell *top)
{
	size_t count = (size_t)at->argument;
	machine->column = at->column;
	switch (at->operation) {
	case OP_SIZE_AT:
		return size_at(machine, top - 1) == 0 ? top : NULL;
	case OP_NEGATE:
	case OP_PLUS:
		return expr_unary(machine, at->operation, top - 1) == 0 ? top : NULL;
	case OP_LIST:
		return expr_list_make(machine, top - count, count, top - count) == 0 ? top - count + 1 : NULL;
	case OP_INDEX:
		return expr_list_index(machine, top - 2, top - 1, top - 2) == 0 ? top - 1 : NULL;
	case OP_CALL:
		if (expr_function_at(at->which)->call(machine, top - count, count, top - count) != 0)
			return NULL;
		return top - count + 1;
	case OP_LOOP_BEGIN:
		if (top[-1].kind != CELL_LIST) {
			expr_fault(machine, "'for' needs a list");
			return NULL;
		}
		top[0] = (struct expr_cell){.kind = CELL_INT};
		return expr_list_make(machine, NULL, 0, top + 1) == 0 ? top + 2 : NULL;
	case OP_LOOP_APPEND:
		return expr_list_append(machine, top - 2, top - 1) == 0 ? top - 1 : NULL;
	case OP_LOOP_END:
		top[-3] = top[-1];
		return top - 2;
	default: /* a binary operator */
		return expr_binary(machine, at->operation, top - 2, top - 1, top - 2) == 0 ? top - 1 : NULL;
	}
}

static void set_integer(struct expr_cell *cell, int64_t value)
{
	cell->kind = CELL_INT;
	cell->integer = value;
}

int expr_run(struct expr_machine *machine, const struct expr_instruction *code, size_t n_code, struct expr_cell *stack)
{
	struct expr_cell *top = stack; /* the first free cell */
	const struct expr_instruction *end = code + n_code;
	bool holds;
	for (const struct expr_instruction *at = code; at < end; at++) {
		switch (at->operation) {
		case OP_PUSH:
			*top++ = machine->constants[at->argument];
			continue;
		case OP_SLOT:
			top->kind = (int)machine->slots[at->argument].kind;
			(top++)->integer = machine->slots[at->argument].integer;
			continue;
		case OP_LOCAL:
			*top++ = machine->locals[at->argument];
			continue;
		case OP_SIZE:
			set_integer(top++, machine->sizes[at->argument]);
			continue;
		case OP_ADD:
		case OP_SUBTRACT:
		case OP_MULTIPLY:
		case OP_FLOOR_DIVIDE:
		case OP_MODULO:
			if (!integer_binary(at->operation, top - 2, top - 1))
				break;
			top--;
			continue;
		case OP_COMPARE:
		case OP_CHAIN:
			machine->column = at->column;
			if (compare(machine, at->which, top - 2, top - 1, &holds) != 0)
				return -1;
			top--;
			if (at->operation == OP_CHAIN && holds) {
				top[-1] = top[0];
				continue;
			}
			set_integer(top - 1, holds);
			if (at->operation == OP_CHAIN)
				at += at->argument;
			continue;
		case OP_NOT:
			set_integer(top - 1, !expr_truth(top - 1));
			continue;
		case OP_JUMP:
			at += at->argument;
			continue;
		case OP_JUMP_IF_FALSE:
			if (!expr_truth(--top))
				at += at->argument;
			continue;
		case OP_AND:
		case OP_OR:
			if (expr_truth(top - 1) == (at->operation == OP_OR))
				at += at->argument;
			else
				top--;
			continue;
		case OP_LOOP_NEXT:
			machine->column = at->column;
			if (expr_work(machine, 1) != 0)
				return -1;
			if (!loop_next(machine, at->which, top - 2))
				at += at->argument;
			continue;
		default:
			break;
		}
		top = run_rare(machine, at, top);
		if (top == NULL)
			return -1;
	}
	return 0;
}

int expr_run_all(struct expr_machine *machine, const struct expr *expr, struct expr_cell *out)
{
	struct expr_cell few[STACK_CELLS], *stack = few;
	if (expr->n_code + 1 > STACK_CELLS) {
		stack = malloc((expr->n_code + 1) * sizeof(*stack));
		if (stack == NULL)
			return mmt_error_set(machine->error, MMT_NO_MEMORY, 0, "out of memory for an expression");
	}
	machine->constants = expr->constants;
	machine->n_sizes = expr->n_sizes;
	int status = expr_run(machine, expr->code, expr->n_code, stack);
	if (status == 0)
		*out = stack[0];
	if (stack != few)
		free(stack);
	return status;
}
