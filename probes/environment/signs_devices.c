// SPDX-License-Identifier: GPL-2.0-or-later
// What devices say of a virtual machine: a clock, a share or a mount that only one hypervisor
// offers; and, when nothing else has spoken, PCI ids and the models of disks. All of it stays
// visible in containers.
#include <fnmatch.h>
#include <string.h>

#include "probes/environment/signs.h"

/* Names that drivers give to the clock of the machine below (ptp_kvm, hv_util, ptp_vmw). */
static const struct {
	const char *clock, *name;
} clocks[] = {
	{ "KVM virtual PTP", "kvm" },
	{ "hyperv", "microsoft" },
	{ "ptp_vmw", "vmware" },
};

#define CLOCKS_MAX 32

static void from_clock(struct signs *signs, const struct sysroot *root, const char *device)
{
	_cleanup_free_ char *text = NULL;

	if (sysroot_read_line(root, &text, "sys/class/ptp/%s/clock_name", device) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (strcmp(clocks[i].clock, text) == 0)
			signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, clocks[i].name,
				"sys/class/ptp/%s/clock_name: %s", device, text);
}

/* Of the mount table: point, filesystem type and source; NULL: any. */
static const struct {
	const char *point, *type, *source;
	enum sign_class class;
	const char *name;
} mounts[] = {
	/* Apple's translator for x86 programs, a share that its framework alone offers; as Lima
	 * names it, too */
	{ NULL, "virtiofs", "rosetta", SIGN_HYPERVISOR, "apple" },
	{ NULL, "virtiofs", "vz-rosetta", SIGN_HYPERVISOR, "apple" },
	/* ChromeOS binds its tools into Crostini's containers */
	{ "/opt/google/cros-containers", NULL, NULL, SIGN_MONITOR, "crosvm" },
};

static bool same(const char *wanted, const char *text)
{
	return !wanted || strcmp(wanted, text) == 0;
}

static void from_mount(struct signs *signs, const struct mount_sign *mount)
{
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++)
		if (same(mounts[i].point, mount->point) && same(mounts[i].type, mount->type) &&
			same(mounts[i].source, mount->source))
			signs_add(signs, mounts[i].class, SIGN_STRONG, mounts[i].name,
				"proc/self/mountinfo: %.*s is mounted from %.*s", SIGN_VALUE_MAX,
				mount->point, SIGN_VALUE_MAX, mount->source);
}

void signs_from_offers(struct signs *signs, const struct environment_sources *sources)
{
	_cleanup_(string_list_free) char **list = NULL;

	if (sysroot_list(sources->root, &list, "sys/class/ptp") == 0)
		for (size_t i = 0; i < CLOCKS_MAX && list[i]; i++)
			from_clock(signs, sources->root, list[i]);
	for (size_t i = 0; i < sources->mounts.count; i++)
		from_mount(signs, &sources->mounts.item[i]);
}

/* "VENDOR:DEVICE" of the PCI id repository; devices that exist in virtual machines only. */
static const struct {
	const char *id, *name;
} functions[] = {
	{ "0x106b:0x1a0[0-9a-f]", "apple" }, /* Virtualization framework */
	{ "0x1234:0x1111", "qemu" },         /* standard VGA */
	{ "0x1b36:0x000[0-9a-f]", "qemu" },  /* bridges, host adapters */
	{ "0x1414:0x5353", "microsoft" },    /* Hyper-V virtual VGA */
	{ "0x15ad:0x0405", "vmware" },       /* SVGA II */
	{ "0x15ad:0x0740", "vmware" },       /* VMCI */
	{ "0x15ad:0x07[9abcf]0", "vmware" }, /* bridges, VMXNET3, PVSCSI, NVMe */
	{ "0x1ab8:0x40*", "parallels" },     /* tools, video */
	{ "0x5853:0x0001", "xen" },          /* platform device */
	{ "0x80ee:0xbeef", "oracle" },       /* graphics adapter */
	{ "0x80ee:0xcafe", "oracle" },       /* guest service */
};

static void from_function(struct signs *signs, const struct sysroot *root, const char *address)
{
	static const char *const directory = "sys/bus/pci/devices";
	_cleanup_free_ char *vendor = NULL, *device = NULL, *id = NULL;

	if (sysroot_read_line(root, &vendor, "%s/%s/vendor", directory, address) < 0 ||
		sysroot_read_line(root, &device, "%s/%s/device", directory, address) < 0)
		return;
	id = xasprintf("%s:%s", vendor, device);
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (fnmatch(functions[i].id, id, 0) == 0)
			signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, functions[i].name,
				"%s/%s: %.*s", directory, address, SIGN_VALUE_MAX, id);
}

/* Of a disk's vendor and model; only what the hypervisor or cloud itself makes. */
static const struct {
	const char *pattern;
	enum sign_class class;
	const char *name;
} disks[] = {
	{ "*VBOX HARDDISK*", SIGN_HYPERVISOR, "oracle" },
	{ "*QEMU HARDDISK*", SIGN_HYPERVISOR, "qemu" },
	{ "*QEMU NVMe Ctrl*", SIGN_HYPERVISOR, "qemu" },
	{ "VMware*Virtual disk*", SIGN_HYPERVISOR, "vmware" },
	{ "*VMware Virtual NVMe Disk*", SIGN_HYPERVISOR, "vmware" },
	{ "Msft*Virtual Disk*", SIGN_HYPERVISOR, "microsoft" },
	{ "*Amazon Elastic Block Store*", SIGN_CLOUD, "amazon" },
	{ "*Amazon EC2 NVMe Instance Storage*", SIGN_CLOUD, "amazon" },
	{ "Google*PersistentDisk*", SIGN_CLOUD, "google" },
	{ "*nvme_card-pd*", SIGN_CLOUD, "google" },
};

static void from_disk(struct signs *signs, const struct sysroot *root, const char *disk)
{
	_cleanup_free_ char *vendor = NULL, *model = NULL, *text = NULL;

	if (sysroot_read_line(root, &model, "sys/block/%s/device/model", disk) < 0)
		return;
	(void)sysroot_read_line(root, &vendor, "sys/block/%s/device/vendor", disk);
	text = xasprintf("%s %s", vendor ? vendor : "", model);
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
		if (fnmatch(disks[i].pattern, text, 0) == 0)
			signs_add(signs, disks[i].class, SIGN_STRONG, disks[i].name,
				"sys/block/%s/device/model: %.*s", disk, SIGN_VALUE_MAX, model);
}

/* Enough to find one that speaks. */
#define DEVICES_MAX 32

static void from_disks(struct signs *signs, const struct sysroot *root)
{
	_cleanup_(string_list_free) char **list = NULL;

	if (sysroot_list(root, &list, "sys/block") < 0)
		return;
	for (size_t i = 0; i < DEVICES_MAX && list[i]; i++)
		if (strncmp(list[i], "loop", 4) != 0 && strncmp(list[i], "ram", 3) != 0)
			from_disk(signs, root, list[i]);
}

void signs_from_devices(struct signs *signs, const struct environment_sources *sources)
{
	_cleanup_(string_list_free) char **list = NULL;

	if (sysroot_list(sources->root, &list, "sys/bus/pci/devices") == 0)
		for (size_t i = 0; i < DEVICES_MAX && list[i]; i++)
			from_function(signs, sources->root, list[i]);
	from_disks(signs, sources->root);
}
