/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_BLOCK_STAT_H
#define IOPROOF_BLOCK_STAT_H

/*
 * One block device's `stat` in sysfs (Documentation/block/stat.rst): 11 fields at first, 15 with
 * discards (4.18), 17 with flushes (5.5). Sectors are 512 bytes whatever the device's are.
 */

#include "core/sysroot.h"
#include "model/ledger.h"

struct block_stat {
	struct transfer transfer;
	bool has_flushes; /* the kernel shows field 16; whether it counts is another question */
	uint64_t flushes;
};

/* -EINVAL: fewer than 11 numbers, or something else among them. */
int block_stat_parse(const char *text, struct block_stat *ret);
/* sysfs as in struct layer: "sys/block/vda". Errors as sysroot_read_line() and -EINVAL. */
int block_stat_read(const struct sysroot *root, const char *sysfs, struct block_stat *ret);

#endif
