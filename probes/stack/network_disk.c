// SPDX-License-Identifier: GPL-2.0-or-later
/* Block devices that a server, or a process of this machine, answers. */
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/stack_walk.h"

struct served_disk {
	const char *prefix; /* of the kernel's name, before a number */
	unsigned major;     /* 0: dynamic */
	const char *type;
	const char *beneath;
};

/* Documentation/admin-guide/devices.txt for the numbers. */
static const struct served_disk disks[] = {
	{ "nbd", 43, "nbd", "NBD server" },
	{ "rbd", 0, "rbd", "Ceph cluster" },
	{ "drbd", 147, "drbd", "peer of the DRBD resource" },
	{ "rnbd", 0, "rnbd", "RNBD server" },
	{ "ublkb", 0, "ublk", "ublk server process" },
};

static const struct served_disk *find_disk(const struct layer *layer)
{
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
		const struct served_disk *row = &disks[i];
		const char *rest = layer->name + strlen(row->prefix);

		if (strncmp(layer->name, row->prefix, strlen(row->prefix)) == 0 && *rest &&
			!rest[strspn(rest, "0123456789")] &&
			(!row->major || row->major == major(layer->device)))
			return row;
	}
	return NULL;
}

static int probe_network_disk(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	const struct served_disk *row;

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs)
		return 0;
	row = find_disk(layer);
	if (!row)
		return 0;
	layer->kind = LAYER_DISK;
	free(layer->type);
	layer->type = xstrdup(row->type);
	layer_set_trait(layer, TRAIT_VIRTUAL, ANSWER_YES, KNOWN_DECLARED, "%s is a %s device",
		layer->sysfs, row->type);
	/* DRBD holds a disk of this machine too, unless it is diskless */
	(void)walk_push_slaves(walk, index);
	walk_push_layer(walk, index, LAYER_REMOTE, row->type, row->beneath);
	return 1;
}

static const struct layer_probe network_disk = {
	.head = { .id = "network-disk",
		.summary = "NBD, RBD and other disks that a server answers" },
	.probe = probe_network_disk,
};
LAYER_PROBE_REGISTER(network_disk);
