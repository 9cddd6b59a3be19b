/* lex.h: the tokens of an expression.
 *
 * The whole text is cut up before it is parsed, so that the parser can look
 * ahead (is this bracket a comprehension?). Only printable ASCII, blanks and
 * line ends are text.
 *
 * Thread: pure. */
#ifndef MMT_EXPR_LEX_H
#define MMT_EXPR_LEX_H

#include "expr.h"

enum expr_token_kind {
	TOKEN_END,
	TOKEN_INT,
	TOKEN_REAL,
	TOKEN_STRING,
	TOKEN_NAME,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_IN,
	TOKEN_IF,
	TOKEN_ELSE,
	TOKEN_FOR,
	TOKEN_TRUE,
	TOKEN_FALSE,
	TOKEN_POWER,
	TOKEN_FLOOR_DIVIDE,
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER_EQUAL,
	TOKEN_EQUAL,
	TOKEN_NOT_EQUAL,
	TOKEN_LESS,
	TOKEN_GREATER,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_TIMES,
	TOKEN_DIVIDE,
	TOKEN_MODULO,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_OPEN_LIST,
	TOKEN_CLOSE_LIST,
	TOKEN_COMMA
};

struct expr_token {
	enum expr_token_kind kind;
	unsigned column;   /* from 1 */
	const char *start; /* into the text; of a string: behind its quote */
	size_t length;
	union {
		int64_t integer;
		double real;
	};
};

/* *out (caller frees) ends in TOKEN_END. */
int expr_lex(const char *text, struct expr_token **out, struct mmt_error *error);

#endif
