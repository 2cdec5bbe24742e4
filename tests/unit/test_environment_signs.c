// SPDX-License-Identifier: GPL-2.0-or-later
// What surrounds a process, from few files each: every case is a machine that misled some tool.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "environment_machine.h"

static void test_processor_names_the_hypervisor(void **state)
{
	static const struct machine machines[] = {
		{ "bare metal", { NULL, NULL }, true, { { 0 } }, NULL, "", "unknown", 0 },
		{ "kvm", { KVM, NULL }, true, { { 0 } }, NULL, "kvm", "unknown", 0 },
		{ "qemu without kvm", { "TCGTCGTCGTCG", NULL }, true,
			{ { DMI "sys_vendor", "QEMU\n" } }, NULL, "qemu", "unknown", 0 },
		{ "kvm with Hyper-V's interface in front", { HYPERV, KVM }, true, { { 0 } }, NULL,
			"kvm", "unknown", 0 },
		{ "xen with Hyper-V's interface in front", { HYPERV, "XenVMMXenVMM" }, true,
			{ { 0 } }, NULL, "xen", "unknown", 0 },
		{ "an unknown hypervisor", { "SomethingNew", NULL }, true, { { 0 } }, NULL,
			"vm-other", "unknown", 0 },
		{ "two words for it", { "VMwareVMware", NULL }, true,
			{ { DMI "sys_vendor", "QEMU\n" } }, NULL, "vmware", "unknown", 1 },
		{ "VirtualBox speaks KVM's language", { KVM, NULL }, true,
			{ { DMI "product_name", "VirtualBox\n" } }, NULL, "oracle", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_firmware_names_hypervisor_and_cloud(void **state)
{
	static const struct machine machines[] = {
		{ "Surface laptop", { 0 }, false,
			{ { DMI "sys_vendor", "Microsoft Corporation\n" },
				{ DMI "product_name", "Surface Laptop 4\n" },
				{ "proc/cpuinfo", BARE } },
			NULL, "", "unknown", 0 },
		{ "a cloud's whole machine", { 0 }, false,
			{ { DMI "sys_vendor", "Amazon EC2\n" },
				{ DMI "product_name", "c7g.metal\n" } },
			NULL, "", "unknown", 0 },
		{ "Graviton has no flag", { 0 }, false,
			{ { DMI "sys_vendor", "Amazon EC2\n" },
				{ DMI "product_name", "t4g.micro\n" },
				{ "proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n" } },
			NULL, "kvm amazon", "unknown", 0 },
		{ "EC2 on Xen", { 0 }, false,
			{ { DMI "sys_vendor", "Xen\n" }, { DMI "bios_version", "4.11.amazon\n" },
				{ "sys/hypervisor/type", "xen\n" }, { "proc/cpuinfo", FLAGS } },
			NULL, "xen amazon", "unknown", 0 },
		{ "Xen's own domain", { 0 }, false,
			{ { "sys/hypervisor/type", "xen\n" },
				{ "proc/xen/capabilities", "control_d\n" },
				{ "proc/cpuinfo", FLAGS } },
			NULL, "", "unknown", 0 },
		{ "Oracle's cloud is not VirtualBox", { KVM, NULL }, true,
			{ { DMI "sys_vendor", "QEMU\n" },
				{ DMI "chassis_asset_tag", "OracleCloud.com\n" } },
			NULL, "kvm oracle-cloud", "unknown", 0 },
		{ "a hidden hypervisor bit", { 0 }, false,
			{ { DMI "sys_vendor", "QEMU\n" }, { "proc/cpuinfo", BARE } }, NULL, "kvm",
			"unknown", 1 },
		{ "QEMU's clocks without KVM's", { 0 }, false,
			{ { DMI "sys_vendor", "QEMU\n" }, { "proc/cpuinfo", FLAGS },
				{ CLOCKS, "tsc hpet acpi_pm\n" } },
			NULL, "qemu", "unknown", 0 },
		{ "Apple's on arm64", { 0 }, false,
			{ { DMI "product_name", "Apple Virtualization Generic Platform\n" } }, NULL,
			"apple", "unknown", 0 },
		{ "garbage", { 0 }, false,
			{ { DMI "sys_vendor", "\xff\xfe\x1b[31m\n" }, { "proc/cpuinfo", ":::\n\n" },
				{ "proc/version", "\n" } },
			NULL, "", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_kernel_names_a_product(void **state)
{
	static const struct machine machines[] = {
		{ "WSL2 made from a container image", { 0 }, false,
			{ { "proc/sys/kernel/osrelease", "5.15.0-microsoft-standard-WSL2\n" },
				{ ".dockerenv", "" }, { "proc/self/mountinfo", HOST_MOUNTS } },
			"pid:[4026532201]", "microsoft", "wsl", 1 },
		{ "WSL1 has no virtual machine", { 0 }, false,
			{ { "proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n" },
				{ "proc/cpuinfo", BARE } },
			NULL, "", "wsl", 0 },
		{ "newer gVisor in a cloud", { 0 }, false,
			{ { "proc/version",
				  "Linux version 4.19.0-gvisor #1 SMP Sun Jan 10 15:06:54 PST "
				  "2016\n" },
				{ DMI "product_name", "Google Compute Engine\n" },
				{ "proc/cpuinfo", FLAGS } },
			NULL, "google", "gvisor", 0 },
		{ "Firecracker by its arguments", { 0 }, false,
			{ { "proc/cmdline", "pci=off virtio_mmio.device=4K@0xd0000000:5\n" } },
			NULL, "kvm firecracker", "unknown", 0 },
		{ "Docker Desktop where the processor speaks", { KVM, NULL }, true,
			{ { "proc/sys/kernel/osrelease", "6.10.14-linuxkit\n" } }, NULL,
			"kvm docker-desktop", "unknown", 0 },
		{ "a cloud's kernel elsewhere", { 0 }, false,
			{ { "proc/sys/kernel/osrelease", "6.8.0-1031-azure\n" },
				{ "proc/cpuinfo", BARE } },
			NULL, "", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_marker_alone_is_weighed(void **state)
{
	static const struct machine machines[] = {
		{ "marker, nothing against it", { 0 }, false, { { ".dockerenv", "" } }, NULL,
			"unknown", "docker", 0 },
		{ "marker in the first pid namespace", { 0 }, false, { { ".dockerenv", "" } },
			"pid:[4026531836]", "unknown", "", 1 },
		{ "marker on a whole machine", { 0 }, false,
			{ { ".dockerenv", "" }, { "proc/self/mountinfo", HOST_MOUNTS } }, NULL,
			"unknown", "", 1 },
		{ "marker in a new pid namespace of a whole machine", { 0 }, false,
			{ { ".dockerenv", "" }, { "proc/self/mountinfo", HOST_MOUNTS } },
			"pid:[4026532201]", "unknown", "", 1 },
		{ "docker run --pid=host", { 0 }, false,
			{ { ".dockerenv", "" },
				{ "proc/self/mountinfo",
					"1 0 0:9 / / rw - overlay overlay rw,upperdir=/var/lib/"
					"docker/overlay2/x/diff\n" } },
			"pid:[4026531836]", "unknown", "docker", 0 },
		{ "another engine's leftover", { 0 }, false,
			{ { ".dockerenv", "" }, { "proc/1/environ", "container=lxc" } },
			"pid:[4026532201]", "unknown", "lxc", 1 },
		{ "an image's variable in a machine", { 0 }, false,
			{ { "proc/1/environ", "container=oci" } }, "pid:[4026531836]", "unknown",
			"", 1 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_mounts_and_cgroups_name_the_engine(void **state)
{
	static const struct machine machines[] = {
		{ "cgroup path of docker", { 0 }, false,
			{ { "proc/self/cgroup", "0::/system.slice/docker-" HEX64 ".scope\n" } },
			NULL, "unknown", "docker", 0 },
		{ "docker's daemon", { 0 }, false,
			{ { "proc/self/cgroup", "0::/system.slice/docker.service\n" } }, NULL,
			"unknown", "", 0 },
		{ "a pod on docker", { 0 }, false,
			{ { "proc/self/cgroup", "4:memory:/kubepods/burstable/pod1/" HEX64 "\n" },
				{ "proc/self/mountinfo",
					"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/"
					"docker/overlay2/l/A\n" } },
			NULL, "unknown", "docker kubernetes", 0 },
		{ "a pod on CRI-O", { 0 }, false,
			{ { "proc/self/mountinfo",
				"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/containers/"
				"storage/overlay/l/A\n"
				"2 1 8:1 /var/lib/kubelet/pods/1/etc-hosts /etc/hosts rw - xfs "
				"/dev/sda1 rw\n" } },
			NULL, "unknown", "crio kubernetes", 0 },
		{ "docker that keeps images in containerd", { 0 }, false,
			{ { "proc/self/mountinfo",
				"1 0 0:9 / / rw - overlay overlay rw,lowerdir=/var/lib/containerd/"
				"io.containerd.snapshotter.v1.overlayfs/snapshots/1/fs\n"
				"2 1 8:1 /srv/engine/containers/" HEX64 "/hosts /etc/hosts rw - "
				"xfs /dev/sda1 rw\n" } },
			NULL, "unknown", "docker", 0 },
		{ "lxc by lxcfs", { 0 }, false,
			{ { "proc/self/mountinfo",
				"1 0 8:9 / / rw - ext4 /dev/mapper/pve-vm--1 rw\n"
				"2 1 0:55 /proc/meminfo /proc/meminfo rw - fuse.lxcfs lxcfs "
				"rw\n" } },
			NULL, "unknown", "lxc", 0 },
		{ "a machine that serves lxcfs and runs docker", { 0 }, false,
			{ { "proc/self/mountinfo",
				HOST_MOUNTS
				"3 1 0:55 / /var/lib/lxcfs rw - fuse.lxcfs lxcfs rw\n"
				"4 1 0:56 / /var/lib/docker/overlay2/x/merged rw - overlay overlay "
				"rw,lowerdir=/var/lib/docker/overlay2/l/A\n" } },
			NULL, "unknown", "", 0 },
		{ "bubblewrap", { 0 }, false,
			{ { "proc/self/mountinfo", "1 0 0:9 / / rw - tmpfs tmpfs rw\n" } },
			"pid:[4026532201]", "unknown", "container-other", 0 },
		{ "nothing to look at", { 0 }, false, { { 0 } }, NULL, "unknown", "unknown", 0 },
	};

	check_all(machines, ARRAY_SIZE(machines));
}

static void test_copy_keeps_evidence_and_conflicts(void **state)
{
	static const struct machine machine = { "stray marker", { KVM, NULL }, true,
		{ { ".dockerenv", "" } }, "pid:[4026531836]", "kvm", "", 1 };
	_cleanup_(environment_free) struct environment e = { 0 }, copy = { 0 };

	probe(&machine, &e);
	environment_copy(&e, &copy);
	assert_int_equal(copy.virtualization.count, 1);
	assert_int_equal(copy.virtualization.item[0].evidences, e.virtualization.item[0].evidences);
	assert_ptr_not_equal(copy.virtualization.item, e.virtualization.item);
	assert_int_equal(copy.conflicts, 1);
	assert_string_equal(copy.conflict[0].one, "/.dockerenv exists");
	assert_non_null(strstr(copy.conflict[0].other, "pid:[4026531836]"));
	assert_non_null(environment_list_find(&copy.virtualization, "kvm"));
	assert_null(environment_list_find(&copy.virtualization, "xen"));
}

static void test_tables_without_end_are_bounded(void **state)
{
	_cleanup_free_ char *line = xmalloc(300000 + 1), *mounts = NULL;
	_cleanup_(environment_free) struct environment e = { 0 };
	struct machine machine = { .what = "hostile" };
	size_t at = 0;

	memset(line, 'x', 300000);
	line[300000] = '\0';
	mounts = xmalloc(20000 * 64);
	for (unsigned i = 0; i < 20000; i++)
		at += (size_t)sprintf(
			mounts + at, "%u 1 0:9 /\\000\\134 /proc/keys rw - tmpfs tmpfs rw\n", i);
	machine.file[0] = (struct file){ "proc/self/mountinfo", mounts };
	machine.file[1] = (struct file){ "proc/1/cgroup", line };
	machine.file[2] = (struct file){ DMI "sys_vendor", line };
	machine.file[3] = (struct file){ "proc/cpuinfo", line };
	probe(&machine, &e);
	assert_true(e.container.known);
	assert_int_equal(e.container.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processor_names_the_hypervisor),
		cmocka_unit_test(test_firmware_names_hypervisor_and_cloud),
		cmocka_unit_test(test_kernel_names_a_product),
		cmocka_unit_test(test_marker_alone_is_weighed),
		cmocka_unit_test(test_mounts_and_cgroups_name_the_engine),
		cmocka_unit_test(test_copy_keeps_evidence_and_conflicts),
		cmocka_unit_test(test_tables_without_end_are_bounded),
	};

	return cmocka_run_group_tests_name("environment signs", tests, NULL, NULL);
}
