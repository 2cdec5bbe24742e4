// SPDX-License-Identifier: GPL-2.0-or-later
/* What a tracing instance says, and what becomes of one that cannot be made. */
#include "witness_tree.h"

#include <sys/sysmacros.h>

#include "probes/witnesses/trace_instance.h"
#include "probes/witnesses/trace_text.h"

#define ADD "mm_filemap_add_to_page_cache: dev 254:0 ino a7c5a1 pfn=0x136718 ofs=0"
#define REQUEST(letters) "block_rq_issue: 254,0 " letters " 4096 () 20684944 + 8 be,0,4 [dd]\n"

static struct trace_counts subject(void)
{
	return (struct trace_counts){ .inode = 0xa7c5a1,
		.own = { makedev(254, 0), makedev(0, 39) },
		.disk = { { .device = makedev(254, 0) }, { .device = makedev(7, 3) } },
		.disks = 2 };
}

static void test_folios_count_by_their_order(void **state)
{
	struct trace_counts c = subject();

	assert_int_equal(
		trace_text_count("# tracer: nop\n#\n" ADD " order=0\n" ADD " order=4\n", &c), 0);
	assert_int_equal(c.events, 2);
	assert_int_equal(c.adds.folios, 2);
	assert_int_equal(c.adds.pages, 17);
	assert_int_equal(c.adds.pages_elsewhere, 0);
	assert_true(c.adds.orders_known);
}

static void test_an_older_kernel_names_no_order(void **state)
{
	struct trace_counts c = subject();

	assert_int_equal(trace_text_count("mm_filemap_add_to_page_cache: dev 254:0 ino a7c5a1 "
					  "page=00000000c0ffee00 pfn=1271576 ofs=8192\n",
				 &c),
		0);
	assert_int_equal(c.adds.folios, 1);
	assert_int_equal(c.adds.pages, 1);
	assert_false(c.adds.orders_known);
}

static void test_the_same_inode_elsewhere_is_told_apart(void **state)
{
	struct trace_counts c = subject();

	assert_int_equal(
		trace_text_count(
			"mm_filemap_add_to_page_cache: dev 0:39 ino a7c5a1 pfn=0x1 ofs=0 order=1\n"
			"mm_filemap_add_to_page_cache: dev 8:1 ino a7c5a1 pfn=0x1 ofs=0 order=2\n"
			"mm_filemap_add_to_page_cache: dev 254:0 ino a7 pfn=0x1 ofs=0 order=3\n",
			&c),
		0);
	assert_int_equal(c.adds.pages, 2);
	assert_int_equal(c.adds.pages_elsewhere, 4);
	assert_int_equal(c.events, 3);
}

static void test_only_writes_with_the_bit_are_forced(void **state)
{
	static const struct {
		const char *letters;
		unsigned writes, forced;
	} row[] = {
		{ REQUEST("WS"), 1, 0 },
		{ REQUEST("WFS"), 1, 1 },
		{ REQUEST("FWFS"), 1, 1 }, /* a flush before it */
		{ REQUEST("FWS"), 1, 0 },
		{ REQUEST("WSM"), 1, 0 },
		{ REQUEST("FF"), 0, 0 }, /* a flush alone */
		{ REQUEST("RA"), 0, 0 },
		{ REQUEST("R"), 0, 0 },
		{ REQUEST("DS"), 0, 0 },
		{ "block_rq_issue: 8,0 WFS 0 () 1 + 8 none,0,0 [dd]\n", 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct trace_counts c = subject();

		assert_int_equal(trace_text_count(row[i].letters, &c), 0);
		assert_int_equal(c.events, 1);
		assert_int_equal(c.disk[0].writes, row[i].writes);
		assert_int_equal(c.disk[0].fua_writes, row[i].forced);
		assert_int_equal(c.disk[1].writes, 0);
	}
}

static void test_text_that_is_no_event_is_not_trusted(void **state)
{
	static const struct {
		const char *text;
		int r;
	} row[] = {
		{ "", 0 },
		{ "##### CPU 1 buffer started ####\n", 0 },
		{ "CPU:1 [LOST 12 EVENTS]\n", -EOVERFLOW },
		{ "CPU:1 something else\n", -EINVAL },
		{ "dd-12 [001] ..... 11.0: mm_filemap_add_to_page_cache: dev 1:2 ino 1\n",
			-EINVAL },
		{ ADD " order=99\n", -EINVAL },
		{ ADD " order=x\n", -EINVAL },
		{ "mm_filemap_add_to_page_cache: dev\n", -EINVAL },
		{ "block_rq_issue: 254,0\n", -EINVAL },
		/* a process whose name holds a newline */
		{ "block_rq_issue: 254,0 WS 0 () 1 + 8 be,0,4 [a\nb]\n", -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct trace_counts c = subject();

		assert_int_equal(trace_text_count(row[i].text, &c), row[i].r);
	}
}

static void test_every_way_to_lose_events_counts(void **state)
{
	static const struct {
		const char *text;
		int r;
		uint64_t kept, lost;
	} row[] = {
		{ "entries: 5\noverrun: 0\ncommit overrun: 0\nbytes: 9\ndropped events: 0\n", 0, 5,
			0 },
		{ "entries: 5\noverrun: 2\ncommit overrun: 3\ndropped events: 4\n", 0, 5, 9 },
		{ "entries: 5\noverrun: 1\ncommit overrun: 0\n", 0, 5, 1 }, /* before 3.9 */
		{ "entries: 5\n", -EINVAL, 0, 0 },
		{ "entries: x\noverrun: 0\n", -EINVAL, 0, 0 },
		{ "", -EINVAL, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		uint64_t kept = 0, lost = 0;

		assert_int_equal(trace_text_stats(row[i].text, &kept, &lost), row[i].r);
		assert_int_equal(kept, row[i].kept);
		assert_int_equal(lost, row[i].lost);
	}
}

/* Field 22 is 77; so our name is known. */
static char *own_instance(void)
{
	return xasprintf("sys/kernel/tracing/instances/ioproof.%d.77", (int)getpid());
}

static void machine(struct tree *tree)
{
	tree_setup(tree);
	tree_file(tree, "proc/self/stat",
		"1 (a) b) S 1 1 1 0 -1 4 1 1 1 1 1 1 1 1 20 0 1 0 77 1 1\n");
}

static void test_no_tracefs_is_told(void **state)
{
	struct trace_instance *trace = NULL;
	struct error error = { "" };
	struct tree tree;

	machine(&tree);
	assert_int_equal(trace_instance_open(&tree.root, NULL, &trace, &error), -ENODEV);
	assert_null(trace);
	assert_non_null(strstr(error.text, "tracefs"));
	tree_teardown(&tree);
}

static void test_an_instance_without_events_is_removed_again(void **state)
{
	_cleanup_free_ char *own = own_instance();
	struct trace_instance *trace = NULL;
	struct error error = { "" };
	struct tree tree;

	machine(&tree);
	tree_file(&tree, "sys/kernel/tracing/instances/other/trace", "");
	assert_int_equal(trace_instance_open(&tree.root, NULL, &trace, &error), -ENODEV);
	assert_null(trace);
	assert_false(tree_has(&tree, own));
	assert_true(tree_has(&tree, "sys/kernel/tracing/instances/other/trace"));
	tree_teardown(&tree);
}

static void test_an_instance_of_our_name_is_left_alone(void **state)
{
	_cleanup_free_ char *own = own_instance(), *file = xasprintf("%s/trace", own);
	struct trace_instance *trace = NULL;
	struct error error = { "" };
	struct guardian *guardian;
	struct tree tree;

	machine(&tree);
	tree_file(&tree, file, "");
	assert_int_equal(guardian_start(&guardian), 0);
	assert_int_equal(trace_instance_open(&tree.root, guardian, &trace, &error), -EEXIST);
	guardian_stop(guardian);
	assert_null(trace);
	assert_true(tree_has(&tree, file));
	tree_teardown(&tree);
}

static void test_only_what_dead_runs_left_is_collected(void **state)
{
	static const char base[] = "sys/kernel/tracing/instances";
	static const struct {
		const char *name;
		bool stays;
	} row[] = {
		{ "ioproof.4000001.5", false }, /* no such process */
		{ "ioproof.4000002.5", false }, /* its number went to another */
		{ "ioproof.4000002.77", true },
		{ "ioproof.x.5", true },
		{ "ioproof.4000001", true },
		{ "other.4000001.5", true },
	};
	struct tree tree;

	machine(&tree);
	tree_file(&tree, "proc/4000002/stat",
		"1 (a) b) S 1 1 1 0 -1 4 1 1 1 1 1 1 1 1 20 0 1 0 77 1 1\n");
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s/%s/", tree.path, base, row[i].name);

		tree_parents(path, strlen(tree.path));
	}
	trace_instance_collect(&tree.root);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", base, row[i].name);

		print_message("  %s\n", row[i].name);
		assert_int_equal(tree_has(&tree, path), row[i].stays);
	}
	tree_teardown(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folios_count_by_their_order),
		cmocka_unit_test(test_an_older_kernel_names_no_order),
		cmocka_unit_test(test_the_same_inode_elsewhere_is_told_apart),
		cmocka_unit_test(test_only_writes_with_the_bit_are_forced),
		cmocka_unit_test(test_text_that_is_no_event_is_not_trusted),
		cmocka_unit_test(test_every_way_to_lose_events_counts),
		cmocka_unit_test(test_no_tracefs_is_told),
		cmocka_unit_test(test_an_instance_without_events_is_removed_again),
		cmocka_unit_test(test_an_instance_of_our_name_is_left_alone),
		cmocka_unit_test(test_only_what_dead_runs_left_is_collected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
