// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/environment/cgroup_limits.h"

#include <string.h>

#include "core/cgroup_path.h"
#include "core/text.h"

/* Deeper trees are not walked: each step is a file. */
#define DEPTH_MAX 32

static bool mount_fits(const struct mount_sign *mount, const char *controller, int version)
{
	if (version == 2)
		return strcmp(mount->type, "cgroup2") == 0;
	return strcmp(mount->type, "cgroup") == 0 && text_has_word(mount->options, controller, ',');
}

/* Our group's directory and how much of it is the mount point; NULL: it cannot be seen. */
static char *own_directory(
	const struct environment_sources *sources, const char *controller, int version, size_t *top)
{
	_cleanup_free_ char *own = cgroup_own_path(sources->cgroup, version, controller);
	const struct mount_signs *mounts = &sources->mounts;

	if (!own || strstr(own, "/../"))
		return NULL;
	for (size_t i = 0; i < mounts->count; i++) {
		const struct mount_sign *mount = &mounts->item[i];
		const char *below = mount_fits(mount, controller, version)
			? cgroup_path_below(own, mount->root)
			: NULL;

		if (below && mount->point[0] == '/') {
			*top = strlen(mount->point) - 1;
			return xasprintf("%s%s", mount->point + 1, below);
		}
	}
	return NULL;
}

static void limit_lower(struct known_limit *limit, uint64_t value, const char *file)
{
	if (limit->set && limit->value <= value)
		return;
	free(limit->source);
	limit->set = true;
	limit->value = value;
	limit->source = xstrdup(file);
}

static void read_in(const struct sysroot *root, const struct cgroup_limit_kind *kind, int version,
	const char *directory, struct known_limit *ret)
{
	_cleanup_free_ char *text = NULL, *file = NULL;
	uint64_t value;

	file = xasprintf("%s/%s", directory, version == 1 ? kind->file_v1 : kind->file_v2);
	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "%s", file) < 0)
		return;
	ret->known = true;
	if (kind->parse(root, directory, version, text, &value))
		limit_lower(ret, value, file);
}

void cgroup_limit_read(const struct environment_sources *sources,
	const struct cgroup_limit_kind *kind, struct known_limit *ret)
{
	for (int version = 1; version <= 2 && !ret->known; version++) {
		size_t top = 0;
		_cleanup_free_ char *directory =
			own_directory(sources, kind->controller, version, &top);
		char *slash;

		for (unsigned depth = 0; directory && depth < DEPTH_MAX; depth++) {
			read_in(sources->root, kind, version, directory, ret);
			slash = strrchr(directory, '/');
			if (strlen(directory) <= top || !slash)
				break;
			*slash = '\0';
		}
		/* v2's root group has no limits, and no files for them. */
		if (version == 2 && directory)
			ret->known |=
				sysroot_exists(sources->root, "%s/cgroup.controllers", directory);
	}
}

char *cgroup_file_read(const struct environment_sources *sources, const char *controller,
	const char *file_v1, const char *file_v2, int *version)
{
	for (int v = 1; v <= 2; v++) {
		size_t top;
		_cleanup_free_ char *directory = own_directory(sources, controller, v, &top);
		char *text;

		if (directory &&
			sysroot_read(sources->root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "%s/%s",
				directory, v == 1 ? file_v1 : file_v2) == 0) {
			*version = v;
			return text;
		}
	}
	return NULL;
}
