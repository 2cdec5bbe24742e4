// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/utsname.h>

#include "probes/environment/environment_probe.h"

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	struct utsname name;

	(void)sysroot_read_line(sources->root, &environment->kernel, "proc/sys/kernel/osrelease");
	if (sources->root->live && uname(&name) == 0)
		environment->machine = xstrdup(name.machine);
}

static const struct environment_probe kernel = {
	.head = { "kernel", 10, "kernel release and architecture" },
	.probe = probe,
};
REGISTER(environment_probes, kernel);
