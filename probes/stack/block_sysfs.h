/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_BLOCK_SYSFS_H
#define IOPROOF_BLOCK_SYSFS_H

/* Block devices in sysfs (Documentation/ABI/stable/sysfs-block). */

#include "core/sysroot.h"
#include "model/stack.h"

/* "8:1" of an attribute `dev`. */
int block_read_dev(const struct sysroot *root, const char *sysfs, dev_t *ret);
/* Size and the traits that the queue declares, of a layer with device and sysfs. */
void block_read_attributes(const struct sysroot *root, struct layer *layer);

#endif
