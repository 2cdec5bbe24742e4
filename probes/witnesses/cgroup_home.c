// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/cgroup_home.h"

#include <fcntl.h>
#include <string.h>

#include "core/cgroup_path.h"
#include "core/text.h"
#include "probes/stack/mount_table.h"

void cgroup_home_close(struct cgroup_home *home)
{
	close_fd(&home->own_fd);
	close_fd(&home->base_fd);
}

static bool path_is_clean(const char *path)
{
	return path[0] == '/' && !strstr(path, "/../") && !strstr(path, "/./") &&
		(strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/..") != 0);
}

static bool mount_fits(struct libmnt_fs *fs, int version)
{
	const char *type = mnt_fs_get_fstype(fs), *options = mnt_fs_get_fs_options(fs);

	if (!type || !mnt_fs_get_target(fs) || !mnt_fs_get_root(fs))
		return false;
	if (version == 2)
		return strcmp(type, "cgroup2") == 0;
	return strcmp(type, "cgroup") == 0 && options && text_has_word(options, "blkio", ',');
}

/* A group by its path for the sysroot door; `top` is the length of its mount's part. */
struct place {
	char *path;
	size_t top;
};

static void place_free(struct place *place)
{
	free(place->path);
}

static int open_group(const struct sysroot *root, const char *path)
{
	int fd = openat(root->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

/* The first mount of the hierarchy through which our own group, `own`, can be reached. */
static int place_in_mounts(const struct sysroot *root, const struct mount_table *table, int version,
	const char *own, struct place *ret)
{
	struct libmnt_fs *fs;
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	int found = -ENOENT;

	while (found != 0 && iter && mnt_table_next_fs(table->libmount, iter, &fs) == 0) {
		const char *below = mount_fits(fs, version)
			? cgroup_path_below(own, mnt_fs_get_root(fs))
			: NULL;
		const char *target = mnt_fs_get_target(fs);
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;

		if (!below || target[0] != '/')
			continue;
		path = xasprintf("%s%s", target + 1, below);
		fd = open_group(root, path);
		if (fd < 0)
			continue;
		*ret = (struct place){ take_pointer(path), strlen(target + 1) };
		found = 0;
	}
	mnt_free_iter(iter);
	return found;
}

/* -ENOENT: this hierarchy is not there, or our group cannot be seen from here. */
static int place_find(const struct sysroot *root, int version, struct place *ret)
{
	_cleanup_free_ char *groups = NULL, *own = NULL;
	_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &groups, NULL, "proc/self/cgroup") < 0)
		return -ENOENT;
	own = cgroup_own_path(groups, version, "blkio");
	if (!own || !path_is_clean(own))
		return -ENOENT;
	if (mount_table_read(root, "proc/self/mountinfo", &table) < 0)
		return -ENOENT;
	return place_in_mounts(root, &table, version, own, ret);
}

/* An empty or missing attribute limits nothing; one that cannot be read may. */
static bool attribute_limits(
	const struct sysroot *root, const char *group, const char *name, bool max_is_none)
{
	_cleanup_free_ char *value = NULL;
	int r = sysroot_read_line(root, &value, "%s/%s", group, name);

	if (r == -ENOENT || r == -ENODATA)
		return false;
	return r < 0 || !max_is_none ||
		(strcmp(value, "max") != 0 && strncmp(value, "max ", 4) != 0);
}

/* The first limit that a process would escape by leaving this group; NULL: none. */
static const char *v2_limit(const struct sysroot *root, const char *group)
{
	static const struct {
		const char *name;
		bool max_is_none;
	} limit[] = {
		{ "memory.max", true },
		{ "memory.high", true },
		{ "memory.swap.max", true },
		{ "cpu.max", true },
		{ "io.max", false },
		{ "io.latency", false },
		{ "cpuset.cpus", false },
		{ "cpuset.mems", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limit); i++)
		if (attribute_limits(root, group, limit[i].name, limit[i].max_is_none))
			return limit[i].name;
	return NULL;
}

static const char *v1_limit(const struct sysroot *root, const char *group)
{
	static const char *const limit[] = { "blkio.throttle.read_bps_device",
		"blkio.throttle.write_bps_device", "blkio.throttle.read_iops_device",
		"blkio.throttle.write_iops_device" };

	for (size_t i = 0; i < ARRAY_SIZE(limit); i++)
		if (attribute_limits(root, group, limit[i], false))
			return limit[i];
	return NULL;
}

static int refuse_limited(struct error *error, const char *group, const char *limit)
{
	return error_set(error, EBUSY,
		"our cgroup /%s has a limit (%s) that a cgroup of our own would escape; run "
		"outside it",
		group, limit);
}

static int v1_home(const struct sysroot *root, const struct place *own, bool any,
	struct cgroup_home *ret, struct error *error)
{
	struct cgroup_home home = { .version = 1, .pids_max = UINT64_MAX };
	const char *limit = any ? NULL : v1_limit(root, own->path);

	if (limit)
		return refuse_limited(error, own->path, limit);
	home.own_fd = open_group(root, own->path);
	home.base_fd = open_group(root, own->path);
	if (home.own_fd < 0 || home.base_fd < 0) {
		cgroup_home_close(&home);
		return error_set(error, ENOENT, "cannot open our blkio cgroup /%s", own->path);
	}
	*ret = home;
	return 0;
}

/* Only the true root has no cgroup.type; a namespace's root has one. */
static bool v2_is_root(const struct sysroot *root, const char *group)
{
	return !sysroot_exists(root, "%s/cgroup.type", group);
}

static bool v2_hands_out_io(const struct sysroot *root, const char *group)
{
	_cleanup_free_ char *value = NULL;

	return sysroot_read_line(root, &value, "%s/cgroup.subtree_control", group) == 0 &&
		text_has_word(value, "io", ' ');
}

static bool v2_lacks_io(const struct sysroot *root, const char *group)
{
	_cleanup_free_ char *value = NULL;
	int r = sysroot_read_line(root, &value, "%s/cgroup.controllers", group);

	return r == -ENODATA || (r == 0 && !text_has_word(value, "io", ' '));
}

/* Nobody can hand out what the hierarchy does not have. */
static int refuse_root(const struct sysroot *root, const char *path, struct error *error)
{
	if (v2_lacks_io(root, path))
		return error_set(error, ENOENT,
			"the cgroup hierarchy at /%s has no io controller: v1's blkio has it and "
			"is not mounted here, or the kernel lacks it",
			path);
	return error_set(error, ENOENT,
		"no cgroup above us hands out the io controller; as root, outside any container: "
		"echo +io > /%s/cgroup.subtree_control",
		path);
}

static void v2_pids(const struct sysroot *root, const char *group, uint64_t *strictest)
{
	uint64_t value;

	if (sysroot_read_u64(root, &value, "%s/pids.max", group) == 0) /* "max" is no number */
		*strictest = MIN(*strictest, value);
}

/* Cuts `path` to the nearest group above it (or the root itself) that hands out io. */
static int v2_climb(const struct sysroot *root, char *path, size_t top, bool any,
	uint64_t *pids_max, struct error *error)
{
	while (!(v2_is_root(root, path) && v2_hands_out_io(root, path))) {
		const char *limit = any ? NULL : v2_limit(root, path);
		char *slash = strrchr(path, '/');

		if (v2_is_root(root, path))
			return refuse_root(root, path, error);
		if (limit)
			return refuse_limited(error, path, limit);
		if (!slash || slash < path + top)
			return error_set(error, ENOENT,
				"the cgroups above this container's are hidden; run it with "
				"--cgroupns=host and /sys/fs/cgroup writable (--privileged)");
		v2_pids(root, path, pids_max);
		*slash = '\0';
		if (v2_hands_out_io(root, path))
			break;
	}
	return 0;
}

static int v2_home(const struct sysroot *root, const struct place *own, bool any,
	struct cgroup_home *ret, struct error *error)
{
	struct cgroup_home home = { .version = 2, .pids_max = UINT64_MAX };
	_cleanup_free_ char *base = xstrdup(own->path);
	int r = v2_climb(root, base, own->top, any, &home.pids_max, error);

	if (r < 0)
		return r;
	home.own_fd = open_group(root, own->path);
	home.base_fd = open_group(root, base);
	if (home.own_fd < 0 || home.base_fd < 0) {
		cgroup_home_close(&home);
		return error_set(error, ENOENT, "cannot open the cgroup /%s", base);
	}
	*ret = home;
	return 0;
}

static int home_find(
	const struct sysroot *root, bool any, struct cgroup_home *ret, struct error *error)
{
	_cleanup_(place_free) struct place own = { 0 };

	if (!root->live)
		return error_set(error, EOPNOTSUPP, "a recorded machine has no cgroup to enter");
	if (place_find(root, 1, &own) == 0)
		return v1_home(root, &own, any, ret, error);
	if (place_find(root, 2, &own) == 0)
		return v2_home(root, &own, any, ret, error);
	return error_set(error, ENOENT,
		"no cgroup that counts block I/O (v1 blkio, v2 io) is visible; mount "
		"/sys/fs/cgroup");
}

int cgroup_home_find(const struct sysroot *root, struct cgroup_home *ret, struct error *error)
{
	return home_find(root, false, ret, error);
}

int cgroup_home_find_any(const struct sysroot *root, struct cgroup_home *ret)
{
	return home_find(root, true, ret, NULL);
}
