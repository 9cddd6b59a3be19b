/* What clients ask for: counted, bounded, kept over restarts. */
#include "fixture.h"

static int set_up(void **state)
{
	struct fixture *fixture = malloc(sizeof *fixture);
	fixture_create(fixture);
	fixture_start(fixture, "");
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	fixture_destroy(*state);
	free(*state);
	return 0;
}

static int64_t device_id(struct fixture *fixture)
{
	return svc_devices_at(fixture->service.devices, 0)->id;
}

static int64_t ask(struct fixture *fixture, int64_t order, int times)
{
	struct mmt_problem problem = fixture_problem(order);
	int64_t asks = 0;
	for (int i = 0; i < times; i++)
		asks = svc_demand_ask(fixture->service.demand, device_id(fixture), &problem);
	return asks;
}

static bool any(void *context, int64_t id, const struct mmt_problem *problem)
{
	(void)context, (void)id, (void)problem;
	return true;
}

static bool not_the_order(void *context, int64_t id, const struct mmt_problem *problem)
{
	(void)id;
	return problem->m != *(const int64_t *)context;
}

static void asks_are_counted_and_the_most_asked_is_found(void **state)
{
	struct fixture *fixture = *state;
	struct svc_demand *demand = fixture->service.demand;
	struct mmt_problem problem;
	int64_t id, first = 200;
	assert_false(svc_demand_most_asked(demand, any, NULL, &id, &problem));
	assert_int_equal(ask(fixture, 100, 2), 2);
	assert_int_equal(ask(fixture, 200, 3), 3);
	assert_int_equal(ask(fixture, 300, 1), 1);
	assert_true(svc_demand_most_asked(demand, any, NULL, &id, &problem));
	assert_int_equal(problem.m, 200);
	assert_true(svc_demand_most_asked(demand, not_the_order, &first, &id, &problem));
	assert_int_equal(problem.m, 100);
	svc_demand_forget(demand, device_id(fixture), &problem);
	assert_int_equal(svc_demand_asks(demand, device_id(fixture), &problem), 0);
	assert_int_equal(svc_demand_count(demand), 2);
}

static void many_sizes_do_not_push_out_what_is_asked_often(void **state)
{
	struct fixture *fixture = *state;
	ask(fixture, 1000, 3);
	for (int64_t order = 2000; order < 2000 + 3 * SVC_DEMAND_LIMIT; order++)
		ask(fixture, order, 1);
	assert_int_equal(svc_demand_count(fixture->service.demand), SVC_DEMAND_LIMIT);
	assert_int_equal(ask(fixture, 1000, 1), 4);
	assert_int_equal(ask(fixture, 2000 + 3 * SVC_DEMAND_LIMIT - 1, 1), 2); /* the newest is in, too */
}

static int count_row(void *context, const struct db_demand *row)
{
	(void)row;
	++*(int *)context;
	return 0;
}

static int count_work(struct db *db, void *context, struct mmt_error *error)
{
	return db_demand(db, count_row, context, error);
}

static void counts_outlast_a_restart_and_the_table_is_bounded(void **state)
{
	struct fixture *fixture = *state;
	int rows = 0;
	for (int64_t order = 1; order <= SVC_DEMAND_LIMIT + 10; order++)
		ask(fixture, order, order == 7 ? 5 : 1);
	fixture_stop(fixture);
	fixture_start(fixture, "");
	assert_int_equal(svc_store_run(fixture->service.store, count_work, &rows, NULL), 0);
	assert_int_equal(rows, SVC_DEMAND_LIMIT);
	assert_int_equal(svc_demand_count(fixture->service.demand), SVC_DEMAND_LIMIT);
	assert_int_equal(ask(fixture, 7, 1), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(asks_are_counted_and_the_most_asked_is_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_sizes_do_not_push_out_what_is_asked_often, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_outlast_a_restart_and_the_table_is_bounded, set_up, tear_down),
	};
	return cmocka_run_group_tests_name("service/demand", tests, NULL, NULL);
}
