/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_SIGNS_H
#define IOPROOF_SIGNS_H

/*
 * Signs of what surrounds this process, as found, before anyone believes them: sources collect
 * them, virtualization_decide() and container_decide() judge. Judging is pure.
 */

#include "model/environment.h"
#include "probes/environment/environment_probe.h"

enum sign_class {
	SIGN_OUTER, /* a hypervisor that another one runs in; found outermost first */
	SIGN_HYPERVISOR,
	SIGN_MONITOR,  /* what runs on a hypervisor: Firecracker on KVM, User Mode Linux on any */
	SIGN_PLATFORM, /* a product's VM whose hypervisor it does not tell: Docker Desktop */
	SIGN_CLOUD,
	SIGN_CONTAINER,
};

/* How much a sign can be believed when it stands alone. */
enum sign_weight {
	/* A file or variable that any image can carry along: /.dockerenv, container=oci. */
	SIGN_MARKER,
	/* What only the thing itself makes: its mounts, its cgroups, its CPUID leaf. */
	SIGN_STRONG,
	/* Found, and put aside: it speaks of something else. */
	SIGN_DROPPED,
};

struct sign {
	enum sign_class class;
	enum sign_weight weight;
	const char *name; /* static */
	char *evidence;   /* "FILE: VALUE" */
};

#define SIGNS_MAX 128

struct signs {
	struct sign item[SIGNS_MAX];
	size_t count;
	bool looked;   /* some source that can tell was read */
	bool decisive; /* one that would have told */

	/* Of virtualization: */
	enum yes_no machine_is_virtual; /* the CPU's own hypervisor bit */
	char *virtual_evidence;
	bool translated;     /* CPUID names QEMU's own translator: firmware's KVM is only a label */
	bool paravirtual;    /* Xen PV: CPUID may be the processor's own */
	bool foreign_kernel; /* gVisor answers: CPU flags are its own, not the machine's */
	bool bare_metal;     /* a cloud's own word that this is a whole machine */
	bool control_domain; /* Xen's dom0: the hypervisor is below, the machine is ours */
	bool clocks_known;   /* the list of clocks was read: without kvm-clock it is not KVM */

	/* Of containers: why a marker alone cannot be right; NULL: nothing speaks against it. */
	char *host_evidence;
	char *nested_pid_evidence; /* the pid namespace is not the first one */
};

void signs_add(struct signs *signs, enum sign_class class, enum sign_weight weight,
	const char *name, const char *fmt, ...) PRINTF(5, 6);
void signs_free(struct signs *signs);
/* The first of this class and name; name NULL: of the class. */
const struct sign *signs_find(const struct signs *signs, enum sign_class class, const char *name);

/* One row of a table "a file's text names a thing". */
struct text_sign {
	const char *file;
	const char *pattern; /* fnmatch(3), case matters */
	enum sign_class class;
	const char *name;
};

/* Reads each row's file (rows of one file side by side are read once). True: any was readable. */
bool signs_match_files(struct signs *signs, const struct sysroot *root,
	const struct text_sign *table, size_t rows);
/* Values quoted in evidence are cut here. */
#define SIGN_VALUE_MAX 160

/* Sources of virtualization signs. */
void signs_from_cpu(struct signs *signs, const struct environment_sources *sources);
void signs_from_firmware(struct signs *signs, const struct environment_sources *sources);
void signs_from_kernel(struct signs *signs, const struct environment_sources *sources);
void signs_from_device_tree(struct signs *signs, const struct environment_sources *sources);
/* Clocks and shares that only one hypervisor offers. */
void signs_from_offers(struct signs *signs, const struct environment_sources *sources);
/* By PCI ids and disk models; for when nothing else has spoken. */
void signs_from_devices(struct signs *signs, const struct environment_sources *sources);
/* Sources of container signs. */
void signs_from_markers(struct signs *signs, const struct environment_sources *sources);
void signs_from_cgroups(struct signs *signs, const struct environment_sources *sources);
void signs_from_mounts(struct signs *signs, const struct environment_sources *sources);
void signs_from_namespaces(struct signs *signs, const struct environment_sources *sources);

/* Fill environment->virtualization or ->container, and add conflicts. */
void virtualization_decide(const struct signs *signs, struct environment *environment);
void container_decide(const struct signs *signs, struct environment *environment);

#endif
