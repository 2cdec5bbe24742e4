// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A FUSE filesystem that shows a recorded machine and answers badly for most of its files:
 *
 *   fuse_record MODE SOURCE MOUNTPOINT [PATH...]
 *
 * MODE: `empty`, `garbage` (bytes that no terminal should see), `eio` (reads fail), `closed` (opens
 * fail), `endless` (files never end, and neither do directories), `nul` (only zero bytes), `long`
 * (one line of 60 KiB) or `honest`. Files whose path in SOURCE begins with a PATH, and those whose
 * name is a PATH without a slash, are honest. Runs in the foreground until it is unmounted.
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>

#define LONG_BYTES (60 * 1024)
#define GARBAGE "\x1b]0;owned\x07\x1b[31m\xff\xfe\xc3(\n-1 99999999999999999999 %s%n \\040\t\n"

enum mode { HONEST, EMPTY, GARBLED, EIO_READ, CLOSED, ENDLESS, NUL, LONG };

static const char *const mode_name[] = { "honest", "empty", "garbage", "eio", "closed", "endless",
	"nul", "long" };

static int source;
static enum mode mode;
static char **spared;

static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static bool spares(const char *word, const char *path)
{
	if (strchr(word, '/'))
		return strncmp(below(path), word, strlen(word)) == 0;
	return strcmp(strrchr(path, '/') + 1, word) == 0;
}

static enum mode mode_of(const char *path)
{
	for (char **s = spared; *s; s++)
		if (spares(*s, path))
			return HONEST;
	return mode;
}

static int result(int r)
{
	return r < 0 ? -errno : 0;
}

static int record_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	return result(fstatat(source, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int record_readlink(const char *path, char *out, size_t size)
{
	ssize_t n = readlinkat(source, below(path), out, size - 1);

	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

/* Names that are told one by one, with offsets, can go on for ever. */
static int endless_names(void *buffer, fuse_fill_dir_t fill, off_t offset)
{
	char name[32];

	for (;; offset++) {
		snprintf(name, sizeof(name), "n%lld", (long long)offset);
		if (fill(buffer, name, NULL, offset + 1, 0))
			return 0;
	}
}

static int record_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
	struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	int fd = openat(source, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir)
		return -errno;
	if (mode_of(path) == ENDLESS && strcmp(path, "/") != 0) {
		closedir(dir);
		return endless_names(buffer, fill, offset);
	}
	while ((entry = readdir(dir)))
		fill(buffer, entry->d_name, NULL, 0, 0);
	closedir(dir);
	return 0;
}

/* As in sysfs, the size says nothing: reads go on to the end. */
static int record_open(const char *path, struct fuse_file_info *fi)
{
	int fd;

	if (mode_of(path) == CLOSED)
		return -EIO;
	fd = openat(source, below(path), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	fi->fh = (uint64_t)fd;
	fi->direct_io = 1;
	return 0;
}

static int fill_bytes(char *out, size_t size, off_t offset, size_t end, int byte)
{
	size_t n = (size_t)offset < end ? end - (size_t)offset : 0;

	n = n < size ? n : size;
	memset(out, byte, n);
	return (int)n;
}

static int garbage(char *out, size_t size, off_t offset)
{
	const size_t length = sizeof(GARBAGE) - 1;
	size_t n = (size_t)offset < length ? length - (size_t)offset : 0;

	n = n < size ? n : size;
	memcpy(out, GARBAGE + offset, n);
	return (int)n;
}

static int record_read(
	const char *path, char *out, size_t size, off_t offset, struct fuse_file_info *fi)
{
	ssize_t n;

	switch (mode_of(path)) {
	case EMPTY:
		return 0;
	case GARBLED:
		return garbage(out, size, offset);
	case EIO_READ:
	case CLOSED:
		return -EIO;
	case ENDLESS:
		return fill_bytes(out, size, offset, SIZE_MAX, '7');
	case NUL:
		return fill_bytes(out, size, offset, 64, 0);
	case LONG:
		return fill_bytes(out, size, offset, LONG_BYTES, 'x');
	case HONEST:
		break;
	}
	n = pread((int)fi->fh, out, size, offset);
	return n < 0 ? -errno : (int)n;
}

static int record_release(const char *path, struct fuse_file_info *fi)
{
	return result(close((int)fi->fh));
}

static const struct fuse_operations operations = {
	.getattr = record_getattr,
	.readlink = record_readlink,
	.readdir = record_readdir,
	.open = record_open,
	.read = record_read,
	.release = record_release,
};

static bool parse_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(mode_name) / sizeof(*mode_name); i++)
		if (strcmp(mode_name[i], name) == 0) {
			mode = (enum mode)i;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	char foreground[] = "-f", single[] = "-s", options[] = "-ofsname=record,subtype=record";
	char *words[] = { argv[0], foreground, single, options, NULL, NULL };

	if (argc < 4 || !parse_mode(argv[1])) {
		fputs("usage: fuse_record MODE SOURCE MOUNTPOINT [PATH...]\n", stderr);
		return 2;
	}
	source = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (source < 0) {
		perror(argv[2]);
		return 1;
	}
	words[4] = argv[3];
	spared = argv + 4;
	return fuse_main(5, words, &operations, NULL);
}
