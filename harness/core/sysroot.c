// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/sysroot.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>

#define LIST_MAX 65536
#define LINK_MAX_BYTES 4096

/* Old seccomp filters forbid openat2(2); a live machine, which needs no confinement, has openat. */
static int door_open(const struct sysroot *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	while (*path == '/')
		path++;
	if (!*path)
		path = ".";
	if (root->live)
		fd = openat(root->fd, path, flags | O_CLOEXEC);
	else
		fd = syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

/* Looks before it opens: opening a device node or a FIFO may already do something. */
static int open_regular(const struct sysroot *root, const char *path)
{
	_cleanup_close_ int seen = -1;
	_cleanup_close_ int fd = -1;
	struct stat st;

	seen = door_open(root, path, O_PATH);
	if (seen < 0)
		return seen;
	if (fstat(seen, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = door_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) ? take_fd(&fd) : -EINVAL;
}

/* Sizes in sysfs and procfs say nothing (4096, 0): read on until the end. */
static int read_all(int fd, size_t limit, char **ret, size_t *len)
{
	_cleanup_free_ char *buffer = NULL;
	size_t size = 0, used = 0;

	for (;;) {
		ssize_t n;

		if (used + 1 >= size) {
			size = MIN(MAX(size * 2, (size_t)4096), limit + 2);
			buffer = xreallocarray(buffer, size, 1);
		}
		n = read(fd, buffer + used, size - used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		used += (size_t)n;
		if (used > limit)
			return -EFBIG;
	}
	buffer[used] = '\0';
	if (len)
		*len = used;
	*ret = take_pointer(buffer);
	return 0;
}

static int read_path(
	const struct sysroot *root, size_t limit, const char *path, char **ret, size_t *len)
{
	_cleanup_close_ int fd = open_regular(root, path);

	return fd < 0 ? fd : read_all(fd, limit, ret, len);
}

static char *__attribute__((format(printf, 1, 0))) format_path(const char *fmt, va_list ap)
{
	return xvasprintf(fmt, ap);
}

#define FORMAT_PATH(path, fmt)                                                                     \
	_cleanup_free_ char *path = NULL;                                                          \
	do {                                                                                       \
		va_list ap_;                                                                       \
		va_start(ap_, fmt);                                                                \
		path = format_path(fmt, ap_);                                                      \
		va_end(ap_);                                                                       \
	} while (0)

int sysroot_open(const char *prefix, struct sysroot *ret, struct error *error)
{
	bool live = !prefix || strcmp(prefix, "/") == 0;
	const char *path = live ? "/" : prefix;
	_cleanup_close_ int fd = -1;
	size_t len = strlen(path);

	if (!len)
		return error_set(error, EINVAL, "the sysroot is an empty name: give a directory");
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(error, errno, "cannot open the recorded machine %s: %s", path,
			strerror(errno));
	if (!live) {
		struct sysroot trial = { .fd = fd };
		int inside = door_open(&trial, ".", O_PATH);

		if (inside < 0)
			return error_set(error, -inside,
				"cannot read the recorded machine %s: openat2: %s", path,
				strerror(-inside));
		close(inside);
	}
	while (len > 1 && path[len - 1] == '/')
		len--;
	ret->fd = take_fd(&fd);
	ret->prefix = xstrndup(path, len);
	ret->live = live;
	ret->calls = live ? &machine_calls_live : &machine_calls_none;
	return 0;
}

void sysroot_close(struct sysroot *root)
{
	close_fd(&root->fd);
	free(root->prefix);
	root->prefix = NULL;
}

int sysroot_read(
	const struct sysroot *root, size_t limit, char **ret, size_t *len, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	return read_path(root, limit, path, ret, len);
}

static int read_line(const struct sysroot *root, const char *path, char **ret)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r = read_path(root, SYSROOT_ATTRIBUTE_MAX, path, &text, &len);

	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = '\0';
	len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	if (!len)
		return -ENODATA;
	*ret = take_pointer(text);
	return 0;
}

int sysroot_read_line(const struct sysroot *root, char **ret, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	return read_line(root, path, ret);
}

int sysroot_read_u64(const struct sysroot *root, uint64_t *ret, const char *fmt, ...)
{
	_cleanup_free_ char *line = NULL;
	unsigned long long value;
	int r;

	FORMAT_PATH(path, fmt);
	r = read_line(root, path, &line);
	if (r < 0)
		return r;
	if (line[strspn(line, "0123456789")])
		return -EINVAL;
	errno = 0;
	value = strtoull(line, NULL, 10);
	if (errno == ERANGE)
		return -ERANGE;
	*ret = value;
	return 0;
}

int sysroot_readlink(const struct sysroot *root, char **ret, const char *fmt, ...)
{
	_cleanup_close_ int fd = -1;
	char target[LINK_MAX_BYTES];
	ssize_t n;

	FORMAT_PATH(path, fmt);
	fd = door_open(root, path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	n = readlinkat(fd, "", target, sizeof(target));
	if (n < 0)
		return errno == ENOENT ? -EINVAL : -errno; /* ENOENT: open, but not a link */
	if ((size_t)n == sizeof(target))
		return -ENAMETOOLONG;
	*ret = xstrndup(target, (size_t)n);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_names(DIR *dir, char ***ret)
{
	_cleanup_(string_list_free) char **names = xcalloc(1, sizeof(*names));
	size_t count = 0;

	for (;;) {
		struct dirent *entry;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (count == LIST_MAX)
			return -E2BIG;
		if ((count & (count + 1)) == 0)
			names = xreallocarray(names, 2 * count + 2, sizeof(*names));
		names[count++] = xstrdup(entry->d_name);
		names[count] = NULL;
	}
	if (errno)
		return -errno;
	qsort(names, count, sizeof(*names), compare_names);
	*ret = take_pointer(names);
	return 0;
}

int sysroot_list(const struct sysroot *root, char ***ret, const char *fmt, ...)
{
	_cleanup_close_ int fd = -1;
	DIR *dir;
	int r;

	FORMAT_PATH(path, fmt);
	fd = door_open(root, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir)
		return -errno;
	(void)take_fd(&fd); /* the stream's now */
	r = read_names(dir, ret);
	closedir(dir);
	return r;
}

bool sysroot_exists(const struct sysroot *root, const char *fmt, ...)
{
	_cleanup_close_ int fd = -1;

	FORMAT_PATH(path, fmt);
	fd = door_open(root, path, O_PATH);
	return fd >= 0;
}

void string_list_free(char ***list)
{
	if (!*list)
		return;
	for (char **s = *list; *s; s++)
		free(*s);
	free(*list);
	*list = NULL;
}
