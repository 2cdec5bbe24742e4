/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_CGROUP_LIMITS_H
#define IOPROOF_CGROUP_LIMITS_H

/*
 * Limits of the cgroups that this process is in, on cgroup v1 and v2: the strictest of its own
 * group and those above, as far as they can be seen from here (a cgroup namespace hides the rest).
 */

#include "probes/environment/environment_probe.h"

/* One kind of limit. Files are tried in the controller's v1 hierarchy, then in the v2 one. */
struct cgroup_limit_kind {
	const char *controller; /* v1's name: "memory" */
	const char *file_v1, *file_v2;
	/*
	 * What the file's text says; directory and root let it look at a second file. False: this
	 * text sets no limit.
	 */
	bool (*parse)(const struct sysroot *root, const char *directory, int version,
		const char *text, uint64_t *ret);
};

/* ret stays unknown where no such hierarchy can be seen. */
void cgroup_limit_read(const struct environment_sources *sources,
	const struct cgroup_limit_kind *kind, struct known_limit *ret);

/*
 * The text of a file of our own group, and the version it is of; malloc'ed, NULL: not there.
 */
char *cgroup_file_read(const struct environment_sources *sources, const char *controller,
	const char *file_v1, const char *file_v2, int *version);

#endif
