// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "probes/witnesses/block_stat.h"
#include "probes/witnesses/cgroup_counters.h"
#include "probes/witnesses/named_numbers.h"

static void test_block_stat_of_each_kernel_age(void **state)
{
	static const struct {
		const char *text;
		int r;
		struct block_stat expect;
	} row[] = {
		{ "1 2 30 4 5 6 70 8 9 10 11", 0, { { 1, 15360, 5, 35840 }, false, 0 } },
		{ "1 2 30 4 5 6 70 8 9 10 11 12 13 14 15", 0,
			{ { 1, 15360, 5, 35840 }, false, 0 } },
		{ "  1  2 30 4 5 6 70 8 9 10 11 12 13 14 15 16 17", 0,
			{ { 1, 15360, 5, 35840 }, true, 16 } },
		{ "1 2 30 4 5 6 70 8 9 10 11 12 13 14 15 16 17 18 19", 0,
			{ { 1, 15360, 5, 35840 }, true, 16 } },
		{ "1 2 30 4 5 6 70 8 9 10", -EINVAL, { { 0 }, false, 0 } },
		{ "1 2 -30 4 5 6 70 8 9 10 11", -EINVAL, { { 0 }, false, 0 } },
		{ "1 2 x 4 5 6 70 8 9 10 11", -EINVAL, { { 0 }, false, 0 } },
		{ "", -EINVAL, { { 0 }, false, 0 } },
		{ "1 2 99999999999999999999999 4 5 6 70 8 9 10 11", -EINVAL, { { 0 }, false, 0 } },
		{ "1 2 18446744073709551615 4 5 6 70 8 9 10 11", -EINVAL, { { 0 }, false, 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct block_stat got = { 0 };

		assert_int_equal(block_stat_parse(row[i].text, &got), row[i].r);
		assert_memory_equal(&got.transfer, &row[i].expect.transfer, sizeof(got.transfer));
		assert_int_equal(got.has_flushes, row[i].expect.has_flushes);
		assert_int_equal(got.flushes, row[i].expect.flushes);
	}
}

static void test_v1_counters_of_one_device(void **state)
{
	static const char text[] = "254:0 Read 4096\n254:0 Write 512\n254:0 Sync 4608\n"
				   "254:0 Total 4608\n7:0 Read 1\n7:0 Write 2\n"
				   "8:0 Read oops\n8:0 Write 2\n9:1 Discard 7\nTotal 4611\n";
	struct cgroup_pair pair = { 0 };

	assert_int_equal(cgroup_v1_parse(text, makedev(254, 0), &pair), 0);
	assert_int_equal(pair.read, 4096);
	assert_int_equal(pair.write, 512);
	assert_int_equal(cgroup_v1_parse(text, makedev(7, 0), &pair), 0);
	assert_int_equal(pair.read, 1);
	assert_int_equal(pair.write, 2);
	assert_int_equal(cgroup_v1_parse(text, makedev(54, 0), &pair), -ENOENT);
	assert_int_equal(cgroup_v1_parse(text, makedev(7, 1), &pair), -ENOENT);
	assert_int_equal(cgroup_v1_parse(text, makedev(8, 0), &pair), -EINVAL);
	assert_int_equal(cgroup_v1_parse(text, makedev(9, 1), &pair), -ENOENT);
	assert_int_equal(cgroup_v1_parse("", makedev(7, 0), &pair), -ENOENT);
	assert_true(cgroup_v1_counts(text));
	assert_false(cgroup_v1_counts(""));
	assert_false(cgroup_v1_counts("7:0 Read 0\n7:0 Total 0\nTotal 0\n"));
	assert_int_equal(pair.read, 1);
}

static void test_v2_counters_of_one_device(void **state)
{
	static const char text[] =
		"8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0\n"
		"7:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6 cost.vrate=100.00\n"
		"7:1 cost.vrate=100.00\n7:2 rbytes=1\n7:3 \n";
	struct transfer t = { 0 };

	assert_int_equal(cgroup_v2_parse(text, makedev(8, 16), &t), 0);
	assert_int_equal(t.read_bytes, 1459200);
	assert_int_equal(t.write_bytes, 314773504);
	assert_int_equal(t.reads, 192);
	assert_int_equal(t.writes, 353);
	assert_int_equal(cgroup_v2_parse(text, makedev(7, 0), &t), 0);
	assert_int_equal(t.writes, 4);
	assert_int_equal(cgroup_v2_parse(text, makedev(7, 1), &t), -ENOENT);
	assert_int_equal(cgroup_v2_parse(text, makedev(7, 2), &t), -EINVAL);
	assert_int_equal(cgroup_v2_parse(text, makedev(7, 3), &t), -ENOENT);
	assert_int_equal(cgroup_v2_parse(text, makedev(8, 1), &t), -ENOENT);
	assert_int_equal(t.writes, 4);
}

static void test_named_numbers(void **state)
{
	static const char text[] = "rchar: 12\nwchar:\t7\nnr_dirtied 99\nnr_dirtied_x 5\nbad: 1x\n"
				   "minus: -1\nhuge: 99999999999999999999999\nlast: 3";
	uint64_t n = 0;

	assert_int_equal(named_number(text, "rchar", &n), 0);
	assert_int_equal(n, 12);
	assert_int_equal(named_number(text, "wchar", &n), 0);
	assert_int_equal(n, 7);
	assert_int_equal(named_number(text, "nr_dirtied", &n), 0);
	assert_int_equal(n, 99);
	assert_int_equal(named_number(text, "last", &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(named_number(text, "dirtied", &n), -ENOENT);
	assert_int_equal(named_number(text, "bad", &n), -EINVAL);
	assert_int_equal(named_number(text, "minus", &n), -EINVAL);
	assert_int_equal(named_number(text, "huge", &n), -EINVAL);
	assert_int_equal(n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block_stat_of_each_kernel_age),
		cmocka_unit_test(test_v1_counters_of_one_device),
		cmocka_unit_test(test_v2_counters_of_one_device),
		cmocka_unit_test(test_named_numbers),
	};

	return cmocka_run_group_tests_name("witness parsers", tests, NULL, NULL);
}
