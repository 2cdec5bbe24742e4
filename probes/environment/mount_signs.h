/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_MOUNT_SIGNS_H
#define IOPROOF_MOUNT_SIGNS_H

/*
 * The few lines of /proc/self/mountinfo (proc_pid_mountinfo(5)) that say where this process lives:
 * the root mount, what lies on /dev, /proc, /sys and cgroup directories, and files that container
 * engines bind. One pass over the text: a table of 50,000 other mounts costs no memory here.
 */

#include "core/sysroot.h"

struct mount_sign {
	char *root;    /* field 4, unescaped */
	char *point;   /* field 5, unescaped */
	char *type;    /* "overlay" */
	char *source;  /* unescaped */
	char *options; /* of the superblock, as written */
};

struct mount_signs {
	bool known;
	struct mount_sign *item;
	size_t count;
};

/* What sysroot_read() says; lines that do not parse are left out. */
int mount_signs_read(const struct sysroot *root, struct mount_signs *ret);
void mount_signs_free(struct mount_signs *signs);

/* The mount that is seen at this point, the last one of several; NULL: none. */
const struct mount_sign *mount_sign_at(const struct mount_signs *signs, const char *point);

#endif
