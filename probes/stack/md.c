// SPDX-License-Identifier: GPL-2.0-or-later
/* md arrays: level from md/level (Documentation/admin-guide/md.rst), members from slaves/. */
#include <string.h>

#include "probes/stack/stack_walk.h"

static int probe_md(struct stack_walk *walk, size_t index)
{
	const struct sysroot *root = walk_root(walk);
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *level = NULL;
	char *shown;
	int r;

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs ||
		!sysroot_exists(root, "%s/md", layer->sysfs))
		return 0;
	if (sysroot_read_line(root, &level, "%s/md/level", layer->sysfs) < 0)
		level = xstrdup("unknown level");
	layer->kind = LAYER_MD;
	shown = xasprintf("%s(%s)", layer->name, level);
	free(layer->name);
	layer->name = shown;
	free(layer->type);
	layer->type = take_pointer(level);
	if (strcmp(layer->type, "faulty") == 0)
		layer_set_trait(layer, TRAIT_ALTERS_IO, ANSWER_YES, KNOWN_DECLARED,
			"%s/md/level = faulty", layer->sysfs);
	r = walk_push_slaves(walk, index);
	return r < 0 ? r : 1;
}

static const struct layer_probe md = {
	.head = { .id = "md", .summary = "Linux software RAID" },
	.probe = probe_md,
};
LAYER_PROBE_REGISTER(md);
