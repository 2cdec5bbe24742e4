/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_VIRTUAL_DISK_H
#define IOPROOF_VIRTUAL_DISK_H

/* Is a whole disk served by something outside this machine, and by what? */

#include "core/sysroot.h"
#include "model/stack.h"

struct virtual_disk {
	enum layer_kind kind; /* LAYER_CLOUD or LAYER_HIDDEN: what stands beneath */
	const char *what;     /* static */
	char *source;         /* the evidence: "sys/block/sda/device/model = QEMU HARDDISK" */
};

/* -ENOENT: nothing says that it is virtual (which does not prove that it is not). */
int virtual_disk_find(
	const struct sysroot *root, const struct layer *layer, struct virtual_disk *ret);

#endif
