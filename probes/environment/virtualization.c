// SPDX-License-Identifier: GPL-2.0-or-later
// From signs to a list of what lies between this machine and the hardware, outermost first.
#include <string.h>

#include "probes/environment/signs.h"

#define VM_OTHER "vm-other" /* a virtual machine; of whom cannot be told */

/* Where two names are seen at once, and that is no contradiction: the first one is the answer. */
static const struct {
	const char *name, *covers;
} covers[] = {
	{ "oracle", "kvm" },       /* VirtualBox offers KVM's paravirtual interface to Linux */
	{ "oracle", "microsoft" }, /* and Hyper-V's to Windows */
	{ "kvm", "microsoft" },    /* Hyper-V enlightenments in front of the own leaves */
	{ "xen", "microsoft" },    /* the same, "viridian" */
	{ "qemu", "microsoft" },
	{ "vmware", "microsoft" },
	{ "kvm", "qemu" }, /* QEMU is the machine, KVM runs it */
	{ "xen", "qemu" }, /* the device model of a Xen HVM guest */
	{ "xen", "bochs" },
	{ "kvm", "bochs" }, /* firmware of QEMU's that still says Bochs */
	{ "qemu", "bochs" },
	{ "parallels", "kvm" }, /* Parallels offers KVM's interface, too */
	{ "parallels", "microsoft" },
	{ "apple", "qemu" },
	{ "kvm", "powervm" }, /* QEMU gives a machine of its pseries kind a partition's name */
	{ "qemu", "powervm" },
};

static bool name_covers(const char *name, const char *other)
{
	if (strcmp(other, VM_OTHER) == 0 && strcmp(name, VM_OTHER) != 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(covers); i++)
		if (strcmp(covers[i].name, name) == 0 && strcmp(covers[i].covers, other) == 0)
			return true;
	return false;
}

/*
 * A marker for KVM counts only beside QEMU's firmware, where neither CPUID nor the list of clocks
 * could tell; firmware's word for KVM (OpenStack, oVirt) not where the processor is QEMU's own.
 */
static bool counts(const struct signs *signs, const struct sign *sign)
{
	if (sign->class != SIGN_HYPERVISOR || sign->weight == SIGN_DROPPED ||
		(signs->translated && strcmp(sign->name, "kvm") == 0))
		return false;
	return sign->weight == SIGN_STRONG ||
		(!signs->clocks_known && signs_find(signs, SIGN_HYPERVISOR, "qemu"));
}

static bool is_covered(const struct signs *signs, const char *name)
{
	for (size_t i = 0; i < signs->count; i++)
		if (counts(signs, &signs->item[i]) && name_covers(signs->item[i].name, name))
			return true;
	return false;
}

/* The first name that none covers, in the order of sources: CPU, firmware, kernel. */
static const struct sign *uncovered(const struct signs *signs, const char *not_this)
{
	for (size_t i = 0; i < signs->count; i++) {
		const struct sign *sign = &signs->item[i];

		if (counts(signs, sign) && !is_covered(signs, sign->name) &&
			(!not_this || strcmp(sign->name, not_this) != 0))
			return sign;
	}
	return NULL;
}

static const struct {
	enum sign_class class;
	const char *name, *hypervisor, *why;
} implied[] = {
	{ SIGN_MONITOR, "firecracker", "kvm", "Firecracker runs on KVM only" },
	{ SIGN_MONITOR, "crosvm", "kvm", "crosvm runs on KVM" },
	{ SIGN_MONITOR, "cloud-hypervisor", "kvm", "Cloud Hypervisor runs on KVM" },
	{ SIGN_CLOUD, "amazon", "kvm", "EC2's Nitro is KVM, its older machines say Xen" },
	{ SIGN_CLOUD, "google", "kvm", "Compute Engine is KVM" },
	{ SIGN_CLOUD, "azure", "microsoft", "Azure is Hyper-V" },
	{ SIGN_CLOUD, "alibaba", "kvm", "Alibaba Cloud's is KVM" },
	{ SIGN_CLOUD, "tencent", "kvm", "Tencent Cloud's is KVM" },
	{ SIGN_CLOUD, "digitalocean", "kvm", "DigitalOcean's is KVM" },
	{ SIGN_CLOUD, "hetzner", "kvm", "Hetzner Cloud's is KVM" },
	{ SIGN_CLOUD, "vultr", "kvm", "Vultr's is KVM" },
	{ SIGN_CLOUD, "linode", "kvm", "Linode's is KVM" },
	{ SIGN_CLOUD, "scaleway", "kvm", "Scaleway's is KVM" },
	{ SIGN_CLOUD, "upcloud", "kvm", "UpCloud's is KVM" },
	{ SIGN_CLOUD, "exoscale", "kvm", "Exoscale's is KVM" },
	{ SIGN_CLOUD, "oracle-cloud", "kvm", "Oracle Cloud's is KVM" },
	{ SIGN_CLOUD, "huawei", "kvm", "Huawei Cloud's is KVM" },
	{ SIGN_CLOUD, "yandex", "kvm", "Yandex Cloud's is KVM" },
	{ SIGN_CLOUD, "nutanix", "kvm", "Nutanix AHV is KVM" },
};

/* A maker's firmware on a whole machine of a cloud is no virtualization; the processor knows. */
static bool cloud_is_below(const struct signs *signs)
{
	if (signs->machine_is_virtual == YES_NO_UNKNOWN)
		return !signs->bare_metal;
	return signs->machine_is_virtual == YES_NO_YES;
}

static void add_implied(const struct signs *signs, struct environment_list *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(implied); i++) {
		const struct sign *sign = signs_find(signs, implied[i].class, implied[i].name);
		_cleanup_free_ char *evidence = NULL;

		if (!sign || (sign->class == SIGN_CLOUD && !cloud_is_below(signs)))
			continue;
		evidence = xasprintf("%s (%s)", sign->evidence, implied[i].why);
		environment_list_add(list, "hypervisor", implied[i].hypervisor, evidence);
		return;
	}
}

/* All that speaks for a name, its own signs first. */
static void add_hypervisor(
	const struct signs *signs, const char *name, struct environment_list *list)
{
	for (unsigned covered = 0; covered < 2; covered++)
		for (size_t i = 0; i < signs->count; i++) {
			const struct sign *sign = &signs->item[i];
			bool own = strcmp(sign->name, name) == 0;

			if (counts(signs, sign) &&
				(covered ? !own && name_covers(name, sign->name) : own))
				environment_list_add(list, "hypervisor", name, sign->evidence);
		}
}

static void add_class(const struct signs *signs, enum sign_class class, const char *kind,
	struct environment_list *list)
{
	for (size_t i = 0; i < signs->count; i++)
		if (signs->item[i].class == class)
			environment_list_add(
				list, kind, signs->item[i].name, signs->item[i].evidence);
}

static void add_conflicts(
	const struct signs *signs, const struct sign *chosen, struct environment *environment)
{
	const struct sign *other = uncovered(signs, chosen->name);
	_cleanup_free_ char *belief = NULL;

	if (other) {
		belief = xasprintf("%s is taken for the hypervisor: the processor's word goes "
				   "before firmware's, firmware's before the kernel's",
			chosen->name);
		environment_conflict_add(
			environment, "virtualization", chosen->evidence, other->evidence, belief);
	}
	if (signs->machine_is_virtual == YES_NO_NO)
		environment_conflict_add(environment, "virtualization", chosen->evidence,
			signs->virtual_evidence,
			"a virtual machine: a hypervisor can hide its bit, and no real machine "
			"names itself so");
}

/* A machine is in one cloud: the first one named is listed. */
static void add_cloud(const struct signs *signs, struct environment *environment)
{
	const struct sign *first = signs_find(signs, SIGN_CLOUD, NULL);

	for (size_t i = 0; first && i < signs->count; i++) {
		const struct sign *sign = &signs->item[i];

		if (sign->class != SIGN_CLOUD)
			continue;
		if (strcmp(sign->name, first->name) == 0)
			environment_list_add(
				&environment->virtualization, "cloud", sign->name, sign->evidence);
		else
			environment_conflict_add(environment, "virtualization", first->evidence,
				sign->evidence, "a machine is in one cloud: the first is followed");
	}
}

void virtualization_decide(const struct signs *signs, struct environment *environment)
{
	struct environment_list *list = &environment->virtualization;
	const struct sign *chosen = uncovered(signs, NULL);
	bool named = chosen && strcmp(chosen->name, VM_OTHER) != 0;

	list->known = signs->looked;
	list->decisive = signs->decisive;
	if (chosen)
		add_conflicts(signs, chosen, environment);
	add_class(signs, SIGN_OUTER, "hypervisor", list);
	if (named)
		add_hypervisor(signs, chosen->name, list);
	else if (!signs->foreign_kernel)
		add_implied(signs, list);
	add_class(signs, SIGN_MONITOR, "monitor", list);
	add_class(signs, SIGN_PLATFORM, "platform", list);
	if (!list->count && chosen)
		add_hypervisor(signs, VM_OTHER, list);
	if (!list->count && signs->machine_is_virtual == YES_NO_YES)
		environment_list_add(list, "hypervisor", VM_OTHER, signs->virtual_evidence);
	if (list->count && signs->machine_is_virtual == YES_NO_YES)
		environment_list_add(
			list, list->item[0].kind, list->item[0].name, signs->virtual_evidence);
	if (cloud_is_below(signs))
		add_cloud(signs, environment);
}

/*
 * Processor flags that gVisor shows are its own. Xen's first domain is the machine's own system,
 * unless all of it runs in another virtual machine: what says Xen is put aside, and so is the bit
 * that Xen sets for its domains. In a paravirtual one the bit may be missing.
 */
static void weigh(struct signs *signs)
{
	if (signs->foreign_kernel ||
		(signs->paravirtual && signs->machine_is_virtual == YES_NO_NO)) {
		signs->machine_is_virtual = YES_NO_UNKNOWN;
		signs->decisive = false;
	}
	if (!signs->control_domain)
		return;
	signs->machine_is_virtual = YES_NO_UNKNOWN;
	for (size_t i = 0; i < signs->count; i++)
		if (strcmp(signs->item[i].name, "xen") == 0 ||
			strcmp(signs->item[i].name, VM_OTHER) == 0)
			signs->item[i].weight = SIGN_DROPPED;
}

/* Something names the hypervisor or the cloud; a marker alone does not. */
static bool has_name(const struct signs *signs)
{
	for (size_t i = 0; i < signs->count; i++)
		if (signs->item[i].weight == SIGN_STRONG &&
			signs->item[i].class != SIGN_CONTAINER &&
			strcmp(signs->item[i].name, VM_OTHER) != 0)
			return true;
	return false;
}

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	_cleanup_(signs_free) struct signs signs = { 0 };

	signs_from_cpu(&signs, sources);
	signs_from_firmware(&signs, sources);
	signs_from_device_tree(&signs, sources);
	signs_from_kernel(&signs, sources);
	signs_from_offers(&signs, sources);
	if (!has_name(&signs))
		signs_from_devices(&signs, sources);
	weigh(&signs);
	virtualization_decide(&signs, environment);
}

static const struct environment_probe virtualization = {
	.head = { "virtualization", 50, "hypervisors and clouds, by CPU, firmware and kernel" },
	.probe = probe,
};
REGISTER(environment_probes, virtualization);
