// SPDX-License-Identifier: GPL-2.0-or-later
/* Filesystems of the kernel that stand on one block device, or on a few named in their options. */
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/stack_walk.h"

/* What a mount option says of a trait; `value` NULL: the bare word, "" any value. */
struct option_trait {
	const char *option, *value;
	enum trait_id trait;
	enum answer answer;
};

/* ext4(5), xfs(5), Documentation/filesystems/{ext4,f2fs}.rst of the kernel. */
static const struct option_trait option_traits[] = {
	{ "nobarrier", NULL, TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "barrier", "0", TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "barrier", "none", TRAIT_PASSES_FLUSH, ANSWER_NO },         /* ext3, reiserfs, nilfs */
	{ "fsync_mode", "nobarrier", TRAIT_PASSES_FLUSH, ANSWER_NO }, /* f2fs */
	/* O_DIRECT opens and is then buffered; statx says dio_mem_align 0 */
	{ "data", "journal", TRAIT_HONOURS_DIRECT, ANSWER_NO },
};

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
	{ .type = "erofs" },
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

static void read_options(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);

	for (size_t i = 0; i < ARRAY_SIZE(option_traits); i++) {
		const struct option_trait *row = &option_traits[i];
		_cleanup_free_ char *value =
			mount_option(walk_raw_options(walk, index), row->option, 0);

		if (!value || strcmp(value, row->value ? row->value : "") != 0)
			continue;
		layer_set_trait(layer, row->trait, row->answer, KNOWN_DECLARED,
			"mount option %s%s%s", row->option, row->value ? "=" : "", value);
	}
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
	read_options(walk, index);
	if (type->always_compressed)
		layer_set_trait(layer, TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_DECLARED,
			"filesystem type %s", type->type);
	device = mnt_fs_get_devno(walk_mount(walk, index));
	if (!major(device))
		r = walk_find_device(walk_root(walk), layer->source ? layer->source : "", &device);
	if (r == 0)
		r = walk_push_device(walk, index, device);
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
