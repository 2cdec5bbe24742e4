// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Device-mapper. Which subsystem made a device is the prefix of dm/uuid (lvm2, cryptsetup); what
 * the mapping does stands in its table, which root may ask for. Without it the names that LVM gives
 * to the hidden parts of a volume tell. What it stands on is in slaves/.
 */
#include <string.h>

#include "probes/stack/dm_target.h"
#include "probes/stack/stack_walk.h"

struct uuid_prefix {
	const char *prefix;
	enum layer_kind kind;
	const char *type;
};

/* libdevmapper.h, cryptsetup, multipath-tools, kpartx, stratisd: each names its own. */
static const struct uuid_prefix prefixes[] = {
	{ "LVM-", LAYER_LVM, "lvm" },
	{ "CRYPT-VERITY-", LAYER_DM, "verity" },
	{ "CRYPT-INTEGRITY-", LAYER_DM, "integrity" },
	{ "CRYPT-SUBDEV-", LAYER_DM, "linear" },
	{ "CRYPT-", LAYER_CRYPT, "crypt" },
	{ "mpath-", LAYER_DM, "multipath" },
	{ "part", LAYER_DM, "partition" }, /* kpartx: "part1-mpath-..." */
	{ "DMRAID-", LAYER_DM, "dmraid" },
	{ "stratis-", LAYER_DM, "stratis" },
	{ "VDO-", LAYER_DM, "vdo" },
};

/* What the hidden parts beneath an LVM volume are called (lvm2, lib/metadata/lv_manip.c). */
struct part_suffix {
	const char *suffix, *type;
};

static const struct part_suffix parts[] = {
	{ "-tpool", "thin" },
	{ "_tdata", "thin-pool" },
	{ "_wcorig", "writecache" },
	{ "_corig", "cache" },
	{ "_rimage_0", "raid" },
	{ "_iorig", "integrity" },
	{ "_vdata", "vdo" },
	{ "-vpool", "vdo" },
	{ "-cow", "snapshot" },
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* malloc'ed; NULL: the parts have no name that says it. *source: where the name was read. */
static char *type_by_parts(const struct sysroot *root, const char *sysfs, char **source)
{
	_cleanup_(string_list_free) char **slaves = NULL;

	if (sysroot_list(root, &slaves, "%s/slaves", sysfs) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (char **slave = slaves; *slave; slave++) {
			_cleanup_free_ char *name = NULL;
			_cleanup_free_ char *path =
				xasprintf("%s/slaves/%s/dm/name", sysfs, *slave);

			if (sysroot_read_line(root, &name, "%s", path) < 0 ||
				!ends_with(name, parts[i].suffix))
				continue;
			*source = xasprintf("%s = %s", path, name);
			return xstrdup(parts[i].type);
		}
	return NULL;
}

static const struct uuid_prefix *find_prefix(const char *uuid)
{
	for (size_t i = 0; uuid && i < ARRAY_SIZE(prefixes); i++)
		if (strncmp(uuid, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
			return &prefixes[i];
	return NULL;
}

/* "lvm" for a plain volume, "lvm-thin" for what is more than that; else the target's own name. */
static char *type_of(const struct uuid_prefix *made_by, const char *target)
{
	if (!target)
		return xstrdup(made_by ? made_by->type : "device-mapper");
	if (!made_by || made_by->kind == LAYER_DM)
		return xstrdup(strcmp(target, "linear") == 0 && made_by ? made_by->type : target);
	if (made_by->kind == LAYER_CRYPT || strcmp(target, "linear") == 0)
		return xstrdup(made_by->type);
	return xasprintf("%s-%s", made_by->type, target);
}

static void replace(char **field, char *value)
{
	free(*field);
	*field = value;
}

static void identify(const struct sysroot *root, struct layer *layer)
{
	_cleanup_free_ char *uuid = NULL, *name = NULL, *table = NULL, *source = NULL,
			    *target = NULL;
	const struct uuid_prefix *made_by;
	enum known_by known = KNOWN_DECLARED;

	(void)sysroot_read_line(root, &uuid, "%s/dm/uuid", layer->sysfs);
	(void)sysroot_read_line(root, &name, "%s/dm/name", layer->sysfs);
	made_by = find_prefix(uuid);
	layer->kind = made_by ? made_by->kind : LAYER_DM;
	if (root->calls->dm_targets && root->calls->dm_targets(layer->device, &table) == 0) {
		target = dm_target_main(table);
		source = xasprintf("table of %s: %s", layer->name, table);
	} else {
		known = KNOWN_INFERRED;
		target = type_by_parts(root, layer->sysfs, &source);
	}
	if (!target && made_by && made_by->kind == LAYER_DM) {
		target = xstrdup(made_by->type);
		source = xasprintf("%s/dm/uuid = %s", layer->sysfs, uuid);
	}
	if (target && !made_by && strcmp(target, "crypt") == 0)
		layer->kind = LAYER_CRYPT;
	replace(&layer->type, type_of(made_by, target));
	replace(&layer->name, xasprintf("%s(%s)", name ? name : "", layer->name));
	if (target)
		dm_target_traits(layer, table ? table : target, known, source);
}

static int probe_device_mapper(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	bool nothing;
	int r;

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs ||
		!sysroot_exists(walk_root(walk), "%s/dm", layer->sysfs))
		return 0;
	identify(walk_root(walk), layer);
	nothing = dm_target_stands_on_nothing(layer->type);
	r = walk_push_slaves(walk, index);
	return r < 0 && !nothing ? r : 1;
}

static const struct layer_probe device_mapper = {
	.head = { .id = "device-mapper",
		.summary = "LVM, dm-crypt and other mappings, by uuid and table" },
	.probe = probe_device_mapper,
};
LAYER_PROBE_REGISTER(device_mapper);
