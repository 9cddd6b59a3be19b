/* problem.c: see mmtune/problem.h. */
#include "mmtune/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const type_names[MMT_TYPE_COUNT] = {
#define NAME(code, name, bytes) [MMT_##code] = name,
	MMT_TYPE_TABLE(NAME)
#undef NAME
};
static const size_t type_bytes[MMT_TYPE_COUNT] = {
#define BYTES(code, name, bytes) [MMT_##code] = bytes,
	MMT_TYPE_TABLE(BYTES)
#undef BYTES
};
static const char *const trans_names[MMT_TRANS_COUNT] = {"nn", "nt", "tn", "tt"};
static const char *const accuracy_names[MMT_ACCURACY_COUNT] = {"native", "tf32"};

void mmt_problem_init(struct mmt_problem *problem)
{
	*problem = (struct mmt_problem){.family = "matmul", .m = 1, .n = 1, .k = 1};
}

bool mmt_problem_equal(const struct mmt_problem *a, const struct mmt_problem *b)
{
	return strcmp(a->family, b->family) == 0 && a->m == b->m && a->n == b->n && a->k == b->k &&
	       a->trans == b->trans && a->type == b->type && a->accuracy == b->accuracy;
}

const char *mmt_problem_text(const struct mmt_problem *problem, char *out, size_t bytes)
{
	bool native = problem->accuracy == MMT_ACCURACY_NATIVE;
	snprintf(out, bytes, "%s %" PRId64 "x%" PRId64 "x%" PRId64 " %s %s%s%s", problem->family, problem->m,
		 problem->n, problem->k, mmt_trans_name(problem->trans), mmt_type_name(problem->type),
		 native ? "" : " ", native ? "" : mmt_accuracy_name(problem->accuracy));
	return out;
}

size_t mmt_type_bytes(enum mmt_type type)
{
	return type_bytes[type];
}

const char *mmt_type_name(enum mmt_type type)
{
	return type_names[type];
}

const char *mmt_trans_name(enum mmt_trans trans)
{
	return trans_names[trans];
}

const char *mmt_accuracy_name(enum mmt_accuracy accuracy)
{
	return accuracy_names[accuracy];
}

/* The index of name, or -1 with a message that lists the names. */
static int parse_name(const char *what, const char *name, const char *const *names, size_t count,
		      struct mmt_error *error)
{
	char list[128] = "";
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(name, names[i]) == 0)
			return (int)i;
		const char *separator = i == 0 ? "" : i + 1 == count ? " or " : ", ";
		int wrote = snprintf(list + used, sizeof list - used, "%s%s", separator, names[i]);
		used += wrote > 0 && (size_t)wrote < sizeof list - used ? (size_t)wrote : 0;
	}
	return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0, "unknown %s '%.64s': choose %s", what, name, list);
}

int mmt_type_parse(const char *name, enum mmt_type *out, struct mmt_error *error)
{
	int index = parse_name("type", name, type_names, MMT_TYPE_COUNT, error);
	if (index < 0)
		return -1;
	*out = (enum mmt_type)index;
	return 0;
}

int mmt_trans_parse(const char *name, enum mmt_trans *out, struct mmt_error *error)
{
	int index = parse_name("trans", name, trans_names, MMT_TRANS_COUNT, error);
	if (index < 0)
		return -1;
	*out = (enum mmt_trans)index;
	return 0;
}

int mmt_accuracy_parse(const char *name, enum mmt_accuracy *out, struct mmt_error *error)
{
	int index = parse_name("accuracy", name, accuracy_names, MMT_ACCURACY_COUNT, error);
	if (index < 0)
		return -1;
	*out = (enum mmt_accuracy)index;
	return 0;
}

int mmt_dimension_parse(const char *what, const char *text, int64_t *out, struct mmt_error *error)
{
	int64_t value = 0;
	bool digits = text[0] != '\0';
	for (const char *c = text; digits && *c != '\0'; c++) {
		digits = *c >= '0' && *c <= '9';
		if (digits && value <= INT32_MAX)
			value = value * 10 + (*c - '0');
	}
	if (!digits || value < 1 || value > INT32_MAX)
		return mmt_error_set(error, MMT_INVALID_ARGUMENT, 0,
				     "%s '%.64s' is not a whole number from 1 to %" PRId32
				     ", written in decimal digits only",
				     what, text, INT32_MAX);
	*out = value;
	return 0;
}
