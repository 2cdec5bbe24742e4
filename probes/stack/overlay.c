// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Overlay: what is written goes to the upper directory's filesystem. Its path in the options is the
 * one that whoever mounted it saw; in a container it means nothing, or, worse, something else that
 * happens to exist. So existence proves nothing. What does: the overlay answers a statx of its own
 * root with the attributes of its topmost real directory (ovl_getattr() asks the real inode for
 * them), so the true directory shows the same change and birth times to the nanosecond, mode, owner
 * and size. Another directory of that name does not, and no call can set a change time.
 */
#include "probes/stack/overlay.h"

#include <fcntl.h>
#include <string.h>

/* A write between the two looks makes them differ: look again. */
#define LOOKS 3
#define LOWER_MAX 16

static bool same_time(const struct statx_timestamp *a, const struct statx_timestamp *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool overlay_same_attributes(const struct statx *a, const struct statx *b)
{
	if ((a->stx_mask & b->stx_mask & STATX_BTIME) && !same_time(&a->stx_btime, &b->stx_btime))
		return false;
	return same_time(&a->stx_ctime, &b->stx_ctime) && same_time(&a->stx_mtime, &b->stx_mtime) &&
		a->stx_mode == b->stx_mode && a->stx_uid == b->stx_uid &&
		a->stx_gid == b->stx_gid && a->stx_size == b->stx_size;
}

/* The mount point shows this overlay only while nothing else is mounted over it. */
static bool shows_mount(const struct sysroot *root, const struct layer *layer)
{
	uint64_t id;

	return layer->mount_point && root->calls->mount_id && root->calls->status &&
		root->calls->mount_id(AT_FDCWD, layer->mount_point, &id) == 0 &&
		id == layer->mount_id;
}

static int is_real_directory(struct stack_walk *walk, size_t index, const char *directory)
{
	const struct machine_calls *calls = walk_root(walk)->calls;
	const struct layer *layer = walk_layer(walk, index);
	const char *shown = mnt_fs_get_root(walk_mount(walk, index));
	_cleanup_free_ char *below = xasprintf("%s%s", directory, shown ? shown : "");
	struct statx overlay, real;
	int r;

	if (!shows_mount(walk_root(walk), layer))
		return -EOPNOTSUPP;
	for (int look = 0; look < LOOKS; look++) {
		r = calls->status(layer->mount_point, &overlay);
		if (r == 0)
			r = calls->status(below, &real);
		if (r < 0)
			return r;
		if (overlay_same_attributes(&overlay, &real))
			return 0;
	}
	return -ENODEV;
}

static void push_hidden_directory(struct stack_walk *walk, size_t index, const char *which, int r)
{
	const char *why = r == -EOPNOTSUPP ? "cannot be compared from here"
		: r == -ENODEV             ? "another directory has this name here"
		: r == -ENOENT             ? "its path belongs to another mount namespace"
					   : strerror(-r);

	walk_push_hidden(walk, index, "filesystem of the %s directory: %s", which, why);
}

static void push_upper(struct stack_walk *walk, size_t index, const char *upper, int r)
{
	size_t layer = walk_push_layer(walk, index, LAYER_OVERLAY_UPPER, "directory", upper);

	if (r == 0)
		r = walk_push_path(walk, layer, upper);
	if (r == -EOPNOTSUPP)
		r = overlay_infer_upper(walk, index, layer, upper);
	if (r < 0)
		push_hidden_directory(walk, layer, "upper", r);
}

char *overlay_next_lower(const char **list)
{
	char *ret, *out;

	*list += strspn(*list, ":");
	if (!**list)
		return NULL;
	ret = out = xmalloc(strlen(*list) + 1);
	while (**list && **list != ':') {
		if (**list == '\\' && (*list)[1])
			(*list)++;
		*out++ = *(*list)++;
	}
	*out = '\0';
	return ret;
}

char *overlay_lower_directories(struct stack_walk *walk, size_t index)
{
	const char *options = walk_raw_options(walk, index);
	_cleanup_free_ char *all = mount_option(options, "lowerdir", 0);

	for (unsigned i = 0;; i++) {
		_cleanup_free_ char *one = mount_option(options, "lowerdir+", i);
		char *joined;

		if (!one)
			break;
		joined = xasprintf("%s:%s", all ? all : "", one);
		free(all);
		all = joined;
	}
	return all ? take_pointer(all) : xstrdup("");
}

/* Without an upper directory every file comes from one of the lower ones; the first is the root. */
static void push_lowers(struct stack_walk *walk, size_t index)
{
	_cleanup_free_ char *list = overlay_lower_directories(walk, index);
	const char *rest = list;
	int proved = -ENOENT;
	unsigned count = 0;

	for (;; count++) {
		_cleanup_free_ char *lower = overlay_next_lower(&rest);
		size_t layer;
		int r;

		if (!lower)
			break;
		if (count == LOWER_MAX) {
			walk_push_hidden(walk, index, "more lower directories");
			break;
		}
		layer = walk_push_layer(walk, index, LAYER_OVERLAY_LOWER, "directory", lower);
		if (count == 0)
			proved = is_real_directory(walk, index, lower);
		/* one call named them all: where the first is true, so are the others */
		r = proved ? proved : walk_push_path(walk, layer, lower);
		if (r < 0)
			push_hidden_directory(walk, layer, "lower", r);
	}
	if (!count)
		walk_push_hidden(walk, index, "directories of the overlay");
}

/* Further down an overlay holds an image, and the file that was asked about is in that. */
static bool is_files_mount(struct stack_walk *walk, size_t index)
{
	return index == 0 || (index == 1 && walk_layer(walk, 0)->kind == LAYER_BIND);
}

char *overlay_path_below(struct stack_walk *walk, size_t index, const char *directory)
{
	const struct layer *layer = walk_layer(walk, index);
	const char *file = walk_file(walk), *shown = mnt_fs_get_root(walk_mount(walk, index));
	size_t length = layer->mount_point ? strlen(layer->mount_point) : 0;

	if (length == 1)
		length = 0; /* "/" */
	if (!file || !is_files_mount(walk, index) || !layer->mount_point ||
		strncmp(file, layer->mount_point, length) != 0 ||
		(file[length] != '/' && file[length] != '\0'))
		return NULL;
	return xasprintf("%s%s%s", directory, shown && shown[1] ? shown : "", file + length);
}

static bool holds_file(struct stack_walk *walk, size_t index, const char *directory)
{
	_cleanup_free_ char *path = overlay_path_below(walk, index, directory);
	struct statx st;

	return path && walk_root(walk)->calls->status(path, &st) == 0;
}

/*
 * An existing file is read from the topmost directory that has it. False: it is the upper one's (or
 * nobody can tell, and what is written goes there).
 */
static bool push_lower_of_file(struct stack_walk *walk, size_t index, const char *upper, int proved)
{
	_cleanup_free_ char *list = overlay_lower_directories(walk, index);
	const char *rest = list;

	if (proved < 0 || !walk_file(walk) || holds_file(walk, index, upper))
		return false;
	for (;;) {
		_cleanup_free_ char *lower = overlay_next_lower(&rest);
		size_t layer;
		int r;

		if (!lower)
			return false;
		if (!holds_file(walk, index, lower))
			continue;
		layer = walk_push_layer(walk, index, LAYER_OVERLAY_LOWER, "directory", lower);
		r = walk_push_path(walk, layer, lower);
		if (r < 0)
			push_hidden_directory(walk, layer, "lower", r);
		return true;
	}
}

static void read_volatile(struct stack_walk *walk, size_t index)
{
	const char *options = walk_raw_options(walk, index);
	_cleanup_free_ char *old = mount_option(options, "volatile", 0);
	_cleanup_free_ char *new = mount_option(options, "fsync", 0);

	if (old || (new &&strcmp(new, "volatile") == 0))
		layer_set_trait(walk_layer(walk, index), TRAIT_PASSES_FLUSH, ANSWER_NO,
			KNOWN_DECLARED, "mount option %s", old ? "volatile" : "fsync=volatile");
}

static void push_written(struct stack_walk *walk, size_t index, const char *upper)
{
	int proved = is_real_directory(walk, index, upper);

	if (push_lower_of_file(walk, index, upper, proved) ||
		(proved < 0 && overlay_infer_lower(walk, index, upper)))
		return;
	push_upper(walk, index, upper, proved);
}

static int probe_overlay(struct stack_walk *walk, size_t index)
{
	const struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *upper = NULL;

	/* "overlayfs": before it was taken into Linux 3.18 */
	if (layer->kind != LAYER_FS ||
		(strcmp(layer->type, "overlay") != 0 && strcmp(layer->type, "overlayfs") != 0))
		return 0;
	read_volatile(walk, index);
	upper = mount_option(walk_raw_options(walk, index), "upperdir", 0);
	if (upper)
		push_written(walk, index, upper);
	else
		push_lowers(walk, index);
	return 1;
}

static const struct layer_probe overlay = {
	.head = { .id = "overlay", .summary = "overlay, down to the directory it writes to" },
	.probe = probe_overlay,
};
LAYER_PROBE_REGISTER(overlay);
