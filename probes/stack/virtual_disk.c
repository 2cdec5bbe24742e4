// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signs of a virtual disk, in one table, most telling first. `rotational` is not among them: it is
 * wrong in virtual machines in both directions.
 */
#include "probes/stack/virtual_disk.h"

#include <fnmatch.h>
#include <string.h>

/* Patterns as fnmatch(3); NULL matches anything, also what is missing. */
struct sign {
	const char *vendor, *model; /* of sysfs, SCSI INQUIRY or NVMe Identify */
	const char *driver;
	const char *name;            /* the kernel's name */
	const char *machine, *value; /* an attribute of the machine */
	enum layer_kind kind;
	const char *what;
};

#define AZURE_TAG "7783-7084-3265-9085-8269-3286-77" /* chassis tag of every Azure machine */

static const struct sign signs[] = {
	/* names that clouds give to their volumes */
	{ .model = "Amazon Elastic Block Store*",
		.kind = LAYER_CLOUD,
		.what = "Amazon EBS (network storage)" },
	{ .model = "Amazon EC2 NVMe Instance Storage*",
		.kind = LAYER_CLOUD,
		.what = "EC2 instance store (lost on stop)" },
	{ .vendor = "Google",
		.model = "PersistentDisk*",
		.kind = LAYER_CLOUD,
		.what = "Google Persistent Disk" },
	{ .vendor = "Google",
		.model = "EphemeralDisk*",
		.kind = LAYER_CLOUD,
		.what = "Google local SSD (lost on stop)" },
	{ .model = "nvme_card-pd*", .kind = LAYER_CLOUD, .what = "Google Persistent Disk" },
	{ .model = "nvme_card*", .kind = LAYER_CLOUD, .what = "Google local SSD (lost on stop)" },
	{ .model = "MSFT NVMe Accelerator*", .kind = LAYER_CLOUD, .what = "Azure disk" },
	{ .model = "Microsoft NVMe Direct Disk*",
		.kind = LAYER_CLOUD,
		.what = "Azure local disk (lost on reallocation)" },
	{ .vendor = "Msft",
		.model = "Virtual Disk*",
		.machine = "sys/class/dmi/id/chassis_asset_tag",
		.value = AZURE_TAG,
		.kind = LAYER_CLOUD,
		.what = "Azure disk" },
	{ .vendor = "ORACLE",
		.model = "BlockVolume*",
		.kind = LAYER_CLOUD,
		.what = "Oracle Cloud block volume" },
	{ .vendor = "HC", .model = "Volume*", .kind = LAYER_CLOUD, .what = "Hetzner volume" },
	{ .vendor = "DO", .model = "Volume*", .kind = LAYER_CLOUD, .what = "DigitalOcean volume" },
	{ .vendor = "Linode*", .model = "Volume*", .kind = LAYER_CLOUD, .what = "Linode volume" },
	{ .vendor = "SCW*", .kind = LAYER_CLOUD, .what = "Scaleway block storage" },
	{ .model = "Alibaba Cloud Elastic Block Storage*",
		.kind = LAYER_CLOUD,
		.what = "Alibaba Cloud disk (network storage)" },
	{ .vendor = "IBM*",
		.model = "Block Storage*",
		.kind = LAYER_CLOUD,
		.what = "IBM Cloud volume" },
	/* a paravirtual disk has no model: the machine says whose it is */
	{ .driver = "vbd",
		.machine = "sys/hypervisor/uuid",
		.value = "ec2*",
		.kind = LAYER_CLOUD,
		.what = "EC2 volume (Amazon EBS or instance store)" },
	{ .name = "xvd[a-z]*",
		.machine = "sys/hypervisor/uuid",
		.value = "ec2*",
		.kind = LAYER_CLOUD,
		.what = "EC2 volume (Amazon EBS or instance store)" },
	{ .driver = "virtio*",
		.machine = "sys/class/dmi/id/sys_vendor",
		.value = "DigitalOcean*",
		.kind = LAYER_CLOUD,
		.what = "DigitalOcean disk" },
	{ .driver = "virtio*",
		.machine = "sys/class/dmi/id/sys_vendor",
		.value = "Alibaba Cloud*",
		.kind = LAYER_CLOUD,
		.what = "Alibaba Cloud disk (network or local storage)" },
	{ .driver = "virtio*",
		.machine = "sys/class/dmi/id/sys_vendor",
		.value = "Tencent Cloud*",
		.kind = LAYER_CLOUD,
		.what = "Tencent Cloud disk" },
	{ .driver = "virtio*",
		.machine = "sys/class/dmi/id/sys_vendor",
		.value = "Hetzner*",
		.kind = LAYER_CLOUD,
		.what = "Hetzner local disk" },
	{ .driver = "virtio*",
		.machine = "sys/class/dmi/id/sys_vendor",
		.value = "Vultr*",
		.kind = LAYER_CLOUD,
		.what = "Vultr disk" },
	{ .driver = "virtio*",
		.machine = "sys/class/dmi/id/product_name",
		.value = "OpenStack*",
		.kind = LAYER_CLOUD,
		.what = "OpenStack volume or ephemeral disk" },
	/* names that hypervisors give to an emulated disk */
	{ .vendor = "Msft",
		.model = "Virtual Disk*",
		.machine = "proc/sys/kernel/osrelease",
		.value = "*[Mm]icrosoft*WSL*",
		.kind = LAYER_HIDDEN,
		.what = "VHDX file on the Windows disk" },
	{ .vendor = "Msft",
		.model = "Virtual Disk*",
		.kind = LAYER_HIDDEN,
		.what = "virtual disk of Hyper-V" },
	{ .vendor = "VMware*", .kind = LAYER_HIDDEN, .what = "virtual disk of VMware" },
	{ .model = "VMware*", .kind = LAYER_HIDDEN, .what = "virtual disk of VMware" },
	{ .model = "VBOX HARDDISK*", .kind = LAYER_HIDDEN, .what = "disk image of VirtualBox" },
	{ .model = "ORCL-VBOX-NVME*", .kind = LAYER_HIDDEN, .what = "disk image of VirtualBox" },
	{ .model = "QEMU*", .kind = LAYER_HIDDEN, .what = "what QEMU serves the disk from" },
	{ .vendor = "QEMU*", .kind = LAYER_HIDDEN, .what = "what QEMU serves the disk from" },
	{ .vendor = "BHYVE*", .kind = LAYER_HIDDEN, .what = "disk image of bhyve" },
	{ .model = "BHYVE*", .kind = LAYER_HIDDEN, .what = "disk image of bhyve" },
	{ .model = "Parallels*", .kind = LAYER_HIDDEN, .what = "disk image of Parallels" },
	{ .vendor = "XENSRC*", .kind = LAYER_HIDDEN, .what = "virtual disk of Xen" },
	{ .vendor = "Nutanix*", .kind = LAYER_HIDDEN, .what = "Nutanix storage" },
	{ .model = "Virtual disk*", .kind = LAYER_HIDDEN, .what = "virtual disk" },
	/* served by another machine, or by this one's kernel */
	{ .vendor = "LIO-ORG*", .kind = LAYER_HIDDEN, .what = "SCSI target of Linux" },
	{ .model = "Linux*",
		.driver = "nvme*",
		.kind = LAYER_HIDDEN,
		.what = "NVMe target of Linux" },
	/* ways in: a paravirtual driver has a hypervisor at its other end */
	{ .driver = "virtio*", .kind = LAYER_HIDDEN, .what = "what the host serves the disk from" },
	{ .driver = "vbd", .kind = LAYER_HIDDEN, .what = "virtual disk of Xen" },
	{ .driver = "xen*", .kind = LAYER_HIDDEN, .what = "virtual disk of Xen" },
	{ .driver = "*storvsc*", .kind = LAYER_HIDDEN, .what = "virtual disk of Hyper-V" },
	{ .driver = "vmw_pvscsi", .kind = LAYER_HIDDEN, .what = "virtual disk of VMware" },
	{ .name = "vd[a-z]*", .kind = LAYER_HIDDEN, .what = "what the host serves the disk from" },
	{ .name = "xvd[a-z]*", .kind = LAYER_HIDDEN, .what = "virtual disk of Xen" },
	/* a kernel that is only ever built for a virtual machine */
	{ .machine = "proc/sys/kernel/osrelease",
		.value = "*-linuxkit*",
		.kind = LAYER_HIDDEN,
		.what = "disk image of the virtual machine" },
};

static bool matches(const char *pattern, const char *value)
{
	return !pattern || (value && fnmatch(pattern, value, 0) == 0);
}

/* The most telling of what matched, as it was read. */
static char *evidence(const struct layer *layer, const struct sign *sign, const char *vendor,
	const char *model, const char *value)
{
	if (sign->model)
		return xasprintf("%s/device/model = %s", layer->sysfs, model);
	if (sign->vendor)
		return xasprintf("%s/device/vendor = %s", layer->sysfs, vendor);
	if (sign->driver)
		return xasprintf("driver of %s = %s", layer->name, layer->driver);
	if (sign->machine)
		return xasprintf("%s = %s", sign->machine, value);
	return xasprintf("the name %s", layer->name);
}

int virtual_disk_find(
	const struct sysroot *root, const struct layer *layer, struct virtual_disk *ret)
{
	_cleanup_free_ char *vendor = NULL;
	_cleanup_free_ char *model = NULL;

	(void)sysroot_read_line(root, &vendor, "%s/device/vendor", layer->sysfs);
	(void)sysroot_read_line(root, &model, "%s/device/model", layer->sysfs);
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		const struct sign *sign = &signs[i];
		_cleanup_free_ char *value = NULL;

		if (!matches(sign->vendor, vendor) || !matches(sign->model, model) ||
			!matches(sign->driver, layer->driver) || !matches(sign->name, layer->name))
			continue;
		if (sign->machine &&
			(sysroot_read_line(root, &value, "%s", sign->machine) < 0 ||
				!matches(sign->value, value)))
			continue;
		ret->kind = sign->kind;
		ret->what = sign->what;
		ret->source = evidence(layer, sign, vendor, model, value);
		return 0;
	}
	return -ENOENT;
}
