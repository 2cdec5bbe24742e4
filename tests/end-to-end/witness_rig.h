/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TEST_WITNESS_RIG_H
#define IOPROOF_TEST_WITNESS_RIG_H

/*
 * Real layers for tests of witnesses: root, a loop device of our own over a written image, mounts
 * in a namespace of our own, and the stack written down by hand.
 */
#include "tests/unit/witness_tree.h"

#include <linux/loop.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>

#include "core/scratch.h"
#include "probes/witnesses/cgroup_home.h"
#include "probes/witnesses/residency.h"
#include "probes/witnesses/witness.h"

#define DATA (64 * MIB)
#define IMAGE (320 * MIB) /* xfs wants 300 */
#define BLOCK ((size_t)MIB)

/* A filesystem on a loop device over a written image in a temporary directory on a disk. */
struct rig {
	struct tree tree;    /* the directory; its root door is not used */
	struct sysroot root; /* this machine's */
	char *image, *mount_point;
	int loop_fd;
	bool mounted;
	struct stack stack;
	struct private_cgroup *cgroup;
	bool attributed; /* it was seen to count */
	struct guardian *guardian;
	char *block; /* aligned, faulted in, incompressible enough */
};

static inline bool requirements_met(void)
{
	if (geteuid() != 0 || access("/dev/loop-control", R_OK | W_OK) != 0) {
		print_message("skipped: needs root and /dev/loop-control\n");
		return false;
	}
	return true;
}

static inline int run(const char *const argv[])
{
	posix_spawn_file_actions_t actions;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	status = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (status != 0)
		return -status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

static inline void fill(int fd, const char *block, uint64_t size)
{
	for (uint64_t done = 0; done < size; done += BLOCK)
		assert_int_equal(pwrite(fd, block, BLOCK, (off_t)done), (ssize_t)BLOCK);
}

static inline void read_all(int fd, char *block, uint64_t size)
{
	for (uint64_t done = 0; done < size; done += BLOCK)
		assert_int_equal(pread(fd, block, BLOCK, (off_t)done), (ssize_t)BLOCK);
}

/* Attached by number, so that nobody else's device is ever touched; AUTOCLEAR detaches it. */
static inline void loop_attach_image(struct rig *rig, bool direct)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int image = open(rig->image, O_RDWR | O_CLOEXEC);
	struct loop_config config = { .fd = (uint32_t)image,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | (direct ? LO_FLAGS_DIRECT_IO : 0) };
	char path[32];

	assert_true(control >= 0 && image >= 0);
	for (int tries = 0; rig->loop_fd < 0; tries++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);
		int fd;

		assert_true(number >= 0 && tries < 100);
		snprintf(path, sizeof(path), "/dev/loop%d", number);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config) == 0)
			rig->loop_fd = fd;
		else if (fd >= 0)
			close(fd);
	}
	close(control);
	close(image);
}

static inline void block_layer(struct rig *rig, enum layer_kind kind, unsigned level, dev_t device)
{
	_cleanup_free_ char *link = NULL;
	struct layer *layer;

	assert_int_equal(sysroot_readlink(&rig->root, &link, "sys/dev/block/%u:%u", major(device),
				 minor(device)),
		0);
	layer = stack_append(&rig->stack, kind, level, "block", strrchr(link, '/') + 1);
	layer->device = device;
	layer->sysfs = xasprintf("sys/class/block/%s", layer->name);
}

/* The whole disk of a device number, which may be a partition's. */
static inline dev_t whole_disk(const struct rig *rig, dev_t device)
{
	_cleanup_free_ char *text = NULL;
	unsigned a, b;

	if (!sysroot_exists(
		    &rig->root, "sys/dev/block/%u:%u/partition", major(device), minor(device)))
		return device;
	assert_int_equal(sysroot_read_line(&rig->root, &text, "sys/dev/block/%u:%u/../dev",
				 major(device), minor(device)),
		0);
	assert_int_equal(sscanf(text, "%u:%u", &a, &b), 2);
	return makedev(a, b);
}

enum { TOP, LOOP, FILE_LAYER, UNDER, DISK };

static inline void stack_by_hand(struct rig *rig, const char *type)
{
	struct stat loop, directory;

	assert_int_equal(fstat(rig->loop_fd, &loop), 0);
	assert_int_equal(stat(rig->tree.path, &directory), 0);
	stack_append(&rig->stack, LAYER_FS, TOP, type, type);
	block_layer(rig, LAYER_LOOP, LOOP, loop.st_rdev);
	stack_append(&rig->stack, LAYER_FILE, FILE_LAYER, "file", rig->image);
	stack_append(&rig->stack, LAYER_FS, UNDER, "fs", "fs");
	block_layer(rig, LAYER_DISK, DISK, whole_disk(rig, directory.st_dev));
}

static inline bool rig_on_disk(const struct rig *rig)
{
	struct stat st;

	if (stat(rig->tree.path, &st) == 0 && major(st.st_dev) != 0)
		return true;
	print_message("skipped: the temporary directory is on no block device (set TMPDIR)\n");
	return false;
}

static inline void image_write(struct rig *rig)
{
	int fd = open(rig->image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	fill(fd, rig->block, IMAGE);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	close(fd);
}

static inline void filesystem_make(struct rig *rig, const char *type, const char *options)
{
	_cleanup_free_ char *device = xasprintf("/dev/%s", rig->stack.layer[LOOP].name);
	const char *const ext4[] = { "mkfs.ext4", "-q", "-F", "-E",
		"nodiscard,lazy_itable_init=0,lazy_journal_init=0", device, NULL };
	const char *const btrfs[] = { "mkfs.btrfs", "-q", "-f", "-K", device, NULL };

	const char *const xfs[] = { "mkfs.xfs", "-q", "-f", "-K", device, NULL };

	assert_int_equal(run(type[0] == 'e' ? ext4 : type[0] == 'x' ? xfs : btrfs), 0);
	assert_int_equal(mkdir(rig->mount_point, 0755), 0);
	assert_int_equal(mount(device, rig->mount_point, type, MS_NOATIME, options), 0);
	rig->mounted = true;
}

static inline bool rig_setup(struct rig *rig, bool direct, const char *type, const char *options)
{
	*rig = (struct rig){ .loop_fd = -1 };
	tree_setup(&rig->tree);
	if (!rig_on_disk(rig)) {
		tree_teardown(&rig->tree);
		return false;
	}
	assert_int_equal(sysroot_open(NULL, &rig->root, NULL), 0);
	rig->image = tree_path(&rig->tree, "image");
	rig->mount_point = tree_path(&rig->tree, "mnt");
	assert_int_equal(posix_memalign((void **)&rig->block, 4096, BLOCK), 0);
	srandom(1);
	for (size_t i = 0; i < BLOCK; i++)
		rig->block[i] = (char)random();
	image_write(rig);
	loop_attach_image(rig, direct);
	stack_by_hand(rig, type);
	filesystem_make(rig, type, options);
	return true;
}

static inline bool group_counts(const struct rig *rig)
{
	struct transfer ours;

	if (private_cgroup_read(rig->cgroup, rig->stack.layer[LOOP].device, &ours) == 0)
		return true;
	print_message("the private cgroup of this kernel counts nothing\n");
	return false;
}

/* Calibrated as a run does it: only then is a v1 group seen to count. */
static inline void rig_enter_cgroup(struct rig *rig)
{
	struct error error = { "" };
	struct witness_view view = { &rig->root, &rig->stack, NULL };
	_cleanup_close_ int fd = open(rig->mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(guardian_start(&rig->guardian), 0);
	if (private_cgroup_enter(&rig->root, rig->guardian, &rig->cgroup, &error) != 0) {
		print_message("no private cgroup: %s\n", error.text);
		return;
	}
	view.cgroup = rig->cgroup;
	assert_int_equal(witnesses_calibrate(&view, fd, MIB, &rig->stack), 0);
	rig->attributed = group_counts(rig);
}

static inline bool group_left(const struct sysroot *root, pid_t pid)
{
	_cleanup_(cgroup_home_close) struct cgroup_home home = CGROUP_HOME_NONE;
	_cleanup_(string_list_free) char **names = NULL;
	char prefix[48];
	struct sysroot base = *root;
	bool found = false;

	if (cgroup_home_find_any(root, &home) < 0)
		return false;
	base.fd = home.base_fd;
	assert_int_equal(sysroot_list(&base, &names, "."), 0);
	snprintf(prefix, sizeof(prefix), "ioproof.%d.", (int)pid);
	for (char **name = names; *name; name++)
		found = found || strncmp(*name, prefix, strlen(prefix)) == 0;
	return found;
}

static inline void rig_teardown(struct rig *rig)
{
	private_cgroup_leave(rig->cgroup);
	guardian_stop(rig->guardian);
	assert_false(group_left(&rig->root, getpid()));
	if (rig->mounted)
		assert_int_equal(umount(rig->mount_point), 0);
	close_fd(&rig->loop_fd);
	stack_free(&rig->stack);
	free(rig->image);
	free(rig->mount_point);
	free(rig->block);
	sysroot_close(&rig->root);
	tree_teardown(&rig->tree);
}

static inline int data_open(const struct rig *rig, const char *name, int flags)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", rig->mount_point, name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0644);

	assert_true(fd >= 0);
	return fd;
}

/* A file of DATA written bytes that is not in the page cache; the filesystem is settled. */
static inline int data_cold(const struct rig *rig)
{
	struct residency residency;
	int fd = data_open(rig, "data", 0);

	fill(fd, rig->block, DATA);
	assert_int_equal(syncfs(fd), 0);
	assert_int_equal(residency_evict(fd, DATA, &residency), 0);
	assert_int_equal(residency.resident, 0);
	return fd;
}

struct interval {
	struct witness_view view;
	struct reading before, after;
	struct ledger ledger;
};

static inline void interval_begin(struct interval *i, const struct rig *rig)
{
	i->view = (struct witness_view){ &rig->root, &rig->stack, rig->cgroup };
	witnesses_read(&i->view, &i->before);
}

static inline void interval_end(struct interval *i, const char *what)
{
	static const int shown[] = { LOOP, DISK };

	witnesses_read(&i->view, &i->after);
	ledger_diff(&i->before, &i->after, i->view.stack->count, &i->ledger);
	for (size_t k = 0; k < ARRAY_SIZE(shown); k++) {
		const struct layer_reading *l = &i->ledger.layer[shown[k]];

		print_message("  %-24s %-6s read %6.1f MiB in %5llu, ours %6.1f in %5llu; "
			      "written %6.1f in %5llu, ours %6.1f in %5llu; flushes %llu\n",
			what, i->view.stack->layer[shown[k]].name,
			(double)l->total.read_bytes / MIB, (unsigned long long)l->total.reads,
			(double)l->ours.read_bytes / MIB, (unsigned long long)l->ours.reads,
			(double)l->total.write_bytes / MIB, (unsigned long long)l->total.writes,
			(double)l->ours.write_bytes / MIB, (unsigned long long)l->ours.writes,
			(unsigned long long)l->flushes);
	}
}

static inline uint64_t ours_read(const struct interval *i, int layer)
{
	assert_true(i->ledger.layer[layer].ours_known);
	return i->ledger.layer[layer].ours.read_bytes;
}

static inline uint64_t ours_written(const struct interval *i, int layer)
{
	assert_true(i->ledger.layer[layer].ours_known);
	return i->ledger.layer[layer].ours.write_bytes;
}

/* Mounts go with this process, however it ends. */
static inline int rig_private_mounts(void **state)
{
	if (geteuid() == 0 &&
		(unshare(CLONE_NEWNS) != 0 ||
			mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0))
		print_message("mounts are not private here\n");
	return 0;
}

#endif
