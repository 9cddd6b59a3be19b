/* expr.c: the public face of expressions; see expr.h. */
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expr *expr_create(const char *text, const char *const *names, size_t n_names, size_t n_sizes,
			 struct mmt_error *error)
{
	if (n_names > EXPR_LIMIT_NAMES) {
		mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
			      "%zu parameters, and at most %d can be named in expressions", n_names, EXPR_LIMIT_NAMES);
		return NULL;
	}
	struct expr *expr = calloc(1, sizeof(*expr));
	if (expr != NULL)
		expr->text = strdup(text);
	if (expr == NULL || expr->text == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for an expression");
		free(expr);
		return NULL;
	}
	expr->n_sizes = n_sizes;
	if (expr_compile(expr, names, n_names, error) != 0) {
		expr_destroy(expr);
		return NULL;
	}
	return expr;
}

void expr_destroy(struct expr *expr)
{
	if (expr == NULL)
		return;
	expr_lists_free(expr->lists);
	free(expr->constants);
	free(expr->code);
	free(expr->strings);
	free(expr->text);
	free(expr);
}

uint64_t expr_uses(const struct expr *expr)
{
	return expr->uses;
}

bool expr_uses_sizes(const struct expr *expr)
{
	return expr->uses_sizes;
}

const char *expr_text(const struct expr *expr)
{
	return expr->text;
}

/* Runs expr; machine->lists, to which *out may belong, is the caller's to free. */
static int run(struct expr_machine *machine, const struct expr *expr, const struct expr_value *slots,
	       const int64_t *sizes, struct expr_cell *out)
{
	machine->slots = slots;
	machine->sizes = sizes;
	machine->lists = NULL;
	machine->work = 0;
	machine->column = 1;
	if (expr->uses_sizes && sizes == NULL)
		return expr_fault(machine, "ProblemSize is not known here");
	int status = expr_run_all(machine, expr, out);
	machine->column = 1; /* what follows is about the whole */
	return status;
}

int expr_eval(const struct expr *expr, const struct expr_value *slots, const int64_t *sizes, struct expr_value *out,
	      struct mmt_error *error)
{
	struct expr_machine machine = {.error = error};
	struct expr_cell cell;
	int status = run(&machine, expr, slots, sizes, &cell);
	if (status == 0 && cell.kind == CELL_LIST)
		status = expr_fault(&machine, "the result is a list where a single value is needed");
	else if (status == 0)
		*out = (struct expr_value){.kind = (enum expr_kind)cell.kind, .integer = cell.integer};
	expr_lists_free(machine.lists);
	return status;
}

int expr_eval_integer(const struct expr *expr, const struct expr_value *slots, const int64_t *sizes, int64_t *out,
		      struct mmt_error *error)
{
	struct expr_machine machine = {.error = error};
	struct expr_value value = {0};
	if (expr_eval(expr, slots, sizes, &value, error) != 0)
		return -1;
	machine.column = 1;
	if (value.kind == EXPR_STRING)
		return expr_fault(&machine, "the result is a string where a whole number is needed");
	if (value.kind == EXPR_REAL) {
		/* the negated comparison also catches what is not a number */
		if (!(value.real >= -0x1p63 && value.real < 0x1p63) || value.real != floor(value.real))
			return expr_fault(&machine, "the result %g is not a whole number of 64 bits", value.real);
		value.integer = (int64_t)value.real;
	}
	*out = value.integer;
	return 0;
}

int expr_eval_truth(const struct expr *expr, const struct expr_value *slots, const int64_t *sizes, bool *out,
		    struct mmt_error *error)
{
	struct expr_machine machine;
	struct expr_cell cell;
	machine.error = error; /* the rest is set by run(): this is the search's inner loop */
	int status = run(&machine, expr, slots, sizes, &cell);
	if (status == 0)
		*out = expr_truth(&cell);
	expr_lists_free(machine.lists);
	return status;
}

static int copy_values(struct expr_machine *machine, const struct expr_items *list, struct expr_value *values)
{
	for (size_t i = 0; i < list->count; i++) {
		struct expr_cell cell = expr_list_get(list, i);
		if (cell.kind == CELL_LIST)
			return expr_fault(machine, "element %zu is a list", i);
		values[i] = (struct expr_value){.kind = (enum expr_kind)cell.kind, .integer = cell.integer};
		if (cell.kind != CELL_STRING)
			continue;
		values[i].string = strdup(cell.string);
		if (values[i].string == NULL)
			return mmt_error_set(machine->error, MMT_NO_MEMORY, 0, "out of memory for a list");
	}
	return 0;
}

int expr_list(const char *text, struct expr_value **out, size_t *count, struct mmt_error *error)
{
	struct expr_machine machine = {.error = error};
	struct expr_cell cell;
	struct expr_value *values = NULL;
	int status = -1;
	struct expr *expr = expr_create(text, NULL, 0, 0, error);
	if (expr == NULL || run(&machine, expr, NULL, NULL, &cell) != 0)
		goto out;
	if (cell.kind != CELL_LIST) {
		expr_fault(&machine, "a list is needed");
		goto out;
	}
	if (cell.list->count > EXPR_LIMIT_LIST) {
		expr_fault(&machine, "a list of more than %d elements", EXPR_LIMIT_LIST);
		goto out;
	}
	values = calloc(cell.list->count + 1, sizeof(*values)); /* never NULL for an empty list */
	if (values == NULL) {
		mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for a list");
		goto out;
	}
	status = copy_values(&machine, cell.list, values);
	if (status != 0) {
		expr_list_free(values, cell.list->count);
		goto out;
	}
	*out = values;
	*count = cell.list->count;
out:
	expr_lists_free(machine.lists);
	expr_destroy(expr);
	return status;
}

void expr_list_free(struct expr_value *values, size_t count)
{
	for (size_t i = 0; values != NULL && i < count; i++)
		if (values[i].kind == EXPR_STRING)
			free((char *)values[i].string);
	free(values);
}

/* The shortest text that reads back as the same real, with a point or an
 * exponent so that C takes it for a real too. */
static void real_text(double real, char *out, size_t bytes)
{
	if (!isfinite(real)) {
		snprintf(out, bytes, "%s", isnan(real) ? "NAN" : real < 0 ? "-INFINITY" : "INFINITY");
		return;
	}
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(out, bytes, "%.*g", precision, real);
		if (strtod(out, NULL) == real)
			break;
	}
	size_t length = strlen(out);
	if (strpbrk(out, ".e") == NULL && length + 2 < bytes)
		memcpy(out + length, ".0", 3);
}

const char *expr_value_text(const struct expr_value *value, char *out, size_t bytes)
{
	if (value->kind == EXPR_INT)
		snprintf(out, bytes, "%lld", (long long)value->integer);
	else if (value->kind == EXPR_STRING)
		snprintf(out, bytes, "%s", value->string);
	else
		real_text(value->real, out, bytes);
	return out;
}

bool expr_value_equal(const struct expr_value *a, const struct expr_value *b)
{
	struct expr_machine machine = {.error = NULL};
	struct expr_cell left = {.kind = (int)a->kind, .integer = a->integer};
	struct expr_cell right = {.kind = (int)b->kind, .integer = b->integer};
	bool equal = false;
	expr_compare(&machine, EQUAL, &left, &right, &equal);
	return equal;
}
