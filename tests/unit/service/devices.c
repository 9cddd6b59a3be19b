/* Names stay with their devices: through a swapped order, an absence, a driver that renames. */
#include "fixture.h"

#include "device_match.h"

#define UUID_A "00000000-0000-0000-0000-00000000000a"
#define UUID_B "00000000-0000-0000-0000-00000000000b"

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

static struct svc_device *find(struct fixture *fixture, const char *text)
{
	struct mmt_error error = {0};
	struct svc_device *device = svc_devices_find(fixture->service.devices, text, &error);
	if (!device)
		fail_msg("%s", error.message);
	return device;
}

static void names_go_by_type(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "devices=gpu:X,cpu:Y,gpu:Z,acc:W");
	assert_int_equal(svc_devices_count(fixture->service.devices), 4);
	assert_string_equal(find(fixture, "X")->name, "gpu0");
	assert_string_equal(find(fixture, "Z")->name, "gpu1");
	assert_string_equal(find(fixture, "Y")->name, "cpu0");
	assert_string_equal(find(fixture, "W")->name, "acc0");
	assert_string_equal(svc_devices_at(fixture->service.devices, 0)->name, "acc0"); /* by name order */
	assert_true(find(fixture, "X")->id > 0);
	assert_true(find(fixture, "X")->environment_id > 0);
}

static void two_of_a_name_are_told_apart_in_any_order(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "devices=gpu:Twin:" UUID_A ",gpu:Twin:" UUID_B);
	assert_string_equal(find(fixture, UUID_A)->name, "gpu0");
	assert_string_equal(find(fixture, UUID_B)->name, "gpu1");
	fixture_stop(fixture);
	fixture_start(fixture, "devices=gpu:Twin:" UUID_B ",gpu:Twin:" UUID_A);
	assert_int_equal(svc_devices_count(fixture->service.devices), 2);
	assert_string_equal(find(fixture, UUID_A)->name, "gpu0");
	assert_string_equal(find(fixture, UUID_B)->name, "gpu1");
	struct mmt_error error = {0};
	assert_null(svc_devices_find(fixture->service.devices, "Twin", &error));
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
}

static void an_absent_one_keeps_its_name(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "devices=gpu:Twin:" UUID_A ",gpu:Twin:" UUID_B);
	int64_t id = find(fixture, UUID_A)->id;
	fixture_enumerate(fixture, "devices=gpu:Twin:" UUID_B ",gpu:New");
	assert_false(find(fixture, "gpu0")->present);
	assert_true(find(fixture, "gpu1")->present);
	assert_string_equal(find(fixture, "New")->name, "gpu2");
	fixture_enumerate(fixture, "devices=gpu:Twin:" UUID_A);
	assert_true(find(fixture, "gpu0")->present);
	assert_int_equal(find(fixture, "gpu0")->id, id);
}

static void an_updated_driver_is_another_environment(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "devices=gpu:X; driver=1.0");
	int64_t id = find(fixture, "gpu0")->id, environment = find(fixture, "gpu0")->environment_id;
	fixture_enumerate(fixture, "devices=gpu:X; driver=2.0");
	assert_int_equal(find(fixture, "gpu0")->id, id);
	assert_int_not_equal(find(fixture, "gpu0")->environment_id, environment);
	fixture_enumerate(fixture, "devices=gpu:X; driver=1.0");
	assert_int_equal(find(fixture, "gpu0")->environment_id, environment);
}

static void an_unknown_name_lists_what_there_is(void **state)
{
	struct fixture *fixture = *state;
	struct mmt_error error = {0};
	fixture_start(fixture, "devices=gpu:Card nine");
	assert_null(svc_devices_find(fixture->service.devices, "gpu7", &error));
	assert_int_equal(error.code, MMT_NO_SUCH_DEVICE);
	assert_non_null(strstr(error.message, "gpu0 (Card nine)"));
	fixture_enumerate(fixture, "devices=; hint=no driver is installed");
	assert_null(svc_devices_find(fixture->service.devices, "gpu7", &error));
	assert_non_null(strstr(error.message, "no driver is installed"));
}

static void a_driver_that_crashes_leaves_the_known_devices(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "devices=gpu:X");
	fixture_enumerate(fixture, "enumerate=crash");
	assert_int_equal(fixture->ready_error.code, MMT_SYSTEM);
	assert_int_equal(svc_devices_count(fixture->service.devices), 1);
	assert_non_null(svc_devices_hints(fixture->service.devices)[0]);
}

/* ---- matching, without a driver ---- */

static struct kern_device card(const char *name, const char *uuid, const char *fingerprint)
{
	struct kern_device device = {.type = KERN_GPU, .vendor = "V"};
	snprintf(device.name, sizeof device.name, "%s", name);
	snprintf(device.uuid, sizeof device.uuid, "%s", uuid);
	snprintf(device.fingerprint, sizeof device.fingerprint, "%s", fingerprint);
	return device;
}

static void a_version_in_a_name_is_no_other_device(void **state)
{
	(void)state;
	struct kern_device known = card("Card(R) RX 9 (LLVM 15.0.6)", "", "1");
	struct kern_device reported = card("Card RX 9 (LLVM 16.0)", "", "2");
	const struct kern_device *list[] = {&known};
	size_t match;
	device_match(list, 1, &reported, 1, &match);
	assert_int_equal(match, 0);
	reported = card("Card RX 10", "", "3");
	device_match(list, 1, &reported, 1, &match);
	assert_true(match == DEVICE_NO_MATCH);
}

static void another_uuid_is_another_card(void **state)
{
	(void)state;
	struct kern_device known = card("Card", UUID_A, "1"), reported = card("Card", UUID_B, "2");
	const struct kern_device *list[] = {&known};
	size_t match;
	device_match(list, 1, &reported, 1, &match);
	assert_true(match == DEVICE_NO_MATCH);
}

static void one_that_might_be_two_is_neither(void **state)
{
	(void)state;
	struct kern_device one = card("Card 1.0", "", "1"), two = card("Card 2.0", "", "2");
	struct kern_device reported = card("Card 3.0", "", "3");
	const struct kern_device *list[] = {&one, &two};
	size_t match;
	device_match(list, 2, &reported, 1, &match);
	assert_true(match == DEVICE_NO_MATCH);
}

static void a_claimed_one_is_not_matched_again(void **state)
{
	(void)state;
	struct kern_device known = card("Card 1.0", "", "1");
	struct kern_device reported[] = {card("Card 2.0", "", "2"), card("Card 1.0", "", "1")};
	const struct kern_device *list[] = {&known};
	size_t match[2];
	device_match(list, 1, reported, 2, match);
	assert_true(match[0] == DEVICE_NO_MATCH);
	assert_int_equal(match[1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_go_by_type, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_of_a_name_are_told_apart_in_any_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_absent_one_keeps_its_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_updated_driver_is_another_environment, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unknown_name_lists_what_there_is, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_driver_that_crashes_leaves_the_known_devices, set_up, tear_down),
		cmocka_unit_test(a_version_in_a_name_is_no_other_device),
		cmocka_unit_test(another_uuid_is_another_card),
		cmocka_unit_test(one_that_might_be_two_is_neither),
		cmocka_unit_test(a_claimed_one_is_not_matched_again),
	};
	return cmocka_run_group_tests_name("service/devices", tests, NULL, NULL);
}
