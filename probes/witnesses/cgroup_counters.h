/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_CGROUP_COUNTERS_H
#define IOPROOF_CGROUP_COUNTERS_H

/*
 * What a cgroup's files say of one device. Pure.
 *
 * v1 (cgroup-v1/blkio-controller.rst): "8:0 Read 4096" and "8:0 Write 0" lines, bytes in one file
 * and I/Os in another. v2 (cgroup-v2.rst, io.stat): "8:0 rbytes=4096 wbytes=0 rios=1 wios=0 ...".
 * A device that the group has not used has no line, or zeros in it.
 */

#include "model/ledger.h"

struct cgroup_pair {
	uint64_t read, write;
};

/* -ENOENT: no line of this device. -EINVAL: a line of it that is not understood. */
int cgroup_v1_parse(const char *text, dev_t device, struct cgroup_pair *ret);
/* Whether anything was counted at any device: by the last line, "Total 4096". */
bool cgroup_v1_counts(const char *text);
int cgroup_v2_parse(const char *text, dev_t device, struct transfer *ret);

#endif
