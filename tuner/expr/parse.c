/* parse.c: recursive descent that emits the program as it goes: there is no tree.
 *
 * Recursion is bounded by EXPR_LIMIT_NESTING: all of it passes enter(). */
#include "emit.h"

#include <stdlib.h>
#include <string.h>

static int parse_expression(struct expr_parser *parser);
static int parse_unary(struct expr_parser *parser);

static int unexpected(struct expr_parser *parser, const char *wanted)
{
	const struct expr_token *token = parser->token;
	if (token->kind == TOKEN_END)
		return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0,
				     "column %u: %s is needed where the expression ends", token->column, wanted);
	return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0, "column %u: %s is needed before '%.*s'",
			     token->column, wanted, (int)(token->length > 40 ? 40 : token->length), token->start);
}

static int enter(struct expr_parser *parser)
{
	if (++parser->nesting > EXPR_LIMIT_NESTING)
		return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0, "column %u: nested deeper than %d",
				     parser->token->column, EXPR_LIMIT_NESTING);
	return 0;
}

static void leave(struct expr_parser *parser)
{
	parser->nesting--;
}

static bool accept(struct expr_parser *parser, enum expr_token_kind kind)
{
	if (parser->token->kind != kind)
		return false;
	parser->token++;
	return true;
}

static int expect(struct expr_parser *parser, enum expr_token_kind kind, const char *wanted)
{
	return accept(parser, kind) ? 0 : unexpected(parser, wanted);
}

/* ---- names ---- */

static bool token_is(const struct expr_token *token, const char *text)
{
	return strlen(text) == token->length && memcmp(text, token->start, token->length) == 0;
}

static int no_such(struct expr_parser *parser, const char *what, const struct expr_token *name)
{
	return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0, "column %u: unknown %s '%.*s'", name->column, what,
			     (int)(name->length > 80 ? 80 : name->length), name->start);
}

static int parse_size(struct expr_parser *parser, const struct expr_token *name)
{
	struct expr *expr = parser->expr;
	if (expect(parser, TOKEN_OPEN_LIST, "the [ of an index of ProblemSize") != 0)
		return -1;
	size_t start = expr->n_code;
	if (parse_expression(parser) != 0 || expect(parser, TOKEN_CLOSE_LIST, "]") != 0)
		return -1;
	expr->uses_sizes = true;
	const struct expr_instruction *index = &expr->code[start];
	if (expr->n_code != start + 1 || index->operation != OP_PUSH || parser->barrier > start)
		return expr_emit(parser, OP_SIZE_AT, name->column, 0, 0);
	struct expr_cell constant = expr->constants[index->argument];
	expr->n_code = start;
	if (constant.kind != CELL_INT)
		return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0,
				     "column %u: the index of ProblemSize must be an integer", name->column);
	uint64_t at = (uint64_t)constant.integer + (constant.integer < 0 ? expr->n_sizes : 0);
	if (at >= expr->n_sizes)
		return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0,
				     "column %u: ProblemSize[%lld], and there are %zu sizes", name->column,
				     (long long)constant.integer, expr->n_sizes);
	return expr_emit(parser, OP_SIZE, name->column, 0, at);
}

/* Expressions up to the closing token, with commas; *comma: whether one was seen. */
static int parse_items(struct expr_parser *parser, enum expr_token_kind close, const char *wanted, size_t *count,
		       bool *comma)
{
	*count = 0;
	*comma = false;
	while (!accept(parser, close)) {
		if (*count > 0 && !*comma)
			return unexpected(parser, wanted);
		if (parse_expression(parser) != 0)
			return -1;
		++*count;
		*comma = accept(parser, TOKEN_COMMA);
	}
	return 0;
}

static int parse_call(struct expr_parser *parser, const struct expr_token *name)
{
	const struct expr_function *function = expr_function_find(name->start, name->length);
	if (function == NULL)
		return no_such(parser, "function", name);
	parser->token++;
	size_t count;
	bool comma;
	if (parse_items(parser, TOKEN_CLOSE, ", or )", &count, &comma) != 0)
		return -1;
	if (count < function->min_arguments || count > function->max_arguments)
		return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0,
				     "column %u: %s() does not take %zu arguments", name->column, function->name,
				     count);
	return expr_emit_operator(parser, OP_CALL, name->column, expr_function_index(function), count);
}

static int parse_name(struct expr_parser *parser)
{
	const struct expr_token *name = parser->token++;
	if (parser->token->kind == TOKEN_OPEN)
		return parse_call(parser, name);
	for (size_t i = parser->n_locals; i-- > 0;)
		if (parser->locals[i] != NULL && parser->locals[i]->length == name->length &&
		    memcmp(parser->locals[i]->start, name->start, name->length) == 0)
			return expr_emit(parser, OP_LOCAL, name->column, 0, i);
	for (size_t i = 0; i < parser->n_names; i++)
		if (token_is(name, parser->names[i])) {
			parser->expr->uses |= (uint64_t)1 << i;
			return expr_emit(parser, OP_SLOT, name->column, 0, i);
		}
	if (token_is(name, "ProblemSize"))
		return parse_size(parser, name);
	return no_such(parser, "name", name);
}

/* ---- lists ---- */

/* The `for` of the comprehension that begins at the next token; NULL: a plain list. */
static const struct expr_token *find_for(const struct expr_parser *parser)
{
	int depth = 0;
	for (const struct expr_token *token = parser->token; token->kind != TOKEN_END; token++) {
		if (token->kind == TOKEN_OPEN || token->kind == TOKEN_OPEN_LIST)
			depth++;
		else if (token->kind == TOKEN_CLOSE || token->kind == TOKEN_CLOSE_LIST)
			depth--;
		if (depth < 0)
			return NULL;
		if (depth == 0 && token->kind == TOKEN_FOR)
			return token;
	}
	return NULL;
}

static int parse_or(struct expr_parser *parser);

/* `for i in LIST if CONDITION ...`, emitted behind the body that began at start */
static int parse_for(struct expr_parser *parser, size_t start, const struct expr_token *variable, size_t local)
{
	struct expr *expr = parser->expr;
	const struct expr_token *token = parser->token;
	size_t body_end = expr->n_code;
	parser->token += 2; /* for NAME: the caller has looked */
	parser->locals[local] = NULL;
	if (expect(parser, TOKEN_IN, "in") != 0 || parse_or(parser) != 0)
		return -1;
	parser->locals[local] = variable;
	if (expr_emit(parser, OP_LOOP_BEGIN, token->column, 0, 0) != 0 ||
	    expr_emit(parser, OP_LOOP_NEXT, token->column, local, 0) != 0)
		return -1;
	size_t next = expr->n_code - 1;
	while (accept(parser, TOKEN_IF)) {
		if (parse_or(parser) != 0)
			return -1;
		size_t back = expr->n_code - next + 1;
		if (expr_emit(parser, OP_JUMP_IF_FALSE, token->column, 0, 0) != 0)
			return -1;
		expr->code[expr->n_code - 1].argument = -(int32_t)back;
	}
	expr_emit_swap(parser, start, body_end);
	next -= body_end - start;
	size_t back = expr->n_code - next + 1;
	if (expr_emit(parser, OP_JUMP, token->column, 0, 0) != 0)
		return -1;
	expr->code[expr->n_code - 1].argument = -(int32_t)back;
	expr_emit_land(parser, next);
	return expr_emit(parser, OP_LOOP_END, token->column, 0, 0);
}

static int parse_comprehension(struct expr_parser *parser, const struct expr_token *for_token)
{
	const struct expr_token *variable = for_token + 1;
	size_t local = parser->n_locals, start = parser->expr->n_code;
	if (variable->kind != TOKEN_NAME) {
		parser->token = variable;
		return unexpected(parser, "the name of a loop variable");
	}
	if (local == EXPR_LOCALS)
		return mmt_error_set(parser->error, MMT_INVALID_ARGUMENT, 0,
				     "column %u: more than %d comprehensions inside each other", for_token->column,
				     EXPR_LOCALS);
	parser->locals[local] = variable;
	parser->n_locals++;
	if (parse_expression(parser) != 0 || expr_emit(parser, OP_LOOP_APPEND, for_token->column, 0, 0) != 0)
		return -1;
	if (parser->token != for_token)
		return unexpected(parser, "for");
	if (parse_for(parser, start, variable, local) != 0)
		return -1;
	parser->n_locals--;
	return expect(parser, TOKEN_CLOSE_LIST, "]");
}

static int parse_list(struct expr_parser *parser)
{
	unsigned column = parser->token++->column;
	const struct expr_token *for_token = find_for(parser);
	if (for_token != NULL)
		return parse_comprehension(parser, for_token);
	size_t count;
	bool comma;
	if (parse_items(parser, TOKEN_CLOSE_LIST, ", or ]", &count, &comma) != 0)
		return -1;
	return expr_emit_operator(parser, OP_LIST, column, 0, count);
}

/* A tuple is a list here. */
static int parse_parentheses(struct expr_parser *parser)
{
	unsigned column = parser->token++->column;
	size_t count;
	bool comma;
	if (parse_items(parser, TOKEN_CLOSE, ")", &count, &comma) != 0)
		return -1;
	if (count == 1 && !comma)
		return 0;
	return expr_emit_operator(parser, OP_LIST, column, 0, count);
}

/* ---- the grammar, innermost first ---- */

static int parse_string(struct expr_parser *parser)
{
	const struct expr_token *token = parser->token++;
	char *copy = parser->expr->strings + parser->strings_used;
	memcpy(copy, token->start, token->length);
	copy[token->length] = '\0';
	parser->strings_used += token->length + 1;
	return expr_emit_constant(parser, token->column, (struct expr_cell){.kind = CELL_STRING, .string = copy});
}

static int parse_primary(struct expr_parser *parser)
{
	const struct expr_token *token = parser->token;
	switch (token->kind) {
	case TOKEN_INT:
		parser->token++;
		return expr_emit_constant(parser, token->column,
					  (struct expr_cell){.kind = CELL_INT, .integer = token->integer});
	case TOKEN_REAL:
		parser->token++;
		return expr_emit_constant(parser, token->column,
					  (struct expr_cell){.kind = CELL_REAL, .real = token->real});
	case TOKEN_TRUE:
	case TOKEN_FALSE:
		parser->token++;
		return expr_emit_constant(parser, token->column,
					  (struct expr_cell){.kind = CELL_INT, .integer = token->kind == TOKEN_TRUE});
	case TOKEN_STRING:
		return parse_string(parser);
	case TOKEN_NAME:
		return parse_name(parser);
	case TOKEN_OPEN:
		return parse_parentheses(parser);
	case TOKEN_OPEN_LIST:
		return parse_list(parser);
	default:
		return unexpected(parser, "a value");
	}
}

static int parse_indexed(struct expr_parser *parser)
{
	if (parse_primary(parser) != 0)
		return -1;
	while (parser->token->kind == TOKEN_OPEN_LIST) {
		unsigned column = parser->token++->column;
		if (parse_expression(parser) != 0 || expect(parser, TOKEN_CLOSE_LIST, "]") != 0 ||
		    expr_emit_operator(parser, OP_INDEX, column, 0, 2) != 0)
			return -1;
	}
	return 0;
}

/* Binds tighter than a sign on its left, and looser than one on its right:
 * -2 ** -1 is -(2 ** (-1)). */
static int parse_power(struct expr_parser *parser)
{
	if (parse_indexed(parser) != 0)
		return -1;
	unsigned column = parser->token->column;
	if (!accept(parser, TOKEN_POWER))
		return 0;
	if (enter(parser) != 0 || parse_unary(parser) != 0)
		return -1;
	leave(parser);
	return expr_emit_operator(parser, OP_POWER, column, 0, 2);
}

static int parse_unary(struct expr_parser *parser)
{
	const struct expr_token *first = parser->token;
	while (parser->token->kind == TOKEN_PLUS || parser->token->kind == TOKEN_MINUS)
		parser->token++;
	const struct expr_token *sign = parser->token;
	if (parse_power(parser) != 0)
		return -1;
	while (sign-- > first)
		if (expr_emit_operator(parser, sign->kind == TOKEN_MINUS ? OP_NEGATE : OP_PLUS, sign->column, 0, 1) !=
		    0)
			return -1;
	return 0;
}

static int parse_product(struct expr_parser *parser)
{
	static const enum expr_operation operations[] = {[TOKEN_TIMES] = OP_MULTIPLY,
							 [TOKEN_DIVIDE] = OP_DIVIDE,
							 [TOKEN_MODULO] = OP_MODULO,
							 [TOKEN_FLOOR_DIVIDE] = OP_FLOOR_DIVIDE};
	if (parse_unary(parser) != 0)
		return -1;
	for (;;) {
		const struct expr_token *token = parser->token;
		if (token->kind != TOKEN_TIMES && token->kind != TOKEN_DIVIDE && token->kind != TOKEN_MODULO &&
		    token->kind != TOKEN_FLOOR_DIVIDE)
			return 0;
		parser->token++;
		if (parse_unary(parser) != 0 ||
		    expr_emit_operator(parser, operations[token->kind], token->column, 0, 2) != 0)
			return -1;
	}
}

static int parse_sum(struct expr_parser *parser)
{
	if (parse_product(parser) != 0)
		return -1;
	for (;;) {
		const struct expr_token *token = parser->token;
		if (token->kind != TOKEN_PLUS && token->kind != TOKEN_MINUS)
			return 0;
		parser->token++;
		if (parse_product(parser) != 0 ||
		    expr_emit_operator(parser, token->kind == TOKEN_PLUS ? OP_ADD : OP_SUBTRACT, token->column, 0, 2) !=
			    0)
			return -1;
	}
}

static bool accept_comparison(struct expr_parser *parser, enum expr_comparison *which)
{
	static const struct {
		enum expr_token_kind token;
		enum expr_comparison which;
	} table[] = {
		{TOKEN_LESS, LESS},       {TOKEN_LESS_EQUAL, LESS_EQUAL},
		{TOKEN_EQUAL, EQUAL},     {TOKEN_NOT_EQUAL, NOT_EQUAL},
		{TOKEN_GREATER, GREATER}, {TOKEN_GREATER_EQUAL, GREATER_EQUAL},
		{TOKEN_IN, IN},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (accept(parser, table[i].token)) {
			*which = table[i].which;
			return true;
		}
	if (parser->token[0].kind != TOKEN_NOT || parser->token[1].kind != TOKEN_IN)
		return false;
	parser->token += 2;
	*which = NOT_IN;
	return true;
}

/* a < b < c: every operand once, and c only where a < b. The jumps out of the
 * chain are linked through their arguments until it ends. */
static int parse_comparison(struct expr_parser *parser)
{
	struct expr *expr = parser->expr;
	enum expr_comparison which, following;
	int32_t last_jump = -1;
	unsigned column;
	if (parse_sum(parser) != 0)
		return -1;
	column = parser->token->column;
	if (!accept_comparison(parser, &which))
		return 0;
	for (;;) {
		if (parse_sum(parser) != 0)
			return -1;
		unsigned following_column = parser->token->column;
		if (!accept_comparison(parser, &following))
			break;
		if (expr_emit(parser, OP_CHAIN, column, which, 0) != 0)
			return -1;
		expr->code[expr->n_code - 1].argument = last_jump;
		last_jump = (int32_t)expr->n_code - 1;
		which = following;
		column = following_column;
	}
	if (expr_emit_operator(parser, OP_COMPARE, column, which, 2) != 0)
		return -1;
	while (last_jump != -1) {
		size_t jump = (size_t)last_jump;
		last_jump = expr->code[jump].argument;
		expr_emit_land(parser, jump);
	}
	return 0;
}

static int parse_not(struct expr_parser *parser)
{
	const struct expr_token *first = parser->token;
	while (accept(parser, TOKEN_NOT))
		;
	const struct expr_token *operand = parser->token;
	if (parse_comparison(parser) != 0)
		return -1;
	while (operand-- > first)
		if (expr_emit_operator(parser, OP_NOT, operand->column, 0, 1) != 0)
			return -1;
	return 0;
}

static int parse_logic(struct expr_parser *parser, enum expr_token_kind token, enum expr_operation operation,
		       int (*operand)(struct expr_parser *))
{
	if (operand(parser) != 0)
		return -1;
	for (;;) {
		unsigned column = parser->token->column;
		if (!accept(parser, token))
			return 0;
		size_t jump = parser->expr->n_code;
		if (expr_emit(parser, operation, column, 0, 0) != 0 || operand(parser) != 0)
			return -1;
		expr_emit_land(parser, jump);
	}
}

static int parse_and(struct expr_parser *parser)
{
	return parse_logic(parser, TOKEN_AND, OP_AND, parse_not);
}

static int parse_or(struct expr_parser *parser)
{
	return parse_logic(parser, TOKEN_OR, OP_OR, parse_and);
}

/* The value, emitted from start on, is moved behind the condition. */
static int parse_if(struct expr_parser *parser, size_t start)
{
	struct expr *expr = parser->expr;
	unsigned column = parser->token++->column;
	size_t value_end = expr->n_code;
	parser->barrier = value_end;
	if (parse_or(parser) != 0 || expr_emit(parser, OP_JUMP_IF_FALSE, column, 0, 0) != 0)
		return -1;
	size_t test = expr->n_code - 1 - (value_end - start);
	expr_emit_swap(parser, start, value_end);
	size_t jump = expr->n_code;
	if (expr_emit(parser, OP_JUMP, column, 0, 0) != 0 || expect(parser, TOKEN_ELSE, "else") != 0)
		return -1;
	expr_emit_land(parser, test);
	if (parse_expression(parser) != 0)
		return -1;
	expr_emit_land(parser, jump);
	return 0;
}

static int parse_expression(struct expr_parser *parser)
{
	size_t start = parser->expr->n_code;
	if (enter(parser) != 0 || parse_or(parser) != 0)
		return -1;
	if (parser->token->kind == TOKEN_IF && parse_if(parser, start) != 0)
		return -1;
	leave(parser);
	return 0;
}

int expr_compile(struct expr *expr, const char *const *names, size_t n_names, struct mmt_error *error)
{
	struct expr_token *tokens;
	if (expr_lex(expr->text, &tokens, error) != 0)
		return -1;
	struct expr_parser parser = {.expr = expr, .names = names, .n_names = n_names, .token = tokens, .error = error};
	int status = -1;
	expr->strings = malloc(strlen(expr->text) + 1);
	if (expr->strings == NULL)
		mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for an expression");
	else if (parse_expression(&parser) == 0)
		status = expect(&parser, TOKEN_END, "an operator");
	free(tokens);
	return status;
}
