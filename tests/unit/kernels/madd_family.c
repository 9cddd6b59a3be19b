/* The multiply-add family: the recurrence in the problem's own precision is right, fused or not; a step too many or too
 * few, or a missing element, is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include "registry.h"
#include "values.h"

#define COUNT 37

struct chain {
	const struct kern_family *family;
	struct kern_checker *checker;
	struct mmt_problem problem;
	double factor, term;
};

static struct chain chain_create(enum mmt_type type, int64_t steps)
{
	struct chain chain = {.family = kern_family_find("madd")};
	struct kern_scalar scalars[KERN_MAX_SCALARS];
	struct mmt_error error;

	mmt_problem_init(&chain.problem);
	chain.problem.n = COUNT;
	chain.problem.k = steps;
	chain.problem.type = type;
	chain.checker = chain.family->checker_create(&chain.problem, 3, &error);
	assert_non_null(chain.checker);
	const size_t count = chain.family->scalars(&chain.problem, KERN_CHECK_PLAIN, scalars);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(scalars[i].name, "factor") == 0)
			chain.factor = scalars[i].real;
		if (strcmp(scalars[i].name, "term") == 0)
			chain.term = scalars[i].real;
	}
	return chain;
}

static int verify_floats(const struct chain *chain, int64_t steps, bool fused, size_t written)
{
	const float *x = chain->family->contents(chain->checker, KERN_CHECK_PLAIN, "x");
	const float factor = (float)chain->factor, term = (float)chain->term;
	float y[COUNT];
	double relative_error;
	struct mmt_error error;

	memcpy(y, chain->family->contents(chain->checker, KERN_CHECK_PLAIN, "y"), sizeof y);
	for (size_t i = 0; i < written; i++) {
		volatile float value = x[i];
		for (int64_t step = 0; step < steps; step++) {
			volatile float product = factor * value;
			value = fused ? fmaf(factor, value, term) : product + term;
		}
		y[i] = value;
	}
	return chain->family->verify(chain->checker, KERN_CHECK_PLAIN, "y", y, &relative_error, &error);
}

static void the_recurrence_is_right(void **state)
{
	static const int64_t steps[] = {1, 2, 17, 4096};
	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		struct chain chain = chain_create(MMT_F32, steps[i]);
		assert_int_equal(verify_floats(&chain, steps[i], true, COUNT), 0);
		assert_int_equal(verify_floats(&chain, steps[i], false, COUNT), 0);
		chain.family->checker_destroy(chain.checker);
	}
}

static void doubles_are_right(void **state)
{
	struct chain chain = chain_create(MMT_F64, 4096);
	const double *x = chain.family->contents(chain.checker, KERN_CHECK_PLAIN, "x");
	double y[COUNT], relative_error;
	struct mmt_error error;
	(void)state;

	for (size_t i = 0; i < COUNT; i++) {
		y[i] = x[i];
		for (int step = 0; step < 4096; step++)
			y[i] = chain.factor * y[i] + chain.term;
	}
	assert_int_equal(chain.family->verify(chain.checker, KERN_CHECK_PLAIN, "y", y, &relative_error, &error), 0);
	y[11] *= 1 + 1e-10;
	assert_int_equal(chain.family->verify(chain.checker, KERN_CHECK_PLAIN, "y", y, &relative_error, &error), -1);
	chain.family->checker_destroy(chain.checker);
}

static void a_wrong_number_of_steps_is_found(void **state)
{
	struct chain chain = chain_create(MMT_F32, 4096);
	(void)state;

	assert_int_equal(verify_floats(&chain, 4095, true, COUNT), -1);
	assert_int_equal(verify_floats(&chain, 4097, true, COUNT), -1);
	assert_int_equal(verify_floats(&chain, 2048, true, COUNT), -1);
	assert_int_equal(verify_floats(&chain, 0, true, COUNT), -1);
	chain.family->checker_destroy(chain.checker);
}

static void an_element_that_was_not_written_is_found(void **state)
{
	struct chain chain = chain_create(MMT_F32, 16);
	(void)state;

	assert_int_equal(verify_floats(&chain, 16, true, COUNT - 1), -1);
	chain.family->checker_destroy(chain.checker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recurrence_is_right),
		cmocka_unit_test(doubles_are_right),
		cmocka_unit_test(a_wrong_number_of_steps_is_found),
		cmocka_unit_test(an_element_that_was_not_written_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
