// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel's names, its command line and its drivers say of a virtual machine.
#include <fnmatch.h>
#include <string.h>

#include "core/text.h"
#include "probes/environment/signs.h"

/* Kernels built for one product; a cloud's flavour ("-aws") runs anywhere and says nothing. */
static const struct text_sign kernels[] = {
	{ "proc/sys/kernel/osrelease", "*-linuxkit*", SIGN_PLATFORM, "docker-desktop" },
	{ "proc/sys/kernel/osrelease", "*-orbstack-*", SIGN_PLATFORM, "orbstack" },
	{ "proc/sys/kernel/osrelease", "*WSL2*", SIGN_HYPERVISOR, "microsoft" },
	{ "proc/sys/kernel/osrelease", "*-microsoft-standard*", SIGN_HYPERVISOR, "microsoft" },
};

/*
 * gVisor writes one line of its own for ever: an old release and the date of its first kernel. Its
 * processor flags are its own as well, and firmware files are handed through.
 */
static const char *const gvisor[] = { "*#1 SMP Sun Jan 10 15:06:54 PST 2016*", "*-gvisor*",
	"*gVisor*" };

static void from_version(struct signs *signs, const struct sysroot *root)
{
	_cleanup_free_ char *version = NULL;

	if (sysroot_read_line(root, &version, "proc/version") < 0)
		return;
	signs->looked = true;
	for (size_t i = 0; i < ARRAY_SIZE(gvisor); i++)
		signs->foreign_kernel |= fnmatch(gvisor[i], version, 0) == 0;
}

/* A clock that only one hypervisor offers. VirtualBox offers KVM's. */
static const struct {
	const char *word, *name;
} clocks[] = {
	{ "kvm-clock", "kvm" },
	{ "hyperv_clocksource_tsc_page", "microsoft" },
	{ "hyperv_clocksource_msr", "microsoft" },
	{ "xen", "xen" },
};

static void from_clocks(struct signs *signs, const struct sysroot *root)
{
	static const char *const file =
		"sys/devices/system/clocksource/clocksource0/available_clocksource";
	_cleanup_free_ char *list = NULL;

	if (sysroot_read_line(root, &list, "%s", file) < 0)
		return;
	signs->clocks_known = true;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (text_has_word(list, clocks[i].word, ' '))
			signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, clocks[i].name, "%s: %s",
				file, clocks[i].word);
}

static bool has_prefix_word(const char *list, const char *prefix)
{
	const char *p = strstr(list, prefix);

	while (p && p != list && p[-1] != ' ')
		p = strstr(p + 1, prefix);
	return p != NULL;
}

/*
 * Firecracker's own boot arguments (src/vmm, DEFAULT_KERNEL_CMDLINE): no PCI, and one virtio_mmio
 * device a disk; on machines without that (arm64) the other defaults go along. Only the words are
 * quoted: a command line may hold secrets.
 */
static void from_command_line(struct signs *signs, const struct sysroot *root)
{
	_cleanup_free_ char *line = NULL;

	if (sysroot_read_line(root, &line, "proc/cmdline") < 0)
		return;
	if (text_has_word(line, "pci=off", ' ') && has_prefix_word(line, "virtio_mmio.device="))
		signs_add(signs, SIGN_MONITOR, SIGN_STRONG, "firecracker",
			"proc/cmdline: pci=off and virtio_mmio.device=");
	else if (text_has_word(line, "pci=off", ' ') && text_has_word(line, "reboot=k", ' ') &&
		text_has_word(line, "panic=1", ' '))
		signs_add(signs, SIGN_MONITOR, SIGN_STRONG, "firecracker",
			"proc/cmdline: reboot=k panic=1 pci=off");
}

void signs_from_kernel(struct signs *signs, const struct environment_sources *sources)
{
	signs->looked |= signs_match_files(signs, sources->root, kernels, ARRAY_SIZE(kernels));
	from_version(signs, sources->root);
	from_clocks(signs, sources->root);
	from_command_line(signs, sources->root);
}
