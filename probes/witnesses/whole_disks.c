// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every whole disk of the machine, in the stack or not: where a layer hides what lies beneath it (a
 * FUSE server, an overlay on something unseen), its bytes still cross one of them.
 *
 * A device counts when something stands behind it that is not this machine itself: its link in
 * /sys/block does not lead below /sys/devices/virtual. That leaves out loop, device-mapper, md,
 * zram, ram, bcache and zvols, whose bytes are memory's or are counted again at a disk, and nbd and
 * ublk, whose server may be a process of this machine that answers from the page cache: counting
 * them would let a cached answer pass for a disk's. The heads of NVMe multipath are virtual too and
 * their paths are counted.
 */
#include <string.h>

#include "probes/witnesses/block_stat.h"
#include "probes/witnesses/witness.h"

/* On a record made without links the names must do. */
static bool name_is_virtual(const char *name)
{
	static const char *const prefix[] = { "loop", "dm-", "md", "zram", "ram", "nbd", "ublkb",
		"bcache", "drbd", "zd" };

	for (size_t i = 0; i < ARRAY_SIZE(prefix); i++) {
		size_t length = strlen(prefix[i]);

		if (strncmp(name, prefix[i], length) == 0 && name[length] >= '0' &&
			name[length] <= '9')
			return true;
	}
	return false;
}

static bool is_disk(const struct sysroot *root, const char *name)
{
	_cleanup_free_ char *link = NULL;

	if (name_is_virtual(name))
		return false;
	return sysroot_readlink(root, &link, "sys/block/%s", name) < 0 ||
		!strstr(link, "devices/virtual/");
}

static int disk_add(const struct sysroot *root, const char *name, struct transfer *sum)
{
	_cleanup_free_ char *sysfs = xasprintf("sys/block/%s", name);
	struct block_stat stat;
	int r = block_stat_read(root, sysfs, &stat);

	if (r < 0)
		return r;
	sum->reads += stat.transfer.reads;
	sum->read_bytes += stat.transfer.read_bytes;
	sum->writes += stat.transfer.writes;
	sum->write_bytes += stat.transfer.write_bytes;
	return 0;
}

/* One disk that cannot be read makes the sum unknown; so does a machine without disks. */
static void read_disks(const struct witness_view *view, struct reading *reading)
{
	_cleanup_(string_list_free) char **names = NULL;
	struct transfer sum = { 0 };
	size_t disks = 0;

	if (sysroot_list(view->root, &names, "sys/block") < 0)
		return;
	for (char **name = names; *name; name++) {
		if (!is_disk(view->root, *name))
			continue;
		if (disk_add(view->root, *name, &sum) < 0)
			return;
		disks++;
	}
	reading->machine.disks_known = disks > 0;
	reading->machine.disks = sum;
}

static const struct witness whole_disks = {
	.head = { .id = "whole-disks", .summary = "transfers of every whole disk together" },
	.read = read_disks,
};
REGISTER(witnesses, whole_disks);
