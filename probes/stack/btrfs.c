// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * btrfs: mountinfo shows an anonymous device and one source of perhaps several. The members stand
 * in /sys/fs/btrfs/UUID/devices (Documentation/ABI/testing/sysfs-fs-btrfs... by name).
 */
#include <string.h>

#include "probes/stack/block_sysfs.h"
#include "probes/stack/stack_walk.h"

/* Whether this is the filesystem that the device belongs to. */
static bool has_member(const struct sysroot *root, const char *uuid, char **members, dev_t device)
{
	for (char **name = members; *name; name++) {
		_cleanup_free_ char *sysfs = xasprintf("sys/fs/btrfs/%s/devices/%s", uuid, *name);
		dev_t seen;

		if (block_read_dev(root, sysfs, &seen) == 0 && seen == device)
			return true;
	}
	return false;
}

/*
 * Of the filesystem that this device belongs to; device 0: of the only one. sysfs lists filesystems
 * that are mounted: where there is one, every btrfs mount is of it, whatever the source is called
 * ("/dev/root", a node that is gone). -ENOENT: none, or more than one.
 */
static int find_members(const struct sysroot *root, dev_t device, char **ret_uuid, char ***ret)
{
	_cleanup_(string_list_free) char **uuids = NULL, **found = NULL;
	const char *of = NULL;
	int r = sysroot_list(root, &uuids, "sys/fs/btrfs");

	if (r < 0)
		return r;
	for (char **uuid = uuids; *uuid; uuid++) {
		_cleanup_(string_list_free) char **members = NULL;

		if (sysroot_list(root, &members, "sys/fs/btrfs/%s/devices", *uuid) < 0 ||
			(device && !has_member(root, *uuid, members, device)))
			continue;
		if (of || !*members)
			return -ENOENT;
		of = *uuid;
		found = take_pointer(members);
	}
	if (!of)
		return -ENOENT;
	*ret_uuid = xstrdup(of);
	*ret = take_pointer(found);
	return 0;
}

static void push_members(struct stack_walk *walk, size_t index, const char *uuid, char **members)
{
	for (char **name = members; *name; name++) {
		_cleanup_free_ char *sysfs = xasprintf("sys/fs/btrfs/%s/devices/%s", uuid, *name);
		dev_t device;
		int r = block_read_dev(walk_root(walk), sysfs, &device);

		if (r == 0)
			r = walk_push_device(walk, index, device);
		if (r < 0)
			walk_push_hidden(walk, index, "btrfs device %s: %s", *name, strerror(-r));
	}
}

static int probe_btrfs(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	_cleanup_(string_list_free) char **members = NULL;
	_cleanup_free_ char *uuid = NULL;
	dev_t device = 0;

	if (layer->kind != LAYER_FS || strcmp(layer->type, "btrfs") != 0)
		return 0;
	(void)walk_find_device(walk_root(walk), layer->source ? layer->source : "", &device);
	if (find_members(walk_root(walk), device, &uuid, &members) == 0)
		push_members(walk, index, uuid, members);
	else if (device)
		/* one device is seen; whether there are others cannot be told from here */
		walk_push_device(walk, index, device);
	else
		walk_push_hidden(walk, index, "btrfs device %s",
			layer->source && *layer->source ? layer->source : "without a name");
	return 1;
}

static const struct layer_probe btrfs = {
	.head = { .id = "btrfs", .summary = "btrfs with all of its devices" },
	.probe = probe_btrfs,
};
LAYER_PROBE_REGISTER(btrfs);
