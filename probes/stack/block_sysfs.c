// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/block_sysfs.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/stack_walk.h"

#define SECTOR_BYTES 512 /* `size` counts these whatever the device's sectors are */

int block_read_dev(const struct sysroot *root, const char *sysfs, dev_t *ret)
{
	_cleanup_free_ char *line = NULL;
	unsigned maj, min;
	int used = 0;
	int r = sysroot_read_line(root, &line, "%s/dev", sysfs);

	if (r < 0)
		return r;
	if (sscanf(line, "%9u:%9u%n", &maj, &min, &used) != 2 || line[used])
		return -EINVAL;
	*ret = makedev(maj, min);
	return 0;
}

static bool is_device(const struct sysroot *root, const char *sysfs, dev_t device)
{
	dev_t seen;

	return block_read_dev(root, sysfs, &seen) == 0 && seen == device;
}

/*
 * By the kernel's name ("sda1", "dm-0"). A record has partitions only inside their disk; a live
 * machine lists them in class/block too. -ENOENT: sysfs does not show it.
 */
static int sysfs_by_name(const struct sysroot *root, const char *name, char **ret)
{
	_cleanup_(string_list_free) char **disks = NULL;

	if (!*name || strchr(name, '/') || *name == '.')
		return -ENOENT;
	if (sysroot_exists(root, "sys/block/%s/dev", name)) {
		*ret = xasprintf("sys/block/%s", name);
		return 0;
	}
	if (sysroot_exists(root, "sys/class/block/%s/dev", name)) {
		*ret = xasprintf("sys/class/block/%s", name);
		return 0;
	}
	if (sysroot_list(root, &disks, "sys/block") < 0)
		return -ENOENT;
	for (char **disk = disks; *disk; disk++)
		if (sysroot_exists(root, "sys/block/%s/%s/dev", *disk, name)) {
			*ret = xasprintf("sys/block/%s/%s", *disk, name);
			return 0;
		}
	return -ENOENT;
}

/* The shortest way: the name of the link /sys/dev/block/M:m. */
static int sysfs_by_link(const struct sysroot *root, dev_t device, char **ret)
{
	_cleanup_free_ char *target = NULL;
	_cleanup_free_ char *sysfs = NULL;
	const char *name;
	int r = sysroot_readlink(
		root, &target, "sys/dev/block/%u:%u", major(device), minor(device));

	if (r < 0)
		return r;
	name = strrchr(target, '/');
	r = sysfs_by_name(root, name ? name + 1 : target, &sysfs);
	if (r < 0)
		return r;
	if (!is_device(root, sysfs, device))
		return -ENOENT;
	*ret = take_pointer(sysfs);
	return 0;
}

static int scan_partitions(const struct sysroot *root, const char *disk, dev_t device, char **ret)
{
	_cleanup_(string_list_free) char **names = NULL;
	int r = sysroot_list(root, &names, "sys/block/%s", disk);

	if (r < 0)
		return r;
	for (char **name = names; *name; name++) {
		_cleanup_free_ char *sysfs = NULL;

		if (!sysroot_exists(root, "sys/block/%s/%s/partition", disk, *name))
			continue;
		sysfs = xasprintf("sys/block/%s/%s", disk, *name);
		if (is_device(root, sysfs, device)) {
			*ret = take_pointer(sysfs);
			return 0;
		}
	}
	return -ENOENT;
}

static int scan_directory(
	const struct sysroot *root, const char *directory, dev_t device, char **ret)
{
	_cleanup_(string_list_free) char **names = NULL;
	int r = sysroot_list(root, &names, "%s", directory);

	if (r < 0)
		return r;
	for (char **name = names; *name; name++) {
		_cleanup_free_ char *sysfs = xasprintf("%s/%s", directory, *name);

		if (is_device(root, sysfs, device)) {
			*ret = take_pointer(sysfs);
			return 0;
		}
	}
	return -ENOENT;
}

/* podman masks /sys/dev/block with an empty tmpfs; the classes stay readable. */
int walk_block_sysfs(const struct sysroot *root, dev_t device, char **ret)
{
	_cleanup_(string_list_free) char **disks = NULL;

	if (sysfs_by_link(root, device, ret) == 0)
		return 0;
	if (scan_directory(root, "sys/block", device, ret) == 0 ||
		scan_directory(root, "sys/class/block", device, ret) == 0)
		return 0;
	if (sysroot_list(root, &disks, "sys/block") < 0)
		return -ENOENT;
	for (char **disk = disks; *disk; disk++)
		if (scan_partitions(root, *disk, device, ret) == 0)
			return 0;
	return -ENOENT;
}

/* A partition has no queue of its own. */
static int read_queue(const struct sysroot *root, const char *sysfs, const char *attribute,
	char **path, char **value)
{
	_cleanup_free_ char *own = xasprintf("%s/queue/%s", sysfs, attribute);
	_cleanup_free_ char *disk = xasprintf("%s/../queue/%s", sysfs, attribute);
	bool partition = sysroot_exists(root, "%s/partition", sysfs);
	int r = sysroot_read_line(root, value, "%s", partition ? disk : own);

	if (r < 0)
		return r;
	*path = partition ? take_pointer(disk) : take_pointer(own);
	return 0;
}

static void read_trait(const struct sysroot *root, struct layer *layer, enum trait_id trait,
	const char *attribute, const char *yes, const char *no)
{
	_cleanup_free_ char *value = NULL;
	_cleanup_free_ char *path = NULL;
	enum answer answer = ANSWER_UNKNOWN;

	if (read_queue(root, layer->sysfs, attribute, &path, &value) < 0)
		return;
	if (strcmp(value, yes) == 0)
		answer = ANSWER_YES;
	else if (strcmp(value, no) == 0)
		answer = ANSWER_NO;
	if (answer != ANSWER_UNKNOWN)
		layer_set_trait(layer, trait, answer, KNOWN_DECLARED, "%s = %s", path, value);
}

void block_read_attributes(const struct sysroot *root, struct layer *layer)
{
	uint64_t sectors;

	if (sysroot_read_u64(root, &sectors, "%s/size", layer->sysfs) == 0 &&
		sectors <= UINT64_MAX / SECTOR_BYTES)
		layer->size = sectors * SECTOR_BYTES;
	read_trait(root, layer, TRAIT_COUNTED, "iostats", "1", "0");
	if (sysroot_exists(root, "%s/partition", layer->sysfs))
		return;
	read_trait(root, layer, TRAIT_VOLATILE_CACHE, "write_cache", "write back", "write through");
	read_trait(root, layer, TRAIT_FUA, "fua", "1", "0");
}

/* "/dev/mapper/NAME" is a link to dm-N, made by udev: the kernel has the name in dm/name. */
static int mapper_sysfs(const struct sysroot *root, const char *name, char **ret)
{
	_cleanup_(string_list_free) char **disks = NULL;
	int r = sysroot_list(root, &disks, "sys/block");

	if (r < 0)
		return r;
	for (char **disk = disks; *disk; disk++) {
		_cleanup_free_ char *seen = NULL;

		if (sysroot_read_line(root, &seen, "sys/block/%s/dm/name", *disk) == 0 &&
			strcmp(seen, name) == 0) {
			*ret = xasprintf("sys/block/%s", *disk);
			return 0;
		}
	}
	return -ENOENT;
}

int walk_find_device(const struct sysroot *root, const char *node, dev_t *ret)
{
	_cleanup_free_ char *sysfs = NULL;
	_cleanup_free_ char *name = NULL;
	int r;

	if (strncmp(node, "/dev/", 5) != 0)
		return -ENOENT;
	if (root->calls->block_device && root->calls->block_device(node, ret) == 0)
		return 0;
	if (strncmp(node, "/dev/mapper/", 12) == 0) {
		r = mapper_sysfs(root, node + 12, &sysfs);
	} else {
		name = xstrdup(node + 5);
		for (char *c = name; *c; c++)
			if (*c == '/')
				*c = '!'; /* as sysfs writes it: cciss!c0d0 */
		r = sysfs_by_name(root, name, &sysfs);
	}
	return r < 0 ? r : block_read_dev(root, sysfs, ret);
}

int walk_push_slaves(struct stack_walk *walk, size_t index)
{
	const struct sysroot *root = walk_root(walk);
	_cleanup_(string_list_free) char **names = NULL;
	const char *sysfs = walk_layer(walk, index)->sysfs;
	_cleanup_free_ char *directory = xasprintf("%s/slaves", sysfs);
	size_t count = 0;

	if (sysroot_list(root, &names, "%s", directory) < 0)
		return -ENOENT;
	for (char **name = names; *name; name++, count++) {
		_cleanup_free_ char *slave = xasprintf("%s/%s", directory, *name);
		dev_t device;
		int r = block_read_dev(root, slave, &device);

		if (r == 0)
			r = walk_push_device(walk, index, device);
		if (r < 0)
			walk_push_hidden(walk, index, "%s: %s", *name, strerror(-r));
	}
	return count ? 0 : -ENOENT;
}
