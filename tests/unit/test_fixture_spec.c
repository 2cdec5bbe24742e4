// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fixtures/fixture.h"

static void must_parse(const char *text, const char *options, uint64_t size)
{
	_cleanup_(fixture_spec_free) struct fixture_spec spec = { 0 };
	struct error error = { "" };

	if (fixture_spec_parse(text, &spec, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	assert_string_equal(spec.text, text);
	assert_string_equal(spec.fstype, "ext4");
	assert_string_equal(spec.options, options);
	assert_true(spec.size == size);
	assert_true(spec.size_given == (size != 0));
}

static void must_fail(const char *text, const char *part)
{
	struct fixture_spec spec = { .size = 77 };
	struct error error = { "" };
	int r = fixture_spec_parse(text, &spec, &error);

	if (r != -EINVAL || !strstr(error.text, part))
		fail_msg("%s: %d `%s` lacks `%s`", text, r, error.text, part);
	assert_null(strchr(error.text, '\n'));
	assert_true(spec.size == 77 && !spec.text);
}

static void test_filesystem_alone_has_no_options(void **state)
{
	must_parse("ext4", "", 0);
}

static void test_options_and_size_are_told_apart(void **state)
{
	must_parse("ext4:noatime", "noatime", 0);
	must_parse("ext4:SIZE=2G", "", 2 * GIB);
	must_parse("ext4:data=journal,SIZE=64M,commit=30", "data=journal,commit=30", 64 * MIB);
	must_parse("ext4:SIZE=16M", "", 16 * MIB);
}

static void test_unknown_names_are_answered_with_the_known_ones(void **state)
{
	must_fail("zfs", "there is: ext4");
	must_fail("", "there is: ext4");
	must_fail(":noatime", "there is: ext4");
	must_fail("ext4:COLOUR=red", "there is: SIZE");
	must_fail("ext4:X-mount.mkdir", "there is: SIZE");
}

static void test_bad_sizes_are_named(void **state)
{
	must_fail("ext4:SIZE", "needs a value");
	must_fail("ext4:SIZE=", "needs a value");
	must_fail("ext4:SIZE=big", "SIZE=big");
	must_fail("ext4:SIZE=-1", "SIZE=-1");
	must_fail("ext4:SIZE=99999999999999T", "SIZE=9999");
	must_fail("ext4:SIZE=16777217", "4 KiB");
	must_fail("ext4:SIZE=64M,SIZE=64M", "twice");
	must_fail("ext4:SIZE=4M", "at least");
	must_fail("ext4:SIZE=0", "at least");
	must_fail("ext4:SIZES=64M", "`SIZES`");
	must_fail("ext4:noatime,SIZ=1", "`SIZ`");
	must_fail("ext4:size=64M", "SIZE=64M");
	must_fail("btrfs:devices=2", "DEVICES=2");
}

static void test_empty_items_are_errors(void **state)
{
	must_fail("ext4:", "empty item");
	must_fail("ext4:,noatime", "empty item");
	must_fail("ext4:noatime,", "empty item");
	must_fail("ext4:noatime,,sync", "empty item");
}

static void test_hostile_characters_are_refused(void **state)
{
	must_fail("ext4:noatime\nsync", "0x0a");
	must_fail("ext4:no atime", "a blank outside of quotes");
	must_fail("ext4:MKFS=-m 0", "'ext4:MKFS=\"-m 0\"'");
	must_fail("ext4:MKFS='-m 0'", "a single quote");
	must_fail("ext4:LABEL=\"a", "not closed");
	must_fail("ext4:a\"b c\"", "KEY=");
	must_fail("ext4:\033[2J", "0x1b");
	must_fail("ext4:context=\"a\"", "KEY=");
	must_fail("ext4:a\\040b", "0x5c");
	must_fail("ext4:\xc3\xa4", "0xc3");
}

static void test_overlong_text_is_refused(void **state)
{
	_cleanup_free_ char *text = xmalloc(6000);

	memset(text, 'a', 5999);
	memcpy(text, "ext4:", 5);
	text[5999] = '\0';
	must_fail(text, "4 KiB");
}

static void test_options_that_defeat_a_fixture_are_refused(void **state)
{
	static const char *const bad[] = { "ro", "loop", "loop=/dev/loop0", "offset=4096",
		"sizelimit=1", "remount", "bind", "rbind", "move", "shared", "rprivate", "suid",
		"dev", "user", "users", "noauto", "nofail", "_netdev", "x-systemd.automount",
		"comment=x", "dax", "dax=always", "sb=32768", "noload", "norecovery", "abort",
		"journal_dev=1", "journal_path=/dev/sda" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = xasprintf("ext4:noatime,%s", bad[i]);
		_cleanup_free_ char *quoted = xasprintf("`%s`", bad[i]);

		must_fail(text, quoted);
	}
}

static void test_option_of_another_filesystem_names_its_owner(void **state)
{
	must_fail("ext4:nodatacow", "btrfs:nodatacow");
	must_fail("ext4:compress=zstd:3", "btrfs:compress=zstd:3");
	must_fail("ext4:compress", "btrfs");
	must_fail("ext4:autodefrag", "btrfs");
	must_fail("ext4:+C", "btrfs:+C");
	must_fail("ext4:logbsize=256k", "xfs:logbsize=256k");
	must_fail("xfs:nodatacow", "btrfs:nodatacow");
	must_fail("xfs:+C", "btrfs:+C");
	must_fail("btrfs:data=journal", "ext4:data=journal");
	must_fail("btrfs:allocsize=64k", "xfs:allocsize=64k");
}

static void test_journal_modes_and_barriers_are_allowed(void **state)
{
	must_parse("ext4:data=journal", "data=journal", 0);
	must_parse("ext4:nobarrier,data=writeback", "nobarrier,data=writeback", 0);
	must_parse("ext4:user_xattr", "user_xattr", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filesystem_alone_has_no_options),
		cmocka_unit_test(test_options_and_size_are_told_apart),
		cmocka_unit_test(test_unknown_names_are_answered_with_the_known_ones),
		cmocka_unit_test(test_bad_sizes_are_named),
		cmocka_unit_test(test_empty_items_are_errors),
		cmocka_unit_test(test_hostile_characters_are_refused),
		cmocka_unit_test(test_overlong_text_is_refused),
		cmocka_unit_test(test_options_that_defeat_a_fixture_are_refused),
		cmocka_unit_test(test_option_of_another_filesystem_names_its_owner),
		cmocka_unit_test(test_journal_modes_and_barriers_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
