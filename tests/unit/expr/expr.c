/* What expressions mean: each expectation below is what Python 3 says. */
#include "expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"MWG", "MDIMC", "VWM", "zero", "real", "text", "max_size"};
#define N_NAMES (sizeof(names) / sizeof(names[0]))
static const struct expr_value slots[N_NAMES] = {
	{.kind = EXPR_INT, .integer = 64},  {.kind = EXPR_INT, .integer = 8}, {.kind = EXPR_INT, .integer = 4},
	{.kind = EXPR_INT, .integer = 0},   {.kind = EXPR_REAL, .real = 2.5}, {.kind = EXPR_STRING, .string = "fast"},
	{.kind = EXPR_INT, .integer = 100},
};
static const int64_t sizes[3] = {1000, 1013, 7};

static struct expr *compile(const char *text)
{
	struct mmt_error error = {0};
	struct expr *expr = expr_create(text, names, N_NAMES, 3, &error);
	if (expr == NULL)
		fail_msg("%s: %s", text, error.message);
	return expr;
}

static struct expr_value evaluate(const char *text)
{
	struct mmt_error error = {0};
	struct expr *expr = compile(text);
	struct expr_value value = {0};
	if (expr_eval(expr, slots, sizes, &value, &error) != 0)
		fail_msg("%s: %s", text, error.message);
	if (value.kind == EXPR_STRING) /* may live in expr */
		value.string = strcmp(value.string, "fast") == 0 ? "fast" : "other";
	expr_destroy(expr);
	return value;
}

static void gives_integers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{"1", 1},
		{"0x1F", 31},
		{"00", 0},
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"10 - 3 - 2", 5},
		{"7 // 2", 3},
		{"-7 // 2", -4},
		{"7 // -2", -4},
		{"-7 // -2", 3},
		{"7 % 3", 1},
		{"-7 % 3", 2},
		{"7 % -3", -2},
		{"-7 % -3", -1},
		{"-6 % 3", 0},
		{"100 // 7 * 7 + 100 % 7", 100},
		{"2 ** 10", 1024},
		{"2 ** 3 ** 2", 512},
		{"-2 ** 2", -4},
		{"(-2) ** 3", -8},
		{"0 ** 0", 1},
		{"(-2) ** 63", INT64_MIN},
		{"2 ** 62", (int64_t)1 << 62},
		{"--3", 3},
		{"-+-3", 3},
		{"- 3 + 5", 2},
		{"9223372036854775807", INT64_MAX},
		{"-9223372036854775807 - 1", INT64_MIN},
		{"(-9223372036854775807 - 1) % -1", 0},
		{"5 / 2 == 2.5", 1},
		{"4 / 2 == 2", 1},
		{"1 == 1.0", 1},
		{"9007199254740993 == 9007199254740992.0", 0},
		{"9007199254740993 > 9007199254740992.0", 1},
		{"9223372036854775807 < 1e19", 1},
		{"-9223372036854775807 > -1e19", 1},
		{"3 < 3.5", 1},
		{"-3 > -3.5", 1},
		{"1 < 2 < 3", 1},
		{"1 < 3 < 2", 0},
		{"3 > 2 > 1 > 0", 1},
		{"1 < 2 > 1 == 1", 1},
		{"1 != 2 != 1", 1},
		{"(1 < 2) + 1", 2},
		{"5 < 4 < 1 // 0", 0}, /* the third operand is not evaluated */
		{"True", 1},
		{"False", 0},
		{"True + True", 2},
		{"not 0", 1},
		{"not 3", 0},
		{"not not 3", 1},
		{"not 1 == 2", 1},
		{"not 0 + 1", 0},
		{"3 and 5", 5},
		{"0 and 5", 0},
		{"3 or 5", 3},
		{"0 or 5", 5},
		{"0 or 0 or 7", 7},
		{"1 and 2 or 3", 2},
		{"0 and 2 or 3", 3},
		{"1 or 2 and 0", 1},
		{"0 and 1 // 0", 0},
		{"1 or 1 // 0", 1},
		{"(0 or 2) + 3", 5},
		{"(1 and 2) + 3", 5},
		{"1 if 2 else 3", 1},
		{"1 if 0 else 3", 3},
		{"1 // 0 if 0 else 3", 3},
		{"3 if 1 else 1 // 0", 3},
		{"1 if 0 else 2 if 0 else 3", 3},
		{"1 if (2 if 0 else 0) else 3", 3},
		{"(1 if 0 else 2) + 3", 5},
		{"(10 if 1 else 2) + 3", 13},
		{"1 + 2 if 1 else 4 + 5", 3},
		{"(1 if MWG > 8 and VWM < 8 else 2) * 10", 10},
		{"(MWG if MWG and zero else VWM) - 1", 3},
		{"5 in [1, 5]", 1},
		{"5 in [1, 2]", 0},
		{"5 not in [1, 2]", 1},
		{"not 5 in [1, 2]", 1},
		{"5 in []", 0},
		{"2 in [1, 2.0]", 1},
		{"5 in (1, 5)", 1},
		{"4 in range(10)", 1},
		{"10 in range(10)", 0},
		{"4 in range(1, 10, 2)", 0},
		{"5 in range(1, 10, 2)", 1},
		{"5 in range(9, 0, -2)", 1},
		{"4 in range(9, 0, -2)", 0},
		{"3.0 in range(5)", 1},
		{"3.5 in range(5)", 0},
		{"'a' in range(5)", 0},
		{"MWG in [16, 32, 64, 128]", 1},
		{"MWG in [VWM, VWM * 16]", 1},
		{"[1, 2] == [1, 2]", 1},
		{"[1, 2] == [1, 3]", 0},
		{"[1] + [2] == [1, 2]", 1},
		{"[1] != 1", 1},
		{"(1, MWG) in [(1, 2), (1, 64)]", 1},
		{"text == 'fast'", 1},
		{"text != \"fast\"", 0},
		{"text in ['slow', 'fast']", 1},
		{"'as' in text", 1},
		{"text == 3", 0},
		{"'a' < 'b'", 1},
		{"min(3, 1, 2)", 1},
		{"max(3, 1, 2)", 3},
		{"min([4, 2, 3])", 2},
		{"max([MWG, VWM])", 64},
		{"max(range(10))", 9},
		{"min(range(10, 0, -3))", 1},
		{"max(1, 1.5) == 1.5", 1},
		{"max(VWM)", 4},
		{"ProblemSize[0]+max(VWM)-1", 1003},
		{"abs(-5)", 5},
		{"abs(5)", 5},
		{"ceil(7 / 2)", 4},
		{"ceil(-7 / 2)", -3},
		{"ceil(4)", 4},
		{"floor(-7 / 2)", -4},
		{"round(2.5)", 2},
		{"round(3.5)", 4},
		{"round(-2.6)", -3},
		{"int(-2.7)", -2},
		{"len([1, 2, 3])", 3},
		{"len(range(0, 10, 3))", 4},
		{"len(range(10, 0))", 0},
		{"sum([1, 2, 3])", 6},
		{"len(list(range(5)) + [7])", 6},
		{"[10, 20, 30][1]", 20},
		{"[10, 20, 30][-1]", 30},
		{"range(5, 50, 5)[2]", 15},
		{"ProblemSize[0]", 1000},
		{"ProblemSize[-1]", 7},
		{"ProblemSize[VWM // 4]", 1013},
		{"ProblemSize[0] + ProblemSize[1] * ProblemSize[2]", 8091},
		{"MWG % (MDIMC * VWM) == 0", 1},
		{"64 % ((MDIMC * MDIMC)/16) == 0", 1},
		{"max_size", 100},
		{"sum([2**i for i in range(5)])", 31},
		{"len([i for i in range(10) if i % 2 == 0])", 5},
		{"len([i for i in range(10) if i % 2 == 0 if i > 3])", 3},
		{"[[i * j for i in range(4)] for j in range(3)][2][3]", 6},
		{"[i for i in [MWG]][0] + (1 if VWM else 2)", 65},
		{"[(1 if i else 2) for i in range(2)] == [2, 1]", 1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expr_value value = evaluate(cases[i].text);
		if (value.kind != EXPR_INT || value.integer != cases[i].value)
			fail_msg("%s gives %lld (kind %d)", cases[i].text, (long long)value.integer, value.kind);
	}
}

static void gives_reals(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{"0.5", 0.5},
		{"1.", 1.0},
		{".5", 0.5},
		{"1e3", 1000.0},
		{"1.5E-2", 0.015},
		{"5 / 2", 2.5},
		{"4 / 2", 2.0},
		{"2 ** -1", 0.5},
		{"2.0 ** 3", 8.0},
		{"1 + 0.5", 1.5},
		{"7.5 // 2", 3.0},
		{"-7.5 // 2", -4.0},
		{"7.5 % 2", 1.5},
		{"-7.5 % 2", 0.5},
		{"7.5 % -2", -0.5},
		{"1 // 0.1", 9.0},
		{"1 % 0.1", 0.09999999999999995},
		{"real * 2", 5.0},
		{"-real", -2.5},
		{"abs(-real)", 2.5},
		{"float(3)", 3.0},
		{"min(real, 3)", 2.5},
		{"sum([0.5, 1])", 1.5},
		{"real if real else 0", 2.5},
		{"0.0 or real", 2.5},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expr_value value = evaluate(cases[i].text);
		if (value.kind != EXPR_REAL || value.real != cases[i].value)
			fail_msg("%s gives %.17g (kind %d)", cases[i].text, value.real, value.kind);
	}
}

static void gives_strings(void **state)
{
	(void)state;
	assert_string_equal(evaluate("text").string, "fast");
	assert_string_equal(evaluate("'fast' if 1 else 'slow'").string, "fast");
	assert_string_equal(evaluate("'' or 'fast'").string, "fast");
}

static void fails_when_evaluated(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"1 // 0", "column 3: division by zero"},
		{"MWG % zero", "column 5: division by zero"},
		{"MWG / zero", "column 5: division by zero"},
		{"1 / 0.0", "column 3: division by zero"},
		{"0 ** -1", "column 3: 0 cannot"},
		{"(-8) ** 0.5", "column 6: the power of a negative"},
		{"10.0 ** 400", "column 6: the power is too large"},
		{"9223372036854775807 + 1", "column 21: 9223372036854775807 + 1 does not fit 64 bits"},
		{"-9223372036854775807 - 2", "column 22:"},
		{"4611686018427387904 * 2", "column 21:"},
		{"2 ** 63", "column 3:"},
		{"3 ** 64", "column 3:"},
		{"-(-9223372036854775807 - 1)", "column 1:"},
		{"abs(-9223372036854775807 - 1)", "column 1:"},
		{"(-9223372036854775807 - 1) // -1", "column 28:"},
		{"int(1e30)", "column 1: 1e+30 does not fit"},
		{"1 + [2]", "column 3: an integer + a list"},
		{"text + 1", "column 6: a string + an integer"},
		{"-text", "column 1: -a string"},
		{"text < 3", "column 6: a string and an integer cannot be ordered"},
		{"[1] < [2]", "column 5:"},
		{"1 in 2", "column 3: 'in' needs a list"},
		{"1 in text", "column 3:"},
		{"min([])", "column 1: min() of an empty list"},
		{"len(3)", "column 1: len()"},
		{"range(1.5)[0]", "column 1: range() needs integers"},
		{"1 in range(0, 5, 0)", "column 6: range() with step 0"},
		{"len(list(range(1000000)))", "column 5: a list of more than 65536"},
		{"ProblemSize[VWM]", "column 1: ProblemSize[4], and there are 3 sizes"},
		{"[1, 2][VWM]", "column 7: index 4"},
		{"[1, 2]", "column 1: the result is a list"},
		{"3[0]", "column 2: only a list"},
		{"[i for i in 3][0]", "column 4: 'for' needs a list"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mmt_error error = {0};
		struct expr_value value;
		struct expr *expr = compile(cases[i].text);
		assert_int_equal(expr_eval(expr, slots, sizes, &value, NULL), -1);
		assert_int_equal(expr_eval(expr, slots, sizes, &value, &error), -1);
		if (error.code != MMT_INVALID_ARGUMENT || strstr(error.message, cases[i].message) != error.message)
			fail_msg("%s fails with: %s", cases[i].text, error.message);
		expr_destroy(expr);
	}
}

static void refuse(const char *text, const char *message)
{
	struct mmt_error error = {0};
	struct expr *expr = expr_create(text, names, N_NAMES, 3, &error);
	expr_destroy(expr);
	if (expr != NULL || error.code != MMT_INVALID_ARGUMENT || strstr(error.message, message) != error.message)
		fail_msg("%.60s: %s", text, expr != NULL ? "was accepted" : error.message);
}

static void refuses_malformed_text(void **state)
{
	(void)state;
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "column 1: a value is needed where the expression ends"},
		{"   ", "column 4:"},
		{"1 +", "column 4: a value is needed where the expression ends"},
		{"1 2", "column 3: an operator is needed before '2'"},
		{"(1", "column 3: ) is needed where the expression ends"},
		{"1)", "column 2: an operator is needed before ')'"},
		{"[1, 2", "column 6:"},
		{"[1 2]", "column 4: , or ] is needed before '2'"},
		{"[,]", "column 2: a value"},
		{"MWG % MWGG == 0", "column 7: unknown name 'MWGG'"},
		{"foo(1)", "column 1: unknown function 'foo'"},
		{"__import__('os')", "column 1: unknown function '__import__'"},
		{"min()", "column 1: min() does not take 0 arguments"},
		{"abs(1, 2)", "column 1: abs() does not take 2 arguments"},
		{"range(1, 2, 3, 4)", "column 1: range()"},
		{"1 if 2", "column 7: else is needed"},
		{"1 else 2", "column 3:"},
		{"not", "column 4:"},
		{"1 not 2", "column 3:"},
		{"1 < ", "column 5:"},
		{"a.b", "column 2: unexpected '.'"},
		{"MWG.x", "column 4: unexpected '.'"},
		{"ProblemSize", "column 12: the [ of an index"},
		{"ProblemSize[3]", "column 1: ProblemSize[3], and there are 3 sizes"},
		{"ProblemSize[-4]", "column 1:"},
		{"ProblemSize[0.5]", "column 1: the index"},
		{"MWG && VWM", "column 5: '&&' is not known here; write 'and'"},
		{"MWG || VWM", "column 5: '||'"},
		{"!MWG", "column 1: '!'"},
		{"MWG = 3", "column 5: '='"},
		{"MWG ? 1 : 2", "column 5: '?'"},
		{"1 & 2", "column 3: unexpected '&'"},
		{"012", "column 1: a number must not begin with 0"},
		{"1.2.3", "column 1: malformed number"},
		{"1e", "column 1: malformed number"},
		{"12ab", "column 1: malformed number"},
		{"0x", "column 1: malformed number"},
		{"1e999", "column 1: the number is too large"},
		{"99999999999999999999", "column 1: the number is too large"},
		{"'abc", "column 1: the string does not end"},
		{"'a\\n'", "column 3: a string must not hold a backslash"},
		{"MWG \xc3\xa9", "column 5: byte 0xc3 is not printable ASCII"},
		{"MWG \x01", "column 5: byte 0x01"},
		{"[i for 3 in [1]]", "column 8: the name of a loop variable"},
		{"[i for i in i]", "column 13: unknown name 'i'"},
		{"[i for i in [1]] + i", "column 20: unknown name 'i'"},
		{"[1, i for i in [1]]", "column 3: for is needed before ','"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refuse(cases[i].text, cases[i].message);
}

/* head repeated, then core, then tail repeated; caller frees */
static char *repeat(const char *head, const char *core, const char *tail, size_t times)
{
	char *text = malloc(times * (strlen(head) + strlen(tail)) + strlen(core) + 1), *at = text;
	assert_non_null(text);
	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, head);
	at = stpcpy(at, core);
	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, tail);
	return text;
}

static void caps_nesting_and_length(void **state)
{
	(void)state;
	static const struct {
		const char *head, *core, *tail;
		size_t times;
		const char *message; /* NULL: is accepted */
	} cases[] = {
		{"(", "1", ")", 60, NULL},
		{"(", "1", ")", 64, "column 65: nested deeper than 64"},
		{"(", "1", ")", 2000, "column 65: nested deeper than 64"},
		{"(", "1", ")", 100000, "column 4097: the expression is longer than 4096 bytes"},
		{"[", "1", "]", 2000, "column 65:"},
		{"min(", "1", ")", 800, "column 257:"},
		{"2**", "1", "", 1300, "column 193:"},
		{"1 if 1 else ", "1", "", 300, "column 769:"},
		{"ProblemSize[", "0", "]", 300, "column 769:"},
		{"-", "1", "", 4094, NULL},
		{"not ", "1", "", 1000, NULL},
		{"1+", "1", "", 2000, NULL},
		{"1<", "1", "", 2000, NULL},
		{"MWG and ", "1", "", 500, NULL},
		{"", " 1", "", 0, NULL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = repeat(cases[i].head, cases[i].core, cases[i].tail, cases[i].times);
		if (cases[i].message != NULL)
			refuse(text, cases[i].message);
		else
			evaluate(text);
		free(text);
	}
}

/* Small texts must not buy much time or memory. */
static void caps_work(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"sum([sum(range(i, 60000)) for i in range(60000)])",
		"len([[j for j in range(60000)] for i in range(60000)])",
		"len([i for i in range(9223372036854775807) if i < 0])",
		"sum(range(9223372036854775807))",
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct mmt_error error = {0};
		struct expr_value value;
		struct expr *expr = compile(texts[i]);
		assert_int_equal(expr_eval(expr, slots, sizes, &value, &error), -1);
		assert_non_null(strstr(error.message, "more than 1048576 list elements"));
		expr_destroy(expr);
	}
}

static void tells_what_it_reads(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t uses;
		bool sizes;
	} cases[] = {
		{"1 + 2", 0, false},
		{"MWG % (MDIMC * VWM) == 0", 7, false},
		{"ProblemSize[0] % VWM", 4, true},
		{"max_size if text == 'x' else zero", 64 | 32 | 8, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct expr *expr = compile(cases[i].text);
		assert_int_equal(expr_uses(expr), cases[i].uses);
		assert_int_equal(expr_uses_sizes(expr), cases[i].sizes);
		assert_string_equal(expr_text(expr), cases[i].text);
		expr_destroy(expr);
	}
	const char *many[EXPR_LIMIT_NAMES + 1];
	for (size_t i = 0; i <= EXPR_LIMIT_NAMES; i++)
		many[i] = "x";
	struct mmt_error error = {0};
	assert_null(expr_create("1", many, EXPR_LIMIT_NAMES + 1, 0, &error));
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	many[EXPR_LIMIT_NAMES - 1] = "last";
	struct expr *expr = expr_create("last", many, EXPR_LIMIT_NAMES, 0, &error);
	assert_non_null(expr);
	assert_true(expr_uses(expr) == (uint64_t)1 << 63);
	expr_destroy(expr);
}

static void gives_whole_numbers_and_truths(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int status;
		int64_t value;
		int truth; /* -1: fails */
	} cases[] = {
		{"4", 0, 4, 1},    {"4.0", 0, 4, 1},      {"8 / 2", 0, 4, 1},       {"4.5", -1, 0, 1}, {"0", 0, 0, 0},
		{"0.0", 0, 0, 0},  {"1e300", -1, 0, 1},   {"text", -1, 0, 1},       {"''", -1, 0, 0},  {"[]", -1, 0, 0},
		{"[0]", -1, 0, 1}, {"1 // 0", -1, 0, -1}, {"1e308 * 10", -1, 0, 1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mmt_error error = {0};
		struct expr *expr = compile(cases[i].text);
		int64_t integer = 0;
		bool truth = false;
		assert_int_equal(expr_eval_integer(expr, slots, sizes, &integer, &error), cases[i].status);
		assert_int_equal(integer, cases[i].value);
		int status = expr_eval_truth(expr, slots, sizes, &truth, &error);
		assert_int_equal(status == 0 ? truth : -1, cases[i].truth);
		expr_destroy(expr);
	}
}

static void needs_sizes_only_where_read(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct expr_value value;
	struct expr *expr = compile("ProblemSize[0]");
	assert_int_equal(expr_eval(expr, slots, NULL, &value, &error), -1);
	assert_string_equal(error.message, "column 1: ProblemSize is not known here");
	expr_destroy(expr);
	expr = compile("MWG");
	assert_int_equal(expr_eval(expr, slots, NULL, &value, &error), 0);
	expr_destroy(expr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_integers),
		cmocka_unit_test(gives_reals),
		cmocka_unit_test(gives_strings),
		cmocka_unit_test(fails_when_evaluated),
		cmocka_unit_test(refuses_malformed_text),
		cmocka_unit_test(caps_nesting_and_length),
		cmocka_unit_test(caps_work),
		cmocka_unit_test(tells_what_it_reads),
		cmocka_unit_test(gives_whole_numbers_and_truths),
		cmocka_unit_test(needs_sizes_only_where_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
