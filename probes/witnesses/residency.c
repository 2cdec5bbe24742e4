// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/residency.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>

/* The same number on every architecture but alpha and mips, which older headers leave out. */
#if !defined(SYS_cachestat) && !defined(__alpha__) && !defined(__mips__)
#define SYS_cachestat 451
#endif

#define ZFS_SUPER_MAGIC 0x2fc12fc1 /* OpenZFS, include/sys/zfs_vfsops_os.h */
#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC 0x794c7630
#endif

/* Who owns a file that has no owner in our user namespace (/proc/sys/kernel/overflowuid). */
#define OVERFLOW_UID 65534

#define MINCORE_WINDOW ((size_t)(256 * MIB))
#define EVICT_TRIES 5

/* uapi linux/mman.h (6.5); defined here for older headers. */
struct cache_range {
	uint64_t offset, length;
};

struct cache_state {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t pages_of(uint64_t size)
{
	return size / page_size() + (size % page_size() != 0);
}

static int read_cachestat(int fd, uint64_t size, struct residency *ret)
{
#ifdef SYS_cachestat
	struct cache_range range = { 0, size };
	struct cache_state state;

	if (syscall(SYS_cachestat, fd, &range, &state, 0) != 0)
		return -errno;
	*ret = (struct residency){
		.known = ANSWER_YES,
		.pages = pages_of(size),
		.resident = MIN(state.cached, pages_of(size)),
		.dirty = state.dirty,
		.source = "cachestat",
	};
	return 0;
#else
	return -ENOSYS;
#endif
}

/* mincore(2) on one window; the mapping faults nothing in. */
static int count_window(
	int fd, uint64_t offset, size_t length, unsigned char *vector, uint64_t *count)
{
	void *map = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, (off_t)offset);
	int r;

	if (map == MAP_FAILED)
		return -errno;
	r = mincore(map, length, vector) == 0 ? 0 : -errno;
	munmap(map, length);
	for (uint64_t i = 0; r == 0 && i < pages_of(length); i++)
		*count += vector[i] & 1;
	return r;
}

static bool capable_of_any_file(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	return syscall(SYS_capget, &header, data) == 0 &&
		(data[0].effective & (1U << CAP_FOWNER)) != 0;
}

/*
 * The kernel's own test (mm/mincore.c, since 5.2), short of "may write", which overlays blur. In a
 * user namespace a capability reaches only owners that are mapped there; the others look like
 * OVERFLOW_UID, and so may we.
 */
static bool mincore_is_truthful(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid != OVERFLOW_UID &&
		(st.st_uid == geteuid() || capable_of_any_file());
}

/*
 * It lies in one direction only, to those whom it does not trust: all is resident. A page reported
 * absent is the truth for anyone.
 */
static int read_mincore(int fd, uint64_t size, struct residency *ret)
{
	_cleanup_free_ unsigned char *vector = xmalloc(pages_of(MINCORE_WINDOW));
	uint64_t resident = 0;

	for (uint64_t offset = 0; offset < size; offset += MINCORE_WINDOW) {
		size_t length = (size_t)MIN((uint64_t)MINCORE_WINDOW, size - offset);
		int r = count_window(fd, offset, length, vector, &resident);

		if (r < 0)
			return r;
	}
	*ret = (struct residency){ .source = "mincore", .known = ANSWER_NO };
	if (resident < pages_of(size) || mincore_is_truthful(fd)) {
		ret->known = ANSWER_YES;
		ret->pages = pages_of(size);
		ret->resident = resident;
	}
	return 0;
}

/* cachestat asks the overlay's own inode, whose cache is empty: it hangs on the file beneath. */
static bool is_overlay(const struct statfs *fs)
{
	return (uint32_t)fs->f_type == OVERLAYFS_SUPER_MAGIC;
}

/* ZFS answers reads from a cache of its own, of which the page cache knows nothing. */
static bool has_cache_of_its_own(const struct statfs *fs)
{
	return (uint32_t)fs->f_type == ZFS_SUPER_MAGIC;
}

void residency_read(int fd, uint64_t size, struct residency *ret)
{
	struct statfs fs = { 0 };

	*ret = (struct residency){ .known = ANSWER_UNKNOWN };
	if (fstatfs(fd, &fs) != 0)
		return;
	if (has_cache_of_its_own(&fs)) {
		ret->known = ANSWER_NO;
		return;
	}
	if (size == 0) { /* to cachestat, length 0 means up to the end */
		*ret = (struct residency){ .known = ANSWER_YES, .source = "cachestat" };
		return;
	}
	/* EPERM may be a stranger's file or a seccomp filter; mincore has its own rule for both. */
	if (!is_overlay(&fs) && read_cachestat(fd, size, ret) == 0)
		return;
	read_mincore(fd, size, ret);
}

static bool evicted(const struct residency *r)
{
	return r->known != ANSWER_YES || r->resident == 0;
}

int residency_evict(int fd, uint64_t size, struct residency *ret)
{
	static const struct timespec pause = { 0, 5 * 1000 * 1000 };
	struct residency now;

	for (int i = 0; i < EVICT_TRIES; i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		/* EINVAL, EROFS: nothing to sync. Others are told once: no retry. */
		if (syscall(SYS_fdatasync, fd) != 0 && errno != EINVAL && errno != EROFS)
			return -errno;
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		residency_read(fd, size, &now);
		if (evicted(&now))
			break;
	}
	*ret = now;
	return 0;
}
