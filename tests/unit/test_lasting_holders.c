// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "fixtures/holders.h"
#include "synthetic.h"

#define MOUNT_ID 77

/* Links that end so lead onto the mount. */
static const char *onto;

static int fake_mount_id(int dirfd, const char *path, uint64_t *ret)
{
	size_t length = strlen(path), end = strlen(onto);

	*ret = end && length >= end && strcmp(path + length - end, onto) == 0 ? MOUNT_ID : 1;
	return 0;
}

/* Files of the filesystem are on 7:5, all others on 8:1. */
static int fake_status(const char *path, struct statx *ret)
{
	size_t length = strlen(path), end = strlen(onto);
	bool there = end && length >= end && strcmp(path + length - end, onto) == 0;

	*ret = (struct statx){ .stx_dev_major = there ? 7 : 8, .stx_dev_minor = there ? 5 : 1 };
	return 0;
}

static const struct machine_calls calls = { .mount_id = fake_mount_id, .status = fake_status };

static const char mountinfo[] = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
				"77 20 7:5 / /run/ioproof/a/mount rw - ext4 /dev/loop5 rw\n"
				"78 77 0:40 / /run/ioproof/a/mount/b\\040c rw - tmpfs t rw\n";

struct machine {
	struct synthetic machine;
	struct sysroot root;
};

static int setup(void **state)
{
	struct machine *m = xcalloc(1, sizeof(*m));

	synthetic_make(&m->machine);
	m->root = (struct sysroot)SYSROOT_CLOSED;
	*state = m;
	onto = "";
	if (sysroot_open(m->machine.directory, &m->root, NULL) < 0)
		return -1;
	m->root.calls = &calls;
	synthetic_file(&m->machine, "proc/12/comm", "bash\n");
	synthetic_file(&m->machine, "proc/version", "x");
	synthetic_link(&m->machine, "proc/12/fd/3", "/run/ioproof/a/mount/file");
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;

	sysroot_close(&m->root);
	synthetic_remove(&m->machine);
	free(m);
	return 0;
}

static char *of_mount(struct machine *m)
{
	_cleanup_(holders_free) struct holders h = { 0 };

	holders_of_mount(&m->root, MOUNT_ID, makedev(7, 5), "/run/ioproof/a/mount", &h);
	return holders_text(&h);
}

static void test_process_is_named_with_what_it_does_there(void **state)
{
	static const struct {
		const char *link, *text;
	} cases[] = {
		{ "/12/cwd", "bash (pid 12): working directory" },
		{ "/12/root", "bash (pid 12): root directory" },
		{ "/12/exe", "bash (pid 12): running program" },
		{ "/12/fd/3", "bash (pid 12): open file /run/ioproof/a/mount/file" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = NULL;

		onto = cases[i].link;
		text = of_mount(*state);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_mapped_file_is_found_by_its_superblock(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *text = NULL;

	synthetic_file(&m->machine, "proc/12/maps",
		"55d0-55d1 r--p 00000000 08:01 99   /usr/bin/bash\n"
		"7f00-7f01 rw-p 00000000 00:00 0 \n"
		"7f02-7f03 rw-s 00000000 07:05 12   /run/ioproof/a/mount/a b\n");
	text = of_mount(m);
	assert_string_equal(text, "bash (pid 12): mapped file /run/ioproof/a/mount/a b");
}

static void test_mounts_swap_and_loops_on_it_are_named(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *text = NULL;

	synthetic_file(&m->machine, "proc/self/mountinfo", mountinfo);
	synthetic_file(&m->machine, "proc/swaps",
		"Filename Type Size Used Priority\n"
		"/run/ioproof/a/mount/s\\040w file 1 0 -2\n"
		"/run/ioproof/a/mountain file 1 0 -3\n");
	synthetic_file(
		&m->machine, "sys/block/loop9/loop/backing_file", "/run/ioproof/a/mount/image\n");
	synthetic_file(&m->machine, "sys/block/loop8/loop/backing_file", "/srv/image\n");
	text = of_mount(m);
	assert_string_equal(text,
		"a mount on it: tmpfs on /run/ioproof/a/mount/b c; "
		"swap file /run/ioproof/a/mount/s w; "
		"loop device loop9 over /run/ioproof/a/mount/image");
}

static void test_nobody_seen_is_not_nobody(void **state)
{
	_cleanup_free_ char *text = of_mount(*state);

	assert_non_null(strstr(text, "nobody that /proc shows"));
}

static void test_many_holders_are_counted(void **state)
{
	struct machine *m = *state;
	_cleanup_(holders_free) struct holders h = { 0 };
	_cleanup_free_ char *text = NULL;

	onto = "/cwd";
	for (int i = 0; i < 30; i++) {
		_cleanup_free_ char *path = xasprintf("proc/%d/comm", 100 + i);

		synthetic_file(&m->machine, path, "hog\n");
	}
	holders_of_mount(&m->root, MOUNT_ID, makedev(7, 5), "/x", &h);
	assert_int_equal(h.count, HOLDERS_MAX);
	text = holders_text(&h);
	assert_non_null(strstr(text, "; and 15 more"));
}

static void test_other_namespaces_and_open_devices_are_named(void **state)
{
	static const char *const names[] = { "loop5" };
	const struct holders_filesystem filesystem = { makedev(7, 5), makedev(7, 5), names, 1 };
	struct machine *m = *state;
	_cleanup_(holders_free) struct holders h = { 0 };
	_cleanup_free_ char *text = NULL;

	synthetic_link(&m->machine, "proc/self/ns/mnt", "mnt:[1]");
	synthetic_link(&m->machine, "proc/12/ns/mnt", "mnt:[1]");
	synthetic_file(&m->machine, "proc/12/mountinfo", mountinfo);
	synthetic_link(&m->machine, "proc/13/ns/mnt", "mnt:[2]");
	synthetic_file(&m->machine, "proc/13/mountinfo", mountinfo);
	synthetic_link(&m->machine, "proc/14/ns/mnt", "mnt:[2]");
	synthetic_file(&m->machine, "proc/14/mountinfo", mountinfo);
	synthetic_link(&m->machine, "proc/15/fd/4", "/dev/loop5");
	synthetic_link(&m->machine, "proc/16/fd/4", "/dev/loop55");
	synthetic_file(&m->machine, "proc/17/comm", "tail\n");
	onto = "/17/cwd";
	holders_elsewhere(&m->root, &filesystem, &h);
	text = holders_text(&h);
	assert_string_equal(text,
		"a process (pid 13): its mount namespace mnt:[2] has a copy of the mount; "
		"a process (pid 15): has the loop device open; "
		"tail (pid 17): working directory");
}

static void test_bind_mount_in_our_namespace_is_named(void **state)
{
	static const char *const names[] = { "loop6" };
	const struct holders_filesystem filesystem = { makedev(7, 5), makedev(7, 5), names, 1 };
	struct machine *m = *state;
	_cleanup_(holders_free) struct holders h = { 0 };
	_cleanup_free_ char *text = NULL;

	synthetic_file(&m->machine, "proc/self/mountinfo",
		"20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"79 20 7:5 / /srv/bound rw - ext4 /dev/loop5 rw\n"
		"80 20 0:51 / /srv/btrfs rw - btrfs /dev/loop6 rw\n");
	holders_elsewhere(&m->root, &filesystem, &h);
	text = holders_text(&h);
	assert_string_equal(text,
		"it is mounted on /srv/bound too: umount /srv/bound; "
		"it is mounted on /srv/btrfs too: umount /srv/btrfs");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_process_is_named_with_what_it_does_there),
		TEST(test_mapped_file_is_found_by_its_superblock),
		TEST(test_mounts_swap_and_loops_on_it_are_named),
		TEST(test_nobody_seen_is_not_nobody),
		TEST(test_many_holders_are_counted),
		TEST(test_other_namespaces_and_open_devices_are_named),
		TEST(test_bind_mount_in_our_namespace_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
