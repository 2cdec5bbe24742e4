// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every filesystem with every mount option of its documentation and every key of ours: each is
 * proved and built, or refused with the reason, and leaves nothing. Needs root. Images are small
 * and only reserved where the image is not the subject. IOPROOF_LONG=1: options in pairs as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/options.h"
#include "tests/end-to-end/fixture_place.h"

#define QUICK "IMAGE=fallocated"

struct held {
	size_t count;
	struct {
		char name[32];
		uint64_t device, inode; /* of the image */
	} loop[FIXTURE_DEVICES_MAX];
};

static void held_by(const json_t *description, struct held *held)
{
	const json_t *devices = json_object_get(description, "devices");

	held->count = json_array_size(devices);
	for (size_t i = 0; i < held->count; i++) {
		const json_t *name = json_object_get(json_array_get(devices, i), "name");
		struct loop_info64 info = { 0 };

		snprintf(held->loop[i].name, sizeof(held->loop[i].name), "%s",
			json_string_value(name));
		assert_int_equal(loop_status(held->loop[i].name, &info), 0);
		held->loop[i].device = info.lo_device;
		held->loop[i].inode = info.lo_inode;
	}
}

/*
 * No mount, no file, and the loop devices free or with somebody else's image. (Other programs'
 * mounts come and go in our namespace, so that the whole table cannot be compared.)
 */
static void assert_released(const struct held *held, const struct place *p)
{
	char *mounts;
	size_t len;

	for (size_t i = 0; i < held->count; i++) {
		struct loop_info64 info = { 0 };

		if (loop_status(held->loop[i].name, &info) == 0)
			assert_false(info.lo_device == held->loop[i].device &&
				info.lo_inode == held->loop[i].inode);
	}
	assert_int_equal(
		sysroot_read(&root, SYSROOT_FILE_MAX, &mounts, &len, "proc/self/mountinfo"), 0);
	assert_null(strstr(mounts, "/fixture"));
	free(mounts);
	assert_int_equal(entries(p->fd), 0);
}

static void assert_proved(const json_t *d, const char *spec, const char *options)
{
	const json_t *proof = json_object_get(d, "proof");
	const json_t *list = json_object_get(proof, "options");

	for (const char *cursor = options;;) {
		_cleanup_free_ char *item = NULL;
		bool found = false;

		if (!option_next(&cursor, &item))
			return;
		if (strcmp(item, "+C") == 0)
			continue;
		for (size_t i = 0; i < json_array_size(list); i++) {
			const json_t *one = json_array_get(list, i);

			found |= strcmp(item, json_string_value(json_object_get(one, "option"))) ==
					0 &&
				json_object_get(one, "proved_by");
		}
		if (!found)
			fail_msg("%s: `%s` is not among what was proved", spec, item);
	}
}

/* Builds, looks whether each option has its proof, takes down; the description for more. */
static json_t *build_and_leave(
	const char *fstype, const char *options, const char *keys, const struct place *p)
{
	_cleanup_free_ char *spec =
		xasprintf("%s:%s%s%s", fstype, options, *options && *keys ? "," : "", keys);
	struct fixture *f = must_build(spec, p);
	json_t *d = fixture_describe(f);
	struct held held;

	assert_non_null(d);
	assert_proved(d, spec, options);
	held_by(d, &held);
	fixture_destroy(f);
	assert_released(&held, p);
	return d;
}

struct matrix {
	const char *fstype, *size;
	const char *const *good; /* options; ends with NULL */
	const struct bad {
		const char *option, *part;
	} * bad; /* and what the refusal says; ends with NULL */
};

static const char *const any_good[] = { "noatime", "nodiratime,relatime", "relatime", "strictatime",
	"atime", "nostrictatime", "lazytime", "nolazytime,noatime,nodiratime", "sync", "dirsync",
	"async", "noexec", "exec", "nosymfollow", "symfollow", "nosuid,nodev", "silent", "loud",
	"defaults", "rw", "nomand", "diratime,strictatime", NULL };

static const struct bad any_bad[] = {
	{ "norelatime", "ask for strictatime" },
	{ "mand", "does nothing" },
	{ "nosuchoption", "`nosuchoption`" },
	{ "noatime,relatime", "speak about the same thing" },
	{ "noatime,strictatime", "speak about the same thing" },
	{ NULL, NULL },
};

static const char *const ext4_good[] = { "bsddf,nogrpid", "minixdf,grpid", "bsdgroups",
	"sysvgroups", "resuid=5,resgid=6", "resuid=0", "errors=continue", "errors=remount-ro",
	"nouid32", "debug", "user_xattr,acl", "commit=5", "commit=30", "commit=0", "commit=0x1e",
	"min_batch_time=0,max_batch_time=15000", "min_batch_time=7,max_batch_time=9",
	"journal_checksum", "nojournal_checksum", "journal_async_commit,data=writeback",
	"data=journal", "data=ordered", "data=writeback", "data_err=abort", "data_err=ignore",
	"usrjquota=a,grpjquota=b,jqfmt=vfsv1", "usrjquota=", "quota", "usrquota,grpquota",
	"noquota", "barrier", "nobarrier", "barrier=0", "barrier=1", "barrier=2", "i_version",
	"iversion", "dax=never", "stripe=16", "stripe=0", "delalloc", "nodelalloc", "warn_on_error",
	"nowarn_on_error", "block_validity", "noblock_validity", "inode_readahead_blks=64",
	"inode_readahead_blks=32", "auto_da_alloc", "auto_da_alloc=0", "auto_da_alloc=1",
	"noauto_da_alloc", "dioread_nolock", "nodioread_nolock", "dioread_lock", "discard",
	"nodiscard", "init_itable", "init_itable=20", "noinit_itable", "max_dir_size_kb=100",
	"max_dir_size_kb=0", "nombcache", "no_mbcache", "prefetch_block_bitmaps",
	"no_prefetch_block_bitmaps", "mb_optimize_scan=0", "mb_optimize_scan=1", NULL };

static const struct bad ext4_bad[] = {
	{ "oldalloc", "ignored by ext4" },
	{ "orlov", "ignored by ext4" },
	{ "bh", "ignored by ext4" },
	{ "nobh", "ignored by ext4" },
	{ "mblk_io_submit", "ignored by ext4" },
	{ "nomblk_io_submit", "ignored by ext4" },
	{ "check=none", "ignored by ext4" },
	{ "nocheck", "ignored by ext4" },
	{ "reservation", "ignored by ext4" },
	{ "noreservation", "ignored by ext4" },
	{ "journal=1", "ignored by ext4" },
	{ "journal_ioprio=3", "cannot be proved" },
	{ "debug_want_extra_isize=32", "cannot be proved" },
	{ "fc_debug_max_replay=5", "cannot be proved" },
	{ "nouser_xattr", "removed in Linux" },
	{ "noacl", "removed in Linux" },
	{ "errors=panic", "stop the machine" },
	{ "noload", "read-only" },
	{ "abort", "broken" },
	{ "dax=always", "block layer" },
	{ "noiversion", "always since" },
	{ "prjquota", "-O quota,project" },
	{ "data=journal,dioread_nolock", "data=journal" },
	{ "data=journal,delalloc", "mounted with options" },
	{ "data=ordered,data=journal", "speak about the same thing" },
	{ "nodatacow", "btrfs:nodatacow" },
	{ "logbsize=32k", "xfs:logbsize=32k" },
	{ "largeio", "xfs:largeio" },
	{ "autodefrag", "btrfs:autodefrag" },
	{ NULL, NULL },
};

static const char *const xfs_good[] = { "allocsize=64k", "allocsize=1m", "allocsize=65536",
	"discard", "nodiscard", "grpid", "bsdgroups", "nogrpid", "sysvgroups", "filestreams",
	"inode32", "inode64", "largeio", "nolargeio", "logbufs=4", "logbufs=8", "logbsize=32k",
	"logbsize=32768", "logbsize=256k", "noalign", "noquota", "sunit=0,swidth=0", "swalloc",
	"wsync", "dax=never", NULL };

static const struct bad xfs_bad[] = {
	{ "attr2", "version 2" },
	{ "noattr2", "version 2" },
	{ "ikeep", "always freed" },
	{ "noikeep", "always freed" },
	{ "norecovery", "read-only" },
	{ "nouuid", "same UUID" },
	{ "lifetime", "zoned" },
	{ "max_open_zones=4", "zoned" },
	{ "allocsize=3k", "allocsize=3k" },
	{ "logbufs=9", "logbufs=9" },
	{ "logbsize=0", "logbsize=32k" },
	{ "sunit=64,swidth=128", "made with stripes" },
	{ "barrier", "ext4:barrier" },
	{ "nobarrier", "ext4:nobarrier" },
	{ "acl", "ext4:acl" },
	{ "data=journal", "ext4:data=journal" },
	{ "compress=zstd", "btrfs:compress=zstd" },
	{ "delaylog", "`delaylog`" },
	{ "ihashsize=1", "`ihashsize=1`" },
	{ NULL, NULL },
};

static const char *const btrfs_good[] = { "+C", "acl", "noacl", "autodefrag", "noautodefrag",
	"barrier", "nobarrier", "commit=5", "commit=30", "commit=0", "compress", "compress=zlib",
	"compress=zlib:9", "compress=lzo", "compress=zstd", "compress=zstd:1", "compress=zstd:0",
	"compress=no", "compress=none", "compress-force", "compress-force=zstd",
	"compress-force=lzo", "compress-force=no", "datacow", "nodatacow", "datasum", "nodatasum",
	"+C,datasum", "compress=zstd,datasum", "discard", "discard=sync", "discard=async",
	"nodiscard", "enospc_debug", "noenospc_debug", "fatal_errors=bug", "flushoncommit",
	"noflushoncommit", "max_inline=0", "max_inline=2048", "max_inline=1k", "metadata_ratio=4",
	"metadata_ratio=0", "rescan_uuid_tree", "skip_balance", "space_cache=v2",
	"clear_cache,nospace_cache", "clear_cache,space_cache=v1", "ssd", "nossd", "ssd_spread",
	"nossd_spread", "subvol=/", "subvolid=5", "subvolid=0", "thread_pool=2", "thread_pool=16",
	"treelog", "notreelog", "user_subvol_rm_allowed", NULL };

static const struct bad btrfs_bad[] = {
	{ "nodatacow,compress=zstd", "another option overrides" },
	{ "compress=zstd,nodatacow", "`compress=zstd`" },
	{ "compress=zstd,nodatasum", "stored as they were" },
	{ "compress=zstd,+C", "stored as they were" },
	{ "nodatacow,datasum", "another option overrides" },
	{ "compress=zstd:16", "zstd:15" },
	{ "compress=lzo:3", "compress=lzo" },
	{ "compress=foo", "`compress=foo`" },
	{ "max_inline=1m", "max_inline=4096" },
	{ "clear_cache", "nospace_cache" },
	{ "space_cache=v1", "btrfs" },
	{ "check_int", "removed in Linux" },
	{ "fatal_errors=panic", "stop the machine" },
	{ "rescue=all", "read-only" },
	{ "usebackuproot", "broken" },
	{ "degraded", "lacks a device" },
	{ "subvol=home", "fresh filesystem" },
	{ "subvolid=256", "fresh filesystem" },
	{ "inode_cache", "removed in Linux" },
	{ "thread_pool=0", "thread_pool=0" },
	{ "iversion", "cannot be proved" },
	{ "data=journal", "ext4:data=journal" },
	{ "allocsize=64k", "xfs:allocsize=64k" },
	{ NULL, NULL },
};

static const struct matrix ext4_matrix = { "ext4", "SIZE=16M", ext4_good, ext4_bad };
static const struct matrix xfs_matrix = { "xfs", "SIZE=300M", xfs_good, xfs_bad };
static const struct matrix btrfs_matrix = { "btrfs", "SIZE=128M", btrfs_good, btrfs_bad };

/* Several at once, as `--fs A --fs B` does. */
#define BATCH 4

static size_t build_batch(const struct matrix *m, const char *const *good, const struct place *p,
	struct fixture **fixture)
{
	const struct fixture_place place = { .fd = p->fd, .name = p->path };
	const struct fixture_spec *specs[BATCH];
	struct fixture_spec spec[BATCH] = { 0 };
	struct error error = { "" };
	size_t n = 0;

	for (; n < BATCH && good[n]; n++) {
		_cleanup_free_ char *text =
			xasprintf("%s:%s,%s,%s", m->fstype, good[n], m->size, QUICK);

		if (fixture_spec_parse(text, &spec[n], &error) < 0)
			fail_msg("%s: %s", text, error.text);
		specs[n] = &spec[n];
	}
	if (fixtures_build(&root, specs, n, &place, NULL, fixture, &error) < 0)
		fail_msg("one of `%s:%s` and the next: %s", m->fstype, good[0], error.text);
	for (size_t i = 0; i < n; i++)
		fixture_spec_free(&spec[i]);
	return n;
}

static void all_good(const struct matrix *m, const char *const *good, const struct place *p)
{
	struct fixture *fixture[BATCH];
	struct held held[BATCH];
	size_t n;

	for (; *good; good += n) {
		n = build_batch(m, good, p, fixture);
		for (size_t i = 0; i < n; i++) {
			json_t *d = fixture_describe(fixture[i]);

			assert_proved(d, m->fstype, good[i]);
			held_by(d, &held[i]);
			json_decref(d);
		}
		for (size_t i = 0; i < n; i++)
			fixture_destroy(fixture[i]);
		for (size_t i = 0; i < n; i++)
			assert_released(&held[i], p);
	}
}

static void all_bad(const struct matrix *m, const struct bad *bad, const struct place *p)
{
	for (; bad->option; bad++) {
		_cleanup_free_ char *spec =
			xasprintf("%s:%s,%s,%s", m->fstype, bad->option, m->size, QUICK);
		struct error error = { "" };
		struct fixture *f = NULL;
		int r = build(spec, p, &f, &error);

		if ((r != -EINVAL && r != -EIO) || !strstr(error.text, bad->part))
			fail_msg("%s: got %d `%s`, wanted `%s`", spec, r, error.text, bad->part);
		assert_null(f);
		assert_int_equal(entries(p->fd), 0);
	}
}

/* Pairs show what one option does to another; only who has a night tries them all. */
static void all_pairs(const struct matrix *m, const struct place *p)
{
	for (size_t i = 0; getenv("IOPROOF_LONG") && m->good[i]; i++)
		for (size_t j = 0; any_good[j]; j++) {
			_cleanup_free_ char *spec = xasprintf("%s:%s,%s,%s,%s", m->fstype,
				m->good[i], any_good[j], m->size, QUICK);
			fixture_destroy(must_build(spec, p));
		}
}

static void run_matrix(const struct matrix *m)
{
	struct place p;

	place_open(&p);
	fixture_destroy(must_build("ext4:SIZE=16M", &p)); /* now in the private namespace */
	all_good(m, any_good, &p);
	all_bad(m, any_bad, &p);
	all_good(m, m->good, &p);
	all_bad(m, m->bad, &p);
	all_pairs(m, &p);
	place_close(&p);
}

static void test_ext4_options_are_proved_or_refused(void **state)
{
	run_matrix(&ext4_matrix);
}

static void test_xfs_options_are_proved_or_refused(void **state)
{
	run_matrix(&xfs_matrix);
}

static void test_btrfs_options_are_proved_or_refused(void **state)
{
	run_matrix(&btrfs_matrix);
}

/* Every key of ours, and words of MKFS= whose effect is read back. */
static const struct {
	const char *fstype, *options, *keys;
	const char *fact, *value; /* as JSON, in "proof"; or NULL */
} keyed[] = {
	{ "ext4", "", "SIZE=8M", "size_bytes", "8388608" },
	{ "ext4", "", "SIZE=16M,IMAGE=sparse", NULL, NULL },
	{ "ext4", "", "SIZE=16M,LOOP=buffered", NULL, NULL },
	{ "ext4", "", "SIZE=16M,SECTOR=4096", "block_size_bytes", "4096" },
	{ "ext4", "", "SIZE=16M,SECTOR=1024,LABEL=a_b", "label", "\"a_b\"" },
	{ "ext4", "", "SIZE=4M,MKFS=\"-b 1024 -m 0\"", "block_size_bytes", "1024" },
	{ "ext4", "", "SIZE=16M,MKFS=\"-m0 -I 512\"", "inode_size_bytes", "512" },
	{ "ext4", "", "SIZE=32M,MKFS=-Jsize=8", "journal_bytes", "8388608" },
	{ "ext4", "", "SIZE=3M,MKFS=\"-O ^has_journal,^64bit,^extent\"", "journal_bytes", "0" },
	{ "ext4", "", "SIZE=16M,MKFS=\"-O ^metadata_csum,inline_data\"", NULL, NULL },
	{ "ext4", "stripe=16", "SIZE=16M,MKFS=\"-E stride=4,stripe_width=8\"", NULL, NULL },
	{ "xfs", "", "SIZE=300M", "journal_in_image", "true" },
	{ "xfs", "", "SIZE=300M,SECTOR=4096", "sector_size_bytes", "4096" },
	{ "xfs", "", "SIZE=300M,LABEL=abc", "label", "\"abc\"" },
	{ "xfs", "", "SIZE=300M,MKFS=\"-m reflink=0,rmapbt=1 -b size=1024\"", "block_size_bytes",
		"1024" },
	{ "xfs", "sunit=64,swidth=128", "SIZE=513M,MKFS=\"-d su=32k,sw=2\"", NULL, NULL },
	{ "btrfs", "", "SIZE=109M", "metadata_profile", "\"dup\"" },
	{ "btrfs", "", "SIZE=109M,SECTOR=4096", "block_size_bytes", "4096" },
	{ "btrfs", "", "SIZE=45M,MKFS=\"-m single\"", "metadata_profile", "\"single\"" },
	{ "btrfs", "", "SIZE=16M,MKFS=--mixed", NULL, NULL },
	{ "btrfs", "", "SIZE=229M,MKFS=\"-d DUP\"", "data_profile", "\"dup\"" },
	{ "btrfs", "", "SIZE=69M,DEVICES=2", "metadata_profile", "\"raid1\"" },
	{ "btrfs", "", "SIZE=125M,DEVICES=2,MKFS=\"-d raid0 -m raid1\"", "data_profile",
		"\"raid0\"" },
	{ "btrfs", "", "SIZE=125M,DEVICES=4,MKFS=\"-d raid10 -m raid10\"", "devices", "4" },
	{ "btrfs", "", "SIZE=109M,MKFS=\"--csum xxhash\"", "checksum", "\"xxhash\"" },
	{ "btrfs", "space_cache=v1", "SIZE=109M,MKFS=\"-R ^free-space-tree\"", NULL, NULL },
	{ "btrfs", "+C", "SIZE=69M,DEVICES=3", "fresh_file_copied_on_write", "false" },
};

static void test_keys_of_ours_are_proved(void **state)
{
	struct place p;

	place_open(&p);
	for (size_t i = 0; i < ARRAY_SIZE(keyed); i++) {
		_cleanup_free_ char *keys = strstr(keyed[i].keys, "IMAGE=")
			? xstrdup(keyed[i].keys)
			: xasprintf("%s,%s", keyed[i].keys, QUICK);
		json_t *d = build_and_leave(keyed[i].fstype, keyed[i].options, keys, &p);
		const char *name = keyed[i].fact;
		char *found;

		if (name) {
			found = json_dumps(json_object_get(json_object_get(d, "proof"), name),
				JSON_ENCODE_ANY);
			if (!found || strcmp(found, keyed[i].value) != 0)
				fail_msg("%s:%s: %s is %s", keyed[i].fstype, keyed[i].keys, name,
					found);
			free(found);
		}
		json_decref(d);
	}
	place_close(&p);
}

static void test_smaller_than_the_minimum_is_refused_before_mkfs(void **state)
{
	struct place p;

	place_open(&p);
	must_fail("ext4:SIZE=8188K", &p, EINVAL, "at least 8");
	must_fail("ext4:SIZE=2044K,MKFS=\"-b 1024\"", &p, EINVAL, "at least 2");
	must_fail("xfs:SIZE=100M", &p, EINVAL, "at least 300");
	must_fail("xfs:SIZE=307196K,SECTOR=4096", &p, EINVAL, "at least 300");
	must_fail("xfs:SIZE=512M,MKFS=\"-d su=32k,sw=2\"", &p, EINVAL, "at least 513");
	must_fail("btrfs:SIZE=111612K", &p, EINVAL, "at least 109");
	must_fail("btrfs:SIZE=70652K,DEVICES=2", &p, EINVAL, "at least 69");
	must_fail(
		"btrfs:SIZE=124M,DEVICES=2,MKFS=\"-d raid1 -m raid1\"", &p, EINVAL, "at least 125");
	place_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ext4_options_are_proved_or_refused),
		cmocka_unit_test(test_xfs_options_are_proved_or_refused),
		cmocka_unit_test(test_btrfs_options_are_proved_or_refused),
		cmocka_unit_test(test_keys_of_ours_are_proved),
		cmocka_unit_test(test_smaller_than_the_minimum_is_refused_before_mkfs),
	};

	return run_where_fixtures_can_be_built(tests);
}
