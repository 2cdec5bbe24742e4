// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole disks. Only families that are known to be disks: a block device of any other name is left
 * unknown, because tomorrow's driver may answer from memory, from a process or from the network.
 */
#include <fnmatch.h>
#include <string.h>

#include "probes/stack/disk_transport.h"
#include "probes/stack/stack_walk.h"
#include "probes/stack/virtual_disk.h"

static const char *const families[] = { "sd[a-z]*",
	"sata[0-9]*", /* SCSI disks; Synology's name for them */
	"hd[a-z]*", "vd[a-z]*", "xvd[a-z]*", "nvme[0-9]*n[0-9]*", "mmcblk[0-9]*", "dasd[a-z]*",
	"sr[0-9]*", "cciss!*", "ida!*", "rssd[a-z]*", "skd[0-9]*", "pmem[0-9]*", "ubd[a-z]*",
	"mtdblock[0-9]*", "ubiblock[0-9]*" };

static bool is_family(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (fnmatch(families[i], name, 0) == 0)
			return true;
	return false;
}

/* "ATA" stands where a vendor should; virtio's vendor is a PCI number. */
static char *read_model(const struct sysroot *root, const char *sysfs)
{
	_cleanup_free_ char *vendor = NULL;
	_cleanup_free_ char *model = NULL;

	if (sysroot_read_line(root, &model, "%s/device/model", sysfs) < 0)
		return sysroot_read_line(root, &model, "%s/device/name", sysfs) < 0
			? NULL /* flash cards have a name, "SD32G" */
			: take_pointer(model);
	if (sysroot_read_line(root, &vendor, "%s/device/vendor", sysfs) < 0 ||
		strcmp(vendor, "ATA") == 0 || strncmp(vendor, "0x", 2) == 0)
		return take_pointer(model);
	return xasprintf("%s %s", vendor, model);
}

/* Served over a network; what a hypervisor or another machine's kernel calls it comes second. */
static bool push_remote(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	struct disk_remote remote;

	if (disk_remote_find(walk_root(walk), layer->sysfs, &remote) < 0)
		return false;
	layer_set_trait(layer, TRAIT_VIRTUAL, ANSWER_YES, KNOWN_DECLARED, "%s", remote.source);
	walk_push_layer(walk, index, LAYER_REMOTE, "target", remote.what);
	free(remote.source);
	free(remote.what);
	return true;
}

static void push_beneath(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	struct virtual_disk disk;
	size_t beneath;

	if (push_remote(walk, index) || virtual_disk_find(walk_root(walk), layer, &disk) < 0)
		return;
	layer_set_trait(layer, TRAIT_VIRTUAL, ANSWER_YES, KNOWN_DECLARED, "%s", disk.source);
	free(disk.source);
	beneath = walk_push_layer(walk, index, disk.kind, layer_kind_name(disk.kind), disk.what);
	walk_layer(walk, beneath)->outside = true;
}

/*
 * Persistent memory is one of three things: a module with a battery, a part of ordinary memory that
 * was set aside at boot (memmap=), or a file of the host, mapped into this machine. The bus says
 * which; several buses say nothing of one disk.
 */
static void read_pmem(struct stack_walk *walk, size_t index)
{
	const struct sysroot *root = walk_root(walk);
	struct layer *layer = walk_layer(walk, index);
	_cleanup_(string_list_free) char **buses = NULL;
	_cleanup_free_ char *provider = NULL;
	char *bus = NULL;
	size_t count = 0;

	if (strncmp(layer->name, "pmem", 4) != 0 ||
		sysroot_list(root, &buses, "sys/bus/nd/devices") < 0)
		return;
	for (char **name = buses; *name; name++)
		if (strncmp(*name, "ndbus", 5) == 0 && count++ == 0)
			bus = *name;
	if (count != 1 ||
		sysroot_read_line(root, &provider, "sys/bus/nd/devices/%s/provider", bus) < 0)
		return;
	if (strcmp(provider, "e820") == 0)
		layer_set_trait(layer, TRAIT_IN_MEMORY, ANSWER_YES, KNOWN_DECLARED,
			"sys/bus/nd/devices/%s/provider = %s: ordinary memory, set aside at boot",
			bus, provider);
	if (strcmp(provider, "virtio-pmem") != 0)
		return;
	layer_set_trait(layer, TRAIT_VIRTUAL, ANSWER_YES, KNOWN_DECLARED,
		"sys/bus/nd/devices/%s/provider = %s", bus, provider);
	walk_layer(
		walk, walk_push_hidden(walk, index, "file of the host, in the host's page cache"))
		->outside = true;
}

/* scsi_debug keeps its disks in memory. */
static void read_memory(struct layer *layer)
{
	if ((layer->driver && strcmp(layer->driver, "scsi_debug") == 0) ||
		(layer->model && strstr(layer->model, "scsi_debug")))
		layer_set_trait(layer, TRAIT_IN_MEMORY, ANSWER_YES, KNOWN_DECLARED,
			"driver of %s = scsi_debug", layer->name);
}

/*
 * What the device itself says of its cache: virtio's configuration, a SCSI disk's mode page. NULL:
 * it does not say.
 */
static char *device_cache(const struct sysroot *root, const char *sysfs, char **value)
{
	_cleanup_(string_list_free) char **address = NULL;
	_cleanup_free_ char *path = xasprintf("%s/cache_type", sysfs);

	if (sysroot_read_line(root, value, "%s", path) == 0)
		return take_pointer(path);
	if (sysroot_list(root, &address, "%s/device/scsi_disk", sysfs) < 0 || !address[0])
		return NULL;
	free(path);
	path = xasprintf("%s/device/scsi_disk/%s/cache_type", sysfs, address[0]);
	return sysroot_read_line(root, value, "%s", path) == 0 ? take_pointer(path) : NULL;
}

/* Whoever writes "write through" into the queue stops the flushes and leaves the cache on. */
static void read_override(const struct sysroot *root, struct layer *layer)
{
	_cleanup_free_ char *value = NULL;
	_cleanup_free_ char *path = device_cache(root, layer->sysfs, &value);
	enum answer cache = layer_trait(layer, TRAIT_VOLATILE_CACHE);
	bool back;

	if (!path || cache == ANSWER_UNKNOWN)
		return;
	back = strncmp(value, "write back", strlen("write back")) == 0;
	if (!back && strcmp(value, "write through") != 0 && strcmp(value, "none") != 0)
		return;
	layer_set_trait(layer, TRAIT_CACHE_OVERRIDDEN,
		back && cache == ANSWER_NO ? ANSWER_YES : ANSWER_NO, KNOWN_DECLARED, "%s = %s, %s",
		path, value, layer->traits[TRAIT_VOLATILE_CACHE].source);
}

static int probe_disk(struct stack_walk *walk, size_t index)
{
	const struct sysroot *root = walk_root(walk);
	struct layer *layer = walk_layer(walk, index);

	if (layer->kind != LAYER_UNKNOWN || !layer->sysfs || !is_family(layer->name))
		return 0;
	layer->kind = LAYER_DISK;
	layer->driver = disk_driver(root, layer->sysfs);
	layer->model = read_model(root, layer->sysfs);
	free(layer->type);
	layer->type = xstrdup(layer->driver ? layer->driver : "disk");
	read_memory(layer);
	read_override(root, layer);
	push_beneath(walk, index);
	read_pmem(walk, index);
	return 1;
}

static const struct layer_probe disk = {
	.head = { .id = "disk",
		.order = 10,
		.summary = "whole disks, and what a virtual one stands on" },
	.probe = probe_disk,
};
LAYER_PROBE_REGISTER(disk);
