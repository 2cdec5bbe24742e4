/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_CGROUP_PATH_H
#define IOPROOF_CGROUP_PATH_H

/* Where a process is in a cgroup hierarchy, from texts alone (cgroups(7)). */

#include "core/base.h"

/*
 * The path in /proc/self/cgroup: of the v1 hierarchy with this controller ("4:cpu,memory:/path"),
 * or with version 2 of the unified one ("0::/path"); malloc'ed. NULL: no such line.
 */
char *cgroup_own_path(const char *text, int version, const char *controller);

/* "/docker/abc/x" below a mount of "/docker/abc" is "/x"; the mount's root is "". NULL: outside. */
const char *cgroup_path_below(const char *path, const char *mount_root);

#endif
