// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mount.h>

#include "fixtures/filesystem.h"

static void assert_merged(const char *defaults, const char *asked, const char *expected)
{
	_cleanup_free_ char *all = options_with_defaults(defaults, asked);

	assert_string_equal(all, expected);
}

static void test_defaults_give_way_to_what_was_asked(void **state)
{
	assert_merged("noatime", "", "noatime");
	assert_merged("noatime", "data=journal", "noatime,data=journal");
	assert_merged("noatime", "relatime", "relatime");
	assert_merged("noatime", "sync,strictatime", "sync,strictatime");
	assert_merged("noatime", "noatime", "noatime");
	assert_merged("noatime", "nodiratime", "noatime,nodiratime");
	assert_merged("noatime,nodiscard", "discard=async", "noatime,discard=async");
	assert_merged("noatime,nodiscard", "discard", "noatime,discard");
	assert_merged("noatime,nodiscard", "discards", "noatime,nodiscard,discards");
	assert_merged("", "", "");
}

static void assert_split(const char *options, unsigned long flags, const char *data)
{
	_cleanup_free_ char *rest = NULL;
	unsigned long found = 0;
	struct error error;

	assert_int_equal(options_split(options, &found, &rest, &error), 0);
	assert_int_equal(found, flags);
	assert_string_equal(rest, data);
}

static void test_flags_and_filesystem_options_are_told_apart(void **state)
{
	assert_split("", 0, "");
	assert_split("noatime", MS_NOATIME, "");
	assert_split("noatime,data=journal,noexec,commit=5", MS_NOATIME | MS_NOEXEC,
		"data=journal,commit=5");
	assert_split("defaults", 0, "");
	assert_split("rw,sync", MS_SYNCHRONOUS, "");
}

static int hold_by(const char *fstype, const char *asked, const char *shown, const char *every)
{
	const struct filesystem *fs = fstype ? filesystem_find(fstype) : NULL;
	const struct option_evidence evidence = { shown, every, NULL };
	struct error error = { "" };
	json_t *list = json_array();
	int r = options_prove(fs ? fs->rules : NULL, asked, &evidence, list, &error);

	json_decref(list);

	assert_true((r == 0) == (error.text[0] == '\0'));
	return r;
}

static int hold(const char *asked, const char *shown, const char *every)
{
	return hold_by("ext4", asked, shown, every);
}

static void test_printed_options_hold(void **state)
{
	assert_int_equal(hold("noatime", "rw,nosuid,nodev,noatime,rw", NULL), 0);
	assert_int_equal(hold("noatime,data=journal", "rw,noatime,rw,data=journal", NULL), 0);
	assert_int_equal(hold("", "rw", NULL), 0);
}

static void test_missing_options_do_not_hold(void **state)
{
	assert_int_equal(hold("noatime", "rw,relatime", NULL), -EINVAL);
	assert_int_equal(hold("commit=30", "rw,commit=3", NULL), -EINVAL);
	assert_int_equal(hold("commit=3", "rw,commit=30", NULL), -EINVAL);
	assert_int_equal(hold("nodiscard", "rw,discard", NULL), -EINVAL);
	assert_int_equal(hold("data=ordered", "rw", NULL), -EINVAL);
}

/* ext4 lists its defaults in a file of its own. */
static void test_defaults_are_found_in_the_full_list(void **state)
{
	static const char every[] = "rw\nbarrier\nauto_da_alloc\ncommit=5\ndata=ordered\n";

	assert_int_equal(hold("data=ordered,commit=5,barrier", "rw,noatime", every), 0);
	assert_int_equal(hold("barrier=1", "rw,noatime", every), 0);
	assert_int_equal(hold("barrier=0", "rw,noatime", every), -EINVAL);
	assert_int_equal(hold("data=journal", "rw,noatime", every), -EINVAL);
}

/* The kernel never prints these: they hold unless it prints the contrary. */
static void test_unprinted_options_hold_without_their_opposite(void **state)
{
	assert_int_equal(hold("defaults,exec,async", "rw,noatime", NULL), 0);
	assert_int_equal(hold("strictatime", "rw", NULL), 0);
	assert_int_equal(hold("strictatime", "rw,relatime", NULL), -EINVAL);
	assert_int_equal(hold("exec", "rw,noexec", NULL), -EINVAL);
	assert_int_equal(hold("async", "rw,sync", NULL), -EINVAL);
	assert_int_equal(hold("nolazytime", "rw,lazytime", NULL), -EINVAL);
}

/* What the kernel prints for what was asked (seen on Linux 6.18), and what would be a lie. */
static void test_spellings_of_the_kernel_are_known(void **state)
{
	static const struct {
		const char *fstype, *asked, *shown;
		int result;
	} table[] = {
		{ "xfs", "allocsize=1m", "rw,allocsize=1024k", 0 },
		{ "xfs", "allocsize=65536", "rw,allocsize=64k", 0 },
		{ "xfs", "allocsize=64k", "rw,allocsize=128k", -EINVAL },
		{ "xfs", "allocsize=64k", "rw", -EINVAL },
		{ "xfs", "bsdgroups", "rw,grpid", 0 },
		{ "xfs", "bsdgroups", "rw", -EINVAL },
		{ "xfs", "nolargeio", "rw,largeio", -EINVAL },
		{ "xfs", "attr2", "rw,attr2", 0 }, /* before 6.18 */
		{ "xfs", "attr2", "rw", -EINVAL },
		{ "xfs", "quota", "rw,usrquota", 0 },
		{ "xfs", "quota", "rw,noquota", -EINVAL },
		{ "btrfs", "compress", "rw,compress=zlib:3", 0 },
		{ "btrfs", "compress=zstd", "rw,compress=zstd:3", 0 },
		{ "btrfs", "compress=zstd", "rw,compress=zstd:1", -EINVAL },
		{ "btrfs", "compress=zstd:16", "rw,compress=zstd:15", -EINVAL },
		{ "btrfs", "compress=zstd", "rw,compress-force=zstd:3", -EINVAL },
		{ "btrfs", "compress=no", "rw,compress=zstd:3", -EINVAL },
		{ "btrfs", "compress=no", "rw", 0 },
		{ "btrfs", "discard=sync", "rw,discard", 0 },
		{ "btrfs", "discard=sync", "rw,discard=async", -EINVAL },
		{ "btrfs", "nodiscard", "rw,discard=async", -EINVAL },
		{ "btrfs", "nodatacow", "rw,nodatasum", -EINVAL },
		{ "btrfs", "datacow", "rw,nodatacow,nodatasum", -EINVAL },
		{ "btrfs", "commit=30", "rw", 0 },
		{ "btrfs", "commit=30", "rw,commit=5", -EINVAL },
		{ "btrfs", "commit=31", "rw", -EINVAL },
		{ "btrfs", "max_inline=1k", "rw,max_inline=1024", 0 },
		{ "btrfs", "max_inline=1m", "rw,max_inline=4096", -EINVAL },
		{ "btrfs", "clear_cache", "rw,space_cache=v2", -EINVAL },
		{ "btrfs", "clear_cache", "rw,nospace_cache", 0 },
		{ "btrfs", "thread_pool=4096", "rw", -EINVAL },
		{ "btrfs", "ssd", "rw,ssd_spread", 0 },
		{ "ext4", "barrier=2", "rw", 0 },
		{ "ext4", "barrier=0", "rw", -EINVAL },
		{ "ext4", "no_mbcache", "rw,nombcache", 0 },
		{ "ext4", "inlinecrypt", "rw", -EINVAL },
		{ "ext4", "mb_optimize_scan=0", "rw", -EINVAL }, /* how many groups? */
		{ "ext4", "usrjquota=", "rw,usrjquota=a", -EINVAL },
		{ "ext4", "commit=0x1e", "rw,commit=30", 0 },
		{ "ext4", "dioread_nolock", "rw,nodioread_nolock,data=journal", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (hold_by(table[i].fstype, table[i].asked, table[i].shown, NULL) !=
			table[i].result)
			fail_msg("%s: `%s` with `%s` shown: not %d", table[i].fstype,
				table[i].asked, table[i].shown, table[i].result);
}

static int ask(const char *grammar_of, const char *text, struct error *error)
{
	_cleanup_(mkfs_asked_free) struct mkfs_asked asked = { 0 };

	return mkfs_asked_parse(filesystem_find(grammar_of)->grammar, text, &asked, error);
}

static void test_words_that_lead_mkfs_elsewhere_are_found_wherever_they_hide(void **state)
{
	static const struct {
		const char *fstype, *text, *part;
	} table[] = {
		{ "ext4", "-qn", "`-n` in `-qn`" },
		{ "ext4", "-n", "makes no filesystem" },
		{ "ext4", "-m 0 foo", "`foo`" },
		{ "ext4", "-J size=4,device=UUID=abc", "device" },
		{ "ext4", "-Jsize=4,device=x", "device" },
		{ "ext4", "-O journal_dev", "another filesystem" },
		{ "ext4", "-d x", "from a directory" },
		{ "ext4", "-qd x", "from a directory" },
		{ "ext4", "-z undo", "file of its own" },
		{ "ext4", "-E offset=4096", "inside the image" },
		{ "ext4", "-L x", "LABEL=" },
		{ "ext4", "-m", "needs a value" },
		{ "ext4", "-Y", "not known" },
		{ "ext4", "-", "no option" },
		{ "ext4", "-q -- x", "end the options" },
		{ "xfs", "-N", "makes no filesystem" },
		{ "xfs", "-fN", "makes no filesystem" },
		{ "xfs", "-d file,name=x", "image of its own" },
		{ "xfs", "-dfile=1", "image of its own" },
		{ "xfs", "-l logdev=x", "another device" },
		{ "xfs", "-r rtdev=x", "another device" },
		{ "xfs", "-p proto", "prototype" },
		{ "btrfs", "--rootdir x", "from a directory" },
		{ "btrfs", "--rootdir=x", "from a directory" },
		{ "btrfs", "--rootd x", "cut short" },
		{ "btrfs", "-qr x", "from a directory" },
		{ "btrfs", "-b 64M", "SIZE=" },
		{ "btrfs", "-d raid1 x", "`x`" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct error error = { "" };
		int r = ask(table[i].fstype, table[i].text, &error);

		if (r != -EINVAL || !strstr(error.text, table[i].part))
			fail_msg("%s `%s`: %d `%s` lacks `%s`", table[i].fstype, table[i].text, r,
				error.text, table[i].part);
	}
}

static void test_words_of_mkfs_are_read_as_mkfs_reads_them(void **state)
{
	_cleanup_(mkfs_asked_free) struct mkfs_asked asked = { 0 };
	_cleanup_free_ char *size = NULL, *crc = NULL, *none = NULL;
	struct error error;

	assert_int_equal(mkfs_asked_parse(filesystem_find("xfs")->grammar,
				 "-qb size=1024 -m crc=1,reflink -bsize=2k", &asked, &error),
		0);
	size = mkfs_asked_key(&asked, "-b", "size");
	crc = mkfs_asked_key(&asked, "-m", "crc");
	none = mkfs_asked_key(&asked, "-m", "re");
	assert_string_equal(size, "2k");
	assert_string_equal(crc, "1");
	assert_null(none);
	assert_string_equal(mkfs_asked_value(&asked, "-q"), "");
	assert_null(mkfs_asked_value(&asked, "-s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_give_way_to_what_was_asked),
		cmocka_unit_test(test_flags_and_filesystem_options_are_told_apart),
		cmocka_unit_test(test_printed_options_hold),
		cmocka_unit_test(test_missing_options_do_not_hold),
		cmocka_unit_test(test_defaults_are_found_in_the_full_list),
		cmocka_unit_test(test_unprinted_options_hold_without_their_opposite),
		cmocka_unit_test(test_spellings_of_the_kernel_are_known),
		cmocka_unit_test(test_words_that_lead_mkfs_elsewhere_are_found_wherever_they_hide),
		cmocka_unit_test(test_words_of_mkfs_are_read_as_mkfs_reads_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
