// SPDX-License-Identifier: GPL-2.0-or-later
/* Block devices whose store is this machine's memory. */
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/stack_walk.h"

#define RAM_MAJOR 1

static const char *memory_type(const struct layer *layer)
{
	if (strncmp(layer->name, "zram", 4) == 0)
		return "zram"; /* Documentation/admin-guide/blockdev/zram.rst */
	if (strncmp(layer->name, "ram", 3) == 0 && major(layer->device) == RAM_MAJOR)
		return "ram"; /* brd */
	if (strncmp(layer->name, "nullb", 5) == 0)
		return "null_blk"; /* in memory, or nowhere at all */
	return NULL;
}

static int probe_memory_disk(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	const char *type;

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs)
		return 0;
	type = memory_type(layer);
	if (!type)
		return 0;
	layer->kind = LAYER_MEMORY;
	free(layer->type);
	layer->type = xstrdup(type);
	layer_set_trait(layer, TRAIT_IN_MEMORY, ANSWER_YES, KNOWN_DECLARED, "%s is a %s device",
		layer->sysfs, type);
	if (strcmp(type, "zram") == 0)
		layer_set_trait(layer, TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_DECLARED,
			"%s is a zram device: it compresses", layer->sysfs);
	return 1;
}

static const struct layer_probe memory_disk = {
	.head = { .id = "memory-disk", .summary = "zram, RAM disks and null_blk" },
	.probe = probe_memory_disk,
};
LAYER_PROBE_REGISTER(memory_disk);
