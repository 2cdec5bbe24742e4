// SPDX-License-Identifier: GPL-2.0-or-later
/* What of each block layer's transfers was ours, by the private cgroup. */
#include <sys/sysmacros.h>

#include "probes/witnesses/witness.h"

/* The kernel counts by whole disk: "sys/class/block/vda1/.." is the disk's directory. */
static int disk_device(const struct witness_view *view, const struct layer *layer, dev_t *ret)
{
	_cleanup_free_ char *text = NULL;
	unsigned major_number, minor_number;
	int r;

	if (layer->kind != LAYER_PART) {
		*ret = layer->device;
		return layer->device != 0 ? 0 : -ENODATA;
	}
	if (!layer->sysfs)
		return -ENODATA;
	r = sysroot_read_line(view->root, &text, "%s/../dev", layer->sysfs);
	if (r < 0)
		return r;
	if (sscanf(text, "%u:%u", &major_number, &minor_number) != 2)
		return -EINVAL;
	*ret = makedev(major_number, minor_number);
	return 0;
}

/* With two partitions of a disk in the stack, the disk's bytes cannot be told apart. */
static bool shares_disk(const struct witness_view *view, size_t index, dev_t disk)
{
	for (size_t i = 0; i < view->stack->count; i++) {
		const struct layer *other = &view->stack->layer[i];
		dev_t device;

		if (i != index && other->kind == LAYER_PART &&
			other->device != view->stack->layer[index].device &&
			disk_device(view, other, &device) == 0 && device == disk)
			return true;
	}
	return false;
}

static void read_ours(const struct witness_view *view, struct reading *reading)
{
	if (!view->cgroup)
		return;
	for (size_t i = 0; i < view->stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *layer = &view->stack->layer[i];
		struct transfer ours;
		dev_t disk;

		if (!layer_is_block(layer) || disk_device(view, layer, &disk) < 0 ||
			(layer->kind == LAYER_PART && shares_disk(view, i, disk)) ||
			private_cgroup_read(view->cgroup, disk, &ours) < 0)
			continue;
		reading->layer[i].ours_known = true;
		reading->layer[i].ours = ours;
	}
}

static const struct witness own_bytes = {
	.head = { .id = "own-bytes",
		.summary = "this run's share of each block layer's transfers" },
	.read = read_ours,
};
REGISTER(witnesses, own_bytes);
