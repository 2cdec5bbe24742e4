/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RUN_NAME_H
#define IOPROOF_RUN_NAME_H

/*
 * Names of what a run makes beside files (a cgroup, a tracing instance): "ioproof.PID.STARTTIME",
 * so that a later run can tell whose they are. STARTTIME is field 22 of /proc/PID/stat (proc(5)).
 */

#include "core/sysroot.h"

/* Of this process; malloc'ed. */
int run_name_own(const struct sysroot *root, char **ret);
/*
 * Removes the directories in dirfd that have such a name and whose process is gone; any doubt
 * leaves one alone. For kernel filesystems, whose directories go with what the kernel put in them.
 */
void run_name_collect(const struct sysroot *root, int dirfd);

#endif
