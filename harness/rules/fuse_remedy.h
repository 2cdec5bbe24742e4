/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FUSE_REMEDY_H
#define IOPROOF_FUSE_REMEDY_H

/* What helps against a FUSE server's own cache, with the names of this machine. */

#include "rules/rules.h"

/* "bindfs", "ntfs-3g": by the mount's type, or by the name of the process that answers. */
bool fuse_served_by(const struct layer *fuse, const char *name);
/* Leaves the kind's remedy where the mount's source names no path. NULL: no FUSE layer. */
void fuse_remedy(const struct layer *fuse, struct finding *finding);

#endif
