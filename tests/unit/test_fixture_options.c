// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mount.h>

#include "fixtures/options.h"

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

static int hold(const char *asked, const char *shown, const char *every)
{
	struct error error = { "" };
	int r = options_hold(asked, shown, every, &error);

	assert_true((r == 0) == (error.text[0] == '\0'));
	return r;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_give_way_to_what_was_asked),
		cmocka_unit_test(test_flags_and_filesystem_options_are_told_apart),
		cmocka_unit_test(test_printed_options_hold),
		cmocka_unit_test(test_missing_options_do_not_hold),
		cmocka_unit_test(test_defaults_are_found_in_the_full_list),
		cmocka_unit_test(test_unprinted_options_hold_without_their_opposite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
