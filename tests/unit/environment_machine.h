/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TESTS_ENVIRONMENT_MACHINE_H
#define IOPROOF_TESTS_ENVIRONMENT_MACHINE_H

/* A machine of a few files, and what the environment probe has to say of it. */

#include "probes/environment/environment_probe.h"
#include "synthetic.h"

#define DMI "sys/class/dmi/id/"
#define TREE "sys/firmware/devicetree/base/"
#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define CLOCKS "sys/devices/system/clocksource/clocksource0/available_clocksource"
#define FLAGS "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU\nflags\t\t: fpu aes hypervisor\n"
#define BARE "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU\nflags\t\t: fpu aes\n"
#define HOST_MOUNTS "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:6 / /dev rw - devtmpfs devtmpfs rw\n"

struct fake_cpu {
	const char *first, *second; /* signatures; NULL: no hypervisor bit, no such leaf */
};

static struct fake_cpu cpu;

static int fake_cpuid(uint32_t leaf, uint32_t subleaf, struct cpuid_registers *ret)
{
	const char *text = leaf == 0x40000000 ? cpu.first : leaf == 0x40000100 ? cpu.second : NULL;
	char padded[13] = "";

	*ret = (struct cpuid_registers){ 0 };
	if (leaf == 1 && cpu.first)
		ret->ecx = 1U << 31;
	if (text) {
		snprintf(padded, sizeof(padded), "%s", text);
		memcpy(&ret->ebx, padded, 4);
		memcpy(&ret->ecx, padded + 4, 4);
		memcpy(&ret->edx, padded + 8, 4);
	}
	return 0;
}

struct file {
	const char *path, *text;
};

#define FILES_MAX 6

struct machine {
	const char *what;
	struct fake_cpu cpu;
	bool has_cpuid;
	struct file file[FILES_MAX];
	const char *pid_namespace;
	const char *virtualization, *container; /* "kvm amazon"; NULL: unknown */
	unsigned conflicts;
};

static void names(const struct environment_list *list, char *text, size_t size)
{
	size_t at = 0;

	snprintf(text, size, "%s", list->known ? "" : "unknown");
	for (size_t i = 0; i < list->count; i++) {
		assert_true(list->item[i].evidences > 0);
		at += (size_t)snprintf(
			text + at, size - at, "%s%s", i ? " " : "", list->item[i].name);
	}
}

static void probe(const struct machine *m, struct environment *ret)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	struct machine_calls calls = machine_calls_none;
	struct synthetic tree;
	struct error error;

	synthetic_make(&tree);
	for (size_t i = 0; i < FILES_MAX && m->file[i].path; i++)
		synthetic_file(&tree, m->file[i].path, m->file[i].text);
	if (m->pid_namespace)
		synthetic_link(&tree, "proc/self/ns/pid", m->pid_namespace);
	assert_int_equal(sysroot_open(tree.directory, &root, &error), 0);
	cpu = m->cpu;
	if (m->has_cpuid)
		calls.cpuid = fake_cpuid;
	root.calls = &calls;
	environment_probe(&root, ret);
	synthetic_remove(&tree);
}

static void check(const struct machine *m)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	char virtualization[128], container[128];

	probe(m, &e);
	names(&e.virtualization, virtualization, sizeof(virtualization));
	names(&e.container, container, sizeof(container));
	if (strcmp(virtualization, m->virtualization) != 0 ||
		strcmp(container, m->container) != 0 || e.conflicts != m->conflicts)
		print_message("%s: in [%s], in [%s], %zu conflicts\n", m->what, virtualization,
			container, e.conflicts);
	assert_string_equal(virtualization, m->virtualization);
	assert_string_equal(container, m->container);
	assert_int_equal(e.conflicts, m->conflicts);
}

static void check_all(const struct machine *machines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(&machines[i]);
}

#define KVM "KVMKVMKVM"
#define HYPERV "Microsoft Hv"

#endif
