/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_SYSROOT_H
#define IOPROOF_SYSROOT_H

/*
 * The one door to /proc, /sys and /run, with a prefix: `--sysroot DIR` reads a recorded machine.
 * Paths are given without a leading slash ("proc/self/mountinfo"). On a record, links are resolved
 * inside it (openat2(2) RESOLVE_IN_ROOT), so that a recorded link cannot lead to this machine.
 *
 * What a file cannot answer (CPUID, ioctls, statx) goes through the second door, `machine_calls`:
 * the kernel's on a live machine, tests' own in tests, and absent (-EOPNOTSUPP) on a record.
 *
 * Reads never hang and never grow without bound: only regular files, non-blocking, up to a limit.
 */

#include <sys/stat.h>
#include <sys/types.h>

#include "core/base.h"

#define SYSROOT_ATTRIBUTE_MAX ((size_t)(64 * KIB)) /* one sysfs attribute */
#define SYSROOT_FILE_MAX ((size_t)(32 * MIB))      /* mountinfo of 50,000 lines is about 8 MiB */

/* proc/self/ns/pid of every machine's first namespace (PROC_PID_INIT_INO, proc_ns.h). */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

struct cpuid_registers {
	uint32_t eax, ebx, ecx, edx;
};

/* What LOOP_GET_STATUS64 says of a loop device. */
struct loop_status {
	dev_t backing_dev; /* st_dev of the backing file (of btrfs: its subvolume's) */
	ino_t backing_inode;
	dev_t backing_rdev; /* when the backing is itself a block device; else 0 */
	uint64_t offset;
	bool direct_io;
};

struct machine_calls {
	/* statx(2) STATX_MNT_ID of a path or of "" with a descriptor: field 1 of mountinfo. */
	int (*mount_id)(int dirfd, const char *path, uint64_t *ret);
	/* statx(2) without synchronising or automounting, links followed; of any file. */
	int (*status)(const char *path, struct statx *ret);
	/* The device number of a block device node; -ENOTBLK when the path is something else. */
	int (*block_device)(const char *path, dev_t *ret);
	int (*loop_status)(dev_t loop, struct loop_status *ret);
	/* libblkid's TYPE of what a block device holds; malloc'ed; -ENODATA: nothing known. */
	int (*device_content)(dev_t device, char **ret);
	/*
	 * The target types of a device-mapper table in their order, "linear linear striped"; never
	 * the parameters. malloc'ed. -EACCES or -EPERM: root may ask; -ENXIO: no such mapping.
	 */
	int (*dm_targets)(dev_t device, char **ret);
	int (*cpuid)(uint32_t leaf, uint32_t subleaf, struct cpuid_registers *ret);
};

struct sysroot {
	int fd;       /* the prefix, O_PATH | O_DIRECTORY */
	char *prefix; /* "/" on a live machine; never ends in a slash otherwise */
	bool live;
	const struct machine_calls *calls; /* never NULL; members may be */
};

extern const struct machine_calls machine_calls_live;
extern const struct machine_calls machine_calls_none;

/*
 * Where this process keeps nodes of its own loop devices ("loop3"), for what /dev does not show, as
 * in a container. The descriptor is borrowed; -1: nowhere.
 */
void machine_calls_own_nodes(int directory_fd);

/* prefix NULL or "/": this machine. Anything else: a record, whose calls answer -EOPNOTSUPP. */
int sysroot_open(const char *prefix, struct sysroot *ret, struct error *error);
void sysroot_close(struct sysroot *root);
#define SYSROOT_CLOSED                                                                             \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/*
 * The whole file, NUL-terminated after *len bytes (it may hold NULs itself; len may be NULL).
 * -ENOENT: not there; -EFBIG: longer than the limit; -EINVAL: not a regular file; else what open or
 * read said.
 */
int sysroot_read(const struct sysroot *root, size_t limit, char **ret, size_t *len, const char *fmt,
	...) PRINTF(5, 6);
/* A one-line attribute, trailing white space removed. -ENODATA: the file is empty. */
int sysroot_read_line(const struct sysroot *root, char **ret, const char *fmt, ...) PRINTF(3, 4);
/* An attribute that is one decimal number; -EINVAL: anything else, -ERANGE: above 2^64. */
int sysroot_read_u64(const struct sysroot *root, uint64_t *ret, const char *fmt, ...) PRINTF(3, 4);
/* The link's text as it stands. */
int sysroot_readlink(const struct sysroot *root, char **ret, const char *fmt, ...) PRINTF(3, 4);
/* Sorted names of a directory, without "." and ".."; a NULL-terminated array; at most 65,536. */
int sysroot_list(const struct sysroot *root, char ***ret, const char *fmt, ...) PRINTF(3, 4);
bool sysroot_exists(const struct sysroot *root, const char *fmt, ...) PRINTF(2, 3);

void string_list_free(char ***list);

#endif
