// SPDX-License-Identifier: GPL-2.0-or-later
/* bcachefs: the source names every device, "/dev/sda1:/dev/sdb1". */
#include <string.h>

#include "probes/stack/stack_walk.h"

static void push_member(struct stack_walk *walk, size_t index, const char *node)
{
	dev_t device;
	int r = walk_find_device(walk_root(walk), node, &device);

	if (r == 0)
		r = walk_push_device(walk, index, device);
	if (r < 0)
		walk_push_hidden(walk, index, "bcachefs device %s", node);
}

static int probe_bcachefs(struct stack_walk *walk, size_t index)
{
	const struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *source = NULL;
	char *rest, *node;

	if (layer->kind != LAYER_FS || strcmp(layer->type, "bcachefs") != 0)
		return 0;
	source = xstrdup(layer->source ? layer->source : "");
	if (!*source)
		walk_push_hidden(walk, index, "devices of bcachefs");
	for (rest = source; (node = strsep(&rest, ":"));)
		if (*node)
			push_member(walk, index, node);
	return 1;
}

static const struct layer_probe bcachefs = {
	.head = { .id = "bcachefs", .summary = "bcachefs with all of its devices" },
	.probe = probe_bcachefs,
};
LAYER_PROBE_REGISTER(bcachefs);
