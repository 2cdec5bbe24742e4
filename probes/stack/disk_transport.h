/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_DISK_TRANSPORT_H
#define IOPROOF_DISK_TRANSPORT_H

/*
 * How a disk is reached: the driver of its SCSI host or NVMe controller, and whether a network lies
 * between (iSCSI, Fibre Channel, NVMe over fabrics).
 */

#include "core/sysroot.h"

/* "virtio_blk", "ahci", "usb-storage", "nvme"; malloc'ed; NULL: the kernel does not say. */
char *disk_driver(const struct sysroot *root, const char *sysfs);

struct disk_remote {
	char *what;   /* "iSCSI target iqn.2003-01.org.example:disk1" */
	char *source; /* the evidence, as it was read */
};

/* -ENOENT: nothing says that a network lies between. */
int disk_remote_find(const struct sysroot *root, const char *sysfs, struct disk_remote *ret);

#endif
