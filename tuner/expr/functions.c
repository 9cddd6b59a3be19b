/* functions.c: the functions that an expression may call; see program.h. */
#include "program.h"

#include <math.h>
#include <string.h>

static int need_number(struct expr_machine *machine, const char *name, const struct expr_cell *cell)
{
	if (cell->kind == CELL_INT || cell->kind == CELL_REAL)
		return 0;
	return expr_fault(machine, "%s() of a %s: a number is needed", name,
			  cell->kind == CELL_LIST ? "list" : "string");
}

static int to_integer(struct expr_machine *machine, double value, struct expr_cell *out)
{
	if (!(value >= -0x1p63 && value < 0x1p63))
		return expr_fault(machine, "%g does not fit a 64-bit integer", value);
	*out = (struct expr_cell){.kind = CELL_INT, .integer = (int64_t)value};
	return 0;
}

/* The least (LESS) or greatest of the cells or of one list. A single number
 * is its own extreme: T1 files write max(filter_width) for the largest value
 * of a parameter, and here a parameter has one value at a time. */
static int extreme(struct expr_machine *machine, const struct expr_cell *cells, size_t count,
		   enum expr_comparison which, struct expr_cell *out)
{
	const struct expr_items *list = count == 1 && cells[0].kind == CELL_LIST ? cells[0].list : NULL;
	if (list != NULL)
		count = list->count;
	if (count == 0)
		return expr_fault(machine, "%s() of an empty list", which == LESS ? "min" : "max");
	if (list != NULL && list->is_range) {
		bool first = (which == LESS) == (list->step > 0);
		*out = expr_list_get(list, first ? 0 : count - 1);
		return 0;
	}
	if (list != NULL)
		cells = list->cells;
	struct expr_cell best = cells[0];
	if (expr_work(machine, count) != 0)
		return -1;
	for (size_t i = 1; i < count; i++) {
		bool better;
		if (expr_compare(machine, which, &cells[i], &best, &better) != 0)
			return -1;
		if (better)
			best = cells[i];
	}
	*out = best;
	return 0;
}

static int call_min(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	return extreme(machine, cells, count, LESS, out);
}

static int call_max(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	return extreme(machine, cells, count, GREATER, out);
}

static int call_abs(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	if (need_number(machine, "abs", &cells[0]) != 0)
		return -1;
	struct expr_cell value = cells[0];
	if (value.kind == CELL_REAL)
		value.real = fabs(value.real);
	else if (value.integer < 0 && expr_unary(machine, OP_NEGATE, &value) != 0)
		return -1;
	*out = value;
	return 0;
}

/* The functions from reals to integers leave integers as they are. */
static int whole(struct expr_machine *machine, const char *name, double (*function)(double),
		 const struct expr_cell *cell, struct expr_cell *out)
{
	if (need_number(machine, name, cell) != 0)
		return -1;
	if (cell->kind == CELL_REAL)
		return to_integer(machine, function(cell->real), out);
	*out = *cell;
	return 0;
}

static int call_ceil(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	return whole(machine, "ceil", ceil, cells, out);
}

static int call_floor(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	return whole(machine, "floor", floor, cells, out);
}

static int call_int(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	return whole(machine, "int", trunc, cells, out);
}

/* Halves go to the even neighbour, as in Python */
static int call_round(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	return whole(machine, "round", rint, cells, out);
}

static int call_float(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	if (need_number(machine, "float", &cells[0]) != 0)
		return -1;
	double value = cells[0].kind == CELL_INT ? (double)cells[0].integer : cells[0].real;
	*out = (struct expr_cell){.kind = CELL_REAL, .real = value};
	return 0;
}

static int call_len(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	size_t length;
	if (cells[0].kind == CELL_LIST)
		length = cells[0].list->count;
	else if (cells[0].kind == CELL_STRING)
		length = strlen(cells[0].string);
	else
		return expr_fault(machine, "len() of a number: a list is needed");
	if (length > INT64_MAX)
		return expr_fault(machine, "the length does not fit 64 bits");
	*out = (struct expr_cell){.kind = CELL_INT, .integer = (int64_t)length};
	return 0;
}

static int call_sum(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	(void)count;
	if (cells[0].kind != CELL_LIST)
		return expr_fault(machine, "sum() needs a list");
	const struct expr_items *list = cells[0].list;
	struct expr_cell total = {.kind = CELL_INT};
	if (expr_work(machine, list->count) != 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		struct expr_cell element = expr_list_get(list, i);
		if (expr_binary(machine, OP_ADD, &total, &element, &total) != 0)
			return -1;
	}
	*out = total;
	return 0;
}

static int call_range(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	for (size_t i = 0; i < count; i++)
		if (cells[i].kind != CELL_INT)
			return expr_fault(machine, "range() needs integers");
	int64_t start = count > 1 ? cells[0].integer : 0;
	int64_t stop = count > 1 ? cells[1].integer : cells[0].integer;
	int64_t step = count > 2 ? cells[2].integer : 1;
	return expr_list_range(machine, start, stop, step, out);
}

static int call_list(struct expr_machine *machine, struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	static const struct expr_items empty;
	if (count == 1 && cells[0].kind != CELL_LIST)
		return expr_fault(machine, "list() needs a list or a range");
	return expr_list_concatenate(machine, count == 1 ? cells[0].list : &empty, &empty, out);
}

static const struct expr_function functions[] = {
	{"min", 1, SIZE_MAX, call_min}, {"max", 1, SIZE_MAX, call_max}, {"abs", 1, 1, call_abs},
	{"ceil", 1, 1, call_ceil},      {"floor", 1, 1, call_floor},    {"round", 1, 1, call_round},
	{"int", 1, 1, call_int},        {"float", 1, 1, call_float},    {"len", 1, 1, call_len},
	{"sum", 1, 1, call_sum},        {"range", 1, 3, call_range},    {"list", 0, 1, call_list},
};

const struct expr_function *expr_function_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i].name) == length && memcmp(functions[i].name, name, length) == 0)
			return &functions[i];
	return NULL;
}

const struct expr_function *expr_function_at(size_t index)
{
	return &functions[index];
}

size_t expr_function_index(const struct expr_function *function)
{
	return (size_t)(function - functions);
}
