/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_PRIVATE_CGROUP_H
#define IOPROOF_PRIVATE_CGROUP_H

/*
 * A cgroup of our own, so that block I/O is known to be ours: v1 `blkio.throttle.io_service_bytes`
 * and `io_serviced`, v2 `io.stat` (Documentation/admin-guide/cgroup-v1/blkio-controller.rst,
 * cgroup-v2.rst). It works through direct-I/O loop devices. What a buffered one writes to its
 * backing file is mostly charged to nobody: "none of ours" proves nothing there for writes.
 *
 * v1: a child of our own blkio group. v2: a sibling of our group or of one above it. Only where no
 * limit is escaped by it.
 *
 * The group is removed on close; after SIGKILL by the guardian; when both died, by the next run.
 */

#include "core/guardian.h"
#include "core/sysroot.h"
#include "model/ledger.h"

struct private_cgroup;

/*
 * Makes the group and moves this process into it. Failure is normal (no privilege, read-only
 * cgroupfs, no controller) and `error` says what would lift it.
 */
int private_cgroup_enter(const struct sysroot *root, struct guardian *guardian,
	struct private_cgroup **ret, struct error *error);
/*
 * Our transfers at a device since the group was made; all zero for a device that it has not used.
 * v1 must be seen to count first: -ENODATA before any I/O of the group was counted at any device
 * (witnesses_calibrate() sees to it), and the first reading of a device starts its counting, so
 * read once before the interval. Other errors: not counted (partitions are not: ask for the disk).
 */
int private_cgroup_read(const struct private_cgroup *cgroup, dev_t device, struct transfer *ret);
/* Moves back and removes the group. NULL is fine. */
void private_cgroup_leave(struct private_cgroup *cgroup);
/* Removes groups of runs that are dead (name carries pid and start time). */
void private_cgroup_collect(const struct sysroot *root);

#endif
