/* emit.c: see emit.h. */
#include "emit.h"

#include <stdlib.h>

static int grow(struct expr_parser *parser, void **array, size_t count, size_t *capacity, size_t element_bytes)
{
	if (count < *capacity)
		return 0;
	size_t larger = *capacity == 0 ? 16 : 2 * *capacity;
	void *moved = realloc(*array, larger * element_bytes);
	if (moved == NULL)
		return mmt_error_set(parser->error, MMT_NO_MEMORY, 0, "out of memory for an expression");
	*array = moved;
	*capacity = larger;
	return 0;
}

int expr_emit(struct expr_parser *parser, enum expr_operation operation, unsigned column, size_t which, size_t argument)
{
	struct expr *expr = parser->expr;
	void *code = expr->code;
	if (grow(parser, &code, expr->n_code, &parser->capacity, sizeof(expr->code[0])) != 0)
		return -1;
	expr->code = code;
	expr->code[expr->n_code++] = (struct expr_instruction){
		.operation = (uint8_t)operation,
		.which = (uint8_t)which,
		.column = (uint16_t)column,
		.argument = (int32_t)argument,
	};
	return 0;
}

int expr_emit_constant(struct expr_parser *parser, unsigned column, struct expr_cell cell)
{
	struct expr *expr = parser->expr;
	void *constants = expr->constants;
	if (grow(parser, &constants, expr->n_constants, &parser->constants_capacity, sizeof(cell)) != 0)
		return -1;
	expr->constants = constants;
	expr->constants[expr->n_constants++] = cell;
	return expr_emit(parser, OP_PUSH, column, 0, expr->n_constants - 1);
}

void expr_emit_land(struct expr_parser *parser, size_t position)
{
	parser->expr->code[position].argument = (int32_t)(parser->expr->n_code - position - 1);
	parser->barrier = parser->expr->n_code;
}

static void reverse(struct expr_instruction *first, struct expr_instruction *last)
{
	while (first < last) {
		struct expr_instruction moved = *first;
		*first++ = *--last;
		*last = moved;
	}
}

void expr_emit_swap(struct expr_parser *parser, size_t start, size_t middle)
{
	struct expr_instruction *code = parser->expr->code, *end = code + parser->expr->n_code;
	reverse(code + start, code + middle);
	reverse(code + middle, end);
	reverse(code + start, end);
	parser->barrier = parser->expr->n_code;
}

/* Replaces the last instruction by its result if its operands are the
 * constants before it and it does not fail. */
static int fold(struct expr_parser *parser, size_t n_operands)
{
	struct expr *expr = parser->expr;
	if (expr->n_code < n_operands + 1 || expr->n_code - n_operands - 1 < parser->barrier)
		return 0;
	struct expr_instruction *first = &expr->code[expr->n_code - n_operands - 1];
	for (size_t i = 0; i < n_operands; i++)
		if (first[i].operation != OP_PUSH)
			return 0;
	struct expr_machine machine = {.constants = expr->constants, .lists = expr->lists, .work = parser->fold_work};
	struct expr_cell *stack = malloc((n_operands + 1) * sizeof(*stack));
	if (stack == NULL)
		return mmt_error_set(parser->error, MMT_NO_MEMORY, 0, "out of memory for an expression");
	int status = expr_run(&machine, first, n_operands + 1, stack);
	struct expr_cell result = status == 0 ? stack[0] : (struct expr_cell){.kind = CELL_INT};
	free(stack);
	expr->lists = machine.lists;
	parser->fold_work = machine.work;
	if (status != 0)
		return 0;
	unsigned column = first[n_operands].column;
	expr->n_code -= n_operands + 1;
	return expr_emit_constant(parser, column, result);
}

int expr_emit_operator(struct expr_parser *parser, enum expr_operation operation, unsigned column, size_t which,
		       size_t n_operands)
{
	if (expr_emit(parser, operation, column, which, n_operands) != 0)
		return -1;
	return fold(parser, n_operands);
}
