// SPDX-License-Identifier: GPL-2.0-or-later
// Kinds of machines and containers, each from the few files that tell it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "environment_machine.h"

static void test_device_tree_names_the_hypervisor(void **state)
{
	static const struct machine machines[] = {
		{ "Raspberry Pi", { 0 }, false,
			{ { TREE "compatible", "raspberrypi,4-model-b\nbrcm,bcm2711\n" },
				{ TREE "model", "Raspberry Pi 4 Model B Rev 1.4\n" } },
			NULL, "", "unknown", 0 },
		{ "a tree that only /proc shows", { 0 }, false,
			{ { "proc/device-tree/hypervisor/compatible", "linux,kvm\n" } }, NULL,
			"kvm", "unknown", 0 },
		{ "Xen on ARM, second string", { 0 }, false,
			{ { TREE "hypervisor/compatible", "arm,other\nxen,xen-4.17\n" } }, NULL,
			"xen", "unknown", 0 },
		{ "a hypervisor nobody knows", { 0 }, false,
			{ { TREE "hypervisor/compatible", "acme,hv\n" } }, NULL, "vm-other",
			"unknown", 0 },
		{ "KVM on POWER: QEMU names a partition", { 0 }, false,
			{ { TREE "compatible", "IBM,pseries\nqemu,pseries\n" },
				{ TREE "hypervisor/compatible", "linux,kvm\n" },
				{ TREE "ibm,partition-name", "guest\n" } },
			NULL, "kvm", "unknown", 0 },
		{ "PowerVM", { 0 }, false,
			{ { TREE "compatible", "IBM,9009-41A\n" },
				{ TREE "ibm,partition-name", "lpar1\n" } },
			NULL, "powervm", "unknown", 0 },
		{ "RISC-V", { 0 }, false, { { TREE "model", "riscv-virtio,qemu\n" } }, NULL, "qemu",
			"unknown", 0 },
		{ "some machine of the virt kind", { 0 }, false,
			{ { TREE "compatible", "linux,dummy-virt\n" } }, NULL, "vm-other",
			"unknown", 0 },
		{ "Lima on Apple's framework", { 0 }, false,
			{ { TREE "compatible", "linux,dummy-virt\n" },
				{ "proc/self/mountinfo",
					HOST_MOUNTS
					"3 1 0:40 / /mnt/lima-rosetta rw - virtiofs vz-rosetta "
					"rw\n" } },
			NULL, "apple", "", 0 },
		{ "KVM by the clock it offers", { 0 }, false,
			{ { TREE "compatible", "linux,dummy-virt\n" },
				{ "sys/class/ptp/ptp0/clock_name", "KVM virtual PTP\n" } },
			NULL, "kvm", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_mainframe_tells_its_levels(void **state)
{
	static const struct machine machines[] = {
		{ "a partition", { 0 }, false,
			{ { "proc/sysinfo", "Manufacturer: IBM\nLPAR Number: 7\n" } }, NULL, "",
			"unknown", 0 },
		{ "z/VM", { 0 }, false,
			{ { "proc/sysinfo", "VM00 Control Program: z/VM    7.2.0\n" } }, NULL,
			"zvm", "unknown", 0 },
		{ "KVM in z/VM", { 0 }, false,
			{ { "proc/sysinfo",
				"VM00 Control Program: KVM/Linux\n"
				"VM01 Control Program: z/VM    7.2.0\n" } },
			NULL, "zvm kvm", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_xen_domains_are_told_apart(void **state)
{
	static const struct machine machines[] = {
		{ "a domain of which only /proc/xen is known", { 0 }, false,
			{ { "proc/xen/capabilities", "\n" }, { "proc/cpuinfo", FLAGS } }, NULL,
			"xen", "unknown", 0 },
		{ "the first domain by its features", { 0 }, false,
			{ { "sys/hypervisor/type", "xen\n" },
				{ "sys/hypervisor/properties/features", "00002f05\n" },
				{ DMI "sys_vendor", "Dell Inc.\n" }, { "proc/cpuinfo", FLAGS } },
			NULL, "", "unknown", 0 },
		{ "a first domain inside VMware", { "XenVMMXenVMM", NULL }, true,
			{ { "sys/hypervisor/type", "xen\n" },
				{ "proc/xen/capabilities", "control_d\n" },
				{ DMI "sys_vendor", "VMware, Inc.\n" } },
			NULL, "vmware", "unknown", 0 },
		{ "a paravirtual domain sees the real processor", { NULL, NULL }, true,
			{ { "sys/hypervisor/type", "xen\n" },
				{ "sys/hypervisor/guest_type", "PV\n" } },
			NULL, "xen", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_nested_and_relabelled_machines(void **state)
{
	static const struct machine machines[] = {
		{ "OpenStack without KVM", { "TCGTCGTCGTCG", NULL }, true,
			{ { DMI "sys_vendor", "OpenStack Foundation\n" },
				{ DMI "product_name", "OpenStack Nova\n" } },
			NULL, "qemu", "unknown", 0 },
		{ "OpenStack", { KVM, NULL }, true,
			{ { DMI "product_name", "OpenStack Compute\n" } }, NULL, "kvm", "unknown",
			0 },
		{ "User Mode Linux in a machine", { KVM, NULL }, true,
			{ { "proc/cpuinfo", "processor\t: 0\nvendor_id\t: User Mode Linux\n" } },
			NULL, "kvm uml", "unknown", 0 },
		{ "User Mode Linux", { 0 }, false,
			{ { "proc/cpuinfo", "processor\t: 0\nvendor_id\t: User Mode Linux\n" } },
			NULL, "uml", "unknown", 0 },
		{ "two clouds", { KVM, NULL }, true,
			{ { DMI "sys_vendor", "Hetzner\n" },
				{ DMI "chassis_asset_tag", "OracleCloud.com\n" } },
			NULL, "kvm hetzner", "unknown", 1 },
		{ "a whole machine of Oracle's, ARM", { 0 }, false,
			{ { DMI "sys_vendor", "Oracle Corporation\n" },
				{ DMI "chassis_asset_tag", "OracleCloud.com\n" } },
			NULL, "", "unknown", 0 },
		{ "firmware covered, PCI ids not", { 0 }, false,
			{ { "proc/cpuinfo", FLAGS },
				{ "sys/bus/pci/devices/0000:00:0f.0/vendor", "0x15ad\n" },
				{ "sys/bus/pci/devices/0000:00:0f.0/device", "0x0405\n" } },
			NULL, "vmware", "unknown", 0 },
		{ "a Mac's own devices", { 0 }, false,
			{ { "proc/cpuinfo", BARE },
				{ "sys/bus/pci/devices/0000:00:02.0/vendor", "0x106b\n" },
				{ "sys/bus/pci/devices/0000:00:02.0/device", "0x1001\n" } },
			NULL, "", "unknown", 0 },
		{ "Crostini", { 0 }, false,
			{ { "proc/cpuinfo", FLAGS },
				{ "proc/self/mountinfo",
					"1 0 0:30 /lxd/storage-pools/default/containers/penguin/"
					"rootfs / rw - btrfs /dev/vdb rw\n"
					"2 1 254:0 / /opt/google/cros-containers ro - ext4 "
					"/dev/vdc ro\n" } },
			NULL, "kvm crosvm", "lxc", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

/* Bytes of an SMBIOS structure hold NULs, which no text can; so a length below 20 says nothing. */
static void test_short_smbios_table_says_nothing(void **state)
{
	static const struct machine machines[] = {
		{ "cut off", { 0 }, false,
			{ { "sys/firmware/dmi/entries/0-0/raw", "\x01\x1a" },
				{ DMI "sys_vendor", "Amazon EC2\n" } },
			NULL, "kvm amazon", "unknown", 0 },
		{ "the bit set", { 0 }, false,
			{ { "sys/firmware/dmi/entries/0-0/raw",
				"\x01\x1a\x01\x01\x01\x01\x01\x01\x01\x01"
				"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x1c" } },
			NULL, "vm-other", "unknown", 0 },
		{ "the bit clear on EC2: a whole machine", { 0 }, false,
			{ { "sys/firmware/dmi/entries/0-0/raw",
				  "\x01\x1a\x01\x01\x01\x01\x01\x01\x01\x01"
				  "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x0c" },
				{ DMI "sys_vendor", "Amazon EC2\n" } },
			NULL, "", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_containers_of_many_kinds(void **state)
{
	static const struct machine machines[] = {
		{ "OpenVZ by its number", { 0 }, false,
			{ { "proc/self/status", "Name:\tsh\nenvID:\t101\n" } }, NULL, "unknown",
			"openvz", 0 },
		{ "OpenVZ's machine", { 0 }, false,
			{ { "proc/self/status", "Name:\tsh\nenvID:\t0\n" },
				{ "proc/self/mountinfo", HOST_MOUNTS } },
			NULL, "unknown", "", 0 },
		{ "PRoot", { 0 }, false,
			{ { "proc/self/status", "TracerPid:\t4242\n" },
				{ "proc/4242/comm", "proot\n" },
				{ "proc/self/mountinfo", HOST_MOUNTS } },
			"pid:[4026531836]", "unknown", "proot", 0 },
		{ "a debugger is no container", { 0 }, false,
			{ { "proc/self/status", "TracerPid:\t4242\n" },
				{ "proc/4242/comm", "gdb\n" } },
			"pid:[4026531836]", "unknown", "", 0 },
		{ "bubblewrap by its root", { 0 }, false,
			{ { "proc/self/mountinfo", "1 0 0:9 /newroot / rw - tmpfs tmpfs rw\n" } },
			"pid:[4026532201]", "unknown", "bubblewrap", 0 },
		{ "flatpak is built on bubblewrap", { 0 }, false,
			{ { "proc/self/mountinfo", "1 0 0:9 /newroot / rw - tmpfs tmpfs rw\n" },
				{ ".flatpak-info", "[Application]\n" } },
			"pid:[4026532201]", "unknown", "flatpak", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_engines_of_images_are_told_apart(void **state)
{
	static const struct machine machines[] = {
		{ "buildah says so", { 0 }, false,
			{ { "run/.containerenv", "\nengine=\"buildah-1.33.7\"\n" },
				{ "proc/self/mountinfo",
					"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/"
					"containers/storage/overlay/l/A\n" } },
			"pid:[4026532201]", "unknown", "buildah", 0 },
		{ "BuildKit of docker", { 0 }, false,
			{ { "proc/self/cgroup", "0::/docker/buildkit/ab12cd\n" },
				{ "proc/self/mountinfo",
					"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/"
					"docker/overlay2/l/A\n" } },
			"pid:[4026532201]", "unknown", "docker", 0 },
		{ "BuildKit alone", { 0 }, false,
			{ { "proc/self/mountinfo",
				"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/buildkit/"
				"runc-overlayfs/snapshots/1/fs\n" } },
			"pid:[4026532201]", "unknown", "buildkit", 0 },
		{ "a toolbox shares the machine's processes", { 0 }, false,
			{ { "run/.containerenv", "" }, { "run/.toolboxenv", "" },
				{ "proc/self/mountinfo",
					"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/home/me/"
					".local/share/containers/storage/overlay/l/A\n" } },
			"pid:[4026531836]", "unknown", "podman", 0 },
		{ "a pod in a node that is a container", { 0 }, false,
			{ { "proc/self/cgroup", "0::/\n" },
				{ "proc/self/mountinfo",
					"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/"
					"containerd/io.containerd.snapshotter.v1.overlayfs/"
					"snapshots/9/fs\n"
					"2 1 8:1 /var/lib/docker/volumes/" HEX64
					"/_data/lib/kubelet/pods/1/etc-hosts /etc/hosts rw - ext4 "
					"/dev/sda1 rw\n" } },
			"pid:[4026532201]", "unknown", "docker containerd kubernetes", 0 },
		{ "control groups are mounted below docker's", { 0 }, false,
			{ { "proc/self/mountinfo",
				"1 0 0:9 / / rw - overlay overlay rw\n"
				"2 1 0:44 /docker/" HEX64 " /sys/fs/cgroup/memory ro - cgroup "
				"cgroup rw,memory\n" } },
			"pid:[4026532201]", "unknown", "docker", 0 },
		{ "nspawn's directory", { 0 }, false,
			{ { "proc/self/mountinfo",
				"1 0 8:1 /@/var/lib/machines/deb / rw - btrfs /dev/sda1 rw\n" } },
			"pid:[4026532201]", "unknown", "systemd-nspawn", 0 },
		{ "libvirt's LXC", { 0 }, false,
			{ { "proc/1/cgroup", "4:cpu:/machine/box.libvirt-lxc\n" } }, NULL,
			"unknown", "lxc-libvirt", 0 },
		{ "Kata with a disk as root", { 0 }, false,
			{ { "proc/self/mountinfo",
				"1 0 254:0 /rootfs / rw - ext4 /dev/vda rw\n"
				"2 1 0:34 /a-hosts /etc/hosts rw - virtiofs kataShared rw\n" } },
			"pid:[4026532201]", "unknown", "kata", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

/* docker run --pid=host: a pid namespace that is the machine's proves no machine. */
static void test_shared_pid_namespace_is_no_proof_against_a_container(void **state)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;
	struct error error;

	synthetic_make(&tree);
	synthetic_file(&tree, ".dockerenv", "");
	synthetic_link(&tree, "proc/self/ns/pid", "pid:[4026531836]");
	synthetic_link(&tree, "proc/self/ns/uts", "uts:[4026532202]");
	synthetic_link(&tree, "proc/self/ns/ipc", "ipc:[4026532203]");
	assert_int_equal(sysroot_open(tree.directory, &root, &error), 0);
	environment_probe(&root, &e);
	synthetic_remove(&tree);
	assert_non_null(environment_list_find(&e.container, "docker"));
	assert_int_equal(e.conflicts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_tree_names_the_hypervisor),
		cmocka_unit_test(test_mainframe_tells_its_levels),
		cmocka_unit_test(test_xen_domains_are_told_apart),
		cmocka_unit_test(test_nested_and_relabelled_machines),
		cmocka_unit_test(test_short_smbios_table_says_nothing),
		cmocka_unit_test(test_containers_of_many_kinds),
		cmocka_unit_test(test_engines_of_images_are_told_apart),
		cmocka_unit_test(test_shared_pid_namespace_is_no_proof_against_a_container),
	};

	return cmocka_run_group_tests_name("environment kinds", tests, NULL, NULL);
}
