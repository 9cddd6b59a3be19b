/* device.c: driver strings made safe, names that stay bound, JSON both ways. */
#include "fixture.h"

#include "device.h"

static void sanitised(const char *raw, size_t length, const char *expected)
{
	char out[KERN_NAME_BYTES];
	kern_text_sanitise(out, sizeof(out), raw, length);
	assert_string_equal(out, expected);
	json_t *text = json_string(out); /* jansson refuses what is not UTF-8 */
	assert_non_null(text);
	json_decref(text);
}

static void strings_become_utf8_without_controls(void **state)
{
	(void)state;
	sanitised("Radeon \"R9\" \\", 64, "Radeon \"R9\" \\");
	sanitised("caf\xc3\xa9 \xf0\x9f\x98\x80", 64, "caf\xc3\xa9 \xf0\x9f\x98\x80");
	sanitised("a\nb\x1b[0m\x7f", 64, "a\\x0Ab\\x1B[0m\\x7F");
	sanitised("\xff\xfe latin \xe9", 64, "\\xFF\\xFE latin \\xE9");
	sanitised("\xed\xa0\x80 \xc0\xaf \xf4\x90\x80\x80", 64,
		  "\\xED\\xA0\\x80 \\xC0\\xAF \\xF4\\x90\\x80\\x80"); /* surrogate, overlong, past U+10FFFF */
	sanitised("\xc2\x85", 64, "\\xC2\\x85");                      /* a C1 control */
	sanitised("cut \xe2\x82", 6, "cut \\xE2\\x82");               /* ends within a character */
	sanitised("ends\0here", 9, "ends");
}

static void a_long_name_is_cut_between_characters(void **state)
{
	(void)state;
	char raw[900], out[KERN_NAME_BYTES], small[6];
	for (size_t i = 0; i < 300; i++)
		memcpy(raw + 3 * i, "\xe2\x82\xac", 3);
	kern_text_sanitise(out, sizeof(out), raw, sizeof(raw));
	assert_int_equal(strlen(out), 510); /* 170 whole characters in 511 bytes */
	kern_text_sanitise(small, sizeof(small), "abc\n", 4);
	assert_string_equal(small, "abc"); /* the escape is whole or absent */
}

static void extensions_are_whole_words(void **state)
{
	(void)state;
	struct kern_device device = fixture_device();
	assert_true(kern_device_has_extension(&device, "cl_khr_fp64"));
	assert_false(kern_device_has_extension(&device, "cl_khr_fp6"));
	assert_false(kern_device_has_extension(&device, "khr_fp64"));
	assert_false(kern_device_has_extension(&device, ""));
}

static bool same_fingerprint(const struct kern_device *a, const char *name)
{
	struct kern_device left = *a, right = *a;
	snprintf(right.name, sizeof(right.name), "%s", name);
	kern_device_fingerprint(&left);
	kern_device_fingerprint(&right);
	return strcmp(left.fingerprint, right.fingerprint) == 0;
}

static void a_driver_suffix_does_not_unbind_a_name(void **state)
{
	(void)state;
	struct kern_device device = fixture_device();
	snprintf(device.name, sizeof(device.name), "AMD Radeon RX 6800");
	assert_true(same_fingerprint(&device, "AMD Radeon RX 6800 580.159.04"));
	assert_true(same_fingerprint(&device, "AMD Radeon RX 6800, driver v23.1.0-1~bpo"));
	assert_true(same_fingerprint(&device, "AMD Radeon RX 6800 (navi21, LLVM 15.0.7, DRM 3.49)"));
	assert_false(same_fingerprint(&device, "AMD Radeon RX 6900"));
	assert_false(same_fingerprint(&device, "AMD Radeon RX"));
	assert_false(same_fingerprint(&device, "AMD Radeon RX 6800 (mobile)"));
	snprintf(device.name, sizeof(device.name), "3.1");
	assert_false(same_fingerprint(&device, "3.2")); /* nothing but a version is the name */
}

static void a_uuid_binds_whatever_the_name_is(void **state)
{
	(void)state;
	struct kern_device device = fixture_device();
	snprintf(device.uuid, sizeof(device.uuid), "00000000-0000-0000-0000-000000000000");
	assert_false(same_fingerprint(&device, "other")); /* zeros are no UUID */
	snprintf(device.uuid, sizeof(device.uuid), "12345678-0000-0000-0000-000000000000");
	assert_true(same_fingerprint(&device, "other"));
	struct kern_device twin = device;
	twin.uuid[0] = '2';
	kern_device_fingerprint(&device);
	kern_device_fingerprint(&twin);
	assert_string_not_equal(device.fingerprint, twin.fingerprint);
	twin = device;
	snprintf(twin.driver, sizeof(twin.driver), "2.0");
	kern_device_fingerprint(&twin);
	assert_string_equal(device.fingerprint, twin.fingerprint);
}

static void fields_do_not_run_together(void **state)
{
	(void)state;
	struct kern_device left = fixture_device(), right = fixture_device();
	strcpy(left.platform_vendor, "ab");
	strcpy(left.vendor, "c");
	strcpy(right.platform_vendor, "a");
	strcpy(right.vendor, "bc");
	kern_device_fingerprint(&left);
	kern_device_fingerprint(&right);
	assert_string_not_equal(left.fingerprint, right.fingerprint);
}

static void equal_devices_are_numbered(void **state)
{
	(void)state;
	struct kern_device devices[4];
	for (size_t i = 0; i < 4; i++)
		devices[i] = fixture_device();
	strcpy(devices[1].name, "Other");
	kern_devices_identify(devices, 4);
	assert_int_equal(devices[0].ordinal, 0);
	assert_int_equal(devices[1].ordinal, 0);
	assert_int_equal(devices[2].ordinal, 1);
	assert_int_equal(devices[3].ordinal, 2);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(devices[i].fingerprint, devices[j].fingerprint);
}

static void json_keeps_every_field(void **state)
{
	(void)state;
	struct kern_device device = fixture_device(), back;
	struct mmt_error error;
	strcpy(device.uuid, "12345678-0000-0000-0000-000000000000");
	device.ordinal = 3;
	device.compute_capability = 900;
	device.images = true;
	device.global_memory_bytes = 0x7fffffffffffffff;
	kern_device_fingerprint(&device);
	json_t *object = kern_device_to_json(&device);
	assert_int_equal(kern_device_from_json(object, &back, &error), 0);
	json_t *again = kern_device_to_json(&back);
	assert_true(json_equal(object, again));
	assert_string_equal(back.name, device.name);
	assert_int_equal(back.max_work_item_sizes[2], 64);
	assert_int_equal(back.ordinal, 3);
	assert_true(back.images && back.fp64 && !back.fp16);
	json_decref(again);
	json_decref(object);
}

static void refused(const char *key, json_t *value)
{
	struct kern_device device = fixture_device(), back;
	struct mmt_error error = {0};
	kern_device_fingerprint(&device);
	json_t *object = kern_device_to_json(&device);
	if (value)
		json_object_set_new(object, key, value);
	else
		json_object_del(object, key);
	assert_int_equal(kern_device_from_json(object, &back, &error), -1);
	assert_int_equal(error.code, MMT_PROTOCOL);
	json_decref(object);
}

static void bad_json_is_refused(void **state)
{
	(void)state;
	struct kern_device back;
	struct mmt_error error;
	char long_name[KERN_NAME_BYTES + 1];
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	refused("type", json_string("tpu"));
	refused("name", NULL);
	refused("name", json_string(long_name));
	refused("fingerprint", json_string("abc"));
	refused("compute_units", json_integer(-1));
	refused("compute_units", json_integer(1LL << 32));
	refused("fp64", json_integer(1));
	refused("max_work_item_sizes", json_pack("[i,i]", 1, 1));
	refused("max_work_item_sizes", json_pack("[i,i,i,i]", 1, 1, 1, 1));
	assert_int_equal(kern_device_from_json(NULL, &back, &error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_become_utf8_without_controls),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
		cmocka_unit_test(extensions_are_whole_words),
		cmocka_unit_test(a_driver_suffix_does_not_unbind_a_name),
		cmocka_unit_test(a_uuid_binds_whatever_the_name_is),
		cmocka_unit_test(fields_do_not_run_together),
		cmocka_unit_test(equal_devices_are_numbered),
		cmocka_unit_test(json_keeps_every_field),
		cmocka_unit_test(bad_json_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
