// SPDX-License-Identifier: GPL-2.0-or-later
/* Filesystems on raw flash memory: an MTD or UBI device is no block device, and counts nothing. */
#include <string.h>

#include "probes/stack/stack_walk.h"

struct flash_type {
	const char *type;
	bool compresses; /* unless told otherwise */
};

/* Documentation/filesystems/ubifs.rst, fs/jffs2/compr.c of the kernel. */
static const struct flash_type types[] = {
	{ "ubifs", true },
	{ "jffs2", true },
	{ "yaffs", false },
	{ "yaffs2", false },
};

static int probe_flash(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);

	if (layer->kind != LAYER_FS)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(types[i].type, layer->type) != 0)
			continue;
		if (types[i].compresses && layer_trait(layer, TRAIT_ELIDES_DATA) == ANSWER_UNKNOWN)
			layer_set_trait(layer, TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_INFERRED,
				"filesystem type %s compresses by default", types[i].type);
		walk_push_hidden(walk, index, "raw flash memory %s, which has no counters",
			layer->source ? layer->source : "without a name");
		return 1;
	}
	return 0;
}

static const struct layer_probe flash_filesystem = {
	.head = { .id = "flash", .summary = "UBIFS, JFFS2 and YAFFS on raw flash memory" },
	.probe = probe_flash,
};
LAYER_PROBE_REGISTER(flash_filesystem);
