// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run_ground.h"

#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/text.h"
#include "fixtures/image.h"
#include "probes/stack/mount_table.h"
#include "probes/stack/stack_probe.h"
#include "rules/poor_ground.h"

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

	why = good ? poor_ground_why(&stack) : NULL;
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
	struct finding *finding = poor_ground_say(scratch, name, findings);
	_cleanup_free_ char *better = finding ? ground_better(root, need) : NULL;

	if (better)
		finding_remedy(
			finding, "%s is on a disk and has room: `--scratch %s`.", better, better);
}
