/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_CGROUP_HOME_H
#define IOPROOF_CGROUP_HOME_H

/* Where we are in the cgroup tree that counts block I/O, and where a group of ours may be made. */

#include "core/sysroot.h"

struct cgroup_home {
	int version;       /* 1 or 2 */
	int own_fd;        /* our group's directory */
	int base_fd;       /* the directory that a private group is made in */
	uint64_t pids_max; /* the strictest limit above us, carried along; UINT64_MAX: none */
};

#define CGROUP_HOME_NONE                                                                           \
	{                                                                                          \
		.own_fd = -1, .base_fd = -1                                                        \
	}

/*
 * v1: base is our own blkio group; -EBUSY when it is throttled, since v1 throttles are not
 * inherited and a child would run faster than we may. v2: base is the nearest group above us that
 * hands the io controller to its children (processes and children do not mix in v2, so it cannot be
 * our own unless that is the root); -EBUSY when a group that we would leave carries a limit. The
 * limit on tasks is no such obstacle: systemd sets one everywhere, and it can be carried along.
 *
 * -EOPNOTSUPP: a record. -ENOENT: no controller, or not visible from here. error says what would
 * lift it.
 */
int cgroup_home_find(const struct sysroot *root, struct cgroup_home *ret, struct error *error);
/* The same without asking for limits: for removing what dead runs left. */
int cgroup_home_find_any(const struct sysroot *root, struct cgroup_home *ret);
void cgroup_home_close(struct cgroup_home *home);

#endif
