// SPDX-License-Identifier: GPL-2.0-or-later
/* Builds real fixtures: needs root, loop devices and mkfs.ext4, and skips without them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "core/random.h"
#include "fixtures/behaviour.h"
#include "tests/end-to-end/fixture_place.h"

static char *mountinfo(void)
{
	char *text;
	size_t len;

	assert_int_equal(
		sysroot_read(&root, SYSROOT_FILE_MAX, &text, &len, "proc/self/mountinfo"), 0);
	return text;
}

static const char *fact(const json_t *object, const char *a, const char *b)
{
	const json_t *value = json_object_get(object, a);

	if (b)
		value = json_object_get(value, b);
	assert_non_null(value);
	return json_string_value(value);
}

static const char *device_name(const json_t *description)
{
	return fact(json_array_get(json_object_get(description, "devices"), 0), "name", NULL);
}

static void assert_sysfs(const char *name, const char *attribute, const char *expected)
{
	_cleanup_free_ char *line = NULL;

	assert_int_equal(sysroot_read_line(&root, &line, "sys/block/%s/%s", name, attribute), 0);
	assert_string_equal(line, expected);
}

static void assert_facts(const json_t *d)
{
	const json_t *proof = json_object_get(d, "proof");
	const json_t *list = json_object_get(proof, "features");
	bool journal = false, extent = false;

	for (size_t i = 0; i < json_array_size(list); i++) {
		journal |= strcmp(json_string_value(json_array_get(list, i)), "has_journal") == 0;
		extent |= strcmp(json_string_value(json_array_get(list, i)), "extent") == 0;
	}
	assert_true(journal && extent);
	assert_int_equal(json_integer_value(json_object_get(proof, "groups_to_initialise")), 0);
	assert_int_equal(json_integer_value(json_object_get(proof, "block_size_bytes")), 4096);
	assert_int_equal(json_integer_value(json_object_get(proof, "size_bytes")), 64 * MIB);
	assert_true(json_integer_value(json_object_get(proof, "journal_bytes")) >= (int)(4 * MIB));
}

static void assert_usable(int dirfd, uint64_t bytes)
{
	_cleanup_free_ char *buffer = xmalloc(MIB);
	struct random random;
	struct stat st, dir;
	int fd = openat(dirfd, "file", O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	random_seed(&random, 1);
	random_fill(&random, buffer, MIB);
	for (uint64_t at = 0; at < bytes; at += MIB)
		assert_int_equal(pwrite(fd, buffer, MIB, (off_t)at), MIB);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(fstat(dirfd, &dir), 0);
	assert_true(st.st_dev == dir.st_dev);
	assert_true((uint64_t)st.st_blocks * 512 >= bytes);
	close(fd);
}

static void test_fixture_is_what_it_says_and_leaves_nothing(void **state)
{
	struct place p;
	struct fixture *f;
	struct statvfs before, after;
	struct loop_info64 info;
	char name[32];

	place_open(&p);
	fixture_destroy(must_build("ext4:SIZE=16M", &p)); /* now in the private namespace */
	{
		_cleanup_free_ char *mounts_before = mountinfo(), *mounts_after = NULL;
		struct stat directory;
		json_t *d;

		assert_int_equal(fstatvfs(p.fd, &before), 0);
		f = must_build("ext4:SIZE=64M", &p);
		d = fixture_describe(f);
		assert_non_null(d);
		snprintf(name, sizeof(name), "%s", device_name(d));
		assert_sysfs(name, "loop/dio", "1");
		assert_sysfs(name, "queue/write_cache", "write back");
		assert_sysfs(name, "queue/iostats", "1");
		assert_sysfs(name, "size", "131072");
		assert_non_null(strstr(fact(d, "options", NULL), "noatime"));
		assert_non_null(strstr(fact(d, "options", NULL), "nosuid"));
		assert_non_null(strstr(fact(d, "options", NULL), "nodev"));
		assert_facts(d);
		json_decref(d);

		assert_int_equal(loop_status(name, &info), 0);
		assert_int_equal(fstat(p.fd, &directory), 0);
		assert_true(info.lo_device == (uint64_t)directory.st_dev);
		assert_int_equal(info.lo_flags & (LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO),
			LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO);
		assert_int_equal(entries(p.fd), 0); /* no name, no directory */
		assert_usable(fixture_directory(f), 16 * MIB);
		/* Gone through the file that was just written: the image is still all there. */
		assert_int_equal(fstatvfs(p.fd, &after), 0);
		assert_true(before.f_bfree - after.f_bfree >= 64 * MIB / before.f_frsize / 2);

		fixture_destroy(f);
		mounts_after = mountinfo();
		assert_string_equal(mounts_before, mounts_after);
	}
	if (loop_status(name, &info) == 0) /* somebody else may have it by now */
		assert_true(strcmp((char *)info.lo_file_name, "ioproof image") != 0);
	assert_int_equal(entries(p.fd), 0);
	place_close(&p);
}

/* In a tmpfs of our own nobody else changes the figures. */
static void test_space_comes_back(void **state)
{
	struct statfs before, during, after;
	struct fixture *f;
	struct place p;

	place_open(&p);
	place_mount(&p, "test", "tmpfs", 0, "size=200m");
	assert_int_equal(fstatfs(p.fd, &before), 0);
	f = must_build("ext4:SIZE=64M", &p);
	assert_int_equal(fstatfs(p.fd, &during), 0);
	assert_true(before.f_bfree - during.f_bfree >= 64 * MIB / (uint64_t)before.f_bsize);
	fixture_destroy(f);
	assert_int_equal(fstatfs(p.fd, &after), 0);
	assert_int_equal(before.f_bfree, after.f_bfree);
	place_close(&p);
}

static void test_two_fixtures_live_side_by_side(void **state)
{
	struct place p;
	struct fixture *a, *b;
	struct stat x, y;

	place_open(&p);
	a = must_build("ext4:SIZE=16M", &p);
	b = must_build("ext4:SIZE=16M,data=journal", &p);
	assert_int_equal(fstat(fixture_directory(a), &x), 0);
	assert_int_equal(fstat(fixture_directory(b), &y), 0);
	assert_true(x.st_dev != y.st_dev);
	fixture_destroy(a);
	assert_usable(fixture_directory(b), 2 * MIB);
	fixture_destroy(b);
	place_close(&p);
}

static void test_options_hold_and_are_found(void **state)
{
	static const char *const good[] = { "data=journal", "data=ordered", "data=writeback",
		"nobarrier", "barrier", "barrier=1", "barrier=0", "relatime", "strictatime",
		"noatime,nodiratime", "lazytime", "sync", "commit=30", "commit=5", "nodelalloc",
		"delalloc", "discard", "nodiscard", "noauto_da_alloc", "auto_da_alloc", "defaults",
		"rw", "noexec", "exec", "errors=remount-ro", "acl", "user_xattr", "stripe=16",
		"init_itable=20", "nosuid,nodev", "journal_checksum", "dioread_lock", "grpid" };
	struct place p;

	place_open(&p);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		_cleanup_free_ char *spec = xasprintf("ext4:SIZE=16M,%s", good[i]);
		struct fixture *f = must_build(spec, &p);
		json_t *d = fixture_describe(f);
		bool atime = strstr(good[i], "atime") != NULL && !strstr(good[i], "noatime");

		assert_true((strstr(fact(d, "options", NULL), "noatime") != NULL) != atime);
		json_decref(d);
		fixture_destroy(f);
	}
	place_close(&p);
}

static void sabotage(const char *name, const char *attribute, const char *value)
{
	_cleanup_free_ char *path = xasprintf("/sys/block/%s/queue/%s", name, attribute);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, value, strlen(value)), strlen(value));
	close(fd);
}

/*
 * The settings of a free device wait for its next user. Others may take that device first, so the
 * attempt is repeated; what is left over is put right again.
 */
static void test_left_over_queue_settings_are_repaired(void **state)
{
	struct place p;
	bool met = false;

	place_open(&p);
	for (int try = 0; try < 10 && !met; try++) {
		struct fixture *f;
		struct loop_info64 info;
		char name[32];
		json_t *d;
		int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

		assert_true(control >= 0);
		snprintf(name, sizeof(name), "loop%d", ioctl(control, LOOP_CTL_GET_FREE));
		close(control);
		sabotage(name, "write_cache", "write through");
		sabotage(name, "iostats", "0");
		f = must_build("ext4:SIZE=16M", &p);
		d = fixture_describe(f);
		met = strcmp(device_name(d), name) == 0;
		if (met) {
			const json_t *loop = json_array_get(json_object_get(d, "devices"), 0);

			assert_sysfs(name, "queue/write_cache", "write back");
			assert_sysfs(name, "queue/iostats", "1");
			assert_int_equal(json_array_size(json_object_get(loop, "repaired")), 2);
		} else if (loop_status(name, &info) == ENXIO) {
			sabotage(name, "write_cache", "write back");
			sabotage(name, "iostats", "1");
		}
		json_decref(d);
		fixture_destroy(f);
	}
	place_close(&p);
	if (!met) {
		print_message("others took the prepared loop device ten times\n");
		skip();
	}
}

static void test_nocow_is_for_empty_directories(void **state)
{
	_cleanup_free_ char *mkfs = NULL;
	struct error error = { "" };
	struct fixture *f;
	struct place p;
	int file;

	if (subprocess_find("mkfs.btrfs", &mkfs) < 0) {
		print_message("no mkfs.btrfs\n");
		skip();
	}
	place_open(&p);
	f = must_build("btrfs:SIZE=128M,IMAGE=sparse", &p);
	assert_int_equal(nocow_set(fixture_directory(f), &error), 0);
	file = openat(fixture_directory(f), "data", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(nocow_set(fixture_directory(f), &error), -ENOTEMPTY);
	assert_non_null(strstr(error.text, "empty directory"));
	fixture_destroy(f);
	place_close(&p);
}

struct phases {
	char seen[256];
	uint64_t last;
};

static void note_phase(
	void *context, size_t fixture, const char *phase, uint64_t done, uint64_t total)
{
	struct phases *p = context;

	if (!strstr(p->seen, phase))
		snprintf(
			p->seen + strlen(p->seen), sizeof(p->seen) - strlen(p->seen), "%s ", phase);
	if (total) {
		assert_true(done > p->last && done <= total);
		p->last = done;
	}
}

static void test_progress_tells_every_phase(void **state)
{
	struct phases phases = { "", 0 };
	const struct fixture_progress progress = { note_phase, &phases };
	struct fixture_spec spec = { 0 };
	const struct fixture_spec *specs[] = { &spec };
	struct fixture_place place;
	struct fixture *f = NULL;
	struct error error;
	struct place p;

	place_open(&p);
	place = (struct fixture_place){ .fd = p.fd, .name = p.path, .at_rest = true };
	assert_int_equal(fixture_spec_parse("ext4:SIZE=20M", &spec, &error), 0);
	assert_int_equal(fixtures_build(&root, specs, 1, &place, &progress, &f, &error), 0);
	assert_string_equal(phases.seen, "image loop mkfs proof mount rest ");
	assert_int_equal(phases.last, 20 * MIB);
	fixture_destroy(f);
	fixture_spec_free(&spec);
	place_close(&p);
}

/* mke2fs.conf of the machine must not decide what is measured. */
static void test_mke2fs_conf_does_not_decide(void **state)
{
	char conf[] = "/tmp/ioproof-conf-XXXXXX";
	static const char text[] = "[defaults]\n\tblocksize = 1024\n[fs_types]\n\text4 = {\n"
				   "\t\tfeatures = ^has_journal\n\t}\n";
	struct place p;
	json_t *d;
	struct fixture *f;
	int fd = mkstemp(conf);

	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	setenv("MKE2FS_CONFIG", conf, 1);
	place_open(&p);
	f = must_build("ext4:SIZE=64M", &p);
	d = fixture_describe(f);
	assert_facts(d);
	json_decref(d);
	fixture_destroy(f);
	place_close(&p);
	unsetenv("MKE2FS_CONFIG");
	unlink(conf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture_is_what_it_says_and_leaves_nothing),
		cmocka_unit_test(test_space_comes_back),
		cmocka_unit_test(test_two_fixtures_live_side_by_side),
		cmocka_unit_test(test_options_hold_and_are_found),
		cmocka_unit_test(test_left_over_queue_settings_are_repaired),
		cmocka_unit_test(test_nocow_is_for_empty_directories),
		cmocka_unit_test(test_progress_tells_every_phase),
		cmocka_unit_test(test_mke2fs_conf_does_not_decide),
	};

	return run_where_fixtures_can_be_built(tests);
}
