// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks of small made-up machines; the recorded ones are in test_machines.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/sysmacros.h>

#include "stack_case.h"

#define ROOT_LINE "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"

static void add_disk(const struct synthetic *machine)
{
	synthetic_file(machine, "sys/block/sda/dev", "8:0\n");
	synthetic_file(machine, "sys/block/sda/size", "2048\n");
	synthetic_file(machine, "sys/block/sda/queue/write_cache", "write back\n");
	synthetic_file(machine, "sys/block/sda/queue/iostats", "0\n");
	synthetic_file(machine, "sys/block/sda/sda1/dev", "8:1\n");
	synthetic_file(machine, "sys/block/sda/sda1/partition", "1\n");
	synthetic_file(machine, "sys/block/sda/sda2/dev", "8:2\n");
	synthetic_file(machine, "sys/block/sda/sda2/partition", "2\n");
}

static int setup(void **state)
{
	int r = stack_case_setup(state);

	add_disk(&((struct stack_case *)*state)->machine);
	return r;
}

static void check_trait(const struct layer *layer, enum trait_id id, enum answer answer,
	enum known_by known, const char *source)
{
	assert_int_equal(layer->traits[id].answer, answer);
	assert_int_equal(layer->traits[id].known_by, known);
	assert_string_equal(layer->traits[id].source, source);
}

static void test_partition_leads_to_its_disk(void **state)
{
	struct stack_case *c = *state;
	const struct layer *disk;

	stack_case_probe(c, ROOT_LINE, "/srv/file");
	stack_case_check(c, "fs:ext4 part:sda1 disk:sda");
	disk = &c->stack.layer[2];
	assert_int_equal(disk->size, MIB);
	assert_string_equal(disk->sysfs, "sys/block/sda");
	check_trait(disk, TRAIT_VOLATILE_CACHE, ANSWER_YES, KNOWN_DECLARED,
		"sys/block/sda/queue/write_cache = write back");
	check_trait(
		disk, TRAIT_COUNTED, ANSWER_NO, KNOWN_DECLARED, "sys/block/sda/queue/iostats = 0");
	assert_int_equal(layer_trait(disk, TRAIT_VIRTUAL), ANSWER_UNKNOWN);
	assert_ptr_equal(stack_horizon(&c->stack), disk);
}

static void test_unknown_type_ends_as_unknown_layer(void **state)
{
	struct stack_case *c = *state;

	stack_case_probe(c, "1 0 8:1 / / rw - newfs /dev/sda1 rw\n", "/x");
	stack_case_check(c, "unknown:newfs hidden");
}

static void test_block_device_of_unknown_family_is_no_disk(void **state)
{
	struct stack_case *c = *state;

	synthetic_file(&c->machine, "sys/block/frob0/dev", "240:0\n");
	stack_case_probe(c, "1 0 240:0 / / rw - ext4 /dev/frob0 rw\n", "/x");
	stack_case_check(c, "fs:ext4 unknown:frob0 hidden");
}

static void test_device_without_sysfs_is_hidden(void **state)
{
	struct stack_case *c = *state;

	stack_case_probe(c, "1 0 253:9 / / rw - ext4 /dev/root rw\n", "/x");
	stack_case_check(c, "fs:ext4 hidden");
	assert_string_equal(c->stack.layer[0].source, "/dev/root");
}

static void test_sysfs_that_contradicts_its_own_link_is_not_believed(void **state)
{
	struct stack_case *c = *state;

	synthetic_link(&c->machine, "sys/dev/block/8:1", "../../block/sda/sda2");
	stack_case_probe(c, ROOT_LINE, "/x");
	stack_case_check(c, "fs:ext4 part:sda1 disk:sda");
}

static void test_zram_is_memory(void **state)
{
	struct stack_case *c = *state;

	synthetic_file(&c->machine, "sys/block/zram0/dev", "252:0\n");
	stack_case_probe(c, "1 0 252:0 / / rw - ext4 /dev/zram0 rw\n", "/x");
	stack_case_check(c, "fs:ext4 memory");
	assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_IN_MEMORY), ANSWER_YES);
	assert_true(layer_is_block(&c->stack.layer[1]));
	assert_false(layer_counts_flushes(&c->stack.layer[1]));
}

static void test_mount_options_that_drop_flushes_are_traits(void **state)
{
	static const char *const options[][2] = { { "rw,nobarrier", "mount option nobarrier" },
		{ "rw,barrier=0", "mount option barrier=0" } };
	struct stack_case *c = *state;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		_cleanup_free_ char *line =
			xasprintf("1 0 8:1 / / rw - ext4 /dev/sda1 %s\n", options[i][0]);

		stack_case_probe(c, line, "/x");
		check_trait(&c->stack.layer[0], TRAIT_PASSES_FLUSH, ANSWER_NO, KNOWN_DECLARED,
			options[i][1]);
	}
	stack_case_probe(c, ROOT_LINE, "/x");
	assert_int_equal(layer_trait(&c->stack.layer[0], TRAIT_PASSES_FLUSH), ANSWER_UNKNOWN);
}

static void test_volatile_overlay_passes_no_flush(void **state)
{
	struct stack_case *c = *state;

	stack_case_probe(c,
		"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/u\\054x,workdir=/w,"
		"fsync=volatile\n",
		"/x");
	stack_case_check(c, "fs:overlay overlay-upper:/u,x hidden");
	check_trait(&c->stack.layer[0], TRAIT_PASSES_FLUSH, ANSWER_NO, KNOWN_DECLARED,
		"mount option fsync=volatile");
}

static void test_two_partitions_of_one_disk_show_it_once(void **state)
{
	struct stack_case *c = *state;

	synthetic_file(&c->machine, "sys/block/dm-0/dev", "253:0\n");
	synthetic_file(&c->machine, "sys/block/dm-0/dm/name", "vg-lv\n");
	synthetic_file(&c->machine, "sys/block/dm-0/dm/uuid", "LVM-abc\n");
	synthetic_link(&c->machine, "sys/block/dm-0/slaves/sda1", "../../sda/sda1");
	synthetic_link(&c->machine, "sys/block/dm-0/slaves/sda2", "../../sda/sda2");
	stack_case_probe(c, "1 0 253:0 / / rw - xfs /dev/mapper/vg-lv rw\n", "/x");
	stack_case_check(c, "fs:xfs lvm:vg-lv(dm-0) part:sda1 part:sda2 disk:sda");
	assert_int_equal(stack_levels(&c->stack), 4);
}

static void test_btrfs_shows_all_its_devices_and_its_compression(void **state)
{
	struct stack_case *c = *state;

	synthetic_link(
		&c->machine, "sys/fs/btrfs/aa-bb/devices/sda1", "../../../../block/sda/sda1");
	synthetic_link(
		&c->machine, "sys/fs/btrfs/aa-bb/devices/sda2", "../../../../block/sda/sda2");
	stack_case_probe(c,
		"1 0 0:40 / / rw - btrfs /dev/sda2 rw,compress=zstd:3,subvolid=5,subvol=/\n", "/x");
	stack_case_check(c, "fs:btrfs part:sda1 part:sda2 disk:sda");
	check_trait(&c->stack.layer[0], TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_DECLARED,
		"mount option compress=zstd:3");
}

static void add_loop(const struct synthetic *machine, unsigned number, const char *backing)
{
	_cleanup_free_ char *dev = xasprintf("sys/block/loop%u/dev", number);
	_cleanup_free_ char *file = xasprintf("sys/block/loop%u/loop/backing_file", number);
	_cleanup_free_ char *dio = xasprintf("sys/block/loop%u/loop/dio", number);
	_cleanup_free_ char *value = xasprintf("7:%u\n", number);
	_cleanup_free_ char *line = xasprintf("%s\n", backing);

	synthetic_file(machine, dev, value);
	synthetic_file(machine, file, line);
	synthetic_file(machine, dio, "0\n");
}

static void test_loop_file_known_by_name_only_is_inferred(void **state)
{
	struct stack_case *c = *state;

	add_loop(&c->machine, 0, "/srv/a.img");
	stack_case_probe(c, ROOT_LINE "2 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n", "/mnt/x");
	stack_case_check(c, "fs:ext4 loop:loop0 file:/srv/a.img fs:ext4* part:sda1* disk:sda*");
	check_trait(&c->stack.layer[1], TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED,
		"sys/block/loop0/loop/dio = 0");
	assert_ptr_equal(stack_horizon(&c->stack), &c->stack.layer[1]);
}

static void test_loop_in_itself_ends(void **state)
{
	struct stack_case *c = *state;

	add_loop(&c->machine, 0, "/mnt/a.img");
	stack_case_probe(c, ROOT_LINE "2 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n", "/mnt/x");
	stack_case_check(c, "fs:ext4 loop:loop0 file:/mnt/a.img hidden*");
}

static void test_depth_is_bounded(void **state)
{
	struct stack_case *c = *state;
	_cleanup_free_ char *table = xstrdup(ROOT_LINE);

	for (unsigned i = 0; i < 40; i++) {
		_cleanup_free_ char *backing = xasprintf("/m%u/a.img", i + 1);
		char *longer = xasprintf(
			"%s%u 1 7:%u / /m%u rw - ext4 /dev/loop%u rw\n", table, i + 2, i, i, i);

		free(table);
		table = longer;
		add_loop(&c->machine, i, backing);
	}
	stack_case_probe(c, table, "/m0/x");
	assert_int_equal(c->stack.count, STACK_LAYERS_MAX);
	assert_int_equal(c->stack.layer[STACK_LAYERS_MAX - 1].kind, LAYER_HIDDEN);
}

/* Calls of a machine on which the tests say what each path is. */

#define FILE_INODE 77

static uint64_t overlay_root_ctime, upper_ctime;

static int fake_mount_id(int dirfd, const char *path, uint64_t *ret)
{
	if (strncmp(path, "/gone", 5) == 0)
		return -ENOENT;
	*ret = strncmp(path, "/mnt", 4) == 0 ? 2 : 1;
	return 0;
}

static int fake_status(const char *path, struct statx *ret)
{
	struct statx st = { .stx_mask = STATX_BASIC_STATS,
		.stx_mode = S_IFDIR | 0755,
		.stx_dev_major = 8,
		.stx_dev_minor = 1,
		.stx_ino = 2 };

	if (strncmp(path, "/gone", 5) == 0)
		return -ENOENT;
	if (strcmp(path, "/srv/a.img") == 0) {
		st.stx_mode = S_IFREG | 0644;
		st.stx_ino = FILE_INODE;
	}
	st.stx_ctime.tv_sec =
		strcmp(path, "/upper/") == 0 ? (int64_t)upper_ctime : (int64_t)overlay_root_ctime;
	*ret = st;
	return 0;
}

static int fake_loop_status(dev_t loop, struct loop_status *ret)
{
	*ret = (struct loop_status){ .backing_dev = makedev(8, 1), .backing_inode = FILE_INODE };
	return 0;
}

static const struct machine_calls fake_calls = {
	.mount_id = fake_mount_id,
	.status = fake_status,
	.loop_status = fake_loop_status,
};

static void test_loop_file_with_the_right_inode_is_proved(void **state)
{
	struct stack_case *c = *state;

	c->root.calls = &fake_calls;
	add_loop(&c->machine, 0, "/srv/a.img");
	stack_case_probe(c, ROOT_LINE "2 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n", "/mnt/x");
	stack_case_check(c, "fs:ext4 loop:loop0 file:/srv/a.img fs:ext4 part:sda1 disk:sda");
}

static void test_removed_loop_file_is_found_by_its_device(void **state)
{
	struct stack_case *c = *state;

	c->root.calls = &fake_calls;
	add_loop(&c->machine, 0, "/gone/#12 (deleted)");
	stack_case_probe(c, ROOT_LINE "2 1 7:0 / /mnt rw - ext4 /dev/loop0 rw\n", "/mnt/x");
	stack_case_check(
		c, "fs:ext4 loop:loop0 file:/gone/#12 (deleted) fs:ext4 part:sda1 disk:sda");
}

static void test_missing_path_stands_for_its_nearest_parent(void **state)
{
	struct stack_case *c = *state;

	c->root.calls = &fake_calls;
	stack_case_probe(c, ROOT_LINE, "/gone/deeper/file");
	stack_case_check(c, "fs:ext4 part:sda1 disk:sda");
}

#define OVERLAY_LINE                                                                               \
	"2 1 0:9 / /mnt rw - overlay overlay rw,lowerdir=/l,upperdir=/upper,workdir=/w\n"

static void test_upper_directory_with_the_overlays_times_is_followed(void **state)
{
	struct stack_case *c = *state;

	c->root.calls = &fake_calls;
	overlay_root_ctime = upper_ctime = 1000;
	stack_case_probe(c, ROOT_LINE OVERLAY_LINE, "/mnt/x");
	stack_case_check(c, "fs:overlay overlay-upper:/upper fs:ext4 part:sda1 disk:sda");
}

static void test_other_directory_of_the_upper_name_is_hidden(void **state)
{
	struct stack_case *c = *state;

	c->root.calls = &fake_calls;
	overlay_root_ctime = 1000;
	upper_ctime = 1001;
	stack_case_probe(c, ROOT_LINE OVERLAY_LINE, "/mnt/x");
	stack_case_check(c, "fs:overlay overlay-upper:/upper hidden");
}

static void test_fuse_source_that_is_a_path_is_inferred(void **state)
{
	struct stack_case *c = *state;

	c->root.calls = &fake_calls;
	stack_case_probe(c, ROOT_LINE "2 1 0:9 / /mnt rw - fuse.bindfs /srv rw\n", "/mnt/x");
	stack_case_check(c, "fuse:bindfs fs:ext4* part:sda1* disk:sda*");
	assert_ptr_equal(stack_horizon(&c->stack), &c->stack.layer[0]);
}

static void test_fuse_server_over_its_own_mount_is_hidden(void **state)
{
	struct stack_case *c = *state;

	c->root.calls = &fake_calls;
	stack_case_probe(c, ROOT_LINE "2 1 0:9 / /mnt rw - fuse /mnt rw\n", "/mnt/x");
	stack_case_check(c, "fuse:fuse hidden*");
}

static void test_fuseblk_leads_to_its_device(void **state)
{
	struct stack_case *c = *state;

	stack_case_probe(c, ROOT_LINE "2 1 8:2 / /mnt rw - fuseblk /dev/sda2 rw\n", "/mnt/x");
	stack_case_check(c, "fuse:fuseblk part:sda2 disk:sda");
}

/* As after unshare(CLONE_NEWNS): a descriptor from before has an id that no table knows. */
static int old_namespace_mount_id(int dirfd, const char *path, uint64_t *ret)
{
	*ret = *path ? 1 : 999;
	return 0;
}

static void test_descriptor_of_another_mount_namespace_is_found_by_its_name(void **state)
{
	struct stack_case *c = *state;
	struct machine_calls calls = machine_calls_live;
	_cleanup_close_ int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct error error = { "" };

	calls.mount_id = old_namespace_mount_id;
	c->root.calls = &calls;
	synthetic_file(&c->machine, "proc/self/mountinfo",
		"1 0 0:99 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/gone,workdir=/w\n");
	assert_true(fd >= 0);
	assert_int_equal(stack_probe_fd(&c->root, fd, &c->stack, &error), 0);
	assert_string_equal(c->stack.layer[0].type, "overlay");
}

static void test_record_of_a_chroot_knows_what_is_mounted_below_its_root(void **state)
{
	struct stack_case *c = *state;

	stack_case_probe(c,
		"30 1 0:5 / /proc rw - proc proc rw\n31 1 0:40 / /srv/x rw - tmpfs t rw\n",
		"/srv/x/file");
	assert_string_equal(c->stack.layer[0].type, "tmpfs");
	assert_int_equal(c->stack.layer[0].mount_id, 31);
}

static void test_missing_mount_table_is_an_error_that_names_it(void **state)
{
	struct stack_case *c = *state;
	struct error error = { "" };

	assert_int_equal(stack_probe_path(&c->root, "/x", &c->stack, &error), -ENOENT);
	assert_non_null(strstr(error.text, "proc/self/mountinfo"));
	assert_int_equal(c->stack.count, 0);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, stack_case_teardown)
	const struct CMUnitTest tests[] = {
		WITH(test_partition_leads_to_its_disk),
		WITH(test_unknown_type_ends_as_unknown_layer),
		WITH(test_block_device_of_unknown_family_is_no_disk),
		WITH(test_device_without_sysfs_is_hidden),
		WITH(test_sysfs_that_contradicts_its_own_link_is_not_believed),
		WITH(test_zram_is_memory),
		WITH(test_mount_options_that_drop_flushes_are_traits),
		WITH(test_volatile_overlay_passes_no_flush),
		WITH(test_two_partitions_of_one_disk_show_it_once),
		WITH(test_btrfs_shows_all_its_devices_and_its_compression),
		WITH(test_loop_file_known_by_name_only_is_inferred),
		WITH(test_loop_in_itself_ends),
		WITH(test_depth_is_bounded),
		WITH(test_loop_file_with_the_right_inode_is_proved),
		WITH(test_removed_loop_file_is_found_by_its_device),
		WITH(test_missing_path_stands_for_its_nearest_parent),
		WITH(test_upper_directory_with_the_overlays_times_is_followed),
		WITH(test_other_directory_of_the_upper_name_is_hidden),
		WITH(test_fuse_source_that_is_a_path_is_inferred),
		WITH(test_fuse_server_over_its_own_mount_is_hidden),
		WITH(test_fuseblk_leads_to_its_device),
		WITH(test_descriptor_of_another_mount_namespace_is_found_by_its_name),
		WITH(test_record_of_a_chroot_knows_what_is_mounted_below_its_root),
		WITH(test_missing_mount_table_is_an_error_that_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
