// SPDX-License-Identifier: GPL-2.0-or-later
// What firmware says: DMI (SMBIOS strings in /sys/class/dmi/id and its VM bit), the OEM id of ACPI
// tables, and /sys/hypervisor.
#include <fnmatch.h>
#include <string.h>

#include "probes/environment/signs.h"

#define DMI "sys/class/dmi/id/"

/*
 * A maker's name alone is no sign where the maker also sells machines: Microsoft (Surface), Oracle,
 * Google (Chromebook), Apple, Huawei. Rows of one file stand together.
 */
static const struct text_sign dmi[] = {
	{ DMI "sys_vendor", "QEMU*", SIGN_HYPERVISOR, "qemu" },
	{ DMI "sys_vendor", "VMware*", SIGN_HYPERVISOR, "vmware" },
	{ DMI "sys_vendor", "VMW*", SIGN_HYPERVISOR, "vmware" },
	{ DMI "sys_vendor", "innotek GmbH*", SIGN_HYPERVISOR, "oracle" },
	{ DMI "sys_vendor", "Xen*", SIGN_HYPERVISOR, "xen" },
	{ DMI "sys_vendor", "Parallels*", SIGN_HYPERVISOR, "parallels" },
	{ DMI "sys_vendor", "BHYVE*", SIGN_HYPERVISOR, "bhyve" },
	{ DMI "sys_vendor", "Bochs*", SIGN_HYPERVISOR, "bochs" },
	{ DMI "sys_vendor", "OpenStack*", SIGN_HYPERVISOR, "kvm" },
	{ DMI "sys_vendor", "KubeVirt*", SIGN_HYPERVISOR, "kvm" },
	{ DMI "sys_vendor", "oVirt*", SIGN_HYPERVISOR, "kvm" },
	{ DMI "sys_vendor", "Nutanix*", SIGN_CLOUD, "nutanix" },
	{ DMI "sys_vendor", "Cloud Hypervisor*", SIGN_MONITOR, "cloud-hypervisor" },
	{ DMI "sys_vendor", "Amazon EC2*", SIGN_CLOUD, "amazon" },
	{ DMI "sys_vendor", "Alibaba Cloud*", SIGN_CLOUD, "alibaba" },
	{ DMI "sys_vendor", "Tencent Cloud*", SIGN_CLOUD, "tencent" },
	{ DMI "sys_vendor", "DigitalOcean*", SIGN_CLOUD, "digitalocean" },
	{ DMI "sys_vendor", "Hetzner*", SIGN_CLOUD, "hetzner" },
	{ DMI "sys_vendor", "Vultr*", SIGN_CLOUD, "vultr" },
	{ DMI "sys_vendor", "Linode*", SIGN_CLOUD, "linode" },
	{ DMI "sys_vendor", "Akamai*", SIGN_CLOUD, "linode" },
	{ DMI "sys_vendor", "Scaleway*", SIGN_CLOUD, "scaleway" },
	{ DMI "sys_vendor", "UpCloud*", SIGN_CLOUD, "upcloud" },
	{ DMI "sys_vendor", "Exoscale*", SIGN_CLOUD, "exoscale" },
	{ DMI "sys_vendor", "Yandex*", SIGN_CLOUD, "yandex" },
	{ DMI "product_name", "KVM*", SIGN_HYPERVISOR, "kvm" },
	{ DMI "product_name", "OpenStack*", SIGN_HYPERVISOR, "kvm" },
	{ DMI "product_name", "RHEV Hypervisor*", SIGN_HYPERVISOR, "kvm" },
	{ DMI "product_name", "oVirt Node*", SIGN_HYPERVISOR, "kvm" },
	{ DMI "product_name", "Standard PC (*", SIGN_HYPERVISOR, "qemu" },
	{ DMI "product_name", "QEMU Virtual Machine*", SIGN_HYPERVISOR, "qemu" },
	{ DMI "product_name", "VMware*", SIGN_HYPERVISOR, "vmware" },
	{ DMI "product_name", "VirtualBox*", SIGN_HYPERVISOR, "oracle" },
	{ DMI "product_name", "HVM domU*", SIGN_HYPERVISOR, "xen" },
	{ DMI "product_name", "BHYVE*", SIGN_HYPERVISOR, "bhyve" },
	{ DMI "product_name", "Bochs*", SIGN_HYPERVISOR, "bochs" },
	{ DMI "product_name", "Parallels *", SIGN_HYPERVISOR, "parallels" },
	{ DMI "product_name", "Apple Virtualization*", SIGN_HYPERVISOR, "apple" },
	{ DMI "product_name", "cloud-hypervisor*", SIGN_MONITOR, "cloud-hypervisor" },
	{ DMI "product_name", "crosvm*", SIGN_MONITOR, "crosvm" },
	{ DMI "product_name", "Google Compute Engine*", SIGN_CLOUD, "google" },
	{ DMI "product_name", "Alibaba Cloud*", SIGN_CLOUD, "alibaba" },
	{ DMI "product_version", "Hyper-V*", SIGN_HYPERVISOR, "microsoft" },
	{ DMI "product_version", "*.amazon", SIGN_CLOUD, "amazon" },
	{ DMI "board_vendor", "Amazon EC2*", SIGN_CLOUD, "amazon" },
	{ DMI "board_name", "Virtual Machine", SIGN_HYPERVISOR, "microsoft" },
	{ DMI "bios_vendor", "innotek GmbH*", SIGN_HYPERVISOR, "oracle" },
	{ DMI "bios_vendor", "Xen*", SIGN_HYPERVISOR, "xen" },
	{ DMI "bios_vendor", "BHYVE*", SIGN_HYPERVISOR, "bhyve" },
	{ DMI "bios_vendor", "SeaBIOS*", SIGN_HYPERVISOR, "qemu" },
	{ DMI "bios_vendor", "EFI Development Kit II / OVMF*", SIGN_HYPERVISOR, "qemu" },
	{ DMI "bios_vendor", "Proxmox*", SIGN_HYPERVISOR, "qemu" },
	{ DMI "bios_vendor", "Parallels*", SIGN_HYPERVISOR, "parallels" },
	{ DMI "bios_vendor", "DigitalOcean*", SIGN_CLOUD, "digitalocean" },
	{ DMI "bios_version", "*.amazon", SIGN_CLOUD, "amazon" },
	/* The one value that Azure gives to all its machines, and Hyper-V elsewhere does not. */
	{ DMI "chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", SIGN_CLOUD, "azure" },
	{ DMI "chassis_asset_tag", "OracleCloud.com", SIGN_CLOUD, "oracle-cloud" },
	{ DMI "chassis_asset_tag", "Amazon EC2", SIGN_CLOUD, "amazon" },
	{ DMI "chassis_asset_tag", "HUAWEICLOUD", SIGN_CLOUD, "huawei" },
	{ DMI "chassis_asset_tag", "OpenTelekomCloud", SIGN_CLOUD, "telekom" },
};

static bool line_matches(const struct sysroot *root, const char *file, const char *pattern)
{
	_cleanup_free_ char *text = NULL;

	return sysroot_read_line(root, &text, "%s", file) == 0 && fnmatch(pattern, text, 0) == 0;
}

/* What takes two fields to say. */
static void from_dmi_pairs(struct signs *signs, const struct sysroot *root)
{
	if (line_matches(root, DMI "sys_vendor", "Microsoft Corporation") &&
		line_matches(root, DMI "product_name", "Virtual Machine"))
		signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, "microsoft", "%s",
			DMI "product_name: Virtual Machine, of Microsoft Corporation");
	/* Oracle tags its whole machines as well; its virtual ones are QEMU's. */
	if (line_matches(root, DMI "chassis_asset_tag", "OracleCloud.com") &&
		!line_matches(root, DMI "sys_vendor", "QEMU*"))
		signs->bare_metal = true;
	/* EC2 names its whole machines so: m5.metal, c7g.metal-16xl. */
	if (line_matches(root, DMI "sys_vendor", "Amazon EC2") &&
		line_matches(root, DMI "product_name", "*.metal*"))
		signs->bare_metal = true;
}

/*
 * SMBIOS (DMTF DSP0134) 7.1.2.2: bit 4 of the second extension byte of the BIOS information says
 * "a virtual machine". SeaBIOS does not set it, so that only on EC2 its absence means something:
 * there it tells machines from whole ones. For root alone.
 */
#define BIOS_EXTENSION_2 19
#define BIOS_IS_VIRTUAL (1U << 4)

static void from_smbios(struct signs *signs, const struct sysroot *root)
{
	static const char *const file = "sys/firmware/dmi/entries/0-0/raw";
	_cleanup_free_ char *raw = NULL;
	size_t length = 0;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &raw, &length, "%s", file) < 0 ||
		length <= BIOS_EXTENSION_2 || (unsigned char)raw[1] <= BIOS_EXTENSION_2)
		return;
	if ((unsigned char)raw[BIOS_EXTENSION_2] & BIOS_IS_VIRTUAL)
		signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, "vm-other",
			"%s: the bit for a virtual machine is set", file);
	else if (line_matches(root, DMI "sys_vendor", "Amazon EC2"))
		signs->bare_metal = true;
}

/*
 * ACPI 6.5, table 5.4 (DESCRIPTION_HEADER): six bytes from offset 10, padded with blanks. Only the
 * FADT is asked, which every ACPI machine has. "APPLE " is also on the maker's own machines.
 */
#define OEMID_OFFSET 10
#define OEMID_LENGTH 6

static const struct {
	char oemid[OEMID_LENGTH + 1];
	enum sign_class class;
	const char *name;
} acpi[] = {
	{ "FIRECK", SIGN_MONITOR, "firecracker" },
	{ "CLOUDH", SIGN_MONITOR, "cloud-hypervisor" },
	{ "CROSVM", SIGN_MONITOR, "crosvm" },
	{ "BOCHS ", SIGN_HYPERVISOR, "qemu" },
	{ "VBOX  ", SIGN_HYPERVISOR, "oracle" },
	{ "VRTUAL", SIGN_HYPERVISOR, "microsoft" },
	{ "Xen", SIGN_HYPERVISOR, "xen" },
	{ "BHYVE ", SIGN_HYPERVISOR, "bhyve" },
	{ "PRLS  ", SIGN_HYPERVISOR, "parallels" },
	{ "ACRNPL", SIGN_HYPERVISOR, "acrn" },
	{ "AMAZON", SIGN_CLOUD, "amazon" },
	{ "Google", SIGN_CLOUD, "google" },
	{ "APPLE ", SIGN_HYPERVISOR, "apple" },
};

static bool from_acpi(struct signs *signs, const struct sysroot *root)
{
	static const char *const file = "sys/firmware/acpi/tables/FACP";
	_cleanup_free_ char *table = NULL;
	size_t length = 0;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &table, &length, "%s", file) < 0 ||
		length < OEMID_OFFSET + OEMID_LENGTH)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(acpi); i++) {
		if (strncmp(table + OEMID_OFFSET, acpi[i].oemid, strlen(acpi[i].oemid)) != 0)
			continue;
		if (strcmp(acpi[i].name, "apple") == 0 && signs->machine_is_virtual != YES_NO_YES)
			continue;
		signs_add(signs, acpi[i].class, SIGN_STRONG, acpi[i].name, "%s: OEM id \"%s\"",
			file, acpi[i].oemid);
	}
	return true;
}

/*
 * Devices that firmware declares by ids of their makers. They stay visible in containers, where
 * engines cover /sys/firmware.
 */
static const struct {
	const char *device, *with; /* with: seen beside it; NULL: alone enough */
	enum sign_class class;
	const char *name;
} acpi_devices[] = {
	{ "FCVMGID:00", NULL, SIGN_MONITOR, "firecracker" },
	/* From 1.17 on its generation counter has the general id; its clock is Amazon's. */
	{ "VMGENCTR:00", "AMZNC10C:00", SIGN_MONITOR, "firecracker" },
	{ "QEMU0002:00", NULL, SIGN_HYPERVISOR, "qemu" }, /* fw_cfg */
	{ "QEMUVGID:00", NULL, SIGN_HYPERVISOR, "qemu" },
	{ "VMBUS:00", NULL, SIGN_HYPERVISOR, "microsoft" },
};

static void from_acpi_devices(struct signs *signs, const struct sysroot *root)
{
	static const char *const directory = "sys/bus/acpi/devices";

	for (size_t i = 0; i < ARRAY_SIZE(acpi_devices); i++) {
		const char *with = acpi_devices[i].with;

		if (!sysroot_exists(root, "%s/%s", directory, acpi_devices[i].device) ||
			(with && !sysroot_exists(root, "%s/%s", directory, with)))
			continue;
		signs_add(signs, acpi_devices[i].class, SIGN_STRONG, acpi_devices[i].name,
			"%s: %s%s%s", directory, acpi_devices[i].device, with ? " and " : "",
			with ? with : "");
	}
}

static const struct text_sign hypervisor_files[] = {
	{ "sys/hypervisor/type", "xen", SIGN_HYPERVISOR, "xen" },
	{ "sys/hypervisor/type", "*", SIGN_HYPERVISOR, "vm-other" },
	{ "sys/hypervisor/uuid", "ec2*", SIGN_CLOUD, "amazon" },
};

/* Of xen/include/public/features.h; the file is hexadecimal without 0x. */
#define XENFEAT_DOM0 (1UL << 11)

/* Xen's first domain drives the disks itself. */
static bool is_control_domain(const struct sysroot *root)
{
	_cleanup_free_ char *features = NULL;

	if (line_matches(root, "proc/xen/capabilities", "*control_d*"))
		return true;
	return sysroot_read_line(root, &features, "sys/hypervisor/properties/features") == 0 &&
		strtoul(features, NULL, 16) & XENFEAT_DOM0;
}

static void from_xen(struct signs *signs, const struct sysroot *root)
{
	signs->control_domain = is_control_domain(root);
	signs->paravirtual = line_matches(root, "sys/hypervisor/guest_type", "PV");
	if (sysroot_exists(root, "proc/xen"))
		signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, "xen", "proc/xen exists");
}

void signs_from_firmware(struct signs *signs, const struct environment_sources *sources)
{
	const struct sysroot *root = sources->root;
	bool any = signs_match_files(signs, root, dmi, ARRAY_SIZE(dmi));

	from_dmi_pairs(signs, root);
	from_smbios(signs, root);
	any |= from_acpi(signs, root);
	from_acpi_devices(signs, root);
	(void)signs_match_files(signs, root, hypervisor_files, ARRAY_SIZE(hypervisor_files));
	from_xen(signs, root);
	signs->looked |= any;
	signs->decisive |= any;
}
