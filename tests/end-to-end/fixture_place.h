/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TEST_FIXTURE_PLACE_H
#define IOPROOF_TEST_FIXTURE_PLACE_H

/*
 * A scratch directory for one test that fails when anything was left in it, and fixtures built
 * there. Include it after cmocka.h.
 */

#include <dirent.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "core/subprocess.h"
#include "fixtures/fixture.h"

#define HELPER static __attribute__((unused))

HELPER struct sysroot root = SYSROOT_CLOSED;

struct place {
	char path[128];
	int fd;
	bool mounted;
};

HELPER void place_open(struct place *p)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(p->path, sizeof(p->path), "%s/ioproof-test-XXXXXX", tmp ? tmp : "/var/tmp");
	assert_non_null(mkdtemp(p->path));
	p->mounted = false;
	p->fd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(p->fd >= 0);
}

HELPER void place_mount(struct place *p, const char *source, const char *type, unsigned long flags,
	const char *data)
{
	assert_int_equal(mount(source, p->path, type, flags, data), 0);
	p->mounted = true;
	close(p->fd);
	p->fd = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(p->fd >= 0);
}

HELPER void place_close(struct place *p)
{
	close(p->fd);
	if (p->mounted)
		assert_int_equal(umount2(p->path, MNT_DETACH), 0);
	assert_int_equal(rmdir(p->path), 0); /* fails when anything was left */
}

/* What a loop device holds: 0, or ENXIO when it is free. */
HELPER int loop_status(const char *name, struct loop_info64 *info)
{
	_cleanup_free_ char *path = xasprintf("/dev/%s", name);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return ioctl(fd, LOOP_GET_STATUS64, info) < 0 ? errno : 0;
}

HELPER size_t entries(int fd)
{
	DIR *d = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

HELPER int build(const char *text, const struct place *p, struct fixture **ret, struct error *error)
{
	const struct fixture_place place = { .fd = p->fd, .name = p->path };
	struct fixture_spec spec = { 0 };
	const struct fixture_spec *specs[] = { &spec };
	int r = fixture_spec_parse(text, &spec, error);

	if (r == 0)
		r = fixtures_build(&root, specs, 1, &place, NULL, ret, error);
	fixture_spec_free(&spec);
	return r;
}

HELPER struct fixture *must_build(const char *text, const struct place *p)
{
	struct error error = { "" };
	struct fixture *f = NULL;
	int r = build(text, p, &f, &error);

	if (r < 0)
		fail_msg("%s: %d %s", text, r, error.text);
	assert_non_null(f);
	return f;
}

HELPER void must_fail(const char *text, const struct place *p, int errnum, const char *part)
{
	struct error error = { "" };
	struct fixture *f = NULL;
	int r = build(text, p, &f, &error);

	if (r != -errnum || !strstr(error.text, part))
		fail_msg("%s: got %d `%s`, wanted %d `%s`", text, r, error.text, -errnum, part);
	assert_null(f);
	assert_int_equal(entries(p->fd), 0);
}

/*
 * The tests' own mounts are nobody else's either. And, as in a container, no other process lives in
 * the namespace that the first fixture leaves: the sysroot must go on working.
 */
HELPER int set_up(void **state)
{
	struct error error;

	if (unshare(CLONE_NEWNS) < 0)
		return -1;
	mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
	return sysroot_open(NULL, &root, &error);
}

HELPER int tear_down(void **state)
{
	sysroot_close(&root);
	return 0;
}

HELPER const char *cannot_run(void)
{
	_cleanup_free_ char *mkfs = NULL;

	if (geteuid() != 0)
		return "not root";
	if (access("/dev/loop-control", R_OK | W_OK) < 0)
		return "no /dev/loop-control";
	if (subprocess_find("mkfs.ext4", &mkfs) < 0)
		return "no mkfs.ext4";
	return NULL;
}

HELPER void test_fixtures_can_be_built_here(void **state)
{
	print_message("skipped: %s\n", cannot_run());
	skip();
}

HELPER const struct CMUnitTest no_tests[] = { cmocka_unit_test(test_fixtures_can_be_built_here) };

/* What main() returns. */
#define run_where_fixtures_can_be_built(tests)                                                     \
	(cannot_run() ? cmocka_run_group_tests(no_tests, NULL, NULL)                               \
		      : cmocka_run_group_tests(tests, set_up, tear_down))

#endif
