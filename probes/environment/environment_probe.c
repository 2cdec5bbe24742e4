// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/environment/environment_probe.h"

#include <string.h>

REGISTRY_DEFINE(environment_probes, "environment probes");

#define CPUINFO_MAX ((size_t)(4 * MIB)) /* a few KiB a processor */

char *colon_value(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line && *line;) {
		const char *end = line + strcspn(line, "\n");
		const char *colon = memchr(line, ':', (size_t)(end - line));

		if (colon && strncmp(line, name, length) == 0 &&
			line + length + strspn(line + length, " \t") == colon) {
			colon += 1 + strspn(colon + 1, " \t");
			return xstrndup(colon, colon < end ? (size_t)(end - colon) : 0);
		}
		line = *end ? end + 1 : end;
	}
	return NULL;
}

static void sources_read(const struct sysroot *root, struct environment_sources *ret)
{
	*ret = (struct environment_sources){ .root = root };
	(void)mount_signs_read(root, &ret->mounts);
	(void)sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &ret->cgroup, NULL, "proc/self/cgroup");
	(void)sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &ret->status, NULL, "proc/self/status");
	(void)sysroot_read(root, CPUINFO_MAX, &ret->cpuinfo, NULL, "proc/cpuinfo");
}

static void sources_free(struct environment_sources *sources)
{
	mount_signs_free(&sources->mounts);
	free(sources->cgroup);
	free(sources->status);
	free(sources->cpuinfo);
}

void environment_probe(const struct sysroot *root, struct environment *ret)
{
	_cleanup_(sources_free) struct environment_sources sources;
	struct registry_view view;

	*ret = (struct environment){ 0 };
	sources_read(root, &sources);
	if (registry_view(&registry_environment_probes, &view) < 0)
		return;
	registry_for_each(member, &view)
		registry_entry(*member, struct environment_probe)->probe(&sources, ret);
	registry_view_free(&view);
}
