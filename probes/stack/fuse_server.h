/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FUSE_SERVER_H
#define IOPROOF_FUSE_SERVER_H

/*
 * Which process answers for a FUSE mount. The kernel says which connection a descriptor of
 * /dev/fuse carries (`fuse_connection` in /proc/PID/fdinfo/FD, the number of the mount's
 * superblock); before it did, a holder of /dev/fuse whose command line names the mount point is
 * taken for it.
 */

#include "core/sysroot.h"
#include "model/stack.h"

/*
 * Fills in the server of a FUSE mount with this number (field 3 of mountinfo). Where every process
 * could be looked at and none is it, only `server_source` is set and says so; else nothing is.
 */
void fuse_server_find(const struct sysroot *root, dev_t device, struct layer *layer);

#endif
