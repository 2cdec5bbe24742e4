// SPDX-License-Identifier: GPL-2.0-or-later
/* A mount that shows a part of its filesystem: a bind mount, a btrfs subvolume, or both. */
#include "probes/stack/stack_walk.h"

static int probe_bind(struct stack_walk *walk, size_t index)
{
	enum layer_kind kind = walk_layer(walk, index)->kind;

	if (kind != LAYER_BIND && kind != LAYER_SUBVOL)
		return 0;
	walk_push_same_mount(walk, index);
	return 1;
}

static const struct layer_probe bind = {
	.head = { .id = "bind", .order = -10, .summary = "bind mounts and btrfs subvolumes" },
	.probe = probe_bind,
};
LAYER_PROBE_REGISTER(bind);
