// SPDX-License-Identifier: GPL-2.0-or-later
/* bcache: the backing device and the cache set's devices stand in slaves/. */
#include <string.h>

#include "probes/stack/stack_walk.h"

static int probe_bcache(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *mode = NULL;
	int r;

	/* `bcache` is also a directory of the member disks, whose own name differs */
	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs ||
		!sysroot_exists(walk_root(walk), "sys/block/%s/bcache/cache_mode", layer->name) ||
		!sysroot_exists(walk_root(walk), "%s/slaves", layer->sysfs))
		return 0;
	layer->kind = LAYER_BCACHE;
	free(layer->type);
	layer->type = xstrdup("bcache");
	/* "writethrough [writeback] writearound none", Documentation/admin-guide/bcache.rst */
	(void)sysroot_read_line(
		walk_root(walk), &mode, "sys/block/%s/bcache/cache_mode", layer->name);
	layer_set_trait(layer, TRAIT_CACHES_READS,
		mode && strstr(mode, "[none]") ? ANSWER_NO : ANSWER_YES, KNOWN_DECLARED,
		"%s is a bcache device, cache_mode %s", layer->sysfs, mode ? mode : "unknown");
	r = walk_push_slaves(walk, index);
	return r < 0 ? r : 1;
}

static const struct layer_probe bcache = {
	.head = { .id = "bcache", .summary = "bcache, with its backing and cache devices" },
	.probe = probe_bcache,
};
LAYER_PROBE_REGISTER(bcache);
