// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overlays that were mounted from another view: an initramfs that is gone, a container's runtime, a
 * record that cannot be asked. All found here is marked inferred.
 */
#include <string.h>

#include "probes/stack/overlay.h"

/* "/cow/upper" of "/cow/upper/": live-boot writes its directories with a slash at the end. */
static size_t length_of(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

static bool same_path(const char *a, const char *b)
{
	return length_of(a) == length_of(b) && strncmp(a, b, length_of(a)) == 0;
}

static const char *last_part(const char *path, size_t *len)
{
	size_t end = length_of(path), start = end;

	while (start > 0 && path[start - 1] != '/')
		start--;
	*len = end - start;
	return path + start;
}

static bool same_last_part(const char *a, const char *b)
{
	size_t na, nb;

	a = last_part(a, &na);
	b = last_part(b, &nb);
	return na && na == nb && strncmp(a, b, na) == 0;
}

/* "/x/merged" over "/x/diff", as Docker lays them out. */
static bool same_parent(const char *a, const char *b)
{
	size_t na, nb;
	const char *ta = last_part(a, &na), *tb = last_part(b, &nb);

	return ta - a == tb - b && ta - a > 1 && strncmp(a, b, (size_t)(ta - a)) == 0;
}

/*
 * The root directory of a filesystem at a mount point of its own below "/" (a data disk, a tmpfs of
 * the boot): a bind mount there may hide what had the name when the overlay was made.
 */
static bool is_whole_mount(struct libmnt_fs *mount)
{
	const char *root = mnt_fs_get_root(mount), *point = mnt_fs_get_target(mount);

	return root && strcmp(root, "/") == 0 && point && strcmp(point, "/") != 0;
}

/* NULL: the name may mean something else here. */
static struct libmnt_fs *mount_of_upper(struct stack_walk *walk, size_t index, const char *upper)
{
	const char *point = walk_layer(walk, index)->mount_point;
	struct libmnt_fs *mount;

	if (walk_root(walk)->live || *upper != '/' || !point)
		return NULL;
	mount = mount_table_by_path(walk_table(walk), upper);
	if (!mount || mount == walk_mount(walk, index))
		return NULL;
	return is_whole_mount(mount) || same_parent(upper, point) ? mount : NULL;
}

int overlay_infer_upper(
	struct stack_walk *walk, size_t index, size_t upper_layer, const char *upper)
{
	struct libmnt_fs *mount = mount_of_upper(walk, index, upper);

	if (!mount)
		return -EOPNOTSUPP;
	walk_infer(walk, upper_layer);
	return walk_push_filesystem(walk, upper_layer, mount) < 0 ? -EOPNOTSUPP : 0;
}

static bool is_image_type(struct libmnt_fs *mount)
{
	const char *type = mnt_fs_get_fstype(mount);

	return type && (strcmp(type, "squashfs") == 0 || strcmp(type, "erofs") == 0);
}

/* The name of the file that a loop device was attached to. */
static char *backing_of(struct stack_walk *walk, struct libmnt_fs *mount)
{
	_cleanup_free_ char *sysfs = NULL;
	char *name;

	if (walk_block_sysfs(walk_root(walk), mnt_fs_get_devno(mount), &sysfs) < 0 ||
		sysroot_read_line(walk_root(walk), &name, "%s/loop/backing_file", sysfs) < 0)
		return NULL;
	return name;
}

/*
 * A live system mounts "filesystem.squashfs" at a directory of the same name, and moves the mount
 * away before its init starts.
 */
static bool is_mount_of(struct stack_walk *walk, struct libmnt_fs *mount, const char *lower)
{
	const char *point = mnt_fs_get_target(mount);
	_cleanup_free_ char *backing = NULL;

	if (point && strcmp(point, "/") != 0 && same_path(point, lower))
		return true;
	if (!is_image_type(mount))
		return false;
	backing = backing_of(walk, mount);
	return backing && same_last_part(backing, lower);
}

/* NULL: none; two different filesystems that fit are no answer either. */
static struct libmnt_fs *mount_of_lower(struct stack_walk *walk, size_t index, const char *lower)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *mount, *found = NULL;
	bool two = false;

	while (iter && mnt_table_next_fs(walk_table(walk)->libmount, iter, &mount) == 0) {
		if (mount == walk_mount(walk, index) || !is_mount_of(walk, mount, lower))
			continue;
		two |= found && mnt_fs_get_devno(found) != mnt_fs_get_devno(mount);
		found = mount;
	}
	mnt_free_iter(iter);
	return two ? NULL : found;
}

/* Whether the overlay shows this very file: it answers with the attributes of the real one. */
static bool shows_file(struct stack_walk *walk, size_t index, const char *directory)
{
	const struct machine_calls *calls = walk_root(walk)->calls;
	_cleanup_free_ char *path = overlay_path_below(walk, index, directory);
	struct statx overlay, real;

	return path && calls->status(walk_file(walk), &overlay) == 0 &&
		calls->status(path, &real) == 0 && overlay_same_attributes(&overlay, &real);
}

/* A record answers no call. */
static bool can_look(struct stack_walk *walk)
{
	struct statx st;

	return walk_root(walk)->calls->status &&
		walk_root(walk)->calls->status(walk_file(walk), &st) == 0;
}

static void push_lower(
	struct stack_walk *walk, size_t index, const char *lower, struct libmnt_fs *mount)
{
	size_t layer = walk_push_layer(walk, index, LAYER_OVERLAY_LOWER, "directory", lower);
	int r;

	walk_infer(walk, layer);
	r = mount ? walk_push_filesystem(walk, layer, mount) : walk_push_path(walk, layer, lower);
	if (r < 0)
		walk_push_hidden(
			walk, layer, "filesystem of the lower directory: %s", strerror(-r));
}

/* Of a file that can be looked at: the lower directory where it is the same. */
static bool push_lower_seen(struct stack_walk *walk, size_t index, const char *list)
{
	for (;;) {
		_cleanup_free_ char *lower = overlay_next_lower(&list);
		struct libmnt_fs *mount;

		if (!lower)
			return false;
		if (*lower == '/' && shows_file(walk, index, lower)) {
			push_lower(walk, index, lower, NULL);
			return true;
		}
		mount = mount_of_lower(walk, index, lower);
		if (mount && shows_file(walk, index, mnt_fs_get_target(mount))) {
			push_lower(walk, index, lower, mount);
			return true;
		}
	}
}

/* Of several lower directories nobody can say which one has the file. */
static bool push_lower_by_table(struct stack_walk *walk, size_t index, const char *list)
{
	_cleanup_free_ char *lower = overlay_next_lower(&list);
	_cleanup_free_ char *second = overlay_next_lower(&list);
	struct libmnt_fs *mount = lower && !second ? mount_of_lower(walk, index, lower) : NULL;

	if (!mount)
		return false;
	push_lower(walk, index, lower, mount);
	return true;
}

bool overlay_infer_lower(struct stack_walk *walk, size_t index, const char *upper)
{
	_cleanup_free_ char *list = overlay_lower_directories(walk, index);
	_cleanup_free_ char *below = overlay_path_below(walk, index, "");
	bool found;

	/* the mount point itself is a directory: new files go to the upper one */
	if (!below || !*below || strcmp(below, "/") == 0 || mount_of_upper(walk, index, upper))
		return false;
	found = can_look(walk) ? push_lower_seen(walk, index, list)
			       : push_lower_by_table(walk, index, list);
	if (found)
		layer_set_trait(walk_layer(walk, index), TRAIT_WRITES_ELSEWHERE, ANSWER_YES,
			KNOWN_DECLARED, "mount option upperdir=%s, which cannot be found from here",
			upper);
	return found;
}
