/* list.c: the lists of a run; see program.h. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

int expr_work(struct expr_machine *machine, size_t elements)
{
	if (elements > EXPR_LIMIT_WORK - machine->work)
		return expr_fault(machine, "more than %zu list elements in one evaluation", EXPR_LIMIT_WORK);
	machine->work += elements;
	return 0;
}

static struct expr_items *make(struct expr_machine *machine, size_t capacity)
{
	if (capacity > EXPR_LIMIT_LIST) {
		expr_fault(machine, "a list of more than %d elements", EXPR_LIMIT_LIST);
		return NULL;
	}
	if (expr_work(machine, capacity + 1) != 0)
		return NULL;
	struct expr_items *list = malloc(sizeof(*list) + capacity * sizeof(list->cells[0]));
	if (list == NULL) {
		mmt_error_set(machine->error, MMT_NO_MEMORY, 0, "out of memory for a list");
		return NULL;
	}
	*list = (struct expr_items){.next = machine->lists, .capacity = capacity};
	machine->lists = list;
	return list;
}

void expr_lists_free(struct expr_items *lists)
{
	while (lists != NULL) {
		struct expr_items *next = lists->next;
		free(lists);
		lists = next;
	}
}

int expr_list_make(struct expr_machine *machine, const struct expr_cell *cells, size_t count, struct expr_cell *out)
{
	struct expr_items *list = make(machine, count);
	if (list == NULL)
		return -1;
	if (count > 0)
		memcpy(list->cells, cells, count * sizeof(*cells));
	list->count = count;
	*out = (struct expr_cell){.kind = CELL_LIST, .list = list};
	return 0;
}

/* How many elements range(start, stop, step) has; cannot overflow. */
static uint64_t range_count(int64_t start, int64_t stop, int64_t step)
{
	if (step > 0)
		return start < stop ? ((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step + 1 : 0;
	return start > stop ? ((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step) + 1 : 0;
}

int expr_list_range(struct expr_machine *machine, int64_t start, int64_t stop, int64_t step, struct expr_cell *out)
{
	if (step == 0)
		return expr_fault(machine, "range() with step 0");
	struct expr_items *list = make(machine, 0);
	if (list == NULL)
		return -1;
	list->is_range = true;
	list->start = start;
	list->step = step;
	list->count = range_count(start, stop, step);
	*out = (struct expr_cell){.kind = CELL_LIST, .list = list};
	return 0;
}

struct expr_cell expr_list_get(const struct expr_items *list, size_t index)
{
	if (!list->is_range)
		return list->cells[index];
	/* modulo 2^64: the element itself fits, the product may not */
	uint64_t element = (uint64_t)list->start + (uint64_t)index * (uint64_t)list->step;
	return (struct expr_cell){.kind = CELL_INT, .integer = (int64_t)element};
}

int expr_list_append(struct expr_machine *machine, struct expr_cell *list, const struct expr_cell *cell)
{
	struct expr_items *items = list->list;
	if (items->count == items->capacity) {
		size_t capacity = items->capacity == 0 ? 16 : 2 * items->capacity;
		if (items->count == EXPR_LIMIT_LIST)
			capacity = items->count + 1; /* make() refuses, and says so */
		struct expr_items *larger = make(machine, capacity);
		if (larger == NULL)
			return -1;
		memcpy(larger->cells, items->cells, items->count * sizeof(*cell));
		larger->count = items->count;
		list->list = items = larger;
	}
	items->cells[items->count++] = *cell;
	return 0;
}

int expr_list_concatenate(struct expr_machine *machine, const struct expr_items *a, const struct expr_items *b,
			  struct expr_cell *out)
{
	bool too_long = a->count > EXPR_LIMIT_LIST || b->count > EXPR_LIMIT_LIST;
	struct expr_items *list = make(machine, too_long ? SIZE_MAX : a->count + b->count);
	if (list == NULL)
		return -1;
	for (size_t i = 0; i < a->count; i++)
		list->cells[i] = expr_list_get(a, i);
	for (size_t i = 0; i < b->count; i++)
		list->cells[a->count + i] = expr_list_get(b, i);
	list->count = a->count + b->count;
	*out = (struct expr_cell){.kind = CELL_LIST, .list = list};
	return 0;
}

int expr_list_index(struct expr_machine *machine, const struct expr_cell *list, const struct expr_cell *index,
		    struct expr_cell *out)
{
	if (list->kind != CELL_LIST)
		return expr_fault(machine, "only a list can be indexed");
	if (index->kind != CELL_INT)
		return expr_fault(machine, "an index must be an integer");
	size_t count = list->list->count;
	uint64_t at = (uint64_t)index->integer + (index->integer < 0 ? count : 0);
	if (at >= count)
		return expr_fault(machine, "index %lld, and the list has %zu elements", (long long)index->integer,
				  count);
	*out = expr_list_get(list->list, at);
	return 0;
}

static bool range_contains(const struct expr_items *range, const struct expr_cell *cell)
{
	int64_t value = cell->integer;
	if (cell->kind == CELL_REAL) {
		if (!(cell->real >= -0x1p63 && cell->real < 0x1p63) || (double)(int64_t)cell->real != cell->real)
			return false;
		value = (int64_t)cell->real;
	} else if (cell->kind != CELL_INT) {
		return false;
	}
	bool up = range->step > 0;
	if (range->count == 0 || (up ? value < range->start : value > range->start))
		return false;
	uint64_t distance = up ? (uint64_t)value - (uint64_t)range->start : (uint64_t)range->start - (uint64_t)value;
	uint64_t step = up ? (uint64_t)range->step : 0 - (uint64_t)range->step;
	return distance % step == 0 && distance / step < range->count;
}

int expr_list_contains(struct expr_machine *machine, const struct expr_items *list, const struct expr_cell *cell,
		       bool *out)
{
	if (list->is_range) {
		*out = range_contains(list, cell);
		return 0;
	}
	if (expr_work(machine, list->count) != 0)
		return -1;
	*out = false;
	for (size_t i = 0; i < list->count && !*out; i++) {
		if (list->cells[i].kind == CELL_INT && cell->kind == CELL_INT)
			*out = list->cells[i].integer == cell->integer;
		else if (expr_compare(machine, EQUAL, &list->cells[i], cell, out) != 0)
			return -1;
	}
	return 0;
}

int expr_list_equal(struct expr_machine *machine, const struct expr_items *a, const struct expr_items *b, bool *out)
{
	*out = a->count == b->count;
	for (size_t i = 0; i < a->count && *out; i++) {
		struct expr_cell left = expr_list_get(a, i), right = expr_list_get(b, i);
		if (expr_work(machine, 1) != 0 || expr_compare(machine, EQUAL, &left, &right, out) != 0)
			return -1;
	}
	return 0;
}
