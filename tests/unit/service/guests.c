/* Guests of the queue: whom they wait for, who gives way to them, and what a pause and the end of the service do. */
#include "fixture.h"

struct guest {
	struct svc_jobs_guest guest;
	struct fixture *fixture;
	unsigned went, stopped;
	bool went_once, went_twice;
};

static void on_go(void *context)
{
	struct guest *guest = context;
	guest->went++;
	guest->went_once = true;
	guest->went_twice = guest->went >= 2;
}

static void on_stop(void *context)
{
	struct guest *guest = context;
	guest->stopped++;
	svc_jobs_leave(guest->fixture->service.jobs, &guest->guest);
}

static struct guest make_guest(struct fixture *fixture)
{
	return (struct guest){
		.guest = {.device = svc_devices_at(fixture->service.devices, 0), .go = on_go, .stop = on_stop},
		.fixture = fixture,
	};
}

static void enter(struct guest *guest)
{
	guest->guest.context = guest;
	svc_jobs_enter(guest->fixture->service.jobs, &guest->guest);
}

static void leave(struct guest *guest)
{
	svc_jobs_leave(guest->fixture->service.jobs, &guest->guest);
}

static int set_up(void **state)
{
	struct fixture *fixture = malloc(sizeof *fixture);
	fixture_create(fixture);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	fixture_destroy(*state);
	free(*state);
	return 0;
}

static void turn(struct fixture *fixture, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		uv_run(&fixture->loop, UV_RUN_ONCE);
}

/* As they are now: a watcher hears of them later. */
static int64_t evaluations(const struct fixture *fixture, const struct fixture_job *job)
{
	json_t *progress = svc_job_progress(fixture->service.jobs, job->id);
	int64_t count = json_integer_value(json_object_get(progress, "evaluations"));
	json_decref(progress);
	return count;
}

static void the_background_gives_way_and_goes_on_afterwards(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job background;
	fixture_start(fixture, "delay_ms=20");
	svc_jobs_start(fixture->service.jobs);
	struct svc_job_request request = fixture_request(fixture, 100);
	struct guest guest = make_guest(fixture);
	request.origin = SVC_JOB_QUERY;
	fixture_add(fixture, &background, &request);
	fixture_watch(fixture, &background);
	for (int i = 0; i < 5000 && evaluations(fixture, &background) == 0; i++)
		turn(fixture, 1);
	assert_true(evaluations(fixture, &background) > 0);
	enter(&guest);
	assert_int_equal(guest.went, 0); /* not before the candidate in flight is done */
	fixture_wait(fixture, &guest.went_once, 20);
	assert_false(background.ended);
	int64_t before = evaluations(fixture, &background);
	turn(fixture, 15);
	assert_int_equal(evaluations(fixture, &background), before);
	assert_int_equal(guest.went, 1);
	leave(&guest);
	fixture_wait(fixture, &background.ended, 60);
	assert_string_equal(fixture_text(background.last, "state"), "done");
	json_decref(background.last);
}

static void clients_who_came_first_and_peaks_go_before(void **state)
{
	struct fixture *fixture = *state;
	struct fixture_job client, later;
	struct svc_device *device;
	fixture_start(fixture, "delay_ms=1");
	device = svc_devices_at(fixture->service.devices, 0);
	struct svc_job_request request = fixture_request(fixture, 100);
	struct guest guest = make_guest(fixture);
	request.max_evaluations = 2;
	fixture_add(fixture, &client, &request);
	fixture_watch(fixture, &client);
	svc_jobs_add_peaks(fixture->service.jobs, device, MMT_F64);
	enter(&guest);
	request.problem = fixture_problem(200);
	fixture_add(fixture, &later, &request);
	fixture_watch(fixture, &later);
	svc_jobs_start(fixture->service.jobs);
	fixture_wait(fixture, &guest.went_once, 60);
	assert_true(client.ended);
	assert_false(later.ended);
	assert_true(svc_answers_peak_gflops(fixture->service.answers, device, MMT_F64) > 0);
	turn(fixture, 5);
	assert_int_equal(evaluations(fixture, &later), 0);
	leave(&guest);
	fixture_wait(fixture, &later.ended, 60);
	json_decref(client.last);
	json_decref(later.last);
}

static void guests_go_one_after_the_other(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "");
	svc_jobs_start(fixture->service.jobs);
	struct guest first = make_guest(fixture), second = make_guest(fixture);
	enter(&first);
	enter(&second);
	assert_int_equal(first.went, 1);
	assert_int_equal(second.went, 0);
	leave(&first);
	assert_int_equal(second.went, 1);
	leave(&second);
}

static void a_pause_makes_it_wait(void **state)
{
	struct fixture *fixture = *state;
	struct svc_jobs *jobs;
	fixture_start(fixture, "");
	jobs = fixture->service.jobs;
	svc_jobs_start(jobs);
	struct guest guest = make_guest(fixture);
	svc_jobs_pause(jobs, true);
	enter(&guest);
	assert_int_equal(guest.went, 0);
	svc_jobs_pause(jobs, false);
	assert_int_equal(guest.went, 1);
	assert_false(svc_jobs_must_wait(jobs, &guest.guest));
	svc_jobs_pause(jobs, true);
	assert_true(svc_jobs_must_wait(jobs, &guest.guest));
	svc_jobs_pause(jobs, false);
	assert_int_equal(guest.went, 2);
	svc_jobs_pause(jobs, true); /* that it did not ask about */
	svc_jobs_pause(jobs, false);
	assert_int_equal(guest.went, 2);
	leave(&guest);
}

static void the_end_of_the_service_stops_all(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "");
	svc_jobs_start(fixture->service.jobs);
	struct guest inside = make_guest(fixture), waiting = make_guest(fixture);
	enter(&inside);
	enter(&waiting);
	fixture_stop(fixture);
	assert_int_equal(inside.stopped, 1);
	assert_int_equal(waiting.stopped, 1);
	assert_int_equal(waiting.went, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_background_gives_way_and_goes_on_afterwards, set_up, tear_down),
		cmocka_unit_test_setup_teardown(clients_who_came_first_and_peaks_go_before, set_up, tear_down),
		cmocka_unit_test_setup_teardown(guests_go_one_after_the_other, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_pause_makes_it_wait, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_end_of_the_service_stops_all, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
