/* Any text: compiles or not, evaluates or not, but never worse. */
#include "expr.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a", "b", "c"};
	static const struct expr_value slots[] = {
		{.kind = EXPR_INT, .integer = 64},
		{.kind = EXPR_REAL, .real = -2.5},
		{.kind = EXPR_STRING, .string = "text"},
	};
	static const int64_t sizes[] = {1000, -7, INT64_MAX};
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	struct mmt_error error;
	struct expr *expr = expr_create(text, names, 3, 3, &error);
	struct expr_value value, *values;
	int64_t integer;
	bool truth;
	size_t count;
	char printed[64];
	if (expr != NULL) {
		if (expr_eval(expr, slots, sizes, &value, &error) == 0)
			expr_value_text(&value, printed, sizeof(printed));
		expr_eval_integer(expr, slots, sizes, &integer, &error);
		expr_eval_truth(expr, slots, sizes, &truth, NULL);
	}
	if (expr_list(text, &values, &count, &error) == 0)
		expr_list_free(values, count);
	expr_destroy(expr);
	free(text);
	return 0;
}
