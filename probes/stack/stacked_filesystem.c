// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filesystems that are a view of directories: eCryptfs and the like over one, aufs and unionfs over
 * branches. The paths were true where they were mounted; nothing compares them here, so what is
 * found is inferred.
 */
#include <string.h>

#include "probes/stack/stack_walk.h"

#define BRANCHES_MAX 16

/* One directory, named by the source (Documentation/filesystems/ecryptfs.rst). */
static const char *const views[] = { "ecryptfs", "shiftfs", "wrapfs", "sdcardfs", "esdfs" };

static void push_branch(struct stack_walk *walk, size_t index, const char *directory)
{
	int r = *directory == '/' ? walk_push_path(walk, index, directory) : -ENOENT;

	if (r < 0)
		walk_push_hidden(walk, index, "filesystem of the directory %s: %s",
			*directory ? directory : "without a name",
			r == -ENOENT ? "no mount here leads to it" : strerror(-r));
}

/* "/upper=rw" of aufs(5) and unionfs, without the permission. */
static char *branch_directory(const char *branch, size_t len)
{
	char *directory = xstrndup(branch, len);
	char *permission = strrchr(directory, '=');

	if (permission)
		*permission = '\0';
	return directory;
}

/* aufs: mountinfo has si=ID only, and /sys/fs/aufs/si_ID has the branches br0, br1... */
static size_t push_aufs(struct stack_walk *walk, size_t index)
{
	_cleanup_free_ char *id = mount_option(walk_raw_options(walk, index), "si", 0);
	size_t count = 0;

	for (; id && !strchr(id, '/') && count < BRANCHES_MAX; count++) {
		_cleanup_free_ char *branch = NULL, *directory = NULL;

		if (sysroot_read_line(
			    walk_root(walk), &branch, "sys/fs/aufs/si_%s/br%zu", id, count) < 0)
			break;
		directory = branch_directory(branch, strlen(branch));
		push_branch(walk, index, directory);
	}
	return count;
}

/* "dirs=/a=rw:/b=ro" of unionfs, "br:/a=rw:/b=ro" of old aufs. */
static size_t push_list(struct stack_walk *walk, size_t index)
{
	_cleanup_free_ char *dirs = mount_option(walk_raw_options(walk, index), "dirs", 0);
	_cleanup_free_ char *br = mount_option(walk_raw_options(walk, index), "br", 0);
	const char *rest = dirs ? dirs : br;
	size_t count = 0;

	for (; rest && *rest && count < BRANCHES_MAX; count++) {
		size_t len = strcspn(rest, ":");
		_cleanup_free_ char *directory = branch_directory(rest, len);

		push_branch(walk, index, directory);
		rest += len + (rest[len] == ':');
	}
	return count;
}

static bool is_view(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(views); i++)
		if (strcmp(views[i], type) == 0)
			return true;
	return false;
}

static int probe_stacked(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *source = NULL;

	if (layer->kind != LAYER_FS ||
		(!is_view(layer->type) && strcmp(layer->type, "aufs") != 0 &&
			strcmp(layer->type, "unionfs") != 0))
		return 0;
	walk_infer(walk, index);
	if (is_view(layer->type)) {
		source = xstrdup(layer->source ? layer->source : "");
		push_branch(walk, index, source);
	} else if (!push_aufs(walk, index) && !push_list(walk, index)) {
		walk_push_hidden(walk, index, "branches of %s", layer->type);
	}
	return 1;
}

static const struct layer_probe stacked_filesystem = {
	.head = { .id = "stacked",
		.summary = "eCryptfs, aufs and unionfs, down to their directories" },
	.probe = probe_stacked,
};
LAYER_PROBE_REGISTER(stacked_filesystem);
