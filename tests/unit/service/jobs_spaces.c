/* Where a job's search begins and ends: at what is known of neighbours, and in spaces that are empty or wide. */
#include "jobs_fixture.h"

/* ---- what neighbours tell ---- */

/* Tunes order 100 by trying all, and then order 125 by `auto`; *second is the second job at its end. */
static void tune_two(struct fixture *fixture, const char *first_fake, const char *second_fake, int64_t evaluations,
		     struct fixture_job *second)
{
	struct fixture_job first;
	start(fixture, first_fake);
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &first, &request);
	finish_job(&first);
	restart(fixture, second_fake);
	svc_devices_at(fixture->service.devices, 0)->properties.max_work_group_size =
		strstr(second_fake, "T:64") ? 256 : 16;
	request = fixture_request(fixture, 125);
	request.strategy = "auto";
	request.max_evaluations = evaluations;
	run(fixture, second, &request);
	assert_string_equal(fixture_text(second->last, "state"), "done");
}

static void the_winner_of_a_neighbour_is_tried_first(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	tune_two(fixture, "best=T:64,U:8", "best=T:64,U:8", 2, &job);
	struct counting counting = {.filter = {.job_id = job.id}};
	counting = count(fixture, counting);
	assert_string_equal(counting.first, "{\"T\":64,\"U\":8}");
	const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 64);
	finish_job(&job);
}

static void a_neighbour_that_misleads_does_not_win(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	tune_two(fixture, "best=T:1,U:8", "best=T:64,U:1", 0, &job);
	struct counting counting = {.filter = {.job_id = job.id}};
	counting = count(fixture, counting);
	assert_string_equal(counting.first, "{\"T\":1,\"U\":8}");
	const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 64);
	assert_int_equal(json_integer_value(json_object_get(parameters, "U")), 1);
	finish_job(&job);
}

static void a_neighbour_that_does_not_hold_here_is_no_prior(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	tune_two(fixture, "best=T:64,U:8", "best=T:16,U:2", 1, &job); /* work-groups of 16 at most */
	struct counting counting = {.filter = {.job_id = job.id}};
	counting = count(fixture, counting);
	assert_string_equal(counting.first, "{\"T\":4,\"U\":1}"); /* the default */
	assert_int_equal(fixture_outcome(&job, "skipped"), 0);
	finish_job(&job);
}

/* ---- unusual spaces ---- */

static void conditions_that_never_hold_are_a_failure_that_names_them(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	static const char json[] = FIXTURE_VARIANT("matmul"), none[] = "\"Conditions\":[]";
	const char *at = strstr(json, none);
	char text[sizeof json + 64];
	snprintf(text, sizeof text, "%.*s\"Conditions\":[{\"Parameters\":[\"T\"],\"Expression\":\"T > 64\"}]%s",
		 (int)(at - json), json, at + strlen(none));
	kern_variant_destroy(fixture->variants[0]);
	fixture->variants[0] = fixture_variant("matmul/toy.json", text, "kernel void toy() {}\n");
	start(fixture, "");
	struct svc_job_request request = fixture_request(fixture, 100);
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "failed");
	assert_non_null(strstr(fixture_text(job.last, "message"), "the conditions of toy leave no configuration"));
	finish_job(&job);
}

/* The toy with other values of U. */
static void give_values(struct fixture *fixture, const char *values)
{
	static const char json[] = FIXTURE_VARIANT("matmul"), few[] = "[1, 2, 8]";
	const char *at = strstr(json, few);
	char text[sizeof json + 512];
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - json), json, values, at + strlen(few));
	kern_variant_destroy(fixture->variants[0]);
	fixture->variants[0] = fixture_variant("matmul/toy.json", text, "kernel void toy() {}\n");
}

static void a_job_ends_when_nothing_is_left_to_gain(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job job;
	char values[400] = "[1";
	for (int u = 2; u <= 64; u++)
		snprintf(values + strlen(values), sizeof values - strlen(values), ", %d", u);
	strcat(values, "]");
	give_values(fixture, values);
	start(fixture, "best=T:16,U:20");
	struct svc_job_request request = fixture_request(fixture, 100);
	request.strategy = "auto";
	request.budget_s = 100;
	request.until_best = true;
	run(fixture, &job, &request);
	assert_string_equal(fixture_text(job.last, "state"), "done");
	int64_t evaluations = fixture_evaluations(&job);
	assert_true(evaluations > 30 && evaluations < 4 * 64);
	const json_t *parameters = json_object_get(json_object_get(job.last, "best"), "parameters");
	assert_int_equal(json_integer_value(json_object_get(parameters, "T")), 16);
	finish_job(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_winner_of_a_neighbour_is_tried_first),
		TEST(a_neighbour_that_misleads_does_not_win),
		TEST(a_neighbour_that_does_not_hold_here_is_no_prior),
		TEST(conditions_that_never_hold_are_a_failure_that_names_them),
		TEST(a_job_ends_when_nothing_is_left_to_gain),
	};
	return cmocka_run_group_tests_name("service/jobs_spaces", tests, NULL, NULL);
}
