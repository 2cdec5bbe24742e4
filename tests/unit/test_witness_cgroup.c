// SPDX-License-Identifier: GPL-2.0-or-later
#include "witness_tree.h"

#include "probes/witnesses/cgroup_home.h"
#include "probes/witnesses/private_cgroup.h"

#define V1_MOUNT "38 31 0:35 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio\n"
#define V2_MOUNT "41 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
#define OTHER_MOUNT "30 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"

/* A tree that says it is this machine, so that groups may be made in it. */
static void live_setup(struct tree *tree, const char *mounts, const char *groups)
{
	tree_setup(tree);
	tree->root.live = true;
	tree_file(tree, "proc/self/mountinfo", mounts);
	tree_file(tree, "proc/self/cgroup", groups);
}

static void assert_home(const struct tree *tree, int version, const char *own, const char *base)
{
	_cleanup_(cgroup_home_close) struct cgroup_home home = CGROUP_HOME_NONE;
	_cleanup_free_ char *own_path = tree_path(tree, own), *base_path = tree_path(tree, base);
	struct error error = { "" };
	struct stat a, b;
	int r = cgroup_home_find(&tree->root, &home, &error);

	if (r != 0)
		print_message("%s\n", error.text);
	assert_int_equal(r, 0);
	assert_int_equal(home.version, version);
	assert_int_equal(stat(own_path, &a), 0);
	assert_int_equal(fstat(home.own_fd, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(stat(base_path, &a), 0);
	assert_int_equal(fstat(home.base_fd, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
}

static void assert_no_home(const struct tree *tree, int r, const char *says)
{
	struct cgroup_home home = CGROUP_HOME_NONE;
	struct error error = { "" };

	assert_int_equal(cgroup_home_find(&tree->root, &home, &error), r);
	assert_non_null(strstr(error.text, says));
	assert_int_equal(home.own_fd, -1);
}

static void test_v1_group_is_made_below_our_own(void **state)
{
	struct tree tree;

	live_setup(&tree, OTHER_MOUNT V1_MOUNT, "8:cpu:/\n7:blkio:/a/b\n0::/elsewhere\n");
	tree_file(&tree, "sys/fs/cgroup/blkio/a/b/blkio.throttle.read_bps_device", "");
	assert_home(&tree, 1, "sys/fs/cgroup/blkio/a/b", "sys/fs/cgroup/blkio/a/b");
	tree_teardown(&tree);
}

static void test_v1_throttled_group_is_not_escaped(void **state)
{
	struct tree tree;

	live_setup(&tree, V1_MOUNT, "7:blkio:/a\n");
	tree_file(&tree, "sys/fs/cgroup/blkio/a/blkio.throttle.write_iops_device", "8:0 100\n");
	assert_no_home(&tree, -EBUSY, "blkio.throttle.write_iops_device");
	tree_teardown(&tree);
}

/* A container without a cgroup namespace sees the host's path, and only its own part mounted. */
static void test_v1_mount_of_a_part_of_the_tree(void **state)
{
	struct tree tree;

	live_setup(&tree,
		"38 31 0:35 /docker/abc /sys/fs/cgroup/blk\\040io rw - cgroup cgroup rw,blkio\n",
		"7:cpu,blkio:/docker/abc\n");
	tree_file(&tree, "sys/fs/cgroup/blk io/cgroup.procs", "");
	assert_home(&tree, 1, "sys/fs/cgroup/blk io", "sys/fs/cgroup/blk io");
	tree_teardown(&tree);
}

static void test_hostile_paths_are_not_followed(void **state)
{
	struct tree tree;

	live_setup(&tree, V1_MOUNT V2_MOUNT, "7:blkio:/../../escape\n0::/a/..\n");
	tree_file(&tree, "sys/fs/escape/cgroup.procs", "");
	tree_file(&tree, "sys/fs/cgroup/blkio/cgroup.procs", "");
	assert_no_home(&tree, -ENOENT, "no cgroup");
	tree_teardown(&tree);
}

static void v2_group(const struct tree *tree, const char *path, const char *subtree)
{
	_cleanup_free_ char *type = xasprintf("sys/fs/cgroup%s/cgroup.type", path);
	_cleanup_free_ char *control = xasprintf("sys/fs/cgroup%s/cgroup.subtree_control", path);

	if (path[0] != '\0')
		tree_file(tree, type, "domain\n");
	tree_file(tree, control, subtree);
}

static void v2_setup(struct tree *tree)
{
	live_setup(tree, V2_MOUNT, "0::/user.slice/u1/session\n");
	v2_group(tree, "", "cpuset cpu io memory pids\n");
	v2_group(tree, "/user.slice", "cpu memory pids\n");
	v2_group(tree, "/user.slice/u1", "cpu memory pids\n");
	v2_group(tree, "/user.slice/u1/session", "\n");
}

static void test_v2_group_is_made_where_io_is_handed_out(void **state)
{
	struct tree tree;

	v2_setup(&tree);
	assert_home(&tree, 2, "sys/fs/cgroup/user.slice/u1/session", "sys/fs/cgroup");
	v2_group(&tree, "/user.slice/u1", "cpu io memory\n");
	assert_home(&tree, 2, "sys/fs/cgroup/user.slice/u1/session", "sys/fs/cgroup/user.slice/u1");
	tree_teardown(&tree);
}

static void test_v2_limits_on_the_way_are_not_escaped(void **state)
{
	static const struct {
		const char *file, *text;
		bool limits;
	} row[] = {
		{ "user.slice/u1/session/memory.max", "max\n", false },
		{ "user.slice/u1/session/memory.max", "1073741824\n", true },
		{ "user.slice/u1/session/cpu.max", "max 100000\n", false },
		{ "user.slice/u1/session/cpu.max", "50000 100000\n", true },
		{ "user.slice/u1/session/io.max", "", false },
		{ "user.slice/u1/session/io.max", "8:0 rbps=1048576 wbps=max\n", true },
		{ "user.slice/u1/memory.high", "1000000\n", true },
		{ "user.slice/cpuset.cpus", "0-1\n", true },
		{ "user.slice/cpuset.cpus", "\n", false },
		{ "user.slice/u1/pids.max", "100\n", false }, /* it is carried along */
		{ "memory.max", "4096\n", false }, /* the root's, which we do not leave */
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		_cleanup_free_ char *path = xasprintf("sys/fs/cgroup/%s", row[i].file);
		struct tree tree;

		v2_setup(&tree);
		tree_file(&tree, path, row[i].text);
		if (row[i].limits)
			assert_no_home(&tree, -EBUSY, strrchr(row[i].file, '/') + 1);
		else
			assert_home(
				&tree, 2, "sys/fs/cgroup/user.slice/u1/session", "sys/fs/cgroup");
		tree_teardown(&tree);
	}
}

static void test_v2_strictest_limit_on_tasks_is_carried(void **state)
{
	struct cgroup_home home = CGROUP_HOME_NONE;
	struct tree tree;

	v2_setup(&tree);
	tree_file(&tree, "sys/fs/cgroup/user.slice/u1/session/pids.max", "max\n");
	tree_file(&tree, "sys/fs/cgroup/user.slice/u1/pids.max", "100\n");
	tree_file(&tree, "sys/fs/cgroup/user.slice/pids.max", "200\n");
	assert_int_equal(cgroup_home_find(&tree.root, &home, NULL), 0);
	assert_int_equal(home.pids_max, 100);
	cgroup_home_close(&home);
	tree_teardown(&tree);
}

static void test_v2_without_io_says_how_to_get_it(void **state)
{
	struct tree tree;

	v2_setup(&tree);
	v2_group(&tree, "", "cpu memory pids\n");
	assert_no_home(&tree, -ENOENT, "+io");
	tree_teardown(&tree);
}

static void test_v2_without_the_io_controller_is_not_told_to_hand_it_out(void **state)
{
	struct tree tree;

	v2_setup(&tree);
	v2_group(&tree, "", "cpu memory pids\n");
	tree_file(&tree, "sys/fs/cgroup/cgroup.controllers", "cpuset hugetlb\n");
	assert_no_home(&tree, -ENOENT, "no io controller");
	tree_file(&tree, "sys/fs/cgroup/cgroup.controllers", "cpuset io\n");
	assert_no_home(&tree, -ENOENT, "+io");
	tree_teardown(&tree);
}

static void test_v2_container_cannot_leave_its_namespace(void **state)
{
	struct tree tree;

	live_setup(&tree, V2_MOUNT, "0::/\n");
	tree_file(&tree, "sys/fs/cgroup/cgroup.type", "domain\n");
	tree_file(&tree, "sys/fs/cgroup/cgroup.subtree_control", "\n");
	assert_no_home(&tree, -ENOENT, "--cgroupns=host");
	tree_teardown(&tree);
}

static void test_process_in_the_true_root_gets_a_child(void **state)
{
	struct tree tree;

	live_setup(&tree, V2_MOUNT, "0::/\n");
	v2_group(&tree, "", "io\n");
	assert_home(&tree, 2, "sys/fs/cgroup", "sys/fs/cgroup");
	tree_teardown(&tree);
}

static void test_record_and_machine_without_cgroups_are_refused(void **state)
{
	struct tree tree;

	live_setup(&tree, OTHER_MOUNT, "8:cpu:/\n");
	assert_no_home(&tree, -ENOENT, "no cgroup");
	tree.root.live = false;
	assert_no_home(&tree, -EOPNOTSUPP, "recorded");
	tree_teardown(&tree);
}

/* In a tree of plain files the new directory has no counters: nothing may stay of it. */
static void test_group_that_counts_nothing_is_removed_again(void **state)
{
	struct private_cgroup *cgroup = NULL;
	struct error error = { "" };
	struct tree tree;

	live_setup(&tree, V1_MOUNT, "7:blkio:/\n");
	tree_file(&tree, "sys/fs/cgroup/blkio/cgroup.procs", "");
	tree_file(&tree, "proc/self/stat",
		"42 (a) b) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "
		"20 21 987 23\n");
	assert_int_equal(private_cgroup_enter(&tree.root, NULL, &cgroup, &error), -ENOENT);
	assert_non_null(strstr(error.text, "does not count"));
	assert_null(cgroup);
	_cleanup_free_ char *left = xasprintf("sys/fs/cgroup/blkio/ioproof.%d.987", (int)getpid());
	assert_false(tree_has(&tree, left));
	tree_teardown(&tree);
}

static void test_only_groups_of_dead_runs_are_collected(void **state)
{
	static const char *const stays[] = { "ioproof.10.500", "ioproof.x.5", "ioproof.10",
		"ioproof.10.5x", "other.99.1", "ioproof.10.7.8" };
	static const char *const goes[] = { "ioproof.10.499", "ioproof.99.500" };
	struct tree tree;

	live_setup(&tree, V1_MOUNT, "7:blkio:/\n");
	tree_file(&tree, "proc/10/stat",
		"10 (io ) (p) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 "
		"21 500 23\n");
	tree_file(&tree, "sys/fs/cgroup/blkio/blkio.throttle.read_bps_device", "8:0 5\n");
	for (size_t i = 0; i < ARRAY_SIZE(stays) + ARRAY_SIZE(goes); i++) {
		const char *name = i < ARRAY_SIZE(stays) ? stays[i] : goes[i - ARRAY_SIZE(stays)];
		_cleanup_free_ char *path = xasprintf("%s/sys/fs/cgroup/blkio/%s", tree.path, name);

		assert_int_equal(mkdir(path, 0755), 0);
	}
	private_cgroup_collect(&tree.root);
	for (size_t i = 0; i < ARRAY_SIZE(stays); i++) {
		_cleanup_free_ char *path = xasprintf("sys/fs/cgroup/blkio/%s", stays[i]);

		assert_true(tree_has(&tree, path));
	}
	for (size_t i = 0; i < ARRAY_SIZE(goes); i++) {
		_cleanup_free_ char *path = xasprintf("sys/fs/cgroup/blkio/%s", goes[i]);

		assert_false(tree_has(&tree, path));
	}
	tree_teardown(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v1_group_is_made_below_our_own),
		cmocka_unit_test(test_v1_throttled_group_is_not_escaped),
		cmocka_unit_test(test_v1_mount_of_a_part_of_the_tree),
		cmocka_unit_test(test_hostile_paths_are_not_followed),
		cmocka_unit_test(test_v2_group_is_made_where_io_is_handed_out),
		cmocka_unit_test(test_v2_limits_on_the_way_are_not_escaped),
		cmocka_unit_test(test_v2_strictest_limit_on_tasks_is_carried),
		cmocka_unit_test(test_v2_without_io_says_how_to_get_it),
		cmocka_unit_test(test_v2_without_the_io_controller_is_not_told_to_hand_it_out),
		cmocka_unit_test(test_v2_container_cannot_leave_its_namespace),
		cmocka_unit_test(test_process_in_the_true_root_gets_a_child),
		cmocka_unit_test(test_record_and_machine_without_cgroups_are_refused),
		cmocka_unit_test(test_group_that_counts_nothing_is_removed_again),
		cmocka_unit_test(test_only_groups_of_dead_runs_are_collected),
	};

	return cmocka_run_group_tests_name("witness cgroup", tests, NULL, NULL);
}
