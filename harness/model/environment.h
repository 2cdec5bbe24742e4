/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_ENVIRONMENT_H
#define IOPROOF_ENVIRONMENT_H

/*
 * The machine around the stack, as far as verdicts and readers need it. What could not be read is
 * unknown (NULL, `known` false): never zero, never "none".
 */

#include "core/base.h"

/* One thing that surrounds this process, and the files and values that show it. */
struct environment_item {
	char *kind; /* "hypervisor", "monitor", "platform", "cloud"; "sandbox", "container", ... */
	char *name; /* systemd-detect-virt's where it has one: "kvm", "docker" */
	char **evidence; /* "sys/class/dmi/id/sys_vendor: QEMU" */
	size_t evidences;
};

/* Outermost first; a cloud after its hypervisor. Empty and known: looked, and found nothing. */
struct environment_list {
	bool known;
	/* A source was read that would have told (CPUID, CPU flags, firmware; a mount table). */
	bool decisive;
	struct environment_item *item;
	size_t count;
};

/* Two signals that cannot both be right; `belief` says which one is followed, and why. */
struct environment_conflict {
	char *subject; /* "container", "virtualization" */
	char *one, *other;
	char *belief;
};

struct known_count {
	bool known;
	uint64_t value;
};

/* A limit that a cgroup may set: known and not set is "no limit". */
struct known_limit {
	bool known, set;
	uint64_t value;
	char *source; /* the file that sets it */
};

struct environment_cpu {
	char *model;              /* "AMD EPYC 7763 64-Core Processor" */
	char *governor;           /* cpufreq; NULL where there is none, as in most machines' VMs */
	struct known_limit quota; /* thousandths of a processor */
	struct known_count periods, throttled_periods, throttled_ns; /* since the group was made */
	bool steal_known;
	double steal_share; /* of all processor time since boot */
};

struct environment_clock {
	char *source;                  /* "tsc", "kvm-clock" */
	char *available;               /* as the kernel writes them, separated by blanks */
	struct known_count reading_ns; /* one clock_gettime(2), measured */
};

struct environment_memory {
	struct known_count available_bytes;
	struct known_limit limit; /* bytes: the strictest of the cgroups above us */
	struct known_count charged_bytes;
	/* proc/sys/vm/dirty_*: of each pair one is 0 and does not count. */
	struct known_count dirty_ratio, dirty_bytes;
	struct known_count dirty_background_ratio, dirty_background_bytes;
};

/* proc/pressure/io, memory, cpu: percent of the last ten seconds in which some or all waited. */
struct environment_pressure {
	bool known;
	double some_avg10, full_avg10;
};

enum yes_no { YES_NO_UNKNOWN, YES_NO_NO, YES_NO_YES };

struct environment_privileges {
	uint64_t capabilities;         /* CapEff; holds where cap_known */
	char *seccomp;                 /* "disabled", "strict", "filter" */
	enum yes_no no_new_privileges; /* setuid programs and file capabilities give nothing */
	enum yes_no user_namespace;    /* uid 0 here is not root of the machine */
};

struct environment {
	char *kernel;          /* "6.18.44" : uname release; NULL when unknown */
	char *machine;         /* "x86_64" */
	unsigned cpus;         /* online for us; 0 unknown */
	uint64_t memory_bytes; /* MemTotal; 0 unknown */
	uid_t uid;
	bool cap_sys_admin; /* effective: loop devices, mounts */
	bool cap_known;
	bool private_cgroup;          /* I/O of this process is counted apart */
	char *private_cgroup_missing; /* why not; NULL when it is */

	struct environment_list virtualization, container;
	struct environment_conflict *conflict;
	size_t conflicts;
	struct environment_cpu cpu;
	struct environment_clock clock;
	struct environment_memory memory;
	struct environment_pressure io_pressure, memory_pressure, cpu_pressure;
	struct environment_privileges privileges;
	struct known_limit io; /* a throttle on block I/O; `value` counts its lines */
};

/* A capability that some check needs, and what is lost without it. */
struct capability_use {
	unsigned bit;     /* capabilities(7) */
	const char *name; /* "CAP_SYS_ADMIN" */
	const char *cost;
};

/* Ends with a NULL name. */
extern const struct capability_use capability_uses[];

/* NULL: not there. */
const struct environment_item *environment_list_find(
	const struct environment_list *list, const char *name);
/* Finds or appends; an evidence that is there already is not doubled. Copies all three. */
void environment_list_add(
	struct environment_list *list, const char *kind, const char *name, const char *evidence);
/* Takes nothing: copies. */
void environment_conflict_add(struct environment *environment, const char *subject, const char *one,
	const char *other, const char *belief);

void environment_copy(const struct environment *environment, struct environment *ret);
void environment_free(struct environment *environment);

#endif
