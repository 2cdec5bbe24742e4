// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>

#include "probes/environment/environment_probe.h"

/* proc_pid_status(5): CapEff, a hexadecimal mask. */
static void probe_capabilities(const char *status, struct environment *environment)
{
	_cleanup_free_ char *text = colon_value(status, "CapEff");
	uint64_t mask;

	if (!text || sscanf(text, "%" SCNx64, &mask) != 1)
		return;
	environment->cap_known = true;
	environment->cap_sys_admin = mask >> CAP_SYS_ADMIN & 1;
	environment->privileges.capabilities = mask;
}

static void probe_restrictions(const char *status, struct environment_privileges *privileges)
{
	static const char *const modes[] = { "disabled", "strict", "filter" };
	_cleanup_free_ char *seccomp = colon_value(status, "Seccomp");
	_cleanup_free_ char *no_new = colon_value(status, "NoNewPrivs");

	for (size_t i = 0; seccomp && i < ARRAY_SIZE(modes); i++)
		if (seccomp[0] == (char)('0' + i) && !seccomp[1])
			privileges->seccomp = xstrdup(modes[i]);
	if (no_new)
		privileges->no_new_privileges = no_new[0] == '0' ? YES_NO_NO : YES_NO_YES;
}

/* user_namespaces(7): the first namespace maps all numbers to themselves in one line. */
static void probe_user_namespace(
	const struct sysroot *root, struct environment_privileges *privileges)
{
	_cleanup_free_ char *text = NULL;
	uint64_t inside, outside, count;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "proc/self/uid_map") < 0 ||
		sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &count) != 3)
		return;
	privileges->user_namespace =
		inside == 0 && outside == 0 && count == UINT32_MAX ? YES_NO_NO : YES_NO_YES;
}

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	environment->uid = sources->root->live ? geteuid() : 0;
	if (sources->status) {
		probe_capabilities(sources->status, environment);
		probe_restrictions(sources->status, &environment->privileges);
	}
	probe_user_namespace(sources->root, &environment->privileges);
}

static const struct environment_probe privileges_probe = {
	.head = { "privileges", 40, "user, capabilities, seccomp, user namespace" },
	.probe = probe,
};
REGISTER(environment_probes, privileges_probe);
