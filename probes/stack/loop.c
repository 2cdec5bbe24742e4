// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loop devices: the stack goes on under the backing file. The name in sysfs is what it was called
 * in somebody's mount namespace when it was attached; only device and inode tell which file it is
 * (LOOP_GET_STATUS64, loop(4)). A file without a usable name (O_TMPFILE, deleted, another
 * namespace) still has its filesystem, which is looked for by the device number.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/stack_walk.h"

#define LOOP_MAJOR 7

static bool is_loop(const struct layer *layer)
{
	return layer->kind == LAYER_UNKNOWN && major(layer->device) == LOOP_MAJOR;
}

static void read_direct(struct stack_walk *walk, size_t index, const struct loop_status *status)
{
	struct layer *layer = walk_layer(walk, index);
	uint64_t dio;
	bool direct = status && status->direct_io;
	_cleanup_free_ char *source = NULL;

	if (sysroot_read_u64(walk_root(walk), &dio, "%s/loop/dio", layer->sysfs) == 0) {
		direct = dio != 0;
		source = xasprintf("%s/loop/dio = %d", layer->sysfs, direct);
	} else if (status) {
		source = xasprintf("LOOP_GET_STATUS64 lo_flags of %s", layer->name);
	} else {
		return;
	}
	layer_set_trait(layer, TRAIT_HONOURS_DIRECT, direct ? ANSWER_YES : ANSWER_NO,
		KNOWN_DECLARED, "%s", source);
	layer_set_trait(layer, TRAIT_CACHES_READS, direct ? ANSWER_NO : ANSWER_YES, KNOWN_INFERRED,
		"%s", source);
}

/*
 * The driver promises a write-back cache for every loop device that may be written (its flush is an
 * fsync of the file): "write through" was switched by someone, and outlives a detach.
 */
static void read_override(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	enum answer cache = layer_trait(layer, TRAIT_VOLATILE_CACHE);
	uint64_t read_only;

	if (cache == ANSWER_UNKNOWN ||
		sysroot_read_u64(walk_root(walk), &read_only, "%s/ro", layer->sysfs) < 0)
		return;
	layer_set_trait(layer, TRAIT_CACHE_OVERRIDDEN,
		cache == ANSWER_NO && !read_only ? ANSWER_YES : ANSWER_NO, KNOWN_INFERRED,
		"%s on a loop device that is %s", layer->traits[TRAIT_VOLATILE_CACHE].source,
		read_only ? "read-only" : "writable");
}

static dev_t status_device(const struct statx *st)
{
	return makedev(st->stx_dev_major, st->stx_dev_minor);
}

/* Whether the name leads to the very file; a name that really ends in " (deleted)" may. */
static bool is_backing(
	const struct sysroot *root, const char *name, const struct loop_status *status)
{
	struct statx st;

	return root->calls->status && root->calls->status(name, &st) == 0 &&
		status_device(&st) == status->backing_dev && st.stx_ino == status->backing_inode;
}

/*
 * A mount of the filesystem with this st_dev. mountinfo's number is the same except where st_dev
 * belongs to a part (a btrfs subvolume): there the mount point itself is asked, if it still shows
 * its own mount.
 */
static bool has_st_dev(const struct sysroot *root, struct libmnt_fs *mount, dev_t device)
{
	const char *point = mnt_fs_get_target(mount);
	const char *type = mnt_fs_get_fstype(mount);
	struct statx st;
	uint64_t id;

	if (mnt_fs_get_devno(mount) == device)
		return true;
	if (major(device) || !type || strcmp(type, "btrfs") != 0 || !point)
		return false;
	return root->calls->status && root->calls->mount_id &&
		root->calls->status(point, &st) == 0 && status_device(&st) == device &&
		root->calls->mount_id(AT_FDCWD, point, &id) == 0 &&
		id == (uint64_t)mnt_fs_get_id(mount);
}

/*
 * The directory that an unnamed or removed file was in: "/srv/#4711 (deleted)". Whether it is on
 * the file's own filesystem is what st_dev tells, down to the btrfs subvolume.
 */
static int push_by_directory(struct stack_walk *walk, size_t index, const char *name, dev_t device)
{
	const struct machine_calls *calls = walk_root(walk)->calls;
	_cleanup_free_ char *directory = xstrdup(name);
	struct statx st;
	char *slash;

	if (*name != '/' || !calls->status)
		return -ENOENT;
	while ((slash = strrchr(directory, '/'))) {
		slash[slash == directory] = '\0';
		if (calls->status(directory, &st) == 0 && status_device(&st) == device)
			return walk_push_path(walk, index, directory);
		if (slash == directory)
			break;
	}
	return -ENOENT;
}

static int push_by_device(struct stack_walk *walk, size_t index, dev_t device)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *mount;
	int r = -ENOENT;

	while (iter && mnt_table_next_fs(walk_table(walk)->libmount, iter, &mount) == 0) {
		if (!has_st_dev(walk_root(walk), mount, device))
			continue;
		r = walk_push_filesystem(walk, index, mount);
		break;
	}
	mnt_free_iter(iter);
	return r;
}

/* Nobody may ask the device (no privilege, a record): the name is all there is, and a guess. */
static int push_by_name(struct stack_walk *walk, size_t index, const char *name)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(name);
	dev_t device;

	if (*name != '/')
		return -ENOENT;
	if (len >= strlen(deleted) && strcmp(name + len - strlen(deleted), deleted) == 0)
		return -ENOENT;
	walk_infer(walk, index);
	if (strncmp(name, "/dev/", 5) == 0 && walk_find_device(walk_root(walk), name, &device) == 0)
		return walk_push_device(walk, index, device);
	return walk_push_path(walk, index, name);
}

static int push_backing(
	struct stack_walk *walk, size_t file, const char *name, const struct loop_status *status)
{
	if (!status)
		return push_by_name(walk, file, name);
	if (status->backing_rdev)
		return walk_push_device(walk, file, status->backing_rdev);
	if (*name == '/' && is_backing(walk_root(walk), name, status) &&
		walk_push_path(walk, file, name) == 0)
		return 0;
	if (push_by_directory(walk, file, name, status->backing_dev) == 0)
		return 0;
	if (push_by_device(walk, file, status->backing_dev) == 0)
		return 0;
	return major(status->backing_dev) ? walk_push_unlisted(walk, file, status->backing_dev)
					  : -ENOENT;
}

static int probe_loop(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	const struct machine_calls *calls = walk_root(walk)->calls;
	_cleanup_free_ char *name = NULL;
	struct loop_status status;
	bool asked;
	size_t file;
	int r;

	/* a partition of a loop device comes first to its whole device */
	if (!is_loop(layer) || sysroot_exists(walk_root(walk), "%s/partition", layer->sysfs))
		return 0;
	layer->kind = LAYER_LOOP;
	free(layer->type);
	layer->type = xstrdup("loop");
	asked = calls->loop_status && calls->loop_status(layer->device, &status) == 0;
	read_direct(walk, index, asked ? &status : NULL);
	read_override(walk, index);
	if (sysroot_read_line(walk_root(walk), &name, "%s/loop/backing_file", layer->sysfs) < 0) {
		if (!asked)
			return -ENODATA; /* nothing is attached, or it cannot be told */
		name = xstrdup("backing file without a name");
	}
	file = walk_push_layer(walk, index, LAYER_FILE, "file", name);
	r = push_backing(walk, file, name, asked ? &status : NULL);
	if (r < 0)
		walk_push_hidden(walk, file, "filesystem of the backing file: %s",
			r == -ENOENT ? "no path and no mount here leads to it" : strerror(-r));
	return 1;
}

static const struct layer_probe loop = {
	.head = { .id = "loop",
		.summary = "loop devices, down to the stack of their backing file" },
	.probe = probe_loop,
};
LAYER_PROBE_REGISTER(loop);
