// SPDX-License-Identifier: GPL-2.0-or-later
// What the processor says of a hypervisor: its CPUID leaves where it can be asked, else the flags
// that the kernel shows.
#include <string.h>

#include "core/text.h"
#include "probes/environment/signs.h"

#define LEAF_FEATURES 0x1U
#define HYPERVISOR_BIT (1U << 31) /* of ECX; never set by a processor itself */
#define LEAF_SIGNATURE 0x40000000U
/* Where a hypervisor puts its own leaves when it shows Hyper-V's at the first place. */
#define LEAF_SIGNATURE_SECOND 0x40000100U

/* The twelve bytes of EBX, ECX, EDX. Sources: each hypervisor's own documentation or headers. */
static const struct {
	char signature[13];
	const char *name;
} signatures[] = {
	{ "KVMKVMKVM", "kvm" },
	{ "Linux KVM Hv", "kvm" }, /* with Hyper-V's interface in front */
	{ "TCGTCGTCGTCG", "qemu" },
	{ "VMwareVMware", "vmware" },
	{ "VBoxVBoxVBox", "oracle" },
	{ "Microsoft Hv", "microsoft" },
	{ "XenVMMXenVMM", "xen" },
	{ "bhyve bhyve ", "bhyve" },
	{ "BHyVE BHyVE ", "bhyve" },
	{ "Apple VZ", "apple" },
	{ " lrpepyh  vr", "parallels" },
	{ "prl hyperv  ", "parallels" },
	{ "ACRNACRNACRN", "acrn" },
	{ "QNXQVMBSQG", "qnx" },
	{ "SRESRESRESRE", "sre" },
	{ "Jailhouse", "jailhouse" },
	{ "OpenBSDVMM58", "openbsd-vmm" },
	{ "___ NVMM ___", "nvmm" },
};

static bool signature_at(const struct sysroot *root, uint32_t leaf, struct signs *signs)
{
	struct cpuid_registers r;
	char text[13] = "";

	if (!root->calls->cpuid || root->calls->cpuid(leaf, 0, &r) < 0)
		return false;
	memcpy(text, &r.ebx, 4);
	memcpy(text + 4, &r.ecx, 4);
	memcpy(text + 8, &r.edx, 4);
	for (size_t i = 0; i < ARRAY_SIZE(signatures); i++) {
		if (strcmp(text, signatures[i].signature) != 0)
			continue;
		signs_add(signs, SIGN_HYPERVISOR, SIGN_STRONG, signatures[i].name,
			"cpuid leaf 0x%08x: \"%s\"", leaf, text);
		signs->translated |= strcmp(signatures[i].name, "qemu") == 0;
		return true;
	}
	return false;
}

static bool from_cpuid(const struct sysroot *root, struct signs *signs)
{
	struct cpuid_registers r;
	bool set;

	if (!root->calls->cpuid || root->calls->cpuid(LEAF_FEATURES, 0, &r) < 0)
		return false;
	set = r.ecx & HYPERVISOR_BIT;
	signs->machine_is_virtual = set ? YES_NO_YES : YES_NO_NO;
	signs->virtual_evidence =
		xasprintf("cpuid leaf 1: hypervisor bit %s", set ? "set" : "clear");
	if (set) {
		signature_at(root, LEAF_SIGNATURE, signs);
		signature_at(root, LEAF_SIGNATURE_SECOND, signs);
	}
	return true;
}

/* Only x86 has such a flag; without a line of flags nothing is known. */
static void from_flags(const char *cpuinfo, struct signs *signs)
{
	_cleanup_free_ char *flags = colon_value(cpuinfo, "flags");
	bool set;

	if (!flags)
		return;
	set = text_has_word(flags, "hypervisor", ' ');
	signs->machine_is_virtual = set ? YES_NO_YES : YES_NO_NO;
	signs->virtual_evidence =
		xasprintf("proc/cpuinfo: flags %s hypervisor", set ? "contain" : "do not contain");
}

/*
 * Firmware that says QEMU leaves open whether KVM runs below. QEMU's own translator shows by
 * default a processor of its name with few abilities; any other name, or AES, was passed on from a
 * real one.
 */
static void from_real_model(const char *cpuinfo, struct signs *signs)
{
	_cleanup_free_ char *flags = colon_value(cpuinfo, "flags");
	_cleanup_free_ char *model = colon_value(cpuinfo, "model name");

	if (!flags || !model || strstr(model, "TCG"))
		return;
	if (strncmp(model, "QEMU", 4) != 0 || text_has_word(flags, "aes", ' '))
		signs_add(signs, SIGN_HYPERVISOR, SIGN_MARKER, "kvm",
			"proc/cpuinfo: model name %.*s is not QEMU's own", SIGN_VALUE_MAX, model);
}

/* Names that a hypervisor gives to its processor. */
static void from_model(const char *cpuinfo, struct signs *signs)
{
	static const struct {
		const char *field, *text;
		enum sign_class class;
		const char *name;
	} models[] = {
		{ "model name", "Common KVM processor", SIGN_HYPERVISOR, "kvm" },
		{ "model name", "Common 32-bit KVM processor", SIGN_HYPERVISOR, "kvm" },
		{ "model name", "QEMU TCG CPU", SIGN_HYPERVISOR, "qemu" },
		{ "model name", "QEMU Virtual CPU", SIGN_HYPERVISOR, "qemu" },
		{ "machine", "CHRP IBM pSeries (emulated by qemu)", SIGN_HYPERVISOR, "qemu" },
		/* A kernel that runs as a program; the processor is that of the machine below. */
		{ "vendor_id", "User Mode Linux", SIGN_MONITOR, "uml" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		_cleanup_free_ char *value = colon_value(cpuinfo, models[i].field);

		if (value && strncmp(value, models[i].text, strlen(models[i].text)) == 0)
			signs_add(signs, models[i].class, SIGN_STRONG, models[i].name,
				"proc/cpuinfo: %s %.*s", models[i].field, SIGN_VALUE_MAX, value);
	}
}

void signs_from_cpu(struct signs *signs, const struct environment_sources *sources)
{
	bool asked = from_cpuid(sources->root, signs);

	if (!asked && sources->cpuinfo) {
		from_flags(sources->cpuinfo, signs);
		from_real_model(sources->cpuinfo, signs);
	}
	if (sources->cpuinfo)
		from_model(sources->cpuinfo, signs);
	signs->looked |= asked || sources->cpuinfo;
	signs->decisive |= signs->machine_is_virtual != YES_NO_UNKNOWN;
}
