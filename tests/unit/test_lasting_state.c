// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fixtures/lasting_state.h"
#include "synthetic.h"

static struct lasting_state example(void)
{
	return (struct lasting_state){
		.spec = xstrdup("ext4:noatime"),
		.fstype = xstrdup("ext4"),
		.label = xstrdup("ioproof"),
		.scratch = xstrdup("/srv"),
		.uuid = xstrdup("0f5a9b0e-1c1f-4a57-9e1c-0b6a2f1c7d10"),
		.size = 16 * MIB,
		.loop = { { "loop7", 0x707, 0x803, 12 } },
		.loops = 1,
		.started_at = 1700000000,
		.builder = { 42, 1234, "d1b2" },
	};
}

static char *example_text(void)
{
	struct lasting_state state = example();
	json_t *document = lasting_state_document(&state);
	char *text = json_dumps(document, JSON_COMPACT);

	json_decref(document);
	lasting_state_free(&state);
	return text;
}

static void test_state_survives_its_way_through_the_note(void **unused)
{
	_cleanup_free_ char *text = example_text(), *again = NULL;
	struct lasting_state state = { 0 };
	struct error error;
	json_t *document;

	assert_int_equal(lasting_state_parse(text, strlen(text), &state, &error), 0);
	assert_string_equal(state.loop[0].name, "loop7");
	assert_int_equal(state.loop[0].image_inode, 12);
	assert_int_equal(state.builder.started, 1234);
	document = lasting_state_document(&state);
	again = json_dumps(document, JSON_COMPACT);
	assert_string_equal(again, text);
	json_decref(document);
	lasting_state_free(&state);
}

static void test_state_of_a_fixture_that_is_built_has_no_devices_yet(void **unused)
{
	struct lasting_state state = example(), read = { 0 };
	_cleanup_free_ char *text = NULL;
	struct error error;
	json_t *document;

	free(take_pointer(state.uuid));
	state.loops = 0;
	document = lasting_state_document(&state);
	text = json_dumps(document, 0);
	json_decref(document);
	assert_int_equal(lasting_state_parse(text, strlen(text), &read, &error), 0);
	assert_null(read.uuid);
	assert_int_equal(read.loops, 0);
	lasting_state_free(&read);
	lasting_state_free(&state);
}

/* One part of the good note replaced by a bad one. */
static const struct {
	const char *good, *bad, *said;
} hostile[] = {
	{ "ioproof.lasting/1", "ioproof.lasting/9", "schema" },
	{ "\"spec\":\"ext4:noatime\"", "\"spec\":5", "spec" },
	{ "\"filesystem\":\"ext4\"", "\"filesystem\":\"../ext4\"", "filesystem" },
	{ "\"filesystem\":\"ext4\"", "\"filesystem\":\"\"", "filesystem" },
	{ "0f5a9b0e-", "../../../", "uuid" },
	{ "\"loop7\"", "\"../../sda\"", "loop" },
	{ "\"loop7\"", "\"loop\"", "loop" },
	{ "\"loop7\"", "\"loop7/..\"", "loop" },
	{ "\"loop7\"", "\"loop12345678901\"", "loop" },
	{ "\"loop7\"", "[]", "loop" },
	{ "\"image_inode\":12", "\"image_inode\":-1", "image_inode" },
	{ "\"image_inode\":12", "\"image_inode\":1.5", "image_inode" },
	{ "\"image_inode\":12", "\"image_inode\":99999999999999999999", "state" },
	{ "\"pid\":42", "\"pid\":0", "builder" },
	{ "\"pid\":42", "\"pid\":4294967296", "builder" },
	{ "\"boot_id\":\"d1b2\"", "\"boot_id\":null", "builder" },
	{ "\"boot_id\":\"d1b2\"", "\"boot_id\":\"0123456789012345678901234567890123456789\"",
		"builder" },
	{ "\"size_bytes\":16777216", "\"size_bytes\":\"16777216\"", "size_bytes" },
	{ "\"spec\":", "\"spec\":\"xfs\",\"spec\":", "state" },
	{ "ext4:noatime", "ext4\\u0000", "state" },
	{ "}]", "},5]", "loop" },
	{ "[{", "[[{", "state" },
	{ "{", "", "state" },
};

static void test_note_that_we_did_not_write_is_refused(void **unused)
{
	_cleanup_free_ char *text = example_text();

	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		const char *at = strstr(text, hostile[i].good);
		_cleanup_free_ char *bad = NULL;
		struct lasting_state state = { 0 };
		struct error error = { "" };

		assert_non_null(at);
		bad = xasprintf("%.*s%s%s", (int)(at - text), text, hostile[i].bad,
			at + strlen(hostile[i].good));
		if (lasting_state_parse(bad, strlen(bad), &state, &error) != -EINVAL)
			fail_msg("taken: %s", bad);
		if (!strstr(error.text, hostile[i].said))
			fail_msg("%s\nsays: %s", bad, error.text);
		assert_null(state.spec);
	}
}

static void test_more_devices_than_a_fixture_can_have_are_refused(void **unused)
{
	_cleanup_free_ char *text = example_text(), *many = NULL;
	json_t *document = json_loads(text, 0, NULL), *loops = json_object_get(document, "loops");
	struct lasting_state state;
	struct error error;

	for (int i = 0; i < FIXTURE_DEVICES_MAX; i++)
		json_array_append(loops, json_array_get(loops, 0));
	many = json_dumps(document, 0);
	json_decref(document);
	assert_int_equal(lasting_state_parse(many, strlen(many), &state, &error), -EINVAL);
}

static void test_long_texts_are_refused(void **unused)
{
	_cleanup_free_ char *text = example_text(), *longer = NULL;
	json_t *document = json_loads(text, 0, NULL);
	char spec[5000];
	struct lasting_state state;
	struct error error;

	memset(spec, 'x', sizeof(spec) - 1);
	spec[sizeof(spec) - 1] = '\0';
	json_object_set_new(document, "spec", json_string(spec));
	longer = json_dumps(document, 0);
	json_decref(document);
	assert_int_equal(lasting_state_parse(longer, strlen(longer), &state, &error), -EINVAL);
}

static void write_process(struct synthetic *m, const char *boot, const char *state, int start)
{
	_cleanup_free_ char *stat =
		xasprintf("42 (a) b (c) %s 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 %d 1 1\n",
			state, start);

	synthetic_file(m, "proc/sys/kernel/random/boot_id", boot);
	synthetic_file(m, "proc/42/stat", stat);
}

static void test_process_is_the_same_only_with_boot_and_start(void **unused)
{
	const struct process_id id = { 42, 1234, "d1b2" }, other = { 43, 1234, "d1b2" };
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	struct synthetic m;

	synthetic_make(&m);
	assert_int_equal(sysroot_open(m.directory, &root, NULL), 0);
	assert_false(process_id_alive(&root, &id));
	write_process(&m, "d1b2\n", "S", 1234);
	assert_true(process_id_alive(&root, &id));
	assert_false(process_id_alive(&root, &other));
	write_process(&m, "d1b2\n", "S", 1235);
	assert_false(process_id_alive(&root, &id));
	write_process(&m, "ffff\n", "S", 1234);
	assert_false(process_id_alive(&root, &id));
	write_process(&m, "d1b2\n", "Z", 1234);
	assert_false(process_id_alive(&root, &id));
	synthetic_file(&m, "proc/42/stat", "42 (a) S 1\n");
	assert_false(process_id_alive(&root, &id));
	synthetic_remove(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_survives_its_way_through_the_note),
		cmocka_unit_test(test_state_of_a_fixture_that_is_built_has_no_devices_yet),
		cmocka_unit_test(test_note_that_we_did_not_write_is_refused),
		cmocka_unit_test(test_more_devices_than_a_fixture_can_have_are_refused),
		cmocka_unit_test(test_long_texts_are_refused),
		cmocka_unit_test(test_process_is_the_same_only_with_boot_and_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
