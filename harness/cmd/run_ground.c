// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run_ground.h"

#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/text.h"
#include "fixtures/image.h"
#include "probes/stack/mount_table.h"
#include "probes/stack/stack_probe.h"

static const struct finding_kind poor_ground_kind = {
	.head = { .id = "poor-ground",
		.summary = "the fixture's image lies where some claims can never be made" },
	.meaning = "A filesystem was built in an image, and the image lies in memory, behind a "
		   "server process, on a network or where its disk cannot be seen. Numbers of the "
		   "page cache and of metadata can be had there; what a device does cannot.",
	.established = "The layers under the scratch directory, found before anything is written.",
	.example = "ext4 on a loop device with direct I/O, its image on tmpfs: 256 MiB \"direct\" "
		   "at 3.1 GB/s (six rounds, 1.7-3.9), where the disk of that machine gives 1.",
	.touches = "A note; what it spoils is said by memory-backed, fuse-layer, network-layer and "
		   "unknown-layer, claim by claim.",
	.remedy = "`ioproof run --scratch DIR` with a DIR on a disk.",
};
FINDING_REGISTER(poor_ground_kind);

static char *layer_is_poor(const struct layer *layer)
{
	switch (layer->kind) {
	case LAYER_MEMORY:
		return xstrdup("lies in memory");
	case LAYER_FUSE:
		return xasprintf("is served by a process (%s)", layer->type);
	case LAYER_SHARE:
	case LAYER_REMOTE:
		return xasprintf("is not on this machine (%s)", layer->type);
	case LAYER_UNKNOWN:
		return xasprintf("is of a kind that nothing is known about (%s)", layer->type);
	case LAYER_HIDDEN:
		return xasprintf(
			"lies on something that cannot be seen from here (%s)", layer->name);
	case LAYER_LOOP:
		return layer_trait(layer, TRAIT_HONOURS_DIRECT) == ANSWER_NO
			? xasprintf("lies on a loop device that caches (%s)", layer->name)
			: NULL;
	default:
		return NULL;
	}
}

/* Why images had better lie elsewhere. What lies below a disk is the horizon's affair. */
static char *ground_poor(const struct stack *scratch)
{
	for (size_t i = 0; i < scratch->count; i++) {
		const struct layer *layer = &scratch->layer[i];
		char *why = layer_is_poor(layer);

		if (why || (layer->kind == LAYER_DISK && !layer->inferred))
			return why;
	}
	return NULL;
}

static bool can_write(const char *path)
{
	return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0;
}

static uint64_t room(const char *path)
{
	struct statvfs vfs;

	if (statvfs(path, &vfs) < 0 || (vfs.f_flag & ST_RDONLY))
		return 0;
	return (uint64_t)vfs.f_bavail * vfs.f_frsize / 100 * IMAGE_SPACE_PERCENT;
}

static bool is_good(const struct sysroot *root, const char *path)
{
	_cleanup_free_ char *why = NULL;
	struct stack stack = { 0 };
	bool good = stack_probe_path(root, path, &stack, NULL) == 0;

	why = good ? ground_poor(&stack) : NULL;
	good = good && !why && stack_find(&stack, LAYER_DISK);
	stack_free(&stack);
	return good;
}

static bool is_disk_filesystem(const char *type)
{
	static const char *const types[] = { "ext4", "ext3", "xfs", "btrfs", "f2fs", "bcachefs" };

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

/* People do not want images in the root directory. */
static const char *directory_of(const char *mount_point)
{
	return strcmp(mount_point, "/") == 0 ? "/var/tmp" : mount_point;
}

/* A directory on a disk that can be counted, writable by us, with the most room. */
static char *ground_better(const struct sysroot *root, uint64_t need)
{
	_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;
	struct libmnt_iter *all;
	struct libmnt_fs *fs;
	char *best = NULL;
	uint64_t most = need;

	if (!root->live || mount_table_read(root, "proc/self/mountinfo", &table) < 0)
		return NULL;
	all = mnt_new_iter(MNT_ITER_FORWARD);
	while (mnt_table_next_fs(table.libmount, all, &fs) == 0) {
		const char *path = mnt_fs_get_target(fs);

		if (!path || !is_disk_filesystem(mnt_fs_get_fstype(fs)))
			continue;
		path = directory_of(path);
		if (!can_write(path) || room(path) < most || !is_good(root, path))
			continue;
		most = room(path) + 1; /* the first of equals */
		free(best);
		best = xstrdup(path);
	}
	mnt_free_iter(all);
	return best;
}

void ground_judge(const struct sysroot *root, const struct stack *scratch, const char *name,
	uint64_t need, struct findings *findings)
{
	_cleanup_free_ char *why = ground_poor(scratch), *better = NULL;
	struct finding *finding;

	if (!why)
		return;
	better = ground_better(root, need);
	finding = finding_add(findings, &poor_ground_kind, SEVERITY_NOTE, NULL);
	finding_message(finding, "the scratch directory %s %s", name, why);
	finding_source(finding, "the layers under it");
	if (better)
		finding_remedy(finding, "%s is on a disk and has room: `ioproof run --scratch %s`.",
			better, better);
}
