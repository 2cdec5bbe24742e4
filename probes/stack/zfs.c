// SPDX-License-Identifier: GPL-2.0-or-later
/* ZFS: the source is the dataset, its first part the pool; the kernel shows no devices beneath. */
#include <string.h>

#include "probes/stack/stack_walk.h"

static int probe_zfs(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *dataset = NULL;
	_cleanup_free_ char *pool = NULL;
	size_t at;

	if (layer->kind != LAYER_FS || strcmp(layer->type, "zfs") != 0)
		return 0;
	dataset = xstrdup(layer->source ? layer->source : "");
	pool = xstrndup(dataset, strcspn(dataset, "/@"));
	layer_set_trait(layer, TRAIT_CACHES_READS, ANSWER_YES, KNOWN_DECLARED,
		"filesystem type zfs: the ARC is a cache of its own");
	at = walk_push_layer(walk, index, LAYER_DATASET, "zfs", dataset);
	at = walk_push_layer(walk, at, LAYER_POOL, "zfs", pool);
	walk_push_hidden(walk, at, "devices of the pool %s", pool);
	return 1;
}

/* A volume of a pool, /dev/zdN: its dataset is known by links of udev's only. */
static int probe_zvol(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs || strncmp(layer->name, "zd", 2) != 0 ||
		!layer->name[2] || layer->name[2 + strspn(layer->name + 2, "0123456789")])
		return 0;
	layer->kind = LAYER_DATASET;
	free(layer->type);
	layer->type = xstrdup("zvol");
	layer_set_trait(layer, TRAIT_CACHES_READS, ANSWER_YES, KNOWN_DECLARED,
		"%s is a ZFS volume: the ARC is a cache of its own", layer->sysfs);
	walk_push_hidden(walk, index, "devices of a ZFS pool");
	return 1;
}

static const struct layer_probe zvol = {
	.head = { .id = "zvol", .summary = "ZFS volumes" },
	.probe = probe_zvol,
};
LAYER_PROBE_REGISTER(zvol);

static const struct layer_probe zfs = {
	.head = { .id = "zfs", .summary = "ZFS datasets and their pool" },
	.probe = probe_zfs,
};
LAYER_PROBE_REGISTER(zfs);
