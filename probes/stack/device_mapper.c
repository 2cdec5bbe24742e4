// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device-mapper. Which subsystem made a device is the prefix of dm/uuid (lvm2, cryptsetup); a
 * device without one is a mapping of somebody's own. What it stands on is in slaves/.
 */
#include <string.h>

#include "probes/stack/stack_walk.h"

struct uuid_prefix {
	const char *prefix;
	enum layer_kind kind;
	const char *type;
};

static const struct uuid_prefix prefixes[] = {
	{ "LVM-", LAYER_LVM, "lvm" },
	{ "CRYPT-VERITY-", LAYER_DM, "verity" },
	{ "CRYPT-INTEGRITY-", LAYER_DM, "integrity" },
	{ "CRYPT-", LAYER_CRYPT, "crypt" },
	{ "mpath-", LAYER_DM, "multipath" },
	{ "DMRAID-", LAYER_DM, "dmraid" },
};

static void set_kind(struct layer *layer, const char *uuid, const char *name)
{
	const struct uuid_prefix *found = NULL;
	char *shown = xasprintf("%s(%s)", name ? name : "", layer->name);

	for (size_t i = 0; uuid && i < ARRAY_SIZE(prefixes) && !found; i++)
		if (strncmp(uuid, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
			found = &prefixes[i];
	layer->kind = found ? found->kind : LAYER_DM;
	free(layer->type);
	layer->type = xstrdup(found ? found->type : "device-mapper");
	free(layer->name);
	layer->name = shown;
}

static int probe_device_mapper(struct stack_walk *walk, size_t index)
{
	const struct sysroot *root = walk_root(walk);
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *uuid = NULL;
	_cleanup_free_ char *name = NULL;
	int r;

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs ||
		!sysroot_exists(root, "%s/dm", layer->sysfs))
		return 0;
	(void)sysroot_read_line(root, &uuid, "%s/dm/uuid", layer->sysfs);
	(void)sysroot_read_line(root, &name, "%s/dm/name", layer->sysfs);
	set_kind(layer, uuid, name);
	r = walk_push_slaves(walk, index);
	return r < 0 ? r : 1;
}

static const struct layer_probe device_mapper = {
	.head = { .id = "device-mapper", .summary = "LVM, dm-crypt and other mappings" },
	.probe = probe_device_mapper,
};
LAYER_PROBE_REGISTER(device_mapper);
