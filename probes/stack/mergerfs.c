// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mergerfs spreads files over branches. Its source is the branches' paths without their common
 * beginning ("disk1:disk2" for /mnt/disk1 and /mnt/disk2): where exactly one directory has a mount
 * of each of these names, they are taken for the branches, and marked inferred.
 */
#include <string.h>

#include "probes/stack/fuse_server.h"
#include "probes/stack/stack_walk.h"

/* Each place that fits the first branch is searched for all; where this many do, none is meant. */
#define PLACES_MAX 16

/* The mount at "<parent>/<label>"; the last one listed covers the others. */
static struct libmnt_fs *mount_at(const struct mount_table *table, const char *parent, size_t len,
	const char *label, size_t n)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_BACKWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (iter && !found && mnt_table_next_fs(table->libmount, iter, &fs) == 0) {
		const char *point = mnt_fs_get_target(fs);

		if (point && strlen(point) == len + 1 + n && strncmp(point, parent, len) == 0 &&
			point[len] == '/' && strncmp(point + len + 1, label, n) == 0)
			found = fs;
	}
	mnt_free_iter(iter);
	return found;
}

/* Pushes every branch below this parent directory, or only looks whether all are there. */
static bool branches_below(struct stack_walk *walk, size_t index, const char *labels,
	const char *parent, size_t len, bool push)
{
	for (const char *p = labels; *p;) {
		size_t n = strcspn(p, ":");
		struct libmnt_fs *mount = n ? mount_at(walk_table(walk), parent, len, p, n) : NULL;

		if (!mount)
			return false;
		if (push)
			walk_push_filesystem(walk, index, mount);
		p += n + (p[n] == ':');
	}
	return *labels;
}

/* Parents that fit; the last one in *ret. */
static unsigned find_parents(struct stack_walk *walk, size_t index, const char *labels, char **ret)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	size_t first = strcspn(labels, ":");
	unsigned count = 0, places = 0;
	struct libmnt_fs *fs;

	while (iter && places < PLACES_MAX &&
		mnt_table_next_fs(walk_table(walk)->libmount, iter, &fs) == 0) {
		const char *point = mnt_fs_get_target(fs);
		size_t len = point ? strlen(point) : 0;

		if (len < first + 1 || point[len - first - 1] != '/' ||
			strncmp(point + len - first, labels, first) != 0)
			continue;
		places++;
		len -= first + 1;
		if ((*ret && strlen(*ret) == len && strncmp(*ret, point, len) == 0) ||
			!branches_below(walk, index, labels, point, len, false))
			continue;
		free(*ret);
		*ret = xstrndup(point, len);
		count++;
	}
	mnt_free_iter(iter);
	return places < PLACES_MAX ? count : 0;
}

static bool too_many(const char *labels)
{
	size_t count = 1;

	for (const char *p = labels; *p; p++)
		count += *p == ':';
	return count > STACK_LAYERS_MAX;
}

static int probe_mergerfs(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *labels = NULL;
	_cleanup_free_ char *parent = NULL;

	if (layer->kind != LAYER_FS || strcmp(layer->type, "fuse.mergerfs") != 0)
		return 0;
	labels = xstrdup(layer->source ? layer->source : "");
	layer->kind = LAYER_FUSE;
	free(layer->name);
	layer->name = xstrdup("mergerfs");
	fuse_server_find(walk_root(walk), mnt_fs_get_devno(walk_mount(walk, index)), layer);
	if (too_many(labels) || find_parents(walk, index, labels, &parent) != 1) {
		walk_push_hidden(walk, index, "branches of mergerfs: %s", labels);
		return 1;
	}
	walk_infer(walk, index);
	branches_below(walk, index, labels, parent, strlen(parent), true);
	return 1;
}

static const struct layer_probe mergerfs = {
	.head = { .id = "mergerfs",
		.order = -5,
		.summary = "mergerfs, down to its likely branches" },
	.probe = probe_mergerfs,
};
LAYER_PROBE_REGISTER(mergerfs);
