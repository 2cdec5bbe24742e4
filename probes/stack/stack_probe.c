// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/stack_probe.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "probes/stack/stack_state.h"

/* A mount may come or go between statx and the reading of the table. */
#define TABLE_READS 3

static bool knows_mount_ids(const struct sysroot *root)
{
	uint64_t id;

	return root->calls->mount_id && root->calls->mount_id(AT_FDCWD, "/", &id) == 0;
}

/*
 * By id, else by the number of the block device: it carries one superblock only, so any mount of it
 * has the filesystem's type and options. An anonymous number proves nothing of the kind.
 */
static struct libmnt_fs *find_mount(const struct mount_table *table, uint64_t id, dev_t device)
{
	struct libmnt_fs *fs = mount_table_by_id(table, id);

	return fs || !major(device) ? fs : mount_table_by_device(table, device);
}

static dev_t device_of(const struct sysroot *root, const char *path)
{
	struct statx st;

	if (!root->calls->status || root->calls->status(path, &st) < 0)
		return 0;
	return makedev(st.stx_dev_major, st.stx_dev_minor);
}

int resolve_path(const struct sysroot *root, const struct mount_table *table, const char *path,
	struct libmnt_fs **ret)
{
	_cleanup_free_ char *real = NULL;
	struct libmnt_fs *fs;
	uint64_t id;
	int r = root->calls->mount_id ? root->calls->mount_id(AT_FDCWD, path, &id) : -EOPNOTSUPP;

	if (r == 0) {
		fs = find_mount(table, id, device_of(root, path));
	} else if (r == -EOPNOTSUPP) {
		if (root->live) {
			real = realpath(path, NULL);
			if (!real)
				return -errno;
		}
		fs = mount_table_by_path(table, real ? real : path);
	} else {
		return r;
	}
	if (!fs)
		return -ENOENT;
	*ret = fs;
	return 0;
}

/*
 * In a chroot whose root is no mount point, mountinfo leaves out the mount that we stand on.
 * Process 1 sees it: under the same id when it shares our namespace, else as a mount of the same
 * device. Ids are the kernel's own, so lines of both tables can stand in one; ours come first.
 */
static void widen_table(const struct sysroot *root, struct mount_table *table)
{
	struct mount_table both = MOUNT_TABLE_EMPTY;
	_cleanup_free_ char *theirs = NULL;
	_cleanup_free_ char *text = NULL;
	uint64_t id;
	size_t len;

	if (!root->calls->mount_id || root->calls->mount_id(AT_FDCWD, "/", &id) < 0 ||
		mount_table_by_id(table, id))
		return;
	if (sysroot_read(root, SYSROOT_FILE_MAX, &theirs, &len, "proc/1/mountinfo") < 0)
		return;
	text = xasprintf("%s%s", table->text, theirs);
	if (mount_table_parse(text, &both) < 0)
		return;
	mount_table_free(table);
	*table = both;
}

/* Where statx(2) names devices, a missing /proc hides the mounts, and not what lies under them. */
static int read_table(const struct sysroot *root, struct mount_table *ret, struct error *error)
{
	int r = mount_table_read(root, "proc/self/mountinfo", ret);

	if (r < 0 && knows_mount_ids(root))
		r = mount_table_none(ret);
	if (r < 0)
		return error_set(error, -r,
			"cannot read the mount table %s%sproc/self/mountinfo: %s%s", root->prefix,
			root->live ? "" : "/", strerror(-r),
			r == -ENOENT ? "; is /proc mounted?" : "");
	widen_table(root, ret);
	return 0;
}

/* Cuts the last component off. False: nothing is left to cut. */
static bool to_parent(char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len == 1 && (*path == '/' || *path == '.'))
		return false;
	while (len > 0 && path[len - 1] != '/')
		len--;
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len == 0)
		path[len++] = '.';
	path[len] = '\0';
	return true;
}

static int nearest_existing(const struct sysroot *root, const char *path, char **ret)
{
	_cleanup_free_ char *trial = xasprintf("%s", path);
	uint64_t id;

	for (;;) {
		int r = root->calls->mount_id(AT_FDCWD, trial, &id);

		if (r == 0)
			break;
		if ((r != -ENOENT && r != -ENOTDIR) || !to_parent(trial))
			return r;
	}
	*ret = take_pointer(trial);
	return 0;
}

/* exact: the very mount, whose bind or subvolume is part of the answer; else one of its device. */
static int walk_from(const struct sysroot *root, const struct mount_table *table,
	struct libmnt_fs *mount, bool exact, dev_t device, const char *file, struct stack *ret,
	struct error *error)
{
	_cleanup_(walk_free) struct stack_walk *walk = walk_new(root, table);
	int r;

	walk_set_file(walk, file);
	if (!mount)
		r = walk_push_unlisted(walk, NO_PARENT, device);
	else if (exact)
		r = walk_push_top(walk, mount);
	else
		r = walk_push_filesystem(walk, NO_PARENT, mount);

	if (r == 0)
		r = walk_run(walk, ret);
	return r < 0 ? error_set(error, -r, "cannot walk the layers: %s", strerror(-r)) : 0;
}

static bool ends_in_slash(const char *path)
{
	size_t len = strlen(path);

	return len && path[len - 1] == '/';
}

/* On a record every path exists, as a file unless it ends in a slash, and links are unknown. */
static int probe_by_table(
	const struct sysroot *root, const char *path, struct stack *ret, struct error *error)
{
	_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;
	_cleanup_free_ char *absolute = xasprintf("%s%s", *path == '/' ? "" : "/", path);
	struct libmnt_fs *mount;
	int r = read_table(root, &table, error);

	if (r < 0)
		return r;
	r = resolve_path(root, &table, absolute, &mount);
	if (r < 0)
		return error_set(error, -r, "no mount found for %s in the mount table of %s", path,
			root->prefix);
	return walk_from(
		root, &table, mount, true, 0, ends_in_slash(path) ? NULL : absolute, ret, error);
}

/* The table is read after the id was taken, and again when it does not know the id. */
static int probe_by_id(const struct sysroot *root, uint64_t id, dev_t device, const char *file,
	struct stack *ret, struct error *error)
{
	for (int i = 0;; i++) {
		_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;
		struct libmnt_fs *mount;
		bool exact;
		int r = read_table(root, &table, error);

		if (r < 0)
			return r;
		mount = find_mount(&table, id, device);
		exact = mount && (uint64_t)mnt_fs_get_id(mount) == id;
		if (exact || i + 1 == TABLE_READS)
			return walk_from(root, &table, mount, exact, device, file, ret, error);
	}
}

int stack_probe_device(
	const struct sysroot *root, dev_t device, struct stack *ret, struct error *error)
{
	_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;
	_cleanup_(walk_free) struct stack_walk *walk = NULL;
	int r = read_table(root, &table, error);

	if (r < 0)
		return r;
	walk = walk_new(root, &table);
	r = walk_push_device(walk, NO_PARENT, device);
	if (r == 0)
		r = walk_run(walk, ret);
	return r < 0 ? error_set(error, -r, "cannot walk the layers: %s", strerror(-r)) : 0;
}

int stack_probe_path(
	const struct sysroot *root, const char *path, struct stack *ret, struct error *error)
{
	_cleanup_free_ char *existing = NULL;
	dev_t device;
	uint64_t id;
	int r;

	if (!*path)
		return error_set(
			error, ENOENT, "an empty path leads nowhere: give a file or directory");
	if (!knows_mount_ids(root))
		return probe_by_table(root, path, ret, error);
	r = nearest_existing(root, path, &existing);
	if (r == 0)
		r = root->calls->mount_id(AT_FDCWD, existing, &id);
	if (r < 0)
		return error_set(error, -r, "cannot look at %s: %s", path, strerror(-r));
	if (root->calls->block_device && root->calls->block_device(existing, &device) == 0)
		return stack_probe_device(root, device, ret, error);
	return probe_by_id(root, id, device_of(root, existing), NULL, ret, error);
}

/* NULL for a file without a name. */
static char *path_of_descriptor(int fd)
{
	_cleanup_free_ char *link = xasprintf("/proc/self/fd/%d", fd);
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_nlink == 0)
		return NULL;
	return realpath(link, NULL);
}

/*
 * A descriptor from before this process made a mount namespace of its own has a mount id of the old
 * one. Its name leads to the copy, when the copy shows the same file.
 */
static uint64_t id_here(const struct sysroot *root, int fd, const struct stat *st, uint64_t id)
{
	_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;
	_cleanup_free_ char *name = path_of_descriptor(fd);
	struct statx here;
	uint64_t copy;

	if (mount_table_read(root, "proc/self/mountinfo", &table) < 0 ||
		mount_table_by_id(&table, id) || !name || !root->calls->status ||
		root->calls->status(name, &here) < 0 || here.stx_ino != st->st_ino ||
		makedev(here.stx_dev_major, here.stx_dev_minor) != st->st_dev ||
		root->calls->mount_id(AT_FDCWD, name, &copy) < 0)
		return id;
	return copy;
}

int stack_probe_fd(const struct sysroot *root, int fd, struct stack *ret, struct error *error)
{
	_cleanup_free_ char *file = NULL;
	struct stat st;
	uint64_t id;
	int r = root->calls->mount_id ? root->calls->mount_id(fd, "", &id) : -EOPNOTSUPP;

	if (r < 0)
		return error_set(
			error, -r, "cannot tell the mount of an open file: %s", strerror(-r));
	if (fstat(fd, &st) < 0)
		return error_set(error, errno, "cannot look at an open file: %s", strerror(errno));
	if (S_ISBLK(st.st_mode))
		return stack_probe_device(root, st.st_rdev, ret, error);
	if (S_ISREG(st.st_mode))
		file = path_of_descriptor(fd);
	return probe_by_id(root, id_here(root, fd, &st, id), st.st_dev, file, ret, error);
}
