// SPDX-License-Identifier: GPL-2.0-or-later
#include <blkid.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "core/machine_calls_dm.h"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U
#endif

/* A dead server must not hang a probe, and looking must not mount anything. */
#define LOOK_ONLY (AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC)

/* What stat(2) knows of it; the mask says that there is no mount id and no birth time. */
static void statx_from_stat(const struct stat *st, struct statx *ret)
{
	*ret = (struct statx){
		.stx_mask = STATX_BASIC_STATS,
		.stx_mode = (uint16_t)st->st_mode,
		.stx_nlink = (uint32_t)st->st_nlink,
		.stx_uid = st->st_uid,
		.stx_gid = st->st_gid,
		.stx_ino = st->st_ino,
		.stx_size = (uint64_t)st->st_size,
		.stx_blocks = (uint64_t)st->st_blocks,
		.stx_blksize = (uint32_t)st->st_blksize,
		.stx_mtime = { .tv_sec = st->st_mtim.tv_sec },
		.stx_ctime = { .tv_sec = st->st_ctim.tv_sec },
		.stx_dev_major = major(st->st_dev),
		.stx_dev_minor = minor(st->st_dev),
		.stx_rdev_major = major(st->st_rdev),
		.stx_rdev_minor = minor(st->st_rdev),
	};
}

/*
 * Old seccomp filters answer statx(2) with EPERM, kernels before 4.11 with ENOSYS, for which
 * glibc's own way out refuses AT_STATX_DONT_SYNC (EINVAL). Neither is a word about the file.
 */
static int look(int dirfd, const char *path, int flags, unsigned mask, struct statx *ret)
{
	struct stat st;

	if (statx(dirfd, path, LOOK_ONLY | flags, mask, ret) == 0)
		return 0;
	if (errno != EPERM && errno != ENOSYS && errno != EINVAL)
		return -errno;
	if (fstatat(dirfd, path, &st, AT_NO_AUTOMOUNT | flags) < 0)
		return -errno;
	statx_from_stat(&st, ret);
	return 0;
}

/* Before 5.8 statx has no mount id; the handle call tells it even when it has no room for one. */
static int mount_id_by_handle(int dirfd, const char *path, uint64_t *ret)
{
	struct file_handle handle = { .handle_bytes = 0 };
	int flags = *path ? AT_SYMLINK_FOLLOW : AT_EMPTY_PATH;
	int mount_id = -1;

	if (name_to_handle_at(dirfd, path, &handle, &mount_id, flags) < 0 && errno != EOVERFLOW)
		return -errno;
	if (mount_id < 0)
		return -EOPNOTSUPP;
	*ret = (uint64_t)mount_id;
	return 0;
}

static int live_mount_id(int dirfd, const char *path, uint64_t *ret)
{
	struct statx st;
	int r = look(dirfd, path, *path ? 0 : AT_EMPTY_PATH, STATX_MNT_ID, &st);

	if (r < 0)
		return r;
	if (!(st.stx_mask & STATX_MNT_ID))
		return mount_id_by_handle(dirfd, path, ret);
	*ret = st.stx_mnt_id;
	return 0;
}

static int live_status(const char *path, struct statx *ret)
{
	struct statx st;
	int r = look(AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_BTIME, &st);

	if (r < 0)
		return r;
	*ret = st;
	return 0;
}

static int live_block_device(const char *path, dev_t *ret)
{
	struct statx st;
	int r = look(AT_FDCWD, path, 0, STATX_TYPE, &st);

	if (r < 0)
		return r;
	if (!S_ISBLK(st.stx_mode))
		return -ENOTBLK;
	*ret = makedev(st.stx_rdev_major, st.stx_rdev_minor);
	return 0;
}

/* sysfs writes '/' of a device name as '!'. */
static int node_name(dev_t device, char *name, size_t size)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	_cleanup_free_ char *target = NULL;
	const char *base;
	int r = sysroot_open(NULL, &root, NULL);

	if (r < 0)
		return r;
	r = sysroot_readlink(&root, &target, "sys/dev/block/%u:%u", major(device), minor(device));
	if (r < 0)
		return r;
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if ((size_t)snprintf(name, size, "/dev/%s", base) >= size)
		return -ENAMETOOLONG;
	for (char *c = name; *c; c++)
		if (*c == '!')
			*c = '/';
	return 0;
}

/* Read-only, and only when the node really is this device. */
static int open_node(const char *path, dev_t device)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode) || st.st_rdev != device)
		return -ENODEV;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode) || st.st_rdev != device)
		return -ENODEV;
	return take_fd(&fd);
}

static int open_device(dev_t device)
{
	char name[320];
	int fd = -ENOENT;

	if (node_name(device, name, sizeof(name)) == 0)
		fd = open_node(name, device);
	if (fd >= 0 || fd == -EACCES || fd == -EPERM)
		return fd;
	snprintf(name, sizeof(name), "/dev/block/%u:%u", major(device), minor(device));
	return open_node(name, device);
}

static int own_nodes = -1;

void machine_calls_own_nodes(int directory_fd)
{
	own_nodes = directory_fd;
}

static int open_loop(dev_t loop)
{
	char name[64];
	int fd;

	/* Partitioned or not, loopN has its own number in its name; sysfs knows it. */
	fd = node_name(loop, name, sizeof(name)) == 0 ? open_node(name, loop) : -ENOENT;
	if (fd >= 0 || fd == -EACCES)
		return fd;
	snprintf(name, sizeof(name), "/dev/loop%u", minor(loop));
	fd = open_node(name, loop);
	if (fd >= 0 || own_nodes < 0)
		return fd;
	snprintf(name, sizeof(name), "/proc/self/fd/%d/loop%u", own_nodes, minor(loop));
	return open_node(name, loop);
}

/* The kernel's "huge" encoding in loop_info64 is the one that glibc decodes. */
static int live_loop_status(dev_t loop, struct loop_status *ret)
{
	_cleanup_close_ int fd = open_loop(loop);
	struct loop_info64 info = { 0 };

	if (fd < 0)
		return fd;
	if (ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return -errno;
	*ret = (struct loop_status){
		.backing_dev = (dev_t)info.lo_device,
		.backing_inode = (ino_t)info.lo_inode,
		.backing_rdev = (dev_t)info.lo_rdevice,
		.offset = info.lo_offset,
		.direct_io = info.lo_flags & LO_FLAGS_DIRECT_IO,
	};
	return 0;
}

static void blkid_probe_unref(blkid_probe *probe)
{
	if (*probe)
		blkid_free_probe(*probe);
}

static int live_device_content(dev_t device, char **ret)
{
	_cleanup_close_ int fd = open_device(device);
	_cleanup_(blkid_probe_unref) blkid_probe probe = NULL;
	const char *type;

	if (fd < 0)
		return fd;
	probe = blkid_new_probe();
	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) < 0)
		return -EIO;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	blkid_probe_enable_partitions(probe, 0);
	/* 1: nothing found; -2: two signatures at once, which is not an answer either. */
	if (blkid_do_safeprobe(probe) != 0)
		return -ENODATA;
	if (blkid_probe_lookup_value(probe, "TYPE", &type, NULL) < 0)
		return -ENODATA;
	*ret = xstrdup(type);
	return 0;
}

#if defined(__x86_64__) || defined(__i386__)
static int live_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_registers *ret)
{
	__cpuid_count(leaf, subleaf, ret->eax, ret->ebx, ret->ecx, ret->edx);
	return 0;
}
#else
static int live_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_registers *ret)
{
	return -EOPNOTSUPP;
}
#endif

const struct machine_calls machine_calls_live = {
	.mount_id = live_mount_id,
	.status = live_status,
	.block_device = live_block_device,
	.loop_status = live_loop_status,
	.device_content = live_device_content,
	.dm_targets = machine_dm_targets,
	.cpuid = live_cpuid,
};

static int none_mount_id(int dirfd, const char *path, uint64_t *ret)
{
	return -EOPNOTSUPP;
}

static int none_status(const char *path, struct statx *ret)
{
	return -EOPNOTSUPP;
}

static int none_block_device(const char *path, dev_t *ret)
{
	return -EOPNOTSUPP;
}

static int none_loop_status(dev_t loop, struct loop_status *ret)
{
	return -EOPNOTSUPP;
}

static int none_device_content(dev_t device, char **ret)
{
	return -EOPNOTSUPP;
}

static int none_dm_targets(dev_t device, char **ret)
{
	return -EOPNOTSUPP;
}

static int none_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_registers *ret)
{
	return -EOPNOTSUPP;
}

const struct machine_calls machine_calls_none = {
	.mount_id = none_mount_id,
	.status = none_status,
	.block_device = none_block_device,
	.loop_status = none_loop_status,
	.device_content = none_device_content,
	.dm_targets = none_dm_targets,
	.cpuid = none_cpuid,
};
