/* lex.c: see lex.h. */
#include "lex.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *text;
	enum expr_token_kind kind;
} keywords[] = {
	{"and", TOKEN_AND},   {"or", TOKEN_OR},   {"not", TOKEN_NOT},   {"in", TOKEN_IN},       {"if", TOKEN_IF},
	{"else", TOKEN_ELSE}, {"for", TOKEN_FOR}, {"True", TOKEN_TRUE}, {"False", TOKEN_FALSE},
};

/* Longer ones first */
static const struct {
	const char *text;
	enum expr_token_kind kind;
} symbols[] = {
	{"**", TOKEN_POWER},     {"//", TOKEN_FLOOR_DIVIDE}, {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
	{"==", TOKEN_EQUAL},     {"!=", TOKEN_NOT_EQUAL},    {"<", TOKEN_LESS},        {">", TOKEN_GREATER},
	{"+", TOKEN_PLUS},       {"-", TOKEN_MINUS},         {"*", TOKEN_TIMES},       {"/", TOKEN_DIVIDE},
	{"%", TOKEN_MODULO},     {"(", TOKEN_OPEN},          {")", TOKEN_CLOSE},       {"[", TOKEN_OPEN_LIST},
	{"]", TOKEN_CLOSE_LIST}, {",", TOKEN_COMMA},
};

/* What people write who come from C */
static const struct {
	const char *text, *meant;
} mistakes[] = {{"&&", "and"}, {"||", "or"}, {"!", "not"}, {"=", "=="}, {"?", "x if condition else y"}};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static int lex_name(struct expr_token *token)
{
	while (is_name(token->start[token->length]))
		token->length++;
	token->kind = TOKEN_NAME;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strlen(keywords[i].text) == token->length &&
		    memcmp(keywords[i].text, token->start, token->length) == 0)
			token->kind = keywords[i].kind;
	return 0;
}

static size_t digits(const char *text)
{
	size_t length = 0;
	while (is_digit(text[length]))
		length++;
	return length;
}

/* Decimal integers and reals, hexadecimal integers. */
static int lex_number(struct expr_token *token, struct mmt_error *error)
{
	const char *start = token->start;
	bool hexadecimal = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
	token->kind = TOKEN_INT;
	errno = 0;
	char *end;
	if (hexadecimal) {
		token->integer = strtoll(start, &end, 16);
		token->length = (size_t)(end - start);
	} else {
		size_t length = digits(start);
		if (length > 1 && start[0] == '0' && strspn(start, "0") < length)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "column %u: a number must not begin with 0", token->column);
		if (start[length] == '.') {
			token->kind = TOKEN_REAL;
			length += 1 + digits(start + length + 1);
		}
		if (start[length] == 'e' || start[length] == 'E') {
			size_t sign = start[length + 1] == '+' || start[length + 1] == '-';
			token->kind = TOKEN_REAL;
			length += 1 + sign + digits(start + length + 1 + sign);
		}
		token->length = length;
		if (token->kind == TOKEN_REAL)
			token->real = strtod(start, &end);
		else
			token->integer = strtoll(start, &end, 10);
	}
	if (end != start + token->length || is_name(*end) || *end == '.')
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "column %u: malformed number", token->column);
	if (token->kind == TOKEN_INT ? errno == ERANGE : !isfinite(token->real))
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "column %u: the number is too large",
				     token->column);
	return 0;
}

static int lex_string(struct expr_token *token, struct mmt_error *error)
{
	char quote = *token->start++;
	while (token->start[token->length] != quote) {
		char c = token->start[token->length];
		if (c == '\0' || c == '\n')
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "column %u: the string does not end",
					     token->column);
		if (c == '\\')
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "column %u: a string must not hold a backslash",
					     token->column + 1 + (unsigned)token->length);
		token->length++;
	}
	token->kind = TOKEN_STRING;
	return 0;
}

static int lex_symbol(struct expr_token *token, struct mmt_error *error)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		size_t length = strlen(symbols[i].text);
		if (strncmp(token->start, symbols[i].text, length) == 0) {
			token->kind = symbols[i].kind;
			token->length = length;
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		if (strncmp(token->start, mistakes[i].text, strlen(mistakes[i].text)) == 0)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "column %u: '%s' is not known here; write '%s'", token->column,
					     mistakes[i].text, mistakes[i].meant);
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "column %u: unexpected '%c'", token->column,
			     *token->start);
}

static int lex_one(struct expr_token *token, struct mmt_error *error)
{
	char c = token->start[0];
	if (is_digit(c) || (c == '.' && is_digit(token->start[1])))
		return lex_number(token, error);
	if (is_name(c))
		return lex_name(token);
	if (c == '\'' || c == '"')
		return lex_string(token, error);
	return lex_symbol(token, error);
}

/* Only text that can be shown in a message goes further. */
static int check_characters(const char *text, struct mmt_error *error)
{
	for (size_t i = 0; text[i] != '\0'; i++) {
		unsigned char c = (unsigned char)text[i];
		if (i == EXPR_LIMIT_TEXT_BYTES)
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "column %zu: the expression is longer than %d bytes", i + 1,
					     EXPR_LIMIT_TEXT_BYTES);
		if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c > '~')
			return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
					     "column %zu: byte 0x%02x is not printable ASCII", i + 1, c);
	}
	return 0;
}

int expr_lex(const char *text, struct expr_token **out, struct mmt_error *error)
{
	*out = NULL;
	if (check_characters(text, error) != 0)
		return -1;
	struct expr_token *tokens = calloc(strlen(text) + 1, sizeof(*tokens));
	if (tokens == NULL)
		return mmt_error_set(error, MMT_NO_MEMORY, 0, "out of memory for an expression");
	size_t count = 0;
	const char *at = text;
	for (;;) {
		at += strspn(at, " \t\n\r");
		struct expr_token *token = &tokens[count++];
		token->column = (unsigned)(at - text) + 1;
		token->start = at;
		if (*at == '\0')
			break;
		if (lex_one(token, error) != 0) {
			free(tokens);
			return -1;
		}
		at = token->start + token->length + (token->kind == TOKEN_STRING);
	}
	*out = tokens;
	return 0;
}
