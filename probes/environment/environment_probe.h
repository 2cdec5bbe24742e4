/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_ENVIRONMENT_PROBE_H
#define IOPROOF_ENVIRONMENT_PROBE_H

/* The machine around the stack. Each probe (section `environment_probes`) fills its part. */

#include "core/registry.h"
#include "core/sysroot.h"
#include "model/environment.h"
#include "probes/environment/mount_signs.h"

/* What several probes look at, read once. A text is NULL where it could not be read. */
struct environment_sources {
	const struct sysroot *root;
	struct mount_signs mounts; /* proc/self/mountinfo */
	char *cgroup;              /* proc/self/cgroup */
	char *cpuinfo;             /* proc/cpuinfo */
	char *status;              /* proc/self/status */
};

struct environment_probe {
	struct registered head;
	/* What cannot be read stays as it is: unknown. */
	void (*probe)(const struct environment_sources *sources, struct environment *environment);
};

extern const struct registry registry_environment_probes;

void environment_probe(const struct sysroot *root, struct environment *ret);

/* The value of the first line "NAME<blanks>: VALUE" of cpuinfo or status; malloc'ed, NULL: none. */
char *colon_value(const char *text, const char *name);

#endif
