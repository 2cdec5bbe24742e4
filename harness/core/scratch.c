// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/scratch.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

void scratch_close(struct scratch *scratch)
{
	close_fd(&scratch->fd);
	close_fd(&scratch->direct_fd);
}

/* "Not here", from which a named file is the way out; anything else would stop that one as well. */
static bool tmpfile_unsupported(int error)
{
	return error == -EOPNOTSUPP || error == -EISDIR || error == -EINVAL || error == -ENOSYS ||
		error == -ENOENT;
}

/* A umask may have taken even the owner's bits, and the second opening asks for them. */
static void allow_owner(int fd)
{
	(void)!fchmod(fd, 0600); /* a server may not know modes; then it asks for none */
}

/* For want of descriptors or memory, or by a signal: that says nothing about O_DIRECT. */
static bool open_failed_here(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR;
}

/*
 * -ENOENT also when the file cannot be opened a second time by its descriptor: no /proc here, or a
 * FUSE server that knows files by their path only.
 */
static int create_unnamed(int dirfd, struct scratch *ret)
{
	_cleanup_(scratch_close) struct scratch made = SCRATCH_CLOSED;
	char self[64];

	made.fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (made.fd < 0)
		return -errno;
	allow_owner(made.fd);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", made.fd);
	made.direct_fd = open(self, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (made.direct_fd < 0) {
		if (errno == ENOENT || open_failed_here(errno))
			return -errno;
		made.direct_errno = errno;
	}
	*ret = made;
	made = (struct scratch)SCRATCH_CLOSED;
	return 0;
}

static bool same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
		x.st_ino == y.st_ino;
}

/* The second opening goes by name, in a directory where others may have moved it meanwhile. */
static void open_direct(int dirfd, const char *name, struct scratch *scratch)
{
	scratch->direct_fd = openat(dirfd, name, O_RDWR | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
	if (scratch->direct_fd < 0) {
		scratch->direct_errno = errno;
	} else if (!same_file(scratch->fd, scratch->direct_fd)) {
		close_fd(&scratch->direct_fd);
		scratch->direct_errno = ESTALE;
	}
}

static int create_and_unlink(int dirfd, const char *name, struct scratch *ret)
{
	_cleanup_(scratch_close) struct scratch made = SCRATCH_CLOSED;

	made.fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (made.fd < 0)
		return -errno;
	allow_owner(made.fd);
	open_direct(dirfd, name, &made);
	if (unlinkat(dirfd, name, 0) != 0)
		return -errno;
	if (open_failed_here(made.direct_errno))
		return -made.direct_errno;
	*ret = made;
	made = (struct scratch)SCRATCH_CLOSED;
	return 0;
}

static int create_named(int dirfd, struct guardian *guardian, struct scratch *ret)
{
	char name[64];
	uint64_t number;
	int r;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	snprintf(name, sizeof(name), ".ioproof-scratch-%016llx", (unsigned long long)number);
	if (guardian) {
		r = guardian_note(guardian, dirfd, name, false);
		if (r < 0)
			return r;
	}
	r = create_and_unlink(dirfd, name, ret);
	/* A name that stands (its unlinking failed) is left to the guardian. */
	if (guardian && (r == 0 || faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0))
		guardian_forget(guardian, dirfd, name);
	return r;
}

int scratch_create(int dirfd, struct guardian *guardian, struct scratch *ret)
{
	int r = create_unnamed(dirfd, ret);

	return tmpfile_unsupported(r) ? create_named(dirfd, guardian, ret) : r;
}
