// SPDX-License-Identifier: GPL-2.0-or-later
/* Filesystems of the kernel that stand on one block device, or on a few named in their options. */
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/stack_walk.h"

struct plain_type {
	const char *type;
	bool always_compressed;        /* fewer bytes are read below than above */
	const char *device_options[2]; /* further devices that carry data or the log */
};

static const struct plain_type types[] = {
	{ .type = "ext2" },
	{ .type = "ext3" },
	{ .type = "ext4" },
	{ .type = "xfs", .device_options = { "logdev", "rtdev" } },
	{ .type = "f2fs" },
	{ .type = "jfs" },
	{ .type = "nilfs2" },
	{ .type = "reiserfs" },
	{ .type = "gfs2" },
	{ .type = "ocfs2" },
	{ .type = "squashfs", .always_compressed = true },
	{ .type = "erofs", .device_options = { "device" } },
	{ .type = "romfs" },
	{ .type = "cramfs", .always_compressed = true },
	{ .type = "vfat" },
	{ .type = "msdos" },
	{ .type = "exfat" },
	{ .type = "ntfs3" },
	{ .type = "ntfs" },
	{ .type = "hfs" },
	{ .type = "hfsplus" },
	{ .type = "iso9660" },
	{ .type = "udf" },
	{ .type = "minix" },
	{ .type = "ufs" },
};

static const struct plain_type *find_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].type, name) == 0)
			return &types[i];
	return NULL;
}

static void push_named_devices(struct stack_walk *walk, size_t index, const struct plain_type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(type->device_options); i++) {
		_cleanup_free_ char *node = NULL;
		dev_t device;

		if (!type->device_options[i])
			continue;
		node = mount_option(walk_raw_options(walk, index), type->device_options[i], 0);
		if (!node || strcmp(node, "none") == 0)
			continue;
		if (walk_find_device(walk_root(walk), node, &device) == 0)
			walk_push_device(walk, index, device);
		else
			walk_push_hidden(walk, index, "%s %s", type->device_options[i], node);
	}
}

/* EROFS may be mounted from a file without a loop device (6.12 on). */
static int push_file(struct stack_walk *walk, size_t index)
{
	_cleanup_free_ char *source = xstrdup(walk_layer(walk, index)->source);
	size_t file;
	int r;

	if (!source || *source != '/' || strncmp(source, "/dev/", 5) == 0)
		return -ENOENT;
	file = walk_push_layer(walk, index, LAYER_FILE, "file", source);
	walk_infer(walk, file);
	r = walk_push_path(walk, file, source);
	if (r < 0)
		walk_push_hidden(walk, file, "filesystem of the image: %s", strerror(-r));
	return 0;
}

static int probe_plain(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	const struct plain_type *type;
	dev_t device;
	int r = 0;

	if (layer->kind != LAYER_FS)
		return 0;
	type = find_type(layer->type);
	if (!type)
		return 0;
	if (type->always_compressed)
		layer_set_trait(layer, TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_DECLARED,
			"filesystem type %s", type->type);
	device = mnt_fs_get_devno(walk_mount(walk, index));
	if (!major(device))
		r = walk_find_device(walk_root(walk), layer->source ? layer->source : "", &device);
	if (r == 0)
		r = walk_push_device(walk, index, device);
	else if (strcmp(type->type, "erofs") == 0)
		r = push_file(walk, index);
	if (r == 0)
		push_named_devices(walk, index, type);
	return r < 0 ? r : 1;
}

static const struct layer_probe plain_filesystem = {
	.head = { .id = "filesystem",
		.summary = "ext4, xfs and other filesystems on a block device" },
	.probe = probe_plain,
};
LAYER_PROBE_REGISTER(plain_filesystem);
