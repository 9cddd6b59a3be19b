/* arithmetic.c: Python's operators on cells of any kind; see program.h.
 *
 * Integers are Python's as long as they fit 64 bits; beyond is an error. Reals
 * are IEEE doubles, and float_divmod below is CPython's (Objects/floatobject.c,
 * _float_div_mod), so that // and % agree with it to the last bit. */
#include "program.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *sign;
} signs[] = {
	[OP_ADD] = {"+"},    [OP_SUBTRACT] = {"-"},      [OP_MULTIPLY] = {"*"},
	[OP_DIVIDE] = {"/"}, [OP_FLOOR_DIVIDE] = {"//"}, [OP_MODULO] = {"%"},
	[OP_POWER] = {"**"}, [OP_NEGATE] = {"-"},        [OP_PLUS] = {"+"},
};

static const char *const kind_names[] = {
	[CELL_INT] = "an integer", [CELL_REAL] = "a real", [CELL_STRING] = "a string", [CELL_LIST] = "a list"};

static bool is_number(const struct expr_cell *cell)
{
	return cell->kind == CELL_INT || cell->kind == CELL_REAL;
}

static double to_real(const struct expr_cell *cell)
{
	return cell->kind == CELL_INT ? (double)cell->integer : cell->real;
}

bool expr_truth(const struct expr_cell *cell)
{
	switch (cell->kind) {
	case CELL_INT:
		return cell->integer != 0;
	case CELL_REAL:
		return cell->real != 0;
	case CELL_STRING:
		return cell->string[0] != '\0';
	default:
		return cell->list->count > 0;
	}
}

/* a ** b for b >= 0; false: overflow. By squaring: at most 63 steps. */
static bool integer_power(int64_t a, int64_t b, int64_t *out)
{
	int64_t result = 1;
	while (b > 0) {
		if ((b & 1) && __builtin_mul_overflow(result, a, &result))
			return false;
		b >>= 1;
		if (b > 0 && __builtin_mul_overflow(a, a, &a))
			return false;
	}
	*out = result;
	return true;
}

static int integer_binary(struct expr_machine *machine, enum expr_operation operation, int64_t a, int64_t b,
			  int64_t *out)
{
	bool fits = true;
	switch (operation) {
	case OP_ADD:
		fits = !__builtin_add_overflow(a, b, out);
		break;
	case OP_SUBTRACT:
		fits = !__builtin_sub_overflow(a, b, out);
		break;
	case OP_MULTIPLY:
		fits = !__builtin_mul_overflow(a, b, out);
		break;
	case OP_POWER:
		fits = integer_power(a, b, out);
		break;
	case OP_FLOOR_DIVIDE:
		fits = b != -1 || a != INT64_MIN;
		if (fits)
			*out = a / b - (a % b != 0 && (a < 0) != (b < 0));
		break;
	default: /* OP_MODULO */
		*out = b == -1 ? 0 : a % b;
		if (*out != 0 && (*out < 0) != (b < 0))
			*out += b;
	}
	if (!fits)
		return expr_fault(machine, "%lld %s %lld does not fit 64 bits", (long long)a, signs[operation].sign,
				  (long long)b);
	return 0;
}

static void float_divmod(double a, double b, double *quotient, double *remainder)
{
	if (a >= 0 && b >= 1 && a < 0x1p53 && b < 0x1p53 && a == floor(a) && b == floor(b)) {
		/* `KWG % ((MDIMC * NDIMC) / MDIMA)`: exact either way, and fmod is slow */
		int64_t whole = (int64_t)a / (int64_t)b;
		*quotient = (double)whole;
		*remainder = a - (double)whole * b;
		return;
	}
	double modulo = fmod(a, b);
	double division = (a - modulo) / b;
	if (modulo == 0) {
		modulo = copysign(0.0, b);
	} else if ((b < 0) != (modulo < 0)) {
		modulo += b;
		division -= 1.0;
	}
	if (division == 0) {
		*quotient = copysign(0.0, a / b);
	} else {
		*quotient = floor(division);
		if (division - *quotient > 0.5)
			*quotient += 1.0;
	}
	*remainder = modulo;
}

static int real_power(struct expr_machine *machine, double a, double b, double *out)
{
	if (a == 0 && b < 0)
		return expr_fault(machine, "0 cannot be raised to a negative power");
	*out = pow(a, b);
	if (isnan(*out) && !isnan(a) && !isnan(b))
		return expr_fault(machine, "the power of a negative number is not real");
	if (isinf(*out) && isfinite(a) && isfinite(b))
		return expr_fault(machine, "the power is too large for a real");
	return 0;
}

static int real_binary(struct expr_machine *machine, enum expr_operation operation, double a, double b, double *out)
{
	double unused;
	switch (operation) {
	case OP_ADD:
		*out = a + b;
		break;
	case OP_SUBTRACT:
		*out = a - b;
		break;
	case OP_MULTIPLY:
		*out = a * b;
		break;
	case OP_DIVIDE:
		*out = a / b;
		break;
	case OP_FLOOR_DIVIDE:
		float_divmod(a, b, out, &unused);
		break;
	case OP_MODULO:
		float_divmod(a, b, &unused, out);
		break;
	default:
		return real_power(machine, a, b, out);
	}
	return 0;
}

int expr_binary(struct expr_machine *machine, enum expr_operation operation, const struct expr_cell *a,
		const struct expr_cell *b, struct expr_cell *out)
{
	if (operation == OP_ADD && a->kind == CELL_LIST && b->kind == CELL_LIST)
		return expr_list_concatenate(machine, a->list, b->list, out);
	if (!is_number(a) || !is_number(b))
		return expr_fault(machine, "%s %s %s: numbers are needed", kind_names[a->kind], signs[operation].sign,
				  kind_names[b->kind]);
	bool divides = operation == OP_DIVIDE || operation == OP_FLOOR_DIVIDE || operation == OP_MODULO;
	if (divides && to_real(b) == 0)
		return expr_fault(machine, "division by zero");
	bool integers = a->kind == CELL_INT && b->kind == CELL_INT && operation != OP_DIVIDE &&
			!(operation == OP_POWER && b->integer < 0);
	struct expr_cell result = {.kind = integers ? CELL_INT : CELL_REAL};
	int status = integers ? integer_binary(machine, operation, a->integer, b->integer, &result.integer)
			      : real_binary(machine, operation, to_real(a), to_real(b), &result.real);
	if (status == 0)
		*out = result;
	return status;
}

int expr_unary(struct expr_machine *machine, enum expr_operation operation, struct expr_cell *cell)
{
	if (!is_number(cell))
		return expr_fault(machine, "%s%s: a number is needed", signs[operation].sign, kind_names[cell->kind]);
	if (operation == OP_PLUS)
		return 0;
	if (cell->kind == CELL_REAL)
		cell->real = -cell->real;
	else if (__builtin_sub_overflow(0, cell->integer, &cell->integer))
		return expr_fault(machine, "-(%lld) does not fit 64 bits", (long long)INT64_MIN);
	return 0;
}

/* -1, 0, 1, or 2 where one is not a number. Exact, as Python's: 2**53 + 1 is
 * not equal to 2.0**53. */
static int order_integer_real(int64_t a, double b)
{
	if (isnan(b))
		return 2;
	if (b >= 0x1p63)
		return -1;
	if (b < -0x1p63)
		return 1;
	int64_t whole = (int64_t)b;
	if (a != whole)
		return a < whole ? -1 : 1;
	double fraction = b - (double)whole;
	return fraction > 0 ? -1 : fraction < 0;
}

static int order(const struct expr_cell *a, const struct expr_cell *b)
{
	if (a->kind == CELL_STRING) {
		int difference = strcmp(a->string, b->string);
		return (difference > 0) - (difference < 0);
	}
	if (a->kind == CELL_INT && b->kind == CELL_INT)
		return (a->integer > b->integer) - (a->integer < b->integer);
	if (a->kind == CELL_INT)
		return order_integer_real(a->integer, b->real);
	if (b->kind == CELL_INT) {
		int reversed = order_integer_real(b->integer, a->real);
		return reversed == 2 ? 2 : -reversed;
	}
	if (isnan(a->real) || isnan(b->real))
		return 2;
	return (a->real > b->real) - (a->real < b->real);
}

static bool holds(enum expr_comparison which, int order_of)
{
	switch (which) {
	case LESS:
		return order_of == -1;
	case LESS_EQUAL:
		return order_of <= 0;
	case EQUAL:
		return order_of == 0;
	case NOT_EQUAL:
		return order_of != 0;
	case GREATER_EQUAL:
		return order_of == 0 || order_of == 1;
	default:
		return order_of == 1;
	}
}

static int contains(struct expr_machine *machine, const struct expr_cell *a, const struct expr_cell *b, bool *out)
{
	if (b->kind == CELL_LIST)
		return expr_list_contains(machine, b->list, a, out);
	if (a->kind == CELL_STRING && b->kind == CELL_STRING) {
		*out = strstr(b->string, a->string) != NULL;
		return 0;
	}
	return expr_fault(machine, "'in' needs a list on its right, and there is %s", kind_names[b->kind]);
}

int expr_compare(struct expr_machine *machine, enum expr_comparison which, const struct expr_cell *a,
		 const struct expr_cell *b, bool *out)
{
	if (which == IN || which == NOT_IN) {
		if (contains(machine, a, b, out) != 0)
			return -1;
		*out ^= which == NOT_IN;
		return 0;
	}
	bool equality = which == EQUAL || which == NOT_EQUAL;
	if (equality && a->kind == CELL_LIST && b->kind == CELL_LIST) {
		if (expr_list_equal(machine, a->list, b->list, out) != 0)
			return -1;
		*out ^= which == NOT_EQUAL;
		return 0;
	}
	if ((is_number(a) && is_number(b)) || (a->kind == CELL_STRING && b->kind == CELL_STRING)) {
		*out = holds(which, order(a, b));
		return 0;
	}
	if (!equality)
		return expr_fault(machine, "%s and %s cannot be ordered", kind_names[a->kind], kind_names[b->kind]);
	*out = which == NOT_EQUAL;
	return 0;
}
