// SPDX-License-Identifier: GPL-2.0-or-later
// What machines without DMI say: the device tree of ARM, POWER and RISC-V, s390's /proc/sysinfo.
#include <fnmatch.h>
#include <string.h>

#include "probes/environment/signs.h"

/* A property of several strings holds when one of them matches. */
static const struct {
	const char *property, *pattern, *name;
} tree[] = {
	{ "hypervisor/compatible", "linux,kvm*", "kvm" },
	{ "hypervisor/compatible", "*xen*", "xen" },
	{ "hypervisor/compatible", "vmware*", "vmware" },
	/* Whole machines have no such node. */
	{ "hypervisor/compatible", "?*", "vm-other" },
	{ "compatible", "qemu,*", "qemu" },
	{ "compatible", "riscv-virtio*", "qemu" },
	{ "compatible", "xen,xenvm*", "xen" },
	/* Shared by QEMU, kvmtool, crosvm, Firecracker, Apple: some machine. */
	{ "compatible", "linux,dummy-virt*", "vm-other" },
	{ "model", "riscv-virtio,qemu*", "qemu" },
	{ "model", "*emulated by qemu*", "qemu" },
	{ "model", "Apple Virtualization*", "apple" },
};

/* Strings end in NUL; in a record, where files are text, in a newline. */
static const char *string_matching(char *text, size_t length, const char *pattern)
{
	for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
		text[at + strcspn(text + at, "\n")] = '\0';
		if (fnmatch(pattern, text + at, 0) == 0)
			return text + at;
	}
	return NULL;
}

static bool from_property(
	struct signs *signs, const struct sysroot *root, const char *base, size_t row)
{
	_cleanup_free_ char *text = NULL;
	const char *found;
	size_t length = 0;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, &length, "%s/%s", base,
		    tree[row].property) < 0)
		return false;
	found = string_matching(text, length, tree[row].pattern);
	if (found)
		signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, tree[row].name, "%s/%s: %.*s", base,
			tree[row].property, SIGN_VALUE_MAX, found);
	return true;
}

static void from_nodes(struct signs *signs, const struct sysroot *root, const char *base)
{
	_cleanup_(string_list_free) char **nodes = NULL;

	if (sysroot_list(root, &nodes, "%s", base) < 0)
		return;
	for (char **node = nodes; *node; node++)
		if (strncmp(*node, "fw-cfg@", strlen("fw-cfg@")) == 0)
			signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, "qemu", "%s: node %.*s",
				base, SIGN_VALUE_MAX, *node);
}

/* POWER: a partition has a name; QEMU gives it one as well. */
static void from_partition(struct signs *signs, const struct sysroot *root, const char *base)
{
	if (sysroot_exists(root, "%s/ibm,partition-name", base) &&
		!sysroot_exists(root, "%s/chosen/qemu,graphic-width", base))
		signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, "powervm",
			"%s/ibm,partition-name exists", base);
}

static bool from_device_tree(struct signs *signs, const struct sysroot *root, const char *base)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(tree); i++)
		any |= from_property(signs, root, base, i);
	from_nodes(signs, root, base);
	from_partition(signs, root, base);
	return any;
}

/*
 * s390, STSI level 3: "VM00 Control Program: z/VM    7.2.0" is the system that this one runs in,
 * VM01 the one that VM00 runs in. Below them all is a partition, which every machine is cut into.
 */
#define LEVELS_MAX 8

static bool from_sysinfo(struct signs *signs, const struct sysroot *root)
{
	_cleanup_free_ char *text = NULL;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "proc/sysinfo") < 0)
		return false;
	for (int level = LEVELS_MAX - 1; level >= 0; level--) {
		_cleanup_free_ char *name = xasprintf("VM%02d Control Program", level);
		_cleanup_free_ char *program = colon_value(text, name);

		if (program)
			signs_add(signs, level ? SIGN_OUTER : SIGN_HYPERVISOR, SIGN_STRONG,
				strncmp(program, "z/VM", 4) == 0 ? "zvm" : "kvm",
				"proc/sysinfo: %s %.*s", name, SIGN_VALUE_MAX, program);
	}
	return true;
}

void signs_from_device_tree(struct signs *signs, const struct environment_sources *sources)
{
	static const char *const bases[] = { "sys/firmware/devicetree/base", "proc/device-tree" };
	bool any = from_sysinfo(signs, sources->root);

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		/* The second is a link to the first; containers may hide one of them. */
		if (from_device_tree(signs, sources->root, bases[i])) {
			any = true;
			break;
		}
	}
	signs->looked |= any;
	signs->decisive |= any;
}
