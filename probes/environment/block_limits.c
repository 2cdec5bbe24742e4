// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "probes/environment/cgroup_limits.h"

/* One line a device, as "8:0 rbps=1048576 wbps=max riops=max wiops=max" or "8:0 1048576". */
static bool parse_lines(const struct sysroot *root, const char *directory, int version,
	const char *text, uint64_t *ret)
{
	uint64_t lines = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	*ret = lines;
	return lines > 0;
}

/* Linux' documentation: blkio-controller (v1), cgroup-v2 "io.max". */
static const struct cgroup_limit_kind throttles[] = {
	{ "blkio", "blkio.throttle.read_bps_device", "io.max", parse_lines },
	{ "blkio", "blkio.throttle.write_bps_device", "io.max", parse_lines },
	{ "blkio", "blkio.throttle.read_iops_device", "io.max", parse_lines },
	{ "blkio", "blkio.throttle.write_iops_device", "io.max", parse_lines },
};

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	struct known_limit *io = &environment->io;

	for (size_t i = 0; i < ARRAY_SIZE(throttles) && !io->set; i++) {
		io->known = false;
		cgroup_limit_read(sources, &throttles[i], io);
	}
}

static const struct environment_probe block_limits = {
	.head = { "block-limits", 35, "throttles on block I/O" },
	.probe = probe,
};
REGISTER(environment_probes, block_limits);
