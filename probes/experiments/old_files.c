// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Old files of a filesystem, found by a walk of bounded time in random order: directories are taken
 * from a pool at random, so that places far apart are seen before any is seen in full.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>

#include "core/interrupt.h"
#include "engine/engine.h"
#include "probes/experiments/old_blocks.h"
#include "probes/witnesses/residency.h"

#define POOL_MAX 64              /* directories waiting; those beyond are not visited */
#define ENTRIES_MAX 4096         /* of one directory */
#define FILE_SIZE_MIN (64 * KIB) /* smaller ones cost more to find than they give */
#define BYTES_ENOUGH (1 * GIB)

#define MINUTE 60
#define DAY (24 * 60 * MINUTE)

struct old_file {
	int fd;
	uint64_t size;
};

struct walk {
	struct random *random;
	enum old_age age;
	uint64_t deadline_ns;
	int64_t now, booted;
	dev_t device;
	int open_flags; /* such that access times stay */
	int pool[POOL_MAX];
	size_t pooled;
	struct old_file file[OLD_FILES_MAX];
	size_t files;
	uint64_t bytes;
};

/*
 * Some minutes at least: what was just written may lie in any cache. Before this start, or a day:
 * what this machine wrote since is more likely to be held below it. A few seconds are left for
 * clocks that were set while it started.
 */
bool old_enough(enum old_age age, int64_t changed, int64_t booted, int64_t now)
{
	bool before_boot = changed < booted - 5;

	if (age == AGE_BEFORE_BOOT)
		return before_boot;
	return changed < now - 10L * MINUTE && (before_boot || changed < now - DAY);
}

static int64_t clock_seconds(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return t.tv_sec;
}

/* Never through a link, a mount or an automount; an older kernel has no openat2(2). */
static int open_below(int directory, const char *name, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK),
		.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
	};
	int fd = (int)syscall(SYS_openat2, directory, name, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		fd = openat(directory, name, (int)how.flags);
	return fd;
}

/* The access time of a directory that is not ours moves as it does under ls(1). */
static int open_directory(int directory, const char *name)
{
	int fd = open_below(directory, name, O_RDONLY | O_DIRECTORY | O_NOATIME);

	return fd < 0 && errno == EPERM ? open_below(directory, name, O_RDONLY | O_DIRECTORY) : fd;
}

static bool worth_opening(const struct walk *walk, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_dev == walk->device &&
		(uint64_t)st->st_size >= FILE_SIZE_MIN &&
		old_enough(walk->age, MAX(st->st_mtime, st->st_ctime), walk->booted, walk->now);
}

static bool nothing_resident(int fd, uint64_t size)
{
	struct residency residency;

	residency_read(fd, size, &residency);
	return residency.known == ANSWER_YES && residency.resident == 0;
}

/* When there is no room, in place of the smallest. */
static void keep(struct walk *walk, int *fd, uint64_t size)
{
	struct old_file *into = walk->file;

	if (walk->files < OLD_FILES_MAX) {
		into = &walk->file[walk->files++];
	} else {
		for (size_t i = 1; i < walk->files; i++)
			if (walk->file[i].size < into->size)
				into = &walk->file[i];
		if (into->size >= size)
			return;
		walk->bytes -= into->size;
		close_fd(&into->fd);
	}
	*into = (struct old_file){ .fd = take_fd(fd), .size = size };
	walk->bytes += size;
}

static void consider_file(struct walk *walk, int directory, const char *name)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0 ||
		!worth_opening(walk, &st))
		return;
	fd = open_below(directory, name, walk->open_flags);
	if (fd >= 0 && fstat(fd, &st) == 0 && worth_opening(walk, &st) &&
		nothing_resident(fd, (uint64_t)st.st_size))
		keep(walk, &fd, (uint64_t)st.st_size);
}

static void consider_directory(struct walk *walk, int directory, const char *name)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (walk->pooled == POOL_MAX)
		return;
	fd = open_directory(directory, name);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == walk->device)
		walk->pool[walk->pooled++] = take_fd(&fd);
}

static bool time_is_up(const struct walk *walk)
{
	return interrupted() || clock_now() >= walk->deadline_ns || walk->bytes >= BYTES_ENOUGH;
}

static void read_directory(struct walk *walk, DIR *stream)
{
	const struct dirent *entry;

	for (unsigned i = 0; i < ENTRIES_MAX && !time_is_up(walk); i++) {
		entry = readdir(stream);
		if (!entry)
			return;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (entry->d_type == DT_DIR)
			consider_directory(walk, dirfd(stream), entry->d_name);
		else if (entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN)
			consider_file(walk, dirfd(stream), entry->d_name);
	}
}

static int take_random_directory(struct walk *walk)
{
	size_t i = (size_t)random_below(walk->random, walk->pooled);
	int fd = walk->pool[i];

	walk->pool[i] = walk->pool[--walk->pooled];
	return fd;
}

static void walk_on(struct walk *walk)
{
	while (walk->pooled && !time_is_up(walk)) {
		int fd = take_random_directory(walk);
		DIR *stream = fdopendir(fd);

		if (!stream) {
			close(fd);
			continue;
		}
		read_directory(walk, stream);
		closedir(stream);
	}
	while (walk->pooled)
		close(walk->pool[--walk->pooled]);
}

/* Only owner and root may ask for O_NOATIME; some mounts need no asking. */
static int flags_without_trace(int directory)
{
	const int flags = O_RDONLY | O_DIRECT | O_NOCTTY;
	struct statvfs fs;

	if (fstatvfs(directory, &fs) == 0 && (fs.f_flag & (ST_NOATIME | ST_RDONLY)))
		return flags;
	return flags | O_NOATIME;
}

int old_files_open(int directory, enum old_age age, uint64_t deadline_ns, struct random *random,
	int fd[OLD_FILES_MAX], size_t *ret)
{
	struct walk walk = { .random = random, .age = age, .deadline_ns = deadline_ns };
	struct stat st;

	if (fstat(directory, &st) != 0)
		return -errno;
	walk.now = clock_seconds(CLOCK_REALTIME);
	walk.booted = walk.now - clock_seconds(CLOCK_BOOTTIME);
	walk.device = st.st_dev;
	walk.open_flags = flags_without_trace(directory);
	consider_directory(&walk, directory, ".");
	walk_on(&walk);
	for (size_t i = 0; i < walk.files; i++)
		fd[i] = walk.file[i].fd;
	*ret = walk.files;
	return interrupted() ? -EINTR : 0;
}
