// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A proof that cannot fail proves nothing: one property of a good fixture is taken away behind its
 * back, or another one is claimed, and the proof must say so. Needs root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "fixtures/behaviour.h"
#include "fixtures/prove_btrfs.h"
#include "fixtures/prove_ext4.h"
#include "fixtures/prove_xfs.h"
#include "tests/end-to-end/fixture_place.h"

struct subject {
	struct place p;
	struct fixture *fixture;
	struct fixture_spec spec; /* with the defaults, as the builder has it */
	const struct filesystem *fs;
	char device[64];
};

static void claim(struct subject *s, const char *text)
{
	struct error error = { "" };
	char *options;

	fixture_spec_free(&s->spec);
	if (fixture_spec_parse(text, &s->spec, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	s->fs = filesystem_find(s->spec.fstype);
	options = options_with_defaults(s->fs->defaults, s->spec.options);
	free(s->spec.options);
	s->spec.options = options;
}

static void subject_open(struct subject *s, const char *text)
{
	const json_t *device;
	json_t *d;

	*s = (struct subject){ 0 };
	place_open(&s->p);
	s->fixture = must_build(text, &s->p);
	d = fixture_describe(s->fixture);
	device = json_array_get(json_object_get(d, "devices"), 0);
	snprintf(s->device, sizeof(s->device), "/dev/%s",
		json_string_value(json_object_get(device, "name")));
	json_decref(d);
	claim(s, text);
}

static void subject_close(struct subject *s)
{
	fixture_destroy(s->fixture);
	fixture_spec_free(&s->spec);
	place_close(&s->p);
}

static void remount(const struct subject *s, unsigned long flags, const char *data)
{
	char target[48];

	snprintf(target, sizeof(target), "/proc/self/fd/%d", fixture_directory(s->fixture));
	if (mount(NULL, target, NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV | flags, data) < 0)
		fail_msg("remount with %lx `%s`: %s", flags, data ? data : "", strerror(errno));
}

typedef int (*proof_of)(struct subject *s, json_t *facts, struct error *error);

static int whole_behaviour(struct subject *s, json_t *facts, struct error *error)
{
	const struct fixture_devices devices = { { s->device }, 1 };

	return behaviour_prove(
		s->fs, &s->spec, &devices, fixture_directory(s->fixture), facts, error);
}

static int whole_layout(struct subject *s, json_t *facts, struct error *error)
{
	return s->fs->prove_mounted(&s->spec, fixture_directory(s->fixture), facts, error);
}

static int whole_device(struct subject *s, json_t *facts, struct error *error)
{
	const struct fixture_devices devices = { { s->device }, 1 };

	return s->fs->prove(&s->spec, &devices, facts, error);
}

static void must_hold(struct subject *s, proof_of proof)
{
	struct error error = { "" };
	json_t *facts = json_object();

	if (proof(s, facts, &error) < 0)
		fail_msg("%s: %s", s->spec.text, error.text);
	json_decref(facts);
}

static void must_not_hold(struct subject *s, proof_of proof, const char *part)
{
	struct error error = { "" };
	json_t *facts = json_object();
	int r = proof(s, facts, &error);

	if (r != -EIO || !strstr(error.text, part))
		fail_msg("%s: got %d `%s`, wanted `%s`", s->spec.text, r, error.text, part);
	json_decref(facts);
}

#define EXT4 "SIZE=16M,IMAGE=fallocated"
#define XFS "SIZE=300M,IMAGE=fallocated"
#define BTRFS "SIZE=128M,IMAGE=fallocated"

static void test_other_access_times_are_noticed(void **state)
{
	static const char *const specs[] = { "ext4:" EXT4, "xfs:" XFS, "btrfs:" BTRFS };

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		_cleanup_free_ char *relative = xasprintf("%s,relatime", specs[i]);
		_cleanup_free_ char *always = xasprintf("%s,strictatime", specs[i]);
		struct subject s;

		subject_open(&s, specs[i]);
		must_hold(&s, whole_behaviour);
		remount(&s, MS_BIND | MS_RELATIME, NULL);
		must_not_hold(&s, whole_behaviour, "`relative`, not `never`");
		remount(&s, MS_BIND | MS_STRICTATIME, NULL);
		must_not_hold(&s, whole_behaviour, "`always`, not `never`");
		claim(&s, always);
		must_hold(&s, whole_behaviour);
		remount(&s, MS_BIND | MS_STRICTATIME | MS_NODIRATIME, NULL);
		must_not_hold(&s, whole_behaviour, "aged directory");
		remount(&s, MS_BIND | MS_NOATIME, NULL);
		must_not_hold(&s, whole_behaviour, "`never`, not `always`");
		claim(&s, relative);
		must_not_hold(&s, whole_behaviour, "`never`, not `relative`");
		subject_close(&s);
	}
}

static void test_programs_and_links_are_noticed(void **state)
{
	struct subject s;

	subject_open(&s, "ext4:noexec,nosymfollow," EXT4);
	must_hold(&s, whole_behaviour);
	remount(&s, MS_BIND | MS_NOATIME | 256, NULL); /* MS_NOSYMFOLLOW */
	must_not_hold(&s, whole_behaviour, "`noexec`");
	remount(&s, MS_BIND | MS_NOATIME | MS_NOEXEC, NULL);
	must_not_hold(&s, whole_behaviour, "`nosymfollow`");
	claim(&s, "ext4:" EXT4);
	must_not_hold(&s, whole_behaviour, "nobody asked");
	subject_close(&s);
}

static void test_copies_on_write_are_noticed(void **state)
{
	int directory, flags = 0;
	struct subject s;

	subject_open(&s, "btrfs:+C," BTRFS);
	must_hold(&s, whole_behaviour);
	directory = fixture_directory(s.fixture);
	assert_int_equal(ioctl(directory, FS_IOC_GETFLAGS, &flags), 0);
	flags &= ~FS_NOCOW_FL;
	assert_int_equal(ioctl(directory, FS_IOC_SETFLAGS, &flags), 0);
	must_not_hold(&s, whole_behaviour, "although +C was asked for");
	claim(&s, "btrfs:" BTRFS);
	must_hold(&s, whole_behaviour);
	remount(&s, MS_NOATIME, "nodatacow");
	must_not_hold(&s, whole_behaviour, "nobody asked");
	claim(&s, "btrfs:nodatacow," BTRFS);
	must_hold(&s, whole_behaviour);
	remount(&s, MS_NOATIME, "datacow,datasum");
	must_not_hold(&s, whole_behaviour, "although nodatacow was asked for");
	subject_close(&s);
}

static void test_checksums_and_compression_are_noticed(void **state)
{
	struct subject s;

	subject_open(&s, "btrfs:nodatasum," BTRFS);
	must_hold(&s, whole_behaviour);
	remount(&s, MS_NOATIME, "datasum");
	must_not_hold(&s, whole_behaviour, "although that was to be off");
	claim(&s, "btrfs:" BTRFS);
	must_hold(&s, whole_behaviour);
	remount(&s, MS_NOATIME, "compress=lzo");
	must_not_hold(&s, whole_behaviour, "compressed, and nobody asked");
	claim(&s, "btrfs:compress=zstd," BTRFS);
	must_not_hold(&s, whole_behaviour, "compressed by lzo");
	remount(&s, MS_NOATIME, "compress=zstd");
	must_hold(&s, whole_behaviour);
	remount(&s, MS_NOATIME, "compress=no");
	must_not_hold(&s, whole_behaviour, "stored as they were");
	subject_close(&s);
}

static void test_direct_io_under_a_claimed_data_journal_is_noticed(void **state)
{
	struct subject s;

	subject_open(&s, "ext4:" EXT4);
	must_hold(&s, whole_behaviour);
	claim(&s, "ext4:data=journal," EXT4);
	must_not_hold(&s, whole_behaviour, "offers direct I/O");
	subject_close(&s);
}

static void expect(struct subject *s, proof_of proof, const char *spec, const char *part)
{
	claim(s, spec);
	must_not_hold(s, proof, part);
}

static void test_another_ext4_than_asked_for_is_noticed(void **state)
{
	struct subject s;

	subject_open(&s, "ext4:" EXT4);
	must_hold(&s, whole_device);
	expect(&s, whole_device, "ext4:SIZE=32M", "the image 33554432");
	expect(&s, whole_device, "ext4:SIZE=16M,LABEL=other", "not `other`");
	expect(&s, whole_device, "ext4:SIZE=16M,MKFS=\"-b 1024\"", "blocks of 4096");
	expect(&s, whole_device, "ext4:SIZE=16M,MKFS=\"-I 512\"", "inodes of 256");
	expect(&s, whole_device, "ext4:SIZE=16M,MKFS=\"-m 0\"", "reserve");
	expect(&s, whole_device, "ext4:SIZE=16M,MKFS=-Jsize=8", "not the 8 MiB");
	expect(&s, whole_device, "ext4:SIZE=16M,MKFS=\"-O ^has_journal\"", "`has_journal`");
	expect(&s, whole_device, "ext4:SIZE=16M,MKFS=\"-O inline_data\"", "`inline_data`");
	subject_close(&s);
	place_open(&s.p);
	must_fail("ext4:SIZE=256M,IMAGE=fallocated,MKFS=\"-E lazy_itable_init=1\"", &s.p, EIO,
		"block groups have inode tables");
	place_close(&s.p);
}

static void test_another_xfs_than_asked_for_is_noticed(void **state)
{
	struct subject s;

	subject_open(&s, "xfs:" XFS);
	must_hold(&s, whole_layout);
	expect(&s, whole_layout, "xfs:SIZE=400M", "the image 419430400");
	expect(&s, whole_layout, "xfs:SIZE=300M,SECTOR=2048", "SECTOR=2048");
	expect(&s, whole_layout, "xfs:SIZE=300M,MKFS=\"-b size=1024\"", "blocks of 4096");
	expect(&s, whole_layout, "xfs:SIZE=300M,MKFS=\"-d agcount=9\"", "allocation groups");
	for (size_t i = 0; i < 2; i++) { /* one of both is wrong, whatever the defaults */
		const char *const claims[] = { "reflink=0,crc=0,finobt=0,bigtime=0",
			"reflink=1,rmapbt=1,crc=0" };
		_cleanup_free_ char *spec = xasprintf("xfs:SIZE=300M,MKFS=\"-m %s\"", claims[i]);

		expect(&s, whole_layout, spec, "xfs was made with");
	}
	expect(&s, whole_device, "xfs:SIZE=300M,LABEL=other", "not `other`");
	expect(&s, whole_device, "ext4:SIZE=300M", "Bad magic number");
	subject_close(&s);
}

static void test_another_btrfs_than_asked_for_is_noticed(void **state)
{
	struct subject s;

	subject_open(&s, "btrfs:" BTRFS);
	must_hold(&s, whole_layout);
	expect(&s, whole_layout, "btrfs:SIZE=256M", "the image has 268435456");
	expect(&s, whole_layout, "btrfs:SIZE=128M,DEVICES=2", "on 1 devices, not on 2");
	expect(&s, whole_layout, "btrfs:SIZE=128M,MKFS=\"-m single\"", "not the single");
	expect(&s, whole_layout, "btrfs:SIZE=256M,MKFS=\"-d dup\"", "the image has");
	expect(&s, whole_layout, "btrfs:SIZE=128M,MKFS=\"--csum blake2b\"", "not blake2b");
	expect(&s, whole_layout, "btrfs:SIZE=128M,MKFS=\"-n 32768\"", "nodes of 16384");
	expect(&s, whole_layout, "btrfs:SIZE=128M,MKFS=\"-O ^no-holes\"", "`no-holes`");
	expect(&s, whole_device, "btrfs:SIZE=128M,LABEL=other", "not `other`");
	subject_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_access_times_are_noticed),
		cmocka_unit_test(test_programs_and_links_are_noticed),
		cmocka_unit_test(test_copies_on_write_are_noticed),
		cmocka_unit_test(test_checksums_and_compression_are_noticed),
		cmocka_unit_test(test_direct_io_under_a_claimed_data_journal_is_noticed),
		cmocka_unit_test(test_another_ext4_than_asked_for_is_noticed),
		cmocka_unit_test(test_another_xfs_than_asked_for_is_noticed),
		cmocka_unit_test(test_another_btrfs_than_asked_for_is_noticed),
	};

	return run_where_fixtures_can_be_built(tests);
}
