/* One worker under watch: what it says arrives, whatever it does it ends in one `gone`, and nothing survives it. */
#include "fixture.h"

#include <errno.h>

#include "plan.h"
#include "problem_json.h"
#include "worker.h"

struct watched {
	struct svc_worker *worker;
	bool is_ready, has_results, is_gone;
	unsigned phases, gone;
	enum svc_worker_end end;
	char explanation[4096], outcome[32];
};

static void on_ready(void *context)
{
	((struct watched *)context)->is_ready = true;
}

static void on_phase(void *context, const char *phase)
{
	(void)phase;
	((struct watched *)context)->phases++;
}

static void on_results(void *context, const json_t *results)
{
	struct watched *watched = context;
	snprintf(watched->outcome, sizeof watched->outcome, "%s", fixture_text(json_array_get(results, 0), "outcome"));
	watched->has_results = true;
}

static void on_gone(void *context, enum svc_worker_end end, const char *explanation)
{
	struct watched *watched = context;
	watched->end = end;
	snprintf(watched->explanation, sizeof watched->explanation, "%s", explanation);
	watched->gone++;
	watched->is_gone = true;
}

static const struct svc_worker_events events = {on_ready, on_phase, on_results, on_gone};

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

/* The fake's first device, whose fingerprint does not change with its faults. */
static const char *fingerprint(struct fixture *fixture)
{
	fixture_start(fixture, "");
	return svc_devices_at(fixture->service.devices, 0)->properties.fingerprint;
}

static void start(struct fixture *fixture, struct watched *watched, const char *fake)
{
	memset(watched, 0, sizeof *watched);
	const char *which = fingerprint(fixture);
	setenv("MMTUNE_FAKE", fake, 1);
	watched->worker = svc_worker_create(&fixture->service, which, &events, watched);
	assert_non_null(watched->worker);
}

static void send_trial(struct fixture *fixture, struct watched *watched)
{
	fixture_wait(fixture, &watched->is_ready, 10);
	struct mmt_problem problem = fixture_problem(64);
	struct kern_plan plan;
	struct mmt_error error = {0};
	const struct svc_device *device = svc_devices_at(fixture->service.devices, 0);
	const uint16_t indices[] = {1, 0};
	assert_int_equal(kern_plan_init(&plan, fixture->variants[0], &problem, indices, &device->properties, &error),
			 0);
	json_t *request = json_pack("{s:s, s:o, s:o, s:f, s:b}", "op", "trial", "problem", problem_to_json(&problem),
				    "plan", kern_plan_to_json(&plan, true), "give_up_ns", 0.0, "general", 0);
	assert_int_equal(svc_worker_send(watched->worker, request, &error), 0);
	json_decref(request);
	kern_plan_finish(&plan);
}

static void gives_results_and_exits_when_closed(void **state)
{
	struct watched watched;
	start(*state, &watched, "");
	send_trial(*state, &watched);
	fixture_wait(*state, &watched.has_results, 10);
	assert_string_equal(watched.outcome, "ok");
	assert_true(watched.phases >= 3);
	svc_worker_close(watched.worker);
	fixture_wait(*state, &watched.is_gone, 10);
	assert_int_equal(watched.end, SVC_WORKER_EXITED);
	assert_int_equal(watched.gone, 1);
}

static void is_killed_at_its_deadline(void **state)
{
	struct watched watched;
	start(*state, &watched, "hang=1");
	svc_worker_set_launch_deadline(watched.worker, 0.2);
	send_trial(*state, &watched);
	fixture_wait(*state, &watched.is_gone, 5);
	assert_int_equal(watched.end, SVC_WORKER_TIMED_OUT);
	assert_non_null(strstr(watched.explanation, "verify"));
	assert_false(watched.has_results);
}

static void tells_the_signal_and_the_last_words(void **state)
{
	struct watched watched;
	start(*state, &watched, "crash=1");
	send_trial(*state, &watched);
	fixture_wait(*state, &watched.is_gone, 10);
	assert_int_equal(watched.end, SVC_WORKER_CRASHED);
	assert_non_null(strstr(watched.explanation, "signal 6"));
	assert_non_null(strstr(watched.explanation, "Assertion `0' failed"));
}

static void is_killed_for_what_is_no_message(void **state)
{
	struct watched watched;
	start(*state, &watched, "garbage=1");
	send_trial(*state, &watched);
	fixture_wait(*state, &watched.is_gone, 10);
	assert_int_equal(watched.end, SVC_WORKER_CRASHED);
	assert_non_null(strstr(watched.explanation, "broke the protocol"));
}

static void that_is_not_there_cannot_start(void **state)
{
	struct fixture *fixture = *state;
	struct watched watched;
	const char *which = fingerprint(fixture);
	memset(&watched, 0, sizeof watched);
	config_set(&fixture->service.config, "service", "worker", "/nonexistent/worker", NULL);
	assert_non_null(svc_worker_create(&fixture->service, which, &events, &watched));
	assert_false(watched.is_gone); /* never from within create */
	fixture_wait(fixture, &watched.is_gone, 10);
	assert_int_equal(watched.end, SVC_WORKER_CANNOT_START);
	assert_non_null(strstr(watched.explanation, "no such file"));
}

static void that_dies_before_its_hello_cannot_start(void **state)
{
	struct watched watched;
	start(*state, &watched, "hello=crash");
	fixture_wait(*state, &watched.is_gone, 10);
	assert_int_equal(watched.end, SVC_WORKER_CANNOT_START);
	assert_false(watched.is_ready);
}

/* A program that is a shell script in the fixture's folder. */
static void write_script(struct fixture *fixture, char *path, size_t bytes, const char *text)
{
	snprintf(path, bytes, "%s/script", fixture->folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	fclose(file);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(config_set(&fixture->service.config, "service", "worker", path, NULL), 0);
}

static void takes_its_own_children_along(void **state)
{
	struct fixture *fixture = *state;
	struct watched watched;
	char path[96], pid_path[96], text[256];
	const char *which = fingerprint(fixture);
	memset(&watched, 0, sizeof watched);
	snprintf(pid_path, sizeof pid_path, "%s/pid", fixture->folder);
	snprintf(text, sizeof text, "sleep 1000 & echo $! > %s; kill -9 $$", pid_path);
	write_script(fixture, path, sizeof path, text);
	assert_non_null(svc_worker_create(&fixture->service, which, &events, &watched));
	fixture_wait(fixture, &watched.is_gone, 10); /* though the sleeper held its stderr */
	int pid = 0;
	FILE *file = fopen(pid_path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &pid), 1);
	fclose(file);
	bool dead = false;
	for (int i = 0; i < 100 && !dead; i++) {
		char stat_path[64], line[256] = "";
		snprintf(stat_path, sizeof stat_path, "/proc/%d/stat", pid);
		FILE *stat_file = fopen(stat_path, "r");
		if (stat_file && !fgets(line, sizeof line, stat_file))
			line[0] = '\0';
		if (stat_file)
			fclose(stat_file);
		dead = !stat_file || strstr(line, ") Z ") || line[0] == '\0'; /* a zombie is its reaper's business */
		usleep(10000);
	}
	unlink(path);
	unlink(pid_path);
	assert_true(dead);
}

/* ---- enumeration ---- */

struct listed {
	bool done;
	json_t *output;
	struct mmt_error error;
};

static void on_enumerated(void *context, const json_t *output, const struct mmt_error *error)
{
	struct listed *listed = context;
	listed->output = json_deep_copy(output);
	if (error)
		listed->error = *error;
	listed->done = true;
}

static struct listed list_devices(struct fixture *fixture, const char *fake)
{
	struct listed listed = {0};
	setenv("MMTUNE_FAKE", fake, 1);
	svc_worker_enumerate(&fixture->service, on_enumerated, &listed);
	fixture_wait(fixture, &listed.done, 10);
	return listed;
}

static void lists_devices(void **state)
{
	struct listed listed = list_devices(*state, "devices=gpu:A,cpu:B; hint=a hint");
	assert_int_equal(json_array_size(json_object_get(listed.output, "devices")), 2);
	assert_int_equal(json_array_size(json_object_get(listed.output, "hints")), 1);
	json_decref(listed.output);
}

static void a_driver_that_crashes_in_a_list_is_an_error(void **state)
{
	struct listed listed = list_devices(*state, "enumerate=crash");
	assert_null(listed.output);
	assert_int_equal(listed.error.code, MMT_SYSTEM);
	assert_non_null(strstr(listed.error.message, "signal 6"));
}

static void a_list_that_hangs_can_be_given_up(void **state)
{
	struct fixture *fixture = *state;
	struct listed listed = {0};
	setenv("MMTUNE_FAKE", "enumerate=hang", 1);
	struct svc_enumeration *enumeration = svc_worker_enumerate(&fixture->service, on_enumerated, &listed);
	assert_non_null(enumeration);
	svc_worker_enumerate_stop(enumeration);
	fixture_wait(fixture, &listed.done, 10);
	assert_null(listed.output);
	assert_non_null(strstr(listed.error.message, "was killed by signal 9"));
}

static void a_list_without_an_end_is_cut_off(void **state)
{
	char path[96];
	write_script(*state, path, sizeof path, "exec cat /dev/zero");
	struct listed listed = list_devices(*state, "");
	unlink(path);
	assert_null(listed.output);
	assert_int_equal(listed.error.code, MMT_PROTOCOL);
}

static void a_list_that_is_no_json_is_an_error(void **state)
{
	char path[96];
	write_script(*state, path, sizeof path, "echo '{\"devices\": ['");
	struct listed listed = list_devices(*state, "");
	unlink(path);
	assert_null(listed.output);
	assert_int_equal(listed.error.code, MMT_PROTOCOL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gives_results_and_exits_when_closed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_killed_at_its_deadline, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tells_the_signal_and_the_last_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_killed_for_what_is_no_message, set_up, tear_down),
		cmocka_unit_test_setup_teardown(that_is_not_there_cannot_start, set_up, tear_down),
		cmocka_unit_test_setup_teardown(that_dies_before_its_hello_cannot_start, set_up, tear_down),
		cmocka_unit_test_setup_teardown(takes_its_own_children_along, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lists_devices, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_driver_that_crashes_in_a_list_is_an_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_that_hangs_can_be_given_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_without_an_end_is_cut_off, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_that_is_no_json_is_an_error, set_up, tear_down),
	};
	return cmocka_run_group_tests_name("service/worker", tests, NULL, NULL);
}
