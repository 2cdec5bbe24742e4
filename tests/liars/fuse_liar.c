// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small FUSE filesystem that shows a directory and lies on request:
 *
 *   fuse_liar [--swallow-direct] [--ignore-fsync] [--keep-in-memory] SOURCE MOUNTPOINT
 *
 * Without a lie it is honest: O_DIRECT and fsync(2) are passed on to the files beneath. Runs in the
 * foreground until it is unmounted. One flat directory is enough for tests.
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define ALIGNMENT 4096

static int source;
static bool swallow_direct, ignore_fsync, keep_in_memory;

static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int result(int r)
{
	return r < 0 ? -errno : 0;
}

static int liar_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	return result(fi ? fstat((int)fi->fh, st)
			 : fstatat(source, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int liar_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
	struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	fill(buffer, ".", NULL, 0, 0);
	fill(buffer, "..", NULL, 0, 0);
	return 0;
}

/* Which file is opened makes no difference: its bytes are kept in one, that no disk ever sees. */
static int open_in_memory(const char *path, int flags, mode_t mode)
{
	static int kept = -1;
	int fd = openat(source, below(path), flags & ~(O_NOFOLLOW | O_DIRECT), mode);

	if (fd < 0)
		return fd;
	if (kept < 0)
		kept = memfd_create("kept", MFD_CLOEXEC);
	return dup2(kept, fd);
}

static int open_below(const char *path, int flags, mode_t mode, struct fuse_file_info *fi)
{
	int fd;

	if (swallow_direct)
		flags &= ~O_DIRECT;
	if (keep_in_memory) {
		fd = open_in_memory(path, flags, mode);
		fi->fh = (uint64_t)fd;
		fi->direct_io = 1; /* every read asks the server */
		return fd < 0 ? -errno : 0;
	}
	fd = openat(source, below(path), flags & ~O_NOFOLLOW, mode);
	if (fd < 0)
		return -errno;
	fi->fh = (uint64_t)fd;
	return 0;
}

static int liar_open(const char *path, struct fuse_file_info *fi)
{
	return open_below(path, fi->flags, 0, fi);
}

static int liar_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	return open_below(path, fi->flags | O_CREAT, mode, fi);
}

/* The library's buffers are not aligned as O_DIRECT below wants them. */
static int liar_read(
	const char *path, char *out, size_t size, off_t offset, struct fuse_file_info *fi)
{
	void *aligned;
	ssize_t n;

	if (posix_memalign(&aligned, ALIGNMENT, size))
		return -ENOMEM;
	n = pread((int)fi->fh, aligned, size, offset);
	if (n > 0)
		memcpy(out, aligned, (size_t)n);
	free(aligned);
	return n < 0 ? -errno : (int)n;
}

static int liar_write(
	const char *path, const char *in, size_t size, off_t offset, struct fuse_file_info *fi)
{
	void *aligned;
	ssize_t n;

	if (posix_memalign(&aligned, ALIGNMENT, size))
		return -ENOMEM;
	memcpy(aligned, in, size);
	n = pwrite((int)fi->fh, aligned, size, offset);
	free(aligned);
	return n < 0 ? -errno : (int)n;
}

static int liar_fsync(const char *path, int datasync, struct fuse_file_info *fi)
{
	if (ignore_fsync)
		return 0;
	return result(datasync ? fdatasync((int)fi->fh) : fsync((int)fi->fh));
}

static int liar_release(const char *path, struct fuse_file_info *fi)
{
	return result(close((int)fi->fh));
}

static int liar_unlink(const char *path)
{
	return result(unlinkat(source, below(path), 0));
}

static int liar_rename(const char *from, const char *to, unsigned int flags)
{
	return result(renameat(source, below(from), source, below(to)));
}

static int liar_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	return fi ? result(ftruncate((int)fi->fh, size)) : -EOPNOTSUPP;
}

static int liar_statfs(const char *path, struct statvfs *st)
{
	return result(fstatvfs(source, st));
}

static const struct fuse_operations operations = {
	.getattr = liar_getattr,
	.readdir = liar_readdir,
	.open = liar_open,
	.create = liar_create,
	.read = liar_read,
	.write = liar_write,
	.fsync = liar_fsync,
	.release = liar_release,
	.unlink = liar_unlink,
	.rename = liar_rename,
	.truncate = liar_truncate,
	.statfs = liar_statfs,
};

static bool take(const char *word)
{
	if (strcmp(word, "--swallow-direct") == 0)
		return swallow_direct = true;
	if (strcmp(word, "--ignore-fsync") == 0)
		return ignore_fsync = true;
	if (strcmp(word, "--keep-in-memory") == 0)
		return keep_in_memory = true;
	return false;
}

int main(int argc, char **argv)
{
	char foreground[] = "-f", single[] = "-s", options[] = "-ofsname=liar,subtype=liar";
	char *words[] = { argv[0], foreground, single, options, NULL, NULL };

	while (argc > 3 && take(argv[1])) {
		argc--;
		argv++;
	}
	if (argc != 3) {
		fputs("usage: fuse_liar [--swallow-direct] [--ignore-fsync] [--keep-in-memory] "
		      "SOURCE MOUNTPOINT\n",
			stderr);
		return 2;
	}
	source = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (source < 0) {
		perror(argv[1]);
		return 1;
	}
	words[4] = argv[2];
	return fuse_main(5, words, &operations, NULL);
}
