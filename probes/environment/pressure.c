// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "probes/environment/environment_probe.h"

/*
 * "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" and "full ...": Linux' documentation, PSI. For
 * processors "full" is defined inside of control groups only, and older kernels leave the line out.
 */
static void pressure_read(
	const struct sysroot *root, const char *name, struct environment_pressure *ret)
{
	_cleanup_free_ char *text = NULL;
	const char *full;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "proc/pressure/%s", name) < 0 ||
		sscanf(text, "some avg10=%lf", &ret->some_avg10) != 1)
		return;
	full = strstr(text, "full ");
	ret->known = !full || sscanf(full, "full avg10=%lf", &ret->full_avg10) == 1;
}

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	pressure_read(sources->root, "io", &environment->io_pressure);
	pressure_read(sources->root, "memory", &environment->memory_pressure);
	pressure_read(sources->root, "cpu", &environment->cpu_pressure);
}

static const struct environment_probe pressure = {
	.head = { "pressure", 36, "stalls on block I/O, memory and processors" },
	.probe = probe,
};
REGISTER(environment_probes, pressure);
