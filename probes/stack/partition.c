// SPDX-License-Identifier: GPL-2.0-or-later
/* Partitions, of whatever can have them: disks, loop devices, md arrays. */
#include "probes/stack/block_sysfs.h"
#include "probes/stack/stack_walk.h"

static int probe_partition(struct stack_walk *walk, size_t index)
{
	const struct sysroot *root = walk_root(walk);
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *parent = NULL;
	dev_t disk;
	int r;

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs ||
		!sysroot_exists(root, "%s/partition", layer->sysfs))
		return 0;
	layer->kind = LAYER_PART;
	free(layer->type);
	layer->type = xstrdup("partition");
	parent = xasprintf("%s/..", layer->sysfs);
	r = block_read_dev(root, parent, &disk);
	if (r == 0)
		r = walk_push_device(walk, index, disk);
	return r < 0 ? r : 1;
}

static const struct layer_probe partition = {
	.head = { .id = "partition", .order = -5, .summary = "partitions, down to the whole disk" },
	.probe = probe_partition,
};
LAYER_PROBE_REGISTER(partition);
