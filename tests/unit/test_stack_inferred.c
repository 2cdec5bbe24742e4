// SPDX-License-Identifier: GPL-2.0-or-later
/* Overlays whose directories cannot be found, FUSE servers, device-mapper tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/sysmacros.h>

#include "stack_case.h"

#define ROOT "1 0 8:0 / / rw - ext4 /dev/sda rw\n"

static void add_live_image(struct stack_case *c)
{
	stack_case_disk(c, "sda", "8:0");
	stack_case_disk(c, "loop0", "7:0");
	stack_case_attribute(c, "loop0", "loop/backing_file", "/cdrom/live/fs.squashfs\n");
}

#define IMAGE_MOUNTS                                                                               \
	"20 30 8:0 / /cdrom ro - vfat /dev/sda ro\n"                                               \
	"21 30 7:0 / /rofs ro - squashfs /dev/loop0 ro\n"

static void test_file_below_an_unseen_upper_is_read_from_the_image_of_the_lower(void **state)
{
	struct stack_case *c = *state;

	add_live_image(c);
	stack_case_probe(c,
		IMAGE_MOUNTS
		"30 1 0:9 / / rw - overlay /cow rw,lowerdir=/fs.squashfs,upperdir=/cow/up\n",
		"/usr/bin/env");
	stack_case_check(c,
		"fs:overlay overlay-lower:/fs.squashfs fs:squashfs* loop:loop0* "
		"file:/cdrom/live/fs.squashfs* fs:vfat* disk:sda*");
	assert_int_equal(layer_trait(&c->stack.layer[0], TRAIT_WRITES_ELSEWHERE), ANSWER_YES);
	assert_non_null(strstr(c->stack.layer[0].traits[TRAIT_WRITES_ELSEWHERE].source, "/cow/up"));
	assert_ptr_equal(stack_horizon(&c->stack), &c->stack.layer[0]);
}

static void test_directory_of_an_unseen_upper_stays_hidden(void **state)
{
	static const char *const paths[] = { "/", "/usr/" };
	struct stack_case *c = *state;

	add_live_image(c);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		stack_case_probe(c,
			IMAGE_MOUNTS "30 1 0:9 / / rw - overlay /cow "
				     "rw,lowerdir=/fs.squashfs,upperdir=/cow/up\n",
			paths[i]);
		stack_case_check(c, "fs:overlay overlay-upper:/cow/up hidden");
	}
}

static void test_one_of_several_lowers_is_not_guessed(void **state)
{
	struct stack_case *c = *state;

	add_live_image(c);
	stack_case_probe(c,
		IMAGE_MOUNTS "30 1 0:9 / / rw - overlay /cow "
			     "rw,lowerdir=/patch:/fs.squashfs,upperdir=/cow/up\n",
		"/usr/bin/env");
	stack_case_check(c, "fs:overlay overlay-upper:/cow/up hidden");
}

static void test_lower_that_is_a_mount_point_is_followed_despite_a_slash(void **state)
{
	struct stack_case *c = *state;

	add_live_image(c);
	stack_case_probe(c,
		IMAGE_MOUNTS
		"30 1 0:9 / / rw - overlay overlay rw,lowerdir=/rofs/,upperdir=/cow/up\n",
		"/usr/bin/env");
	assert_int_equal(c->stack.layer[1].kind, LAYER_OVERLAY_LOWER);
	assert_string_equal(c->stack.layer[2].type, "squashfs");
}

static void test_upper_in_a_mount_of_its_own_is_inferred(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_probe(c,
		"20 30 8:0 / /ro ro - ext4 /dev/sda ro\n21 30 0:7 / /rw rw - tmpfs t rw\n"
		"30 1 0:9 / / rw - overlay o rw,lowerdir=/ro,upperdir=/rw/upper,workdir=/rw/w\n",
		"/usr/bin/env");
	stack_case_check(c, "fs:overlay overlay-upper:/rw/upper fs:tmpfs* memory*");
}

static void test_upper_under_a_bind_mount_or_the_root_is_not_believed(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_probe(c,
		"20 30 8:0 /vol/1 /data rw - ext4 /dev/sda rw\n"
		"30 1 0:9 / / rw - overlay o rw,lowerdir=/l,upperdir=/data/x/diff,workdir=/w\n",
		"/usr/");
	stack_case_check(c, "fs:overlay overlay-upper:/data/x/diff hidden");
	stack_case_probe(c,
		ROOT "2 1 0:9 / /mnt rw - overlay o rw,lowerdir=/l,upperdir=/srv/u,workdir=/w\n",
		"/mnt/");
	stack_case_check(c, "fs:overlay overlay-upper:/srv/u hidden");
}

static void test_upper_beside_the_mount_point_is_inferred(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	stack_case_probe(c,
		ROOT "2 1 0:9 / /d/abc/merged rw - overlay o "
		     "rw,lowerdir=/d/l/A,upperdir=/d/abc/diff,workdir=/d/abc/work\n",
		"/d/abc/merged/x");
	stack_case_check(c, "fs:overlay overlay-upper:/d/abc/diff fs:ext4* disk:sda*");
}

/* A live view in which the upper directory is gone and the file's times tell where it lies. */

static int64_t lower_time;

static int overlay_mount_id(int dirfd, const char *path, uint64_t *ret)
{
	*ret = strncmp(path, "/lower", 6) == 0 ? 1 : 30;
	return 0;
}

static int overlay_status(const char *path, struct statx *ret)
{
	struct statx st = { .stx_mask = STATX_BASIC_STATS, .stx_mode = S_IFREG | 0644 };

	if (strncmp(path, "/gone", 5) == 0)
		return -ENOENT;
	st.stx_ctime.tv_sec = strncmp(path, "/lower", 6) == 0 ? lower_time : 1000;
	*ret = st;
	return 0;
}

static void probe_open_file(struct stack_case *c)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct error error = { "" };

	synthetic_file(&c->machine, "proc/self/mountinfo",
		"1 30 8:0 / /lower rw - ext4 /dev/sda rw\n"
		"30 0 0:9 / / rw - overlay o rw,lowerdir=/lower,upperdir=/gone,workdir=/w\n");
	stack_free(&c->stack);
	assert_int_equal(stack_probe_fd(&c->root, fd, &c->stack, &error), 0);
}

static void test_open_file_of_an_unseen_upper_is_followed_where_its_times_are(void **state)
{
	struct stack_case *c = *state;
	const struct machine_calls calls = { .mount_id = overlay_mount_id,
		.status = overlay_status };

	stack_case_disk(c, "sda", "8:0");
	c->root.calls = &calls;
	lower_time = 1000;
	probe_open_file(c);
	stack_case_check(c, "fs:overlay overlay-lower:/lower fs:ext4* disk:sda*");
	lower_time = 999;
	probe_open_file(c);
	stack_case_check(c, "fs:overlay overlay-upper:/gone hidden");
	c->root.calls = &machine_calls_none;
}

/* FUSE servers: what /proc of a synthetic machine says. */

#define FUSE_MOUNT "fuse.bindfs /a rw"

static void add_holder(struct stack_case *c, const char *pid, const char *fdinfo)
{
	_cleanup_free_ char *fd = xasprintf("proc/%s/fd/5", pid);
	_cleanup_free_ char *info = xasprintf("proc/%s/fdinfo/5", pid);
	_cleanup_free_ char *comm = xasprintf("proc/%s/comm", pid);

	synthetic_link(&c->machine, fd, "/dev/fuse");
	synthetic_file(&c->machine, info, fdinfo);
	synthetic_file(&c->machine, comm, "bindfs\n");
}

static void test_server_is_the_holder_of_the_mounts_connection(void **state)
{
	struct stack_case *c = *state;

	add_holder(c, "41", "pos:\t0\nfuse_connection:\t39\n");
	add_holder(c, "42", "pos:\t0\nfuse_connection:\t40\n");
	stack_case_mount(c, "0:40", FUSE_MOUNT);
	assert_int_equal(c->stack.layer[0].server_pid, 42);
	assert_string_equal(c->stack.layer[0].server_name, "bindfs");
	assert_string_equal(
		c->stack.layer[0].server_source, "proc/42/fdinfo/5: fuse_connection = 40");
}

static void test_connection_of_a_block_device_is_in_the_kernels_form(void **state)
{
	struct stack_case *c = *state;

	add_holder(c, "7", "fuse_connection:\t1\npos:\t0\nfuse_connection:\t7340032\n");
	stack_case_disk(c, "loop0", "7:0");
	stack_case_mount(c, "7:0", "fuseblk /dev/loop0 rw");
	assert_int_equal(c->stack.layer[0].server_pid, 7);
}

static void test_silent_kernel_leaves_the_command_line(void **state)
{
	static const char other[] = "bindfs\0/a\0/b";
	struct stack_case *c = *state;
	_cleanup_free_ char *path = synthetic_path(&c->machine, "proc/9/cmdline");
	_cleanup_file_ FILE *file = NULL;

	add_holder(c, "9", "pos:\t0\n");
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(other, 1, sizeof(other), file);
	fflush(file);
	stack_case_probe(c, "1 0 0:40 / / rw - ext4 x rw\n2 1 0:41 / /c rw - fuse /a rw\n", "/c/x");
	assert_int_equal(c->stack.layer[0].server_pid, 0);
	assert_null(c->stack.layer[0].server_source);
	stack_case_probe(c, "1 0 0:40 / / rw - ext4 x rw\n2 1 0:41 / /b rw - fuse /a rw\n", "/b/x");
	assert_int_equal(c->stack.layer[0].server_pid, 9);
	assert_non_null(strstr(c->stack.layer[0].server_source, "cmdline names the mount point"));
}

static void test_absent_server_is_said_only_where_every_process_was_seen(void **state)
{
	static const char mount[] = "1 0 0:40 / / rw - " FUSE_MOUNT "\n";
	struct stack_case *c = *state;

	stack_case_probe(c, mount, "/");
	assert_null(c->stack.layer[0].server_source);
	c->root.live = true; /* its /proc is all there is */
	synthetic_link(&c->machine, "proc/self/ns/pid", "pid:[4026532178]");
	add_holder(c, "41", "pos:\t0\nfuse_connection:\t39\n");
	stack_case_probe(c, mount, "/");
	assert_non_null(strstr(c->stack.layer[0].server_source, "outside this container"));
	stack_case_probe(c,
		"1 0 0:40 / / rw - " FUSE_MOUNT "\n"
		"2 1 0:5 / /proc rw - proc proc rw,hidepid=invisible\n",
		"/");
	assert_null(c->stack.layer[0].server_source);
	c->root.live = false;
}

/* Device-mapper: tables by a call, else uuids and names. */

static const char *table;

static int fake_targets(dev_t device, char **ret)
{
	if (!table)
		return -EPERM;
	*ret = xstrdup(table);
	return 0;
}

static int no_mount_id(int dirfd, const char *path, uint64_t *ret)
{
	return -EOPNOTSUPP;
}

static const struct machine_calls dm_calls = { .mount_id = no_mount_id,
	.dm_targets = fake_targets };

struct table_row {
	const char *uuid, *table, *stack, *type;
	enum trait_id trait;
};

static const struct table_row table_rows[] = {
	{ "", "linear", "dm:m(dm-0)", "linear", TRAIT_COUNT },
	{ "", "linear linear striped", "dm:m(dm-0)", "striped", TRAIT_COUNT },
	{ "", "crypt", "crypt:m(dm-0)", "crypt", TRAIT_COUNT },
	{ "", "cache", "dm:m(dm-0)", "cache", TRAIT_CACHES_READS },
	{ "", "writecache", "dm:m(dm-0)", "writecache", TRAIT_CACHES_READS },
	{ "", "thin", "dm:m(dm-0)", "thin", TRAIT_ELIDES_DATA },
	{ "", "thin-pool", "dm:m(dm-0)", "thin-pool", TRAIT_COUNT },
	{ "", "flakey", "dm:m(dm-0)", "flakey", TRAIT_ALTERS_IO },
	{ "", "linear delay", "dm:m(dm-0)", "delay", TRAIT_ALTERS_IO },
	{ "", "dust", "dm:m(dm-0)", "dust", TRAIT_ALTERS_IO },
	{ "", "log-writes", "dm:m(dm-0)", "log-writes", TRAIT_ALTERS_IO },
	{ "", "zero", "dm:m(dm-0)", "zero", TRAIT_IN_MEMORY },
	{ "", "error", "dm:m(dm-0)", "error", TRAIT_ALTERS_IO },
	{ "", "vdo", "dm:m(dm-0)", "vdo", TRAIT_ELIDES_DATA },
	{ "", "snapshot", "dm:m(dm-0)", "snapshot", TRAIT_COPY_ON_WRITE },
	{ "", "raid", "dm:m(dm-0)", "raid", TRAIT_COUNT },
	{ "", "era", "dm:m(dm-0)", "era", TRAIT_COUNT },
	{ "LVM-a", "linear", "lvm:m(dm-0)", "lvm", TRAIT_COUNT },
	{ "LVM-a", "thin", "lvm:m(dm-0)", "lvm-thin", TRAIT_ELIDES_DATA },
	{ "LVM-a", "cache", "lvm:m(dm-0)", "lvm-cache", TRAIT_CACHES_READS },
	{ "CRYPT-LUKS2-a", "crypt", "crypt:m(dm-0)", "crypt", TRAIT_COUNT },
	{ "CRYPT-VERITY-a", "verity", "dm:m(dm-0)", "verity", TRAIT_COUNT },
	{ "CRYPT-INTEGRITY-a", "integrity", "dm:m(dm-0)", "integrity", TRAIT_COUNT },
	{ "mpath-36", "multipath", "dm:m(dm-0)", "multipath", TRAIT_COUNT },
	{ "part1-mpath-36", "linear", "dm:m(dm-0)", "partition", TRAIT_COUNT },
	{ "mpath-36", NULL, "dm:m(dm-0)", "multipath", TRAIT_COUNT },
	{ "CRYPT-PLAIN-a", NULL, "crypt:m(dm-0)", "crypt", TRAIT_COUNT },
	{ "LVM-a", NULL, "lvm:m(dm-0)", "lvm", TRAIT_COUNT },
	{ "", NULL, "dm:m(dm-0)", "device-mapper", TRAIT_COUNT },
};

static void add_mapping(struct stack_case *c, const char *uuid)
{
	stack_case_disk(c, "dm-0", "253:0");
	stack_case_attribute(c, "dm-0", "dm/name", "m\n");
	stack_case_attribute(c, "dm-0", "dm/uuid", *uuid ? uuid : "\n");
}

static void test_mapping_is_named_by_its_uuid_and_its_table(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	add_mapping(c, "");
	stack_case_slave(c, "dm-0", "sda");
	c->root.calls = &dm_calls;
	for (size_t i = 0; i < ARRAY_SIZE(table_rows); i++) {
		const struct table_row *row = &table_rows[i];
		_cleanup_free_ char *wanted = xasprintf("fs:ext4 %s disk:sda", row->stack);
		const struct layer *layer;

		print_message("%s %s\n", row->uuid, row->table ? row->table : "without a table");
		stack_case_attribute(c, "dm-0", "dm/uuid", *row->uuid ? row->uuid : "\n");
		table = row->table;
		stack_case_mount(c, "253:0", "ext4 /dev/mapper/m rw");
		stack_case_check(c, wanted);
		layer = &c->stack.layer[1];
		assert_string_equal(layer->type, row->type);
		if (row->trait != TRAIT_COUNT)
			assert_int_equal(layer_trait(layer, row->trait), ANSWER_YES);
		else
			assert_int_equal(layer_trait(layer, TRAIT_ALTERS_IO), ANSWER_UNKNOWN);
	}
	c->root.calls = &machine_calls_none;
}

static void test_zero_in_a_part_of_a_table_is_not_memory(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	add_mapping(c, "");
	stack_case_slave(c, "dm-0", "sda");
	c->root.calls = &dm_calls;
	table = "linear zero";
	stack_case_mount(c, "253:0", "ext4 /dev/mapper/m rw");
	assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_IN_MEMORY), ANSWER_UNKNOWN);
	assert_int_equal(layer_trait(&c->stack.layer[1], TRAIT_ELIDES_DATA), ANSWER_YES);
	c->root.calls = &machine_calls_none;
}

static void test_mapping_without_a_device_by_design_is_the_end(void **state)
{
	struct stack_case *c = *state;

	add_mapping(c, "");
	c->root.calls = &dm_calls;
	table = "zero";
	stack_case_mount(c, "253:0", "ext4 /dev/mapper/m rw");
	stack_case_check(c, "fs:ext4 dm:m(dm-0)");
	table = "linear";
	stack_case_mount(c, "253:0", "ext4 /dev/mapper/m rw");
	stack_case_check(c, "fs:ext4 dm:m(dm-0) hidden");
	c->root.calls = &machine_calls_none;
}

static void test_volume_without_its_table_is_named_by_its_hidden_parts(void **state)
{
	struct stack_case *c = *state;

	stack_case_disk(c, "sda", "8:0");
	add_mapping(c, "LVM-a");
	stack_case_disk(c, "dm-1", "253:1");
	stack_case_attribute(c, "dm-1", "dm/name", "vg-pool-tpool\n");
	stack_case_attribute(c, "dm-1", "dm/uuid", "LVM-b-tpool\n");
	stack_case_slave(c, "dm-0", "dm-1");
	stack_case_slave(c, "dm-1", "sda");
	stack_case_mount(c, "253:0", "ext4 /dev/mapper/m rw");
	assert_string_equal(c->stack.layer[1].type, "lvm-thin");
	assert_int_equal(c->stack.layer[1].traits[TRAIT_ELIDES_DATA].known_by, KNOWN_INFERRED);
	assert_string_equal(c->stack.layer[1].traits[TRAIT_ELIDES_DATA].source,
		"sys/block/dm-0/slaves/dm-1/dm/name = vg-pool-tpool (blocks never written are "
		"read as zeros)");
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, stack_case_setup, stack_case_teardown)
	const struct CMUnitTest tests[] = {
		WITH(test_file_below_an_unseen_upper_is_read_from_the_image_of_the_lower),
		WITH(test_directory_of_an_unseen_upper_stays_hidden),
		WITH(test_one_of_several_lowers_is_not_guessed),
		WITH(test_lower_that_is_a_mount_point_is_followed_despite_a_slash),
		WITH(test_upper_in_a_mount_of_its_own_is_inferred),
		WITH(test_upper_under_a_bind_mount_or_the_root_is_not_believed),
		WITH(test_upper_beside_the_mount_point_is_inferred),
		WITH(test_open_file_of_an_unseen_upper_is_followed_where_its_times_are),
		WITH(test_server_is_the_holder_of_the_mounts_connection),
		WITH(test_connection_of_a_block_device_is_in_the_kernels_form),
		WITH(test_silent_kernel_leaves_the_command_line),
		WITH(test_absent_server_is_said_only_where_every_process_was_seen),
		WITH(test_mapping_is_named_by_its_uuid_and_its_table),
		WITH(test_zero_in_a_part_of_a_table_is_not_memory),
		WITH(test_mapping_without_a_device_by_design_is_the_end),
		WITH(test_volume_without_its_table_is_named_by_its_hidden_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
